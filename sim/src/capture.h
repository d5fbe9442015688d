// SPDX-License-Identifier: Apache-2.0
// Graphs, and the capture of a stream's work into one.
#pragma once

#include "context.h"

#include <map>
#include <memory>
#include <vector>

namespace sim {

// CUgraphNodeType
enum class node_type : int {
    kernel = 0,
    memcpy = 1,
    memset = 2,
    host = 3,
    graph = 4,
    empty = 5,
    wait_event = 6,
    event_record = 7,
};

struct node {
    handle id = 0;
    node_type type = node_type::empty;
    std::vector<node*> after;
    operation work;
};

/// Runs its function once nobody holds it any more: the caller by count, or a graph. As in a host
/// function, the driver may not be called there.
struct user_object {
    user_object(void* object, host_function destroy) : object(object), destroy(destroy) {}
    ~user_object();
    user_object(const user_object&) = delete;
    user_object& operator=(const user_object&) = delete;

    void* object;
    host_function destroy;
};

struct user_hold {
    std::shared_ptr<user_object> object;
    unsigned count = 0;
};

struct graph {
    handle id = 0;
    std::vector<std::unique_ptr<node>> nodes; // in an order that respects `after`
    std::map<handle, user_hold> objects;
    node* find(handle node_id) const;
};

struct graph_exec {
    handle id = 0;
    std::vector<operation> work;
    std::map<handle, user_hold> objects;
};

struct capture {
    std::uint64_t id = 0;
    capture_mode mode = capture_mode::global;
    std::uint64_t thread = 0;
    stream* origin = nullptr;
    std::shared_ptr<graph> into;
    std::vector<stream*> members;
    std::vector<handle> shown_tail; // what cuStreamGetCaptureInfo points to
    bool invalidated = false;
};

std::shared_ptr<graph> make_graph(world& w);
node& add_node(world& w, graph& to, node_type type, operation work, std::vector<node*> after);

/// Queues the work, or makes it a node where the stream captures.
void submit_or_capture(world& w, stream& on, node_type type, operation work);

void begin_capture(world& w, stream& origin, capture_mode mode);
/// @throws refusal; the stream does not capture any more, but for a wrong stream or thread.
std::shared_ptr<graph> end_capture(locked& w, stream& origin);
void join_capture(world& w, stream& joining, const std::shared_ptr<capture>& into,
                  const std::vector<node*>& after);
/// Takes the stream out of its capture, which stays with the others.
void leave_capture(locked& w, stream& gone);
void invalidate(capture& broken);

/// Refuses a call that has no stream and that a capture going on forbids in this thread's mode.
void refuse_unsafe_in_capture(world& w);
/// Refuses a call that cannot be captured, and invalidates the capture of its stream.
void refuse_capturing(stream& on);
/// Refuses use of the legacy stream while a blocking stream of its context captures.
void refuse_implicit(stream& on, bool invalidating);

void launch(world& w, stream& on, const std::shared_ptr<graph_exec>& launched);

} // namespace sim
