/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmm for C, and for every compiler that cannot import its modules: where CUDA managed memory
 * should live (advise), moving it (prefetch, discard, discard_prefetch), and copying many buffers
 * at once (copy_batch).
 *
 * Rules that hold for every function:
 * - A function that can fail returns a cmm_status; cmm_last_error() says more, for the calling
 * thread. After a failure, what was to be written through pointers is unchanged. Nothing throws
 * across this interface.
 * - Objects are handles by value. A handle that is zero, closed or of another kind is an error,
 * never a crash; closing twice is allowed. Every function is thread-safe; closing an object while
 * another thread's call uses it lets that call finish.
 * - A struct that may grow starts with `size`, which its CMM_..._INIT sets. Null options mean the
 * defaults. A null `out` is refused; other results, such as reports, may be null where they are not
 * wanted.
 * - Sizes are bytes. Devices are the driver's ordinals. Text is UTF-8 and ends in a zero.
 * - The driver (libcuda.so.1, or what CMM_DRIVER names) is opened by the first call that needs it.
 */
#ifndef CMM_CMM_H
#define CMM_CMM_H

#include <cmm/export.h>
#include <cmm/version.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CMM_NOEXCEPT noexcept
extern "C" {
#else
#define CMM_NOEXCEPT
#endif

/* -- errors */

typedef enum cmm_status {
    CMM_OK = 0,
    CMM_INVALID_ARGUMENT = 1, /* a value that no machine accepts */
    CMM_NOT_SUPPORTED = 2,    /* this driver, device or mode cannot do it */
    CMM_CLOSED = 3,           /* the object was closed before */
    CMM_DRIVER_MISSING = 4,   /* no driver could be loaded */
    CMM_DRIVER_ERROR = 5,     /* the driver refused a call */
    CMM_OUT_OF_MEMORY = 6,    /* the driver is out of memory, or the host is */
    CMM_INTERNAL = 7          /* a mistake in cmm itself */
} cmm_status;

typedef struct cmm_error {
    size_t size;
    cmm_status status;
    const char* message;  /* the whole text: operation, argument, what was given, what is allowed */
    const char* argument; /* the argument to blame; "" where there is none */
    int64_t index;        /* which element of it, in the caller's order; -1: none */
    int64_t other_index;  /* the second one, where two contradict each other; -1: none */
    int32_t driver_code;  /* CUresult; 0: the driver refused nothing */
    const char* name;     /* of that code: "CUDA_ERROR_INVALID_VALUE"; "" */
    const char* entry;    /* the entry point: "cuMemPrefetchAsync@12020"; "" */
    uint64_t issued; /* runs that had reached the driver before: moves stay issued, advice was taken
                        back */
} cmm_error;
#define CMM_ERROR_INIT {sizeof(cmm_error), CMM_OK, "", "", -1, -1, 0, "", "", 0}

/* The calling thread's last failure; CMM_OK before the first one. A success leaves it as it is. The
 * texts stand until the thread's next failure. `out` may be null. */
CMM_API cmm_status cmm_last_error(cmm_error* out) CMM_NOEXCEPT;
CMM_API const char* cmm_last_message(void) CMM_NOEXCEPT;        /* its message; never null */
CMM_API const char* cmm_status_name(cmm_status s) CMM_NOEXCEPT; /* "invalid_argument" */
CMM_API const char*
cmm_version(void) CMM_NOEXCEPT; /* of the library, where CMM_VERSION is the header's */

/* -- values */

/* Handles: an index and a generation. Zero is no object. */
typedef struct cmm_buffer {
    uint64_t id;
} cmm_buffer;
typedef struct cmm_resource {
    uint64_t id;
} cmm_resource;
typedef struct cmm_stream {
    uint64_t id;
} cmm_stream;
typedef struct cmm_event {
    uint64_t id;
} cmm_event;
typedef struct cmm_plan {
    uint64_t id;
} cmm_plan;
typedef struct cmm_view {
    uint64_t id;
} cmm_view;

enum {
    CMM_NOWHERE = 0,
    CMM_DEVICE = 1,
    CMM_HOST = 2,
    CMM_HOST_NUMA = 3,
    CMM_HOST_NUMA_CURRENT = 4
};
/* `id` is the device's ordinal or the NUMA node; it counts for CMM_DEVICE and CMM_HOST_NUMA only.
 */
typedef struct cmm_location {
    int32_t kind;
    int32_t id;
} cmm_location;

/* What an operation works on: a buffer, or (buffer 0) a plain range of memory that cmm did not
 * allocate. */
typedef struct cmm_target {
    cmm_buffer buffer;
    void* address;
    size_t bytes;
} cmm_target;

/* A stream for one call: cmm's own, or (own 0) a CUstream or cudaStream_t. A foreign stream is not
 * used after the call that it came with. Null means the legacy default stream. */
typedef struct cmm_stream_ref {
    cmm_stream own;
    void* raw;
} cmm_stream_ref;

static inline cmm_location cmm_device(int32_t ordinal) {
    cmm_location l = {CMM_DEVICE, 0};
    l.id = ordinal;
    return l;
}
static inline cmm_location cmm_host(void) {
    cmm_location l = {CMM_HOST, 0};
    return l;
}
static inline cmm_location cmm_host_numa(int32_t node) {
    cmm_location l = {CMM_HOST_NUMA, 0};
    l.id = node;
    return l;
}
static inline cmm_location cmm_host_numa_current(void) {
    cmm_location l = {CMM_HOST_NUMA_CURRENT, 0};
    return l;
}
static inline cmm_target cmm_of(cmm_buffer b) {
    cmm_target t = {{0}, NULL, 0};
    t.buffer = b;
    return t;
}
static inline cmm_target cmm_range(void* address, size_t bytes) {
    cmm_target t = {{0}, NULL, 0};
    t.address = address;
    t.bytes = bytes;
    return t;
}
static inline cmm_stream_ref cmm_on(cmm_stream s) {
    cmm_stream_ref r = {{0}, NULL};
    r.own = s;
    return r;
}
static inline cmm_stream_ref cmm_raw(void* stream) {
    cmm_stream_ref r = {{0}, NULL};
    r.raw = stream;
    return r;
}
static inline cmm_stream_ref cmm_legacy(void) { return cmm_raw(NULL); }
static inline cmm_stream_ref cmm_per_thread(void) { return cmm_raw((void*)(uintptr_t)2); }

/* Given as a number of locations or options: the pointer is to one, and that one serves every
 * target. */
#define CMM_FOR_ALL ((size_t)-1)

/* -- driver and devices */

/* Opens a driver by a path or a soname, with a ceiling such as 12080 for what is used of it. Null
 * or "", and 0: the environment's choice (CMM_DRIVER, CMM_API_LEVEL). Objects of an earlier driver
 * must be gone. */
CMM_API cmm_status cmm_open(const char* library, int32_t api_level) CMM_NOEXCEPT;
/* The simulated driver, set up afresh; `config` is described in cmm/sim.h. */
CMM_API cmm_status cmm_open_simulated(const char* config, int32_t api_level) CMM_NOEXCEPT;

typedef struct cmm_driver_facts {
    size_t size;
    int32_t version;   /* cuDriverGetVersion */
    int32_t api_level; /* the smaller of version and ceiling */
    int32_t simulated; /* 1 or 0 */
    int32_t devices;
    int32_t numa_nodes;  /* of the host */
    const char* library; /* what was opened; stands until the thread asks again */
} cmm_driver_facts;
#define CMM_DRIVER_FACTS_INIT {sizeof(cmm_driver_facts), 0, 0, 0, 0, 0, ""}
CMM_API cmm_status cmm_get_driver_facts(cmm_driver_facts* out) CMM_NOEXCEPT;
/* The name stands until the thread asks again. */
CMM_API cmm_status cmm_device_name(int32_t device, const char** out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_device_memory(int32_t device, size_t* free_bytes,
                                     size_t* total_bytes) CMM_NOEXCEPT;
/* Makes the device's primary context the thread's current one, as cudaSetDevice does. */
CMM_API cmm_status cmm_set_current(int32_t device) CMM_NOEXCEPT;

enum {
    CMM_OP_ADVISE = 1,
    CMM_OP_PREFETCH = 2,
    CMM_OP_DISCARD = 3,
    CMM_OP_DISCARD_PREFETCH = 4,
    CMM_OP_COPY_BATCH = 5,
    CMM_OP_NUMA_LOCATIONS = 6,
    CMM_OP_MANAGED_MEMORY = 7,
    CMM_OP_BATCHES = 8,        /* prefetches of many ranges by one driver call */
    CMM_OP_PAGEABLE_MEMORY = 9 /* operations on memory of malloc and mmap */
};
/* Whether that works on the device with this driver. `why_not`: the reason, "" where it works; it
 * stands until the thread asks again. No driver call. */
CMM_API cmm_status cmm_supports(int32_t device, int32_t operation, bool* out,
                                const char** why_not) CMM_NOEXCEPT;

/* What a hint that this machine cannot honour does. Default: strict for what was asked by name,
 * warn for overlap modes, ignore for location hints of copies. */
enum { CMM_HINTS_DEFAULT = 0, CMM_HINTS_STRICT = 1, CMM_HINTS_WARN = 2, CMM_HINTS_IGNORE = 3 };
CMM_API cmm_status cmm_set_hint_policy(int32_t policy) CMM_NOEXCEPT; /* of the process */
CMM_API int32_t cmm_get_hint_policy(void) CMM_NOEXCEPT;
/* Warnings go to `handler`, once per key; to standard error without one. Must not call cmm. */
typedef void (*cmm_warning_handler)(const char* key, const char* text, void* user);
CMM_API void cmm_set_warning_handler(cmm_warning_handler handler, void* user) CMM_NOEXCEPT;

/* -- trace */

/* Writes what each operation became to a file in the Chrome trace format; null or "" stops.
 * CMM_TRACE does the same at load time. */
CMM_API cmm_status cmm_trace_to_file(const char* path) CMM_NOEXCEPT;
/* NVTX ranges round operations; whether there are any from now on. */
CMM_API bool cmm_trace_to_nvtx(bool wanted) CMM_NOEXCEPT;

/* -- streams and events */

typedef struct cmm_stream_options {
    size_t size;
    int32_t device;   /* -1: the current context's, else device 0 */
    int32_t priority; /* lower is more urgent */
    int32_t blocking; /* 1: synchronises with the legacy stream */
} cmm_stream_options;
#define CMM_STREAM_OPTIONS_INIT {sizeof(cmm_stream_options), -1, 0, 0}

CMM_API cmm_status cmm_stream_create(const cmm_stream_options* options,
                                     cmm_stream* out) CMM_NOEXCEPT;
/* Lets the work in it finish. */
CMM_API void cmm_stream_close(cmm_stream s) CMM_NOEXCEPT;
CMM_API bool cmm_stream_is_open(cmm_stream s) CMM_NOEXCEPT;
CMM_API cmm_status cmm_stream_handle(cmm_stream s, void** out) CMM_NOEXCEPT; /* the CUstream */
CMM_API cmm_status cmm_stream_device(cmm_stream s, int32_t* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_stream_priority(cmm_stream s, int32_t* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_stream_done(cmm_stream s, bool* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_stream_capturing(cmm_stream s, bool* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_stream_wait_event(cmm_stream s, cmm_event e) CMM_NOEXCEPT;
/* Later work of `s` waits for what is in `other` now. */
CMM_API cmm_status cmm_stream_wait_stream(cmm_stream s, cmm_stream_ref other) CMM_NOEXCEPT;
CMM_API cmm_status cmm_synchronize(cmm_stream_ref s) CMM_NOEXCEPT;
/* What streams of a device can have: the lower number is the more urgent one. */
CMM_API cmm_status cmm_stream_priorities(int32_t device, int32_t* least,
                                         int32_t* greatest) CMM_NOEXCEPT;

/* A mark behind the work that is in the stream now. */
CMM_API cmm_status cmm_event_record(cmm_stream_ref s, bool timing, cmm_event* out) CMM_NOEXCEPT;
CMM_API void cmm_event_close(cmm_event e) CMM_NOEXCEPT;
CMM_API bool cmm_event_is_open(cmm_event e) CMM_NOEXCEPT;
CMM_API cmm_status cmm_event_handle(cmm_event e, void** out) CMM_NOEXCEPT; /* the CUevent */
CMM_API cmm_status cmm_event_sync(cmm_event e) CMM_NOEXCEPT;
CMM_API cmm_status cmm_event_done(cmm_event e, bool* out) CMM_NOEXCEPT;
/* From `earlier` to `e`, both recorded with timing. */
CMM_API cmm_status cmm_event_nanoseconds(cmm_event e, cmm_event earlier, double* out) CMM_NOEXCEPT;

/* -- resources */

enum {
    CMM_RESOURCE_MANAGED = 0,
    CMM_RESOURCE_ARENA = 1,
    CMM_RESOURCE_PINNED = 2,
    CMM_RESOURCE_DEVICE = 3
};
enum { CMM_ATTACH_GLOBAL = 1, CMM_ATTACH_HOST = 2, CMM_ATTACH_SINGLE = 4 };
typedef struct cmm_resource_options {
    size_t size;
    int32_t kind; /* CMM_RESOURCE_MANAGED: one allocation of the driver each; ARENA: pieces of large
                     slabs */
    int32_t device;       /* -1: the current context's, else device 0; device memory: device 0 */
    int32_t attached;     /* managed and arena */
    uint64_t slab_bytes;  /* arena; larger allocations get a slab of their own */
    uint64_t limit_bytes; /* arena, of all slabs; 0: none */
} cmm_resource_options;
#define CMM_RESOURCE_OPTIONS_INIT                                                                  \
    {sizeof(cmm_resource_options), CMM_RESOURCE_MANAGED, -1, CMM_ATTACH_GLOBAL, 67108864, 0}

CMM_API cmm_status cmm_resource_create(const cmm_resource_options* options,
                                       cmm_resource* out) CMM_NOEXCEPT;
/* Its buffers live on. */
CMM_API void cmm_resource_close(cmm_resource r) CMM_NOEXCEPT;
CMM_API bool cmm_resource_is_open(cmm_resource r) CMM_NOEXCEPT;
CMM_API cmm_status cmm_resource_is_arena(cmm_resource r, bool* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_resource_device(cmm_resource r,
                                       int32_t* out) CMM_NOEXCEPT; /* -1: pinned memory's */
/* Page-aligned. Zero bytes make an empty buffer without a driver call. */
CMM_API cmm_status cmm_allocate(cmm_resource r, size_t bytes, cmm_buffer* out) CMM_NOEXCEPT;
/* `count` buffers that touch in the order given, all or none; managed and arena only. */
CMM_API cmm_status cmm_allocate_batch(cmm_resource r, const size_t* bytes, size_t count,
                                      cmm_buffer* out) CMM_NOEXCEPT;

typedef struct cmm_arena_statistics {
    size_t size;
    uint64_t slabs, slab_bytes;   /* taken from the driver */
    uint64_t pieces, piece_bytes; /* handed out, in whole pages */
    uint64_t free_stretches, largest_free;
} cmm_arena_statistics;
#define CMM_ARENA_STATISTICS_INIT {sizeof(cmm_arena_statistics), 0, 0, 0, 0, 0, 0}
CMM_API cmm_status cmm_resource_stats(cmm_resource r, cmm_arena_statistics* out) CMM_NOEXCEPT;
/* Gives wholly free slabs back to the driver. */
CMM_API cmm_status cmm_resource_trim(cmm_resource r, uint64_t* bytes) CMM_NOEXCEPT;

/* -- buffers */

/* Borrows memory of another allocator. `release(user)`, which may be null, is called once, from any
 * thread, when the buffer and all work on it are done, or before this function fails. `managed`:
 * refuse other memory. */
CMM_API cmm_status cmm_buffer_borrow(void* address, size_t bytes, bool managed,
                                     void (*release)(void*), void* user,
                                     cmm_buffer* out) CMM_NOEXCEPT;
/* The bytes [offset, offset + bytes), which keep their parent's memory alive. */
CMM_API cmm_status cmm_buffer_slice(cmm_buffer b, size_t offset, size_t bytes,
                                    cmm_buffer* out) CMM_NOEXCEPT;
/* The memory goes back once work in flight, slices and views are done with it; plans with the
 * buffer break. */
CMM_API void cmm_buffer_close(cmm_buffer b) CMM_NOEXCEPT;
/* The same, behind the work that `s` holds now: for kernels, which cmm cannot see. */
CMM_API cmm_status cmm_buffer_close_after(cmm_buffer b, cmm_stream_ref s) CMM_NOEXCEPT;
/* As a destructor does: lets go of the buffer, and lets plans that were made with it run on. */
CMM_API void cmm_buffer_drop(cmm_buffer b) CMM_NOEXCEPT;
CMM_API bool cmm_buffer_is_open(cmm_buffer b) CMM_NOEXCEPT;

enum {
    CMM_KIND_UNKNOWN = 0,
    CMM_KIND_MANAGED = 1,
    CMM_KIND_MANAGED_POOL = 2,
    CMM_KIND_DEVICE = 3,
    CMM_KIND_PINNED = 4,
    CMM_KIND_PAGEABLE = 5
};
CMM_API cmm_status cmm_buffer_data(cmm_buffer b, void** out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_buffer_size(cmm_buffer b, size_t* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_buffer_kind(cmm_buffer b, int32_t* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_buffer_device(cmm_buffer b, int32_t* out) CMM_NOEXCEPT;

/* The bytes on the host, which stay valid until the view is closed, even when the buffer is closed
 * before. */
CMM_API cmm_status cmm_view_open(cmm_buffer b, cmm_view* out, void** data,
                                 size_t* bytes) CMM_NOEXCEPT;
CMM_API void cmm_view_close(cmm_view v) CMM_NOEXCEPT;
CMM_API bool cmm_view_is_open(cmm_view v) CMM_NOEXCEPT;

/* Frees what was closed and whose work has finished; how many buffers still wait. Allocating and
 * closing do it too. */
CMM_API size_t cmm_collect(void) CMM_NOEXCEPT;
/* Waits for the work that closed buffers wait for, and frees them all. */
CMM_API void cmm_drain(void) CMM_NOEXCEPT;

/* -- advice of one range: asked of the driver at each call */

CMM_API cmm_status cmm_read_mostly(cmm_target t, bool* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_set_read_mostly(cmm_target t, bool wanted) CMM_NOEXCEPT;
/* CMM_NOWHERE where none is set, or where pages differ. */
CMM_API cmm_status cmm_preferred_location(cmm_target t, cmm_location* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_set_preferred_location(cmm_target t, cmm_location wanted)
    CMM_NOEXCEPT; /* CMM_NOWHERE: none */
CMM_API cmm_status cmm_last_prefetch_location(cmm_target t, cmm_location* out) CMM_NOEXCEPT;
/* A bit per device, and whether the host is in the set. */
CMM_API cmm_status cmm_accessed_by(cmm_target t, uint64_t* devices, bool* host) CMM_NOEXCEPT;
/* Exactly these: all are checked first, only the differences reach the driver, and are taken back
 * if it refuses. */
CMM_API cmm_status cmm_assign_accessed_by(cmm_target t, const cmm_location* wanted,
                                          size_t count) CMM_NOEXCEPT;
CMM_API cmm_status cmm_add_accessed_by(cmm_target t, cmm_location l) CMM_NOEXCEPT;
CMM_API cmm_status cmm_discard_accessed_by(cmm_target t, cmm_location l) CMM_NOEXCEPT;

/* -- operations: what holds for all of them
 * `where` is one location for all (where_count CMM_FOR_ALL), or one for each target. Targets of
 * zero bytes are skipped. Everything is checked before the driver is called: a failure other than
 * CMM_DRIVER_ERROR and CMM_OUT_OF_MEMORY has changed nothing. */

enum {
    CMM_SET_READ_MOSTLY = 1,
    CMM_UNSET_READ_MOSTLY = 2,
    CMM_SET_PREFERRED_LOCATION = 3,
    CMM_UNSET_PREFERRED_LOCATION = 4,
    CMM_SET_ACCESSED_BY = 5,
    CMM_UNSET_ACCESSED_BY = 6
};
enum {
    CMM_STRATEGY_AUTOMATIC = 0,    /* by measurement */
    CMM_STRATEGY_DRIVER_BATCH = 1, /* the batch entry point, where there is one */
    CMM_STRATEGY_PER_RANGE = 2,    /* one call per range */
    CMM_STRATEGY_RETURN_EARLY = 3  /* what gives the calling thread back first */
};
typedef struct cmm_options {
    size_t size;
    int32_t strategy;
    int32_t hints;
} cmm_options;
#define CMM_OPTIONS_INIT {sizeof(cmm_options), CMM_STRATEGY_AUTOMATIC, CMM_HINTS_DEFAULT}

typedef struct cmm_report {
    size_t size;
    uint64_t ranges_in;  /* not empty ones */
    uint64_t ranges_out; /* after merging */
    uint64_t calls;      /* driver calls for them */
    uint64_t bytes;      /* of the ranges given */
    uint64_t ignored;    /* targets left out because of the hint policy */
    int32_t strategy;    /* what was used */
    const char* entry;   /* "cuMemPrefetchBatchAsync@13000" */
    const char* reason;  /* why */
} cmm_report;
#define CMM_REPORT_INIT {sizeof(cmm_report), 0, 0, 0, 0, 0, 0, "", ""}

/* Only preferred_location and accessed_by look at `where`, which may be null for the others. */
CMM_API cmm_status cmm_advise(const cmm_target* targets, size_t count, int32_t advice,
                              const cmm_location* where, size_t where_count,
                              const cmm_options* options, cmm_report* report) CMM_NOEXCEPT;
CMM_API cmm_status cmm_prefetch(const cmm_target* targets, size_t count, const cmm_location* where,
                                size_t where_count, cmm_stream_ref s, const cmm_options* options,
                                cmm_report* report) CMM_NOEXCEPT;
/* Afterwards the contents are indeterminate. CUDA 13.0. */
CMM_API cmm_status cmm_discard(const cmm_target* targets, size_t count, cmm_stream_ref s,
                               const cmm_options* options, cmm_report* report) CMM_NOEXCEPT;
CMM_API cmm_status cmm_discard_prefetch(const cmm_target* targets, size_t count,
                                        const cmm_location* where, size_t where_count,
                                        cmm_stream_ref s, const cmm_options* options,
                                        cmm_report* report) CMM_NOEXCEPT;

enum { CMM_ORDER_STREAM = 1, CMM_ORDER_DURING_API_CALL = 2, CMM_ORDER_ANY = 3 };
enum { CMM_OVERLAP_STANDARD = 0, CMM_OVERLAP_PREFER = 1 };
typedef struct cmm_copy_options {
    size_t size; /* of an array's elements: its first one's */
    int32_t src_access_order;
    int32_t overlap_mode;
    cmm_location src_location_hint; /* CMM_NOWHERE: none */
    cmm_location dst_location_hint;
} cmm_copy_options;
#define CMM_COPY_OPTIONS_INIT                                                                      \
    {sizeof(cmm_copy_options), CMM_ORDER_STREAM, CMM_OVERLAP_STANDARD, {0, 0}, {0, 0}}

/* Copies srcs[i] to dsts[i], of equal sizes, in the order of the stream and in no order among
 * themselves. `copy`: null for the defaults, one for all copies (copy_count CMM_FOR_ALL), or one
 * for each. */
CMM_API cmm_status cmm_copy_batch(cmm_stream_ref s, const cmm_target* srcs, size_t src_count,
                                  const cmm_target* dsts, size_t dst_count,
                                  const cmm_copy_options* copy, size_t copy_count,
                                  const cmm_options* options, cmm_report* report) CMM_NOEXCEPT;

/* -- plans: checked, sorted and merged once, run again and again
 * A plan keeps its buffers' memory; once a buffer is closed, runs answer CMM_CLOSED with its index.
 */

CMM_API cmm_status cmm_plan_prefetch(const cmm_target* targets, size_t count,
                                     const cmm_location* where, size_t where_count,
                                     const cmm_options* options, cmm_plan* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_plan_discard_prefetch(const cmm_target* targets, size_t count,
                                             const cmm_location* where, size_t where_count,
                                             const cmm_options* options,
                                             cmm_plan* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_plan_advise(const cmm_target* targets, size_t count, int32_t advice,
                                   const cmm_location* where, size_t where_count,
                                   const cmm_options* options, cmm_plan* out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_plan_copy(const cmm_target* srcs, size_t src_count, const cmm_target* dsts,
                                 size_t dst_count, const cmm_copy_options* copy, size_t copy_count,
                                 const cmm_options* options, cmm_plan* out) CMM_NOEXCEPT;
/* A plan of advice ignores the stream. */
CMM_API cmm_status cmm_plan_run(cmm_plan p, cmm_stream_ref s, cmm_report* report) CMM_NOEXCEPT;
/* How many ranges came in and go out, by which entry point, and why; stands until the thread asks
 * again. */
CMM_API cmm_status cmm_plan_describe(cmm_plan p, const char** out) CMM_NOEXCEPT;
CMM_API cmm_status cmm_plan_ranges(cmm_plan p, uint64_t* in, uint64_t* out) CMM_NOEXCEPT;
CMM_API void cmm_plan_close(cmm_plan p) CMM_NOEXCEPT;
CMM_API bool cmm_plan_is_open(cmm_plan p) CMM_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
