// SPDX-License-Identifier: Apache-2.0
// Streams: queues of operations, each with a worker of its own that starts with the first
// operation.
#pragma once

#include "memory.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace sim {

struct capture;
struct context;
struct node;
struct stream;
class locked;
struct world;

using stream_ref = std::shared_ptr<stream>;

/// A place in a stream's work: reached once the first `value` operations are done.
struct point {
    stream_ref of;
    std::uint64_t value = 0;
    bool reached() const;
};

/// One piece of work. It can run more than once: a graph runs its nodes at every launch.
struct operation {
    std::vector<block_ref> uses;
    std::function<void()> run;          // on the worker, without the lock
    std::function<void(world&)> settle; // after it, with the lock
    std::vector<point> after;
};

enum class blocking { yes, no }; // whether a stream and the legacy stream wait for each other

struct stream : std::enable_shared_from_this<stream> {
    handle id = 0;
    std::uint64_t number = 0; // cuStreamGetId
    std::shared_ptr<context> owner;
    unsigned flags = 0;
    int priority = 0;
    blocking with_legacy = blocking::yes;

    std::deque<operation> queue;
    std::uint64_t submitted = 0, completed = 0;
    bool running = false, has_worker = false, closing = false;
    std::condition_variable wake;

    std::shared_ptr<capture> capturing; // null when none
    std::vector<node*> tail;            // the nodes that the next captured one depends on

    bool idle() const { return completed == submitted; }
    point now() { return {shared_from_this(), submitted}; }
};

inline bool point::reached() const { return of->completed >= value; }

stream_ref make_stream(world& w, std::shared_ptr<context> owner, unsigned flags, int priority);

/// Queues `work`, in order with the legacy stream where CUDA says so.
void submit(world& w, stream& on, operation work);

/// Lets the stream go once its work is done.
void close(locked& w, stream& closed);

/// Everything that was queued on the stream until now; for the legacy one, on the blocking streams
/// too.
std::vector<point> work_until_now(stream& of);
bool all_reached(const std::vector<point>& points);
void wait_for(locked& w, const std::vector<point>& points);

/// Wakes the workers after something other than their own queue has changed.
void wake_workers(world& w);

} // namespace sim
