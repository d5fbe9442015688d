// SPDX-License-Identifier: Apache-2.0
// What a driver call costs alone: calls by address from C, so that no Python is in the figure.
// cc -O2 -shared -fPIC -o raw.so raw.c
#include <time.h>

typedef int (*call)(long, long, long, long, long, long, long, long);

// Nanoseconds of one round over `count` rows of eight arguments each, the mean of `rounds`.
double nanoseconds(call f, const long* rows, long count, long rounds) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long round = 0; round < rounds; ++round)
        for (const long* a = rows; a != rows + 8 * count; a += 8)
            f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / (double)rounds;
}
