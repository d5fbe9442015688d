/* SPDX-License-Identifier: Apache-2.0 */
/* Weights that every device reads and no one writes, and two buffers that are filled, moved and copied: in C.
 *     gcc stage.c -lcmm -o stage && ./stage              (CMM_DRIVER=sim ./stage without a GPU) */
#include <cmm/cmm.h>
#include <stdio.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

/* Says what failed, and goes on to the end of the program. */
static int failed(cmm_status s, const char* what) {
    if (s != CMM_OK)
        fprintf(stderr, "%s: %s: %s\n", what, cmm_status_name(s), cmm_last_message());
    return s != CMM_OK;
}

static int fill(cmm_buffer b, int value) {
    cmm_view view;
    void* data = NULL;
    size_t bytes = 0;
    if (failed(cmm_view_open(b, &view, &data, &bytes), "view"))
        return 1;
    memset(data, value, bytes);
    cmm_view_close(view);
    return 0;
}

static int is_filled(cmm_buffer b, int value) {
    cmm_view view;
    void* data = NULL;
    size_t bytes = 0;
    size_t wrong = 0;
    if (failed(cmm_view_open(b, &view, &data, &bytes), "view"))
        return 0;
    for (size_t i = 0; i < bytes; ++i)
        wrong += ((unsigned char*)data)[i] != value;
    cmm_view_close(view);
    return wrong == 0;
}

static int stage(cmm_buffer weights, const cmm_buffer* in, const cmm_buffer* out, cmm_stream stream) {
    const cmm_target srcs[] = {cmm_of(in[0]), cmm_of(in[1])};
    const cmm_target dsts[] = {cmm_of(out[0]), cmm_of(out[1])};
    const cmm_location places[] = {cmm_device(0), cmm_host()}; /* paired with dsts */
    const cmm_location here = cmm_device(0);
    const cmm_target all_weights = cmm_of(weights);
    cmm_report report = CMM_REPORT_INIT;
    if (failed(cmm_set_read_mostly(all_weights, true), "set_read_mostly") ||
        failed(cmm_prefetch(&all_weights, 1, &here, CMM_FOR_ALL, cmm_on(stream), NULL, NULL), "prefetch") ||
        failed(cmm_prefetch(dsts, 2, places, 2, cmm_on(stream), NULL, NULL), "prefetch") ||
        failed(cmm_copy_batch(cmm_on(stream), srcs, 2, dsts, 2, NULL, 0, NULL, &report), "copy_batch") ||
        failed(cmm_synchronize(cmm_on(stream)), "synchronize"))
        return 1;
    printf("copied %llu ranges as %llu by %s (%s)\n", (unsigned long long)report.ranges_in,
           (unsigned long long)report.ranges_out, report.entry, report.reason);
    return 0;
}

static int run(void) {
    cmm_driver_facts driver = CMM_DRIVER_FACTS_INIT;
    cmm_resource_options arena = CMM_RESOURCE_OPTIONS_INIT;
    cmm_resource resource = {0};
    cmm_stream stream = {0};
    cmm_buffer weights = {0};
    cmm_buffer in[2] = {{0}, {0}};
    cmm_buffer out[2] = {{0}, {0}};
    const size_t sizes[2] = {MIB, 2 * MIB};
    int bad = 0;

    arena.kind = CMM_RESOURCE_ARENA;
    if (failed(cmm_get_driver_facts(&driver), "driver"))
        return 1;
    printf("CUDA %d%s\n", driver.version / 1000, driver.simulated ? ", simulated" : "");
    bad = failed(cmm_resource_create(&arena, &resource), "arena") || failed(cmm_stream_create(NULL, &stream), "stream") ||
          failed(cmm_allocate(resource, 4 * MIB, &weights), "allocate") ||
          failed(cmm_allocate_batch(resource, sizes, 2, in), "allocate") ||
          failed(cmm_allocate_batch(resource, sizes, 2, out), "allocate") || fill(weights, 1) || fill(in[0], 17) ||
          fill(in[1], 42) || stage(weights, in, out, stream) || !is_filled(out[0], 17) || !is_filled(out[1], 42);
    cmm_buffer_close(weights);
    for (int i = 0; i < 2; ++i) {
        cmm_buffer_close(in[i]);
        cmm_buffer_close(out[i]);
    }
    cmm_stream_close(stream);
    cmm_resource_close(resource);
    return bad;
}

int main(void) {
    const int bad = run();
    puts(bad ? "failed" : "all bytes are right");
    return bad;
}
