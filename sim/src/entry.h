// SPDX-License-Identifier: Apache-2.0
// What every entry point does around its own work: faults, sticky errors, the state of the library,
// the record. An entry point says what it was given, what it needs, and its body.
#pragma once

#include "world.h"

#include <cmm/sim.h>
#include <memory>
#include <new>

namespace sim {

class entry {
public:
    explicit entry(const char* name, int version = 0) {
        call_.entry = name, call_.version = version;
    }

    entry& on(handle stream) { return call_.stream = stream, *this; }
    entry& range(device_ptr address, std::size_t bytes);
    entry& from(device_ptr source) { return call_.source = source, *this; }
    entry& where(location place);
    entry& advice(int given) { return call_.advice = given, *this; }
    /// The lists of a batch; any of them may be null.
    entry& batch(const device_ptr* addresses, const device_ptr* sources, const std::size_t* bytes,
                 std::size_t count);
    entry& places(const location* locations, std::size_t count);
    entry& attributes(std::size_t count) { return call_.attributes = count, *this; }

    /// Runs `body(locked&)`, which needs nothing.
    template <class Body> result anywhere(Body body) noexcept { return run(need::nothing, body); }
    /// Runs `body(locked&)` after cuInit.
    template <class Body> result initialised(Body body) noexcept {
        return run(need::cu_init, body);
    }
    /// Runs `body(locked&, context&)` with the current context, which is not broken.
    template <class Body> result in_context(Body body) noexcept {
        return run(need::context, [&](locked& w) { return body(w, *current_); });
    }

private:
    enum class need { nothing, cu_init, context };

    template <class Body> result run(need needed, Body body) noexcept;
    /// Refuses a call that must not reach its body.
    void gate(world& w, need needed);
    void play_fault(world& w);
    void note(world& w, result answered);

    cmm_sim_call call_{};
    context* current_ = nullptr;
    const device_ptr* addresses_ = nullptr;
    const device_ptr* sources_ = nullptr;
    const std::size_t* bytes_ = nullptr;
    const location* locations_ = nullptr;
    std::size_t count_ = 0, places_ = 0;
};

template <class Body> result entry::run(need needed, Body body) noexcept {
    if (needed != need::nothing && the_world().forked.load(std::memory_order_relaxed))
        return result::not_initialized;
    locked w;
    result answered = result::unknown;
    try {
        gate(*w, needed);
        answered = body(w);
    } catch (const refusal& refused) {
        answered = refused.code;
    } catch (const std::bad_alloc&) {
        answered = result::out_of_memory;
    }
    if (w->record.enabled())
        note(*w, answered);
    return answered;
}

/// A row of the look-up: `name` from CUDA `since` on. The second function serves callers whose null
/// stream is the per-thread one.
struct export_row {
    const char* name;
    int since;
    void* function;
    void* per_thread = nullptr;
};

/// Adds rows to the look-up; one list stands at the end of each file of entry points.
struct export_list {
    export_list(std::initializer_list<export_row> rows);
};
const std::vector<export_row>& all_exports();

template <auto Function> struct per_thread_form;
template <class... Arguments, result (*Function)(Arguments...)> struct per_thread_form<Function> {
    static result call(Arguments... arguments) {
        thread_state& thread = this_thread();
        const bool before = std::exchange(thread.per_thread_default, true);
        const result answered = Function(arguments...);
        thread.per_thread_default = before;
        return answered;
    }
};

template <auto Function> export_row row(const char* name, int since) {
    return {name, since, reinterpret_cast<void*>(Function)};
}
template <auto Function> export_row stream_row(const char* name, int since) {
    return {name, since, reinterpret_cast<void*>(Function),
            reinterpret_cast<void*>(&per_thread_form<Function>::call)};
}

} // namespace sim
