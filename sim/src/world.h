// SPDX-License-Identifier: Apache-2.0
// Everything that the simulated driver is, behind one lock.
#pragma once

#include "capture.h"
#include "context.h"
#include "faults.h"
#include "memory.h"
#include "pages.h"
#include "pool.h"
#include "record.h"
#include "settings.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>

namespace sim {

/// A call is refused; the entry point answers `code`.
struct refusal {
    result code;
};

[[noreturn]] inline void refuse(result code) { throw refusal{code}; }

inline void refuse_if(bool refused, result code = result::invalid_value) {
    if (refused)
        refuse(code);
}

struct event {
    handle id = 0;
    handle context = 0;
    unsigned flags = 0;
    bool recorded = false;
    point at;                                 // what has to be done before it has happened
    std::shared_ptr<std::uint64_t> timestamp; // nanoseconds, written when it happens
    std::weak_ptr<capture> captured;          // recorded inside a capture instead
    std::vector<node*> tail;
};

struct world {
    std::mutex mutex;
    std::condition_variable progress; // an operation is done, or a worker has left

    settings config;
    std::string broken; // why the configuration of the environment was refused
    bool initialised = false;
    std::uint64_t epoch = 1; // counts resets
    std::atomic<bool> forked{false};
    bool closing = false; // the process is leaving

    fault_list faults;
    call_record record;
    memory_map memory;
    page_map pages;
    std::uint64_t managed_bytes = 0;

    std::map<handle, std::shared_ptr<context>> contexts;
    std::unordered_map<handle, stream_ref> streams; // those that the client made
    std::unordered_map<handle, std::shared_ptr<event>> events;
    std::unordered_map<handle, std::shared_ptr<graph>> graphs;
    std::unordered_map<handle, std::shared_ptr<graph_exec>> execs;
    std::unordered_map<handle, user_hold> user_objects;
    std::unordered_map<handle, std::shared_ptr<memory_pool>> pools;
    std::map<int, handle> default_pools, current_pools; // of each device; pools[..] holds them
    std::vector<std::shared_ptr<capture>> captures;

    std::vector<stream*> workers; // the streams that have one
    std::uint64_t pending = 0;    // operations queued or running
    std::uint64_t running = 0;
    bool held = false;
    std::mt19937_64 shuffle;
    stream* chosen = nullptr; // with a seed: the one stream that may run next

    std::uint64_t use_after_free = 0;
    std::string use_after_free_report;

    std::uint64_t next_number = 1;
    /// A handle that was never given out before, so that a stale one is always found out.
    handle new_handle() { return handle{0x5100'0000'0000} + 64 * next_number++; }

    bool device_exists(int device) const { return device >= 0 && device < config.devices; }
};

/// The lock, and what must be destroyed only after it is given back (its destructors call the
/// client).
class locked {
public:
    locked();
    world* operator->() const { return &world_; }
    world& operator*() const { return world_; }
    template <class T> void later(std::shared_ptr<T> dropped) {
        later_.push_back(std::move(dropped));
    }
    template <class Predicate> void wait(Predicate done) { world_.progress.wait(guard_, done); }
    std::unique_lock<std::mutex>& guard() { return guard_; }

private:
    world& world_;
    std::vector<std::shared_ptr<void>> later_;
    std::unique_lock<std::mutex> guard_;
};

/// The one world. It is never destroyed: a worker may outlive the end of main.
world& the_world();

/// Everything afresh, with `config`. @throws settings_error, and then nothing has changed.
void reset(std::string_view config);

/// Takes a block out of the map. Memory that queued work still needs is reported.
void free_block(locked& w, device_ptr base);

/// Counts memory that was freed too early, and says which.
void report_use_after_free(world& w, const block& freed);

} // namespace sim
