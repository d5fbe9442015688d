/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control of the simulated driver (libcmm_sim): its configuration, the faults it plays, the record of
 * the calls it got, and what it knows about every page. The driver interface itself is the one of
 * libcuda.so.1 and is declared nowhere here: a client finds it by name, as with the real one.
 *
 * Every function is thread-safe. Sizes are bytes, times nanoseconds. Functions that return int return
 * 0 on success and -1 where an argument was refused (cmm_sim_message() says why).
 */
#ifndef CMM_SIM_H
#define CMM_SIM_H

#include <stddef.h>
#include <stdint.h>

#if defined(CMM_SIM_BUILD)
#define CMM_SIM_API __attribute__((visibility("default")))
#else
#define CMM_SIM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* -- configuration --------------------------------------------------------------------------------
 * Text of `key=value` pairs separated by ';' or new lines; each key is also read once, at cuInit, from
 * the environment as CMM_SIM_KEY in capitals:
 *   version=13000            what cuDriverGetVersion answers, 11080 to 13999
 *   devices=1                1 to 64
 *   numa_nodes=1             host NUMA nodes
 *   concurrent=1             concurrentManagedAccess: one value, or one per device with ','
 *   pageable=0               pageableMemoryAccess, likewise
 *   managed=1                0: cuMemAllocManaged answers NOT_SUPPORTED
 *   integrated=0             whether the device is integrated, likewise per device
 *   page_size=4096           a power of two, not below the system's page
 *   device_memory=8589934592 bytes of each device
 *   managed_limit=0          bytes of managed memory that can be had in all; 0: no limit
 *   seed=0                   shuffles the order of independent streams' work; 0: first come first served
 *   copy_delay=0             nanoseconds that each asynchronous operation waits before it runs
 *   hide=                    names, or name@version, that cuGetProcAddress and dlsym-less clients miss
 *   faults=                  see cmm_sim_fault, as ENTRY:NTH:RESULT[,..]
 *   explain=0                1: a SIGSEGV handler that explains a host access to device memory
 */

/* Starts afresh: drops every context, stream, allocation, fault and record, and takes `config` (NULL or
 * "": the defaults and the environment). Work in flight is finished first. */
CMM_SIM_API int cmm_sim_reset(const char* config);
CMM_SIM_API const char* cmm_sim_message(void); /* why the last call of this thread was refused */

/* How many host NUMA nodes the simulated machine has. A client tells the simulated driver from a real
 * one by looking this symbol up. */
CMM_SIM_API int cmm_sim_numa_nodes(void);

/* -- faults -----------------------------------------------------------------------------------------
 * The `nth` call of `entry` from now on (1 is the next one, 0 every call) returns `result` (a CUresult)
 * and does nothing else. LAUNCH_FAILED (719), ILLEGAL_ADDRESS (700) and their like are sticky: every
 * later call of the context returns them too, until the reset. */
CMM_SIM_API int cmm_sim_fault(const char* entry, uint64_t nth, int result);
CMM_SIM_API void cmm_sim_clear_faults(void);
/* How many of the armed faults have been played. */
CMM_SIM_API uint64_t cmm_sim_faults_played(void);

/* -- record ----------------------------------------------------------------------------------------- */
typedef struct cmm_sim_call {
    const char* entry;   /* the driver's name without a suffix, valid until the library is unloaded */
    int version;         /* the version of the entry point, e.g. 12020; 0 where there is one form only */
    int result;          /* CUresult */
    uint64_t thread;     /* gettid() */
    uint64_t stream;     /* as given; 0 where the call has none */
    uint64_t address;    /* first range or destination */
    uint64_t source;     /* first source of a copy */
    uint64_t bytes;      /* of the first range or copy */
    uint64_t count;      /* ranges or copies in the call: 1 for a single one */
    uint64_t attributes; /* locations or copy attributes in a batch */
    int advice;          /* cuMemAdvise: the advice; else 0 */
    int location_type;   /* first location; 0 where the call has none */
    int location_id;
} cmm_sim_call;

/* Calls since the reset or the last clear, oldest first; record_get returns -1 past the end. The record
 * holds the last 1,048,576 calls. Enabled by default; a benchmark switches it off. */
CMM_SIM_API void cmm_sim_record_enable(int on);
CMM_SIM_API void cmm_sim_record_clear(void);
CMM_SIM_API size_t cmm_sim_record_count(void);
CMM_SIM_API int cmm_sim_record_get(size_t index, cmm_sim_call* out);
/* How many recorded calls have this entry name (any version). */
CMM_SIM_API size_t cmm_sim_calls(const char* entry);
/* The full element lists of one recorded batch call: at most `capacity` elements are written; returns
 * how many the call had. Any pointer may be NULL. `locations` gets type and id in turn, one pair each. */
CMM_SIM_API size_t cmm_sim_record_ranges(size_t index, size_t capacity, uint64_t* addresses,
                                         uint64_t* bytes, uint64_t* sources, int* locations);

/* -- live state --------------------------------------------------------------------------------------- */
typedef struct cmm_sim_live {
    uint64_t managed_allocations, managed_bytes;
    uint64_t device_allocations, device_bytes;
    uint64_t pinned_allocations, pinned_bytes;
    uint64_t registered_ranges;
    uint64_t streams, events, graphs, graph_execs, user_objects, pools;
    uint64_t contexts;          /* retained primary contexts and created ones */
    uint64_t context_stack;     /* depth of the calling thread's stack */
    uint64_t pending_operations;
} cmm_sim_live;
CMM_SIM_API void cmm_sim_live_counts(cmm_sim_live* out);

/* Memory freed while queued work still needed it, streams destroyed with work that was never waited for
 * are fine; this is the first kind alone. The report of the last one is text. */
CMM_SIM_API uint64_t cmm_sim_use_after_free_count(void);
CMM_SIM_API const char* cmm_sim_use_after_free_report(void);

/* Per-page state of managed memory, at the page that holds `address`; -1 where that is not managed. */
typedef struct cmm_sim_page {
    int read_mostly;
    int preferred_type, preferred_id;         /* type 0: none */
    int prefetch_type, prefetch_id;           /* last prefetch; type 0: none */
    int resident_type, resident_id;           /* where the page is; type 0: nowhere yet, or discarded */
    uint64_t accessed_by_devices;             /* bit per device */
    int accessed_by_host;
    uint64_t prefetches, discards;            /* how often */
} cmm_sim_page;
CMM_SIM_API int cmm_sim_page_state(uint64_t address, cmm_sim_page* out);

/* Holds every stream's work back until released; for tests of what may happen while work is queued. */
CMM_SIM_API void cmm_sim_hold(void);
CMM_SIM_API void cmm_sim_release(void);

#ifdef __cplusplus
}
#endif
#endif
