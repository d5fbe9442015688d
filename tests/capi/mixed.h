/* SPDX-License-Identifier: Apache-2.0 */
/* One buffer's memory, seen by three parts of one program: one imports cmm, one includes cmm.hpp,
 * one is CUDA C++. Each says where the memory was last prefetched, by cmm, and moves it on. */
#ifndef CMM_TESTS_MIXED_H
#define CMM_TESTS_MIXED_H
#include <cstddef>

struct shared_memory {
    void* address;
    std::size_t bytes;
    void* stream; /* a CUstream */
};

/* What a part saw: the location as text, and the class of the error for a closed buffer. */
struct seen {
    char location[32];
    bool caught_closed;
};

seen look_with_headers(const shared_memory& m); /* prefetches to the host */
seen look_with_cuda(const shared_memory& m);    /* the same, from a .cu file */
#endif
