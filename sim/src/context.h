// SPDX-License-Identifier: Apache-2.0
// Contexts: the primary one of each device, created ones, and the stack of every thread.
#pragma once

#include "stream.h"

#include <map>
#include <set>
#include <vector>

namespace sim {

struct context {
    handle id = 0;
    int device = 0;
    bool primary = false;
    unsigned flags = 0;
    std::uint64_t retains = 0;
    result sticky = result::success;
    stream_ref legacy;
    std::map<std::uint64_t, stream_ref> per_thread; // by thread
    std::vector<stream_ref> streams;                // all of them, until their work is done
    std::set<handle> peers;
};

enum class capture_mode : int { global = 0, thread_local_ = 1, relaxed = 2 };

/// What the driver keeps for each thread.
struct thread_state {
    std::uint64_t id;             // gettid()
    std::uint64_t epoch = 0;      // the reset that the stack belongs to
    std::vector<handle> contexts; // the last one is current
    capture_mode mode = capture_mode::global;
    bool per_thread_default = false; // inside an entry point of the per-thread default stream kind
    bool in_callback = false;        // inside a host function, which may not call the driver
    thread_state** anchor = nullptr; // where this_thread() remembers it
    thread_state();
};
thread_state& this_thread();

/// The current context, or null. @throws refusal where it was destroyed.
context* current_context(world& w);
context& find_context(world& w, handle id);
std::shared_ptr<context> share_context(world& w, handle id);

context& retain_primary(world& w, int device);
void release_primary(locked& w, int device);
std::shared_ptr<context> create_context(world& w, int device, unsigned flags);
/// Drops its streams, events and memory. Work in flight is finished by the workers.
void destroy_context(locked& w, context& gone);

/// The stream that `given` means in `current`. @throws refusal
stream& find_stream(world& w, context& current, handle given);
/// The same for calls that need no current context: a stream that the client made carries its own.
stream& stream_anywhere(world& w, handle given);
/// The same for work that is about to be queued there: refused where a capture forbids it.
stream& working_stream(world& w, context& current, handle given);

} // namespace sim
