/* SPDX-License-Identifier: Apache-2.0 */
/* The C ABI from C: stale handles, null arguments, struct sizes, and every kind of error with its fields. */
#include <cmm/cmm.h>
#include <cmm/sim.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            printf("%s:%d: %s does not hold; last error: %s\n", __FILE__, __LINE__, #what, cmm_last_message());         \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

static cmm_error last(void) {
    cmm_error e = CMM_ERROR_INIT;
    cmm_last_error(&e);
    return e;
}

static cmm_resource managed(void) {
    cmm_resource r = {0};
    CHECK(cmm_resource_create(NULL, &r) == CMM_OK);
    return r;
}

static cmm_buffer allocated(cmm_resource r, size_t bytes) {
    cmm_buffer b = {0};
    CHECK(cmm_allocate(r, bytes, &b) == CMM_OK);
    return b;
}

static void there_is_no_error_at_first(void) {
    CHECK(cmm_last_error(NULL) == CMM_OK);
    CHECK(strcmp(cmm_last_message(), "") == 0);
    CHECK(strcmp(cmm_version(), CMM_VERSION) == 0);
}

static void a_stale_handle_is_closed(void) {
    const cmm_resource r = managed();
    const cmm_buffer b = allocated(r, 4096);
    const cmm_buffer other = b;
    size_t size = 7;
    void* data = NULL;
    CHECK(cmm_buffer_size(b, &size) == CMM_OK && size == 4096);
    cmm_buffer_close(b);
    cmm_buffer_close(other);
    CHECK(!cmm_buffer_is_open(b));
    CHECK(cmm_buffer_size(b, &size) == CMM_CLOSED && size == 4096);
    const cmm_buffer next = allocated(r, 8192); /* takes the place in the table */
    CHECK(cmm_buffer_data(b, &data) == CMM_CLOSED && data == NULL);
    cmm_buffer_close(b);
    CHECK(cmm_buffer_is_open(next));
    cmm_buffer_close(next);
    cmm_resource_close(r);
    cmm_resource_close(r);
    CHECK(cmm_allocate(r, 1, (cmm_buffer*)&next) == CMM_CLOSED);
}

static void a_handle_of_another_kind_is_refused(void) {
    const cmm_resource r = managed();
    const cmm_buffer b = allocated(r, 4096);
    const cmm_stream wrong = {b.id};
    const cmm_buffer zero = {0};
    const cmm_buffer forged = {0xffffffffffffffffULL};
    size_t size = 0;
    CHECK(cmm_synchronize(cmm_on(wrong)) == CMM_INVALID_ARGUMENT);
    cmm_stream_close(wrong); /* is none: the buffer stays */
    CHECK(cmm_buffer_is_open(b));
    CHECK(cmm_buffer_size(zero, &size) == CMM_INVALID_ARGUMENT);
    CHECK(cmm_buffer_size(forged, &size) == CMM_CLOSED);
    cmm_buffer_close(b);
    cmm_resource_close(r);
}

static void null_arguments_are_named(void) {
    const cmm_resource r = managed();
    const cmm_buffer b = allocated(r, 4096);
    const cmm_target t = cmm_of(b);
    const cmm_location here = cmm_device(0);
    CHECK(cmm_allocate(r, 1, NULL) == CMM_INVALID_ARGUMENT && strcmp(last().argument, "out") == 0);
    CHECK(cmm_buffer_size(b, NULL) == CMM_INVALID_ARGUMENT);
    CHECK(cmm_read_mostly(t, NULL) == CMM_INVALID_ARGUMENT);
    CHECK(cmm_stream_create(NULL, NULL) == CMM_INVALID_ARGUMENT);
    CHECK(cmm_prefetch(NULL, 1, &here, CMM_FOR_ALL, cmm_legacy(), NULL, NULL) == CMM_INVALID_ARGUMENT &&
          strcmp(last().argument, "targets") == 0);
    CHECK(cmm_prefetch(&t, 1, NULL, CMM_FOR_ALL, cmm_legacy(), NULL, NULL) == CMM_INVALID_ARGUMENT &&
          strcmp(last().argument, "locations") == 0);
    CHECK(cmm_copy_batch(cmm_legacy(), NULL, 1, &t, 1, NULL, 0, NULL, NULL) == CMM_INVALID_ARGUMENT &&
          strcmp(last().argument, "srcs") == 0);
    CHECK(cmm_copy_batch(cmm_legacy(), &t, 1, &t, 1, NULL, 1, NULL, NULL) == CMM_INVALID_ARGUMENT &&
          strcmp(last().argument, "options") == 0);
    CHECK(cmm_allocate_batch(r, NULL, 1, NULL) == CMM_INVALID_ARGUMENT);
    CHECK(cmm_plan_prefetch(&t, 1, &here, CMM_FOR_ALL, NULL, NULL) == CMM_INVALID_ARGUMENT);
    CHECK(cmm_advise(&t, 1, CMM_SET_READ_MOSTLY, NULL, 0, NULL, NULL) == CMM_OK);
    cmm_buffer_close(b);
    cmm_resource_close(r);
}

static void a_struct_without_its_size_is_refused(void) {
    cmm_stream_options options = CMM_STREAM_OPTIONS_INIT;
    cmm_report report = CMM_REPORT_INIT;
    cmm_driver_facts facts = CMM_DRIVER_FACTS_INIT;
    cmm_copy_options copy = CMM_COPY_OPTIONS_INIT;
    cmm_stream s = {0};
    const cmm_target nothing = cmm_range(NULL, 0);
    options.size = 0;
    CHECK(cmm_stream_create(&options, &s) == CMM_INVALID_ARGUMENT && strcmp(last().argument, "options") == 0);
    report.size = 8;
    CHECK(cmm_discard(&nothing, 1, cmm_legacy(), NULL, &report) == CMM_INVALID_ARGUMENT);
    facts.size = sizeof(size_t);
    CHECK(cmm_get_driver_facts(&facts) == CMM_INVALID_ARGUMENT);
    copy.size = 12;
    CHECK(cmm_copy_batch(cmm_legacy(), &nothing, 1, &nothing, 1, &copy, CMM_FOR_ALL, NULL, NULL) ==
          CMM_INVALID_ARGUMENT);
}

static void a_longer_struct_of_a_later_header_is_taken(void) {
    struct {
        cmm_options now;
        uint64_t later;
    } options = {CMM_OPTIONS_INIT, 99};
    struct {
        cmm_report now;
        uint64_t later;
    } report = {CMM_REPORT_INIT, 99};
    const cmm_target nothing = cmm_range(NULL, 0);
    const cmm_location here = cmm_host();
    options.now.size = sizeof options;
    report.now.size = sizeof report;
    CHECK(cmm_prefetch(&nothing, 1, &here, CMM_FOR_ALL, cmm_legacy(), &options.now, &report.now) == CMM_OK);
    CHECK(report.now.size == sizeof report && report.later == 99);
}

static void every_kind_of_error_has_its_fields(void) {
    const cmm_resource r = managed();
    const cmm_buffer pair[2] = {allocated(r, 65536), allocated(r, 65536)};
    cmm_target two[2];
    const cmm_location bad = cmm_device(7);
    const cmm_location here = cmm_device(0);
    cmm_buffer none = {0};
    two[0] = cmm_of(pair[0]);
    two[1] = cmm_of(pair[1]);

    CHECK(cmm_prefetch(two, 2, &bad, CMM_FOR_ALL, cmm_legacy(), NULL, NULL) == CMM_INVALID_ARGUMENT);
    CHECK(strcmp(last().argument, "locations") == 0 && last().index == -1 && last().driver_code == 0);

    cmm_sim_fault("cuMemAdvise", 1, 999);
    CHECK(cmm_advise(two, 2, CMM_SET_READ_MOSTLY, NULL, 0, NULL, NULL) == CMM_DRIVER_ERROR);
    CHECK(last().driver_code == 999 && strcmp(last().name, "CUDA_ERROR_UNKNOWN") == 0);
    CHECK(strncmp(last().entry, "cuMemAdvise", 11) == 0 && last().issued == 0);

    cmm_sim_fault("cuMemAllocManaged", 0, 2);
    CHECK(cmm_allocate(r, 4096, &none) == CMM_OUT_OF_MEMORY && none.id == 0 && last().driver_code == 2);
    cmm_sim_clear_faults();

    cmm_buffer_close(pair[1]);
    CHECK(cmm_prefetch(two, 2, &here, CMM_FOR_ALL, cmm_legacy(), NULL, NULL) == CMM_CLOSED);
    CHECK(strcmp(last().argument, "targets") == 0 && last().index == 1 && strstr(last().message, "closed"));
    cmm_buffer_close(pair[0]);
    cmm_resource_close(r);
    cmm_drain();

    CHECK(cmm_open_simulated("", 12000) == CMM_OK);
    CHECK(cmm_discard(two, 1, cmm_legacy(), NULL, NULL) == CMM_CLOSED);
    CHECK(cmm_open("libno_such_driver.so.7", 0) == CMM_DRIVER_MISSING);
    CHECK(strstr(last().message, "libno_such_driver.so.7") != NULL);
    CHECK(cmm_open_simulated("devices=none", 0) == CMM_INVALID_ARGUMENT);
    CHECK(cmm_open_simulated("", 0) == CMM_OK);
}

static int released = 0;
static void release(void* user) { *(int*)user += 1; }

static void borrowed_memory_is_released_once(void) {
    static unsigned char memory[4096];
    cmm_buffer b = {0};
    int32_t kind = -1;
    CHECK(cmm_buffer_borrow(memory, sizeof memory, false, release, &released, &b) == CMM_OK);
    CHECK(cmm_buffer_kind(b, &kind) == CMM_OK && kind == CMM_KIND_PAGEABLE);
    CHECK(released == 0);
    cmm_buffer_close(b);
    cmm_buffer_close(b);
    CHECK(released == 1);
    CHECK(cmm_buffer_borrow(memory, sizeof memory, true, release, &released, &b) == CMM_INVALID_ARGUMENT);
    CHECK(released == 2);
    CHECK(cmm_buffer_borrow(memory, sizeof memory, false, release, &released, NULL) == CMM_INVALID_ARGUMENT);
    CHECK(released == 3);
}

static int warnings = 0;
static void count_warning(const char* key, const char* text, void* user) {
    CHECK(key && *key && text && *text && user == &warnings);
    ++warnings;
}

static void warnings_go_to_the_handler(void) {
    const cmm_resource r = managed();
    const cmm_target a = cmm_of(allocated(r, 4096));
    const cmm_target b = cmm_of(allocated(r, 4096));
    cmm_copy_options copy = CMM_COPY_OPTIONS_INIT;
    copy.overlap_mode = CMM_OVERLAP_PREFER;
    cmm_set_warning_handler(count_warning, &warnings);
    CHECK(cmm_copy_batch(cmm_legacy(), &a, 1, &b, 1, &copy, CMM_FOR_ALL, NULL, NULL) == CMM_OK);
    CHECK(cmm_copy_batch(cmm_legacy(), &a, 1, &b, 1, &copy, CMM_FOR_ALL, NULL, NULL) == CMM_OK);
    CHECK(warnings == 1);
    cmm_set_warning_handler(NULL, NULL);
    cmm_buffer_close(a.buffer);
    cmm_buffer_close(b.buffer);
    cmm_resource_close(r);
}

int main(void) {
    cmm_sim_live live;
    there_is_no_error_at_first();
    CHECK(cmm_open_simulated("", 0) == CMM_OK);
    a_stale_handle_is_closed();
    a_handle_of_another_kind_is_refused();
    null_arguments_are_named();
    a_struct_without_its_size_is_refused();
    a_longer_struct_of_a_later_header_is_taken();
    every_kind_of_error_has_its_fields();
    borrowed_memory_is_released_once();
    warnings_go_to_the_handler();
    cmm_drain();
    cmm_sim_live_counts(&live);
    CHECK(live.managed_allocations == 0);
    printf("%d failed\n", failures);
    return failures != 0;
}
