// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include "world.h"

#include <algorithm>

namespace sim {
namespace {

void leave(stream& member) {
    member.capturing = nullptr;
    member.tail.clear();
}

void forget(world& w, const std::shared_ptr<capture>& ended) {
    for (stream* member : ended->members)
        leave(*member);
    std::erase(w.captures, ended);
}

void mark_ancestors(node* of, std::set<node*>& seen) {
    if (!seen.insert(of).second)
        return;
    for (node* before : of->after)
        mark_ancestors(before, seen);
}

// Every node has to lead to the end of the stream that the capture began on.
bool is_joined(const capture& ended) {
    std::set<node*> seen;
    for (node* last : ended.origin->tail)
        mark_ancestors(last, seen);
    return seen.size() == ended.into->nodes.size();
}

void drop_graph(locked& w, const std::shared_ptr<graph>& dropped) {
    w->graphs.erase(dropped->id);
    w.later(dropped);
}

} // namespace

user_object::~user_object() {
    thread_state& thread = this_thread();
    const bool before = std::exchange(thread.in_callback, true);
    destroy(object);
    thread.in_callback = before;
}

node* graph::find(handle node_id) const {
    const auto found = std::ranges::find(nodes, node_id, &node::id);
    return found == nodes.end() ? nullptr : found->get();
}

std::shared_ptr<graph> make_graph(world& w) {
    auto made = std::make_shared<graph>();
    made->id = w.new_handle();
    w.graphs.emplace(made->id, made);
    return made;
}

node& add_node(world& w, graph& to, node_type type, operation work, std::vector<node*> after) {
    to.nodes.push_back(
        std::make_unique<node>(node{w.new_handle(), type, std::move(after), std::move(work)}));
    return *to.nodes.back();
}

void submit_or_capture(world& w, stream& on, node_type type, operation work) {
    if (!on.capturing)
        return submit(w, on, std::move(work));
    refuse_if(on.capturing->invalidated, result::capture_invalidated);
    on.tail = {&add_node(w, *on.capturing->into, type, std::move(work), on.tail)};
}

void begin_capture(world& w, stream& origin, capture_mode mode) {
    refuse_if(origin.owner->legacy.get() == &origin, result::capture_unsupported);
    refuse_if(origin.capturing != nullptr, result::illegal_state);
    auto begun = std::make_shared<capture>();
    begun->id = w.next_number++;
    begun->mode = mode;
    begun->thread = this_thread().id;
    begun->origin = &origin;
    begun->into = make_graph(w);
    w.captures.push_back(begun);
    join_capture(w, origin, begun, {});
}

std::shared_ptr<graph> end_capture(locked& w, stream& origin) {
    const auto ended = origin.capturing;
    refuse_if(ended == nullptr, result::illegal_state);
    refuse_if(ended->origin != &origin, result::capture_unmatched);
    refuse_if(ended->mode != capture_mode::relaxed && ended->thread != this_thread().id,
              result::capture_wrong_thread);
    const result outcome = ended->invalidated  ? result::capture_invalidated
                           : is_joined(*ended) ? result::success
                                               : result::capture_unjoined;
    forget(*w, ended);
    if (outcome == result::success)
        return ended->into;
    drop_graph(w, ended->into);
    refuse(outcome);
}

void join_capture(world&, stream& joining, const std::shared_ptr<capture>& into,
                  const std::vector<node*>& after) {
    if (joining.capturing == nullptr) {
        joining.capturing = into;
        into->members.push_back(&joining);
    }
    if (joining.capturing != into) {
        invalidate(*joining.capturing);
        invalidate(*into);
        refuse(result::capture_merge);
    }
    for (node* each : after)
        if (std::ranges::find(joining.tail, each) == joining.tail.end())
            joining.tail.push_back(each);
}

void leave_capture(locked& w, stream& gone) {
    const auto left = gone.capturing;
    if (left == nullptr)
        return;
    invalidate(*left);
    std::erase(left->members, &gone);
    leave(gone);
    if (left->origin != &gone)
        return;
    forget(*w, left);
    drop_graph(w, left->into);
}

void invalidate(capture& broken) { broken.invalidated = true; }

void refuse_unsafe_in_capture(world& w) {
    if (w.captures.empty())
        return;
    const thread_state& thread = this_thread();
    if (thread.mode == capture_mode::relaxed)
        return;
    bool forbidden = false;
    for (const auto& going_on : w.captures) {
        const bool own = going_on->thread == thread.id && going_on->mode != capture_mode::relaxed;
        const bool anyones =
            thread.mode == capture_mode::global && going_on->mode == capture_mode::global;
        if (!own && !anyones)
            continue;
        forbidden = true;
        invalidate(*going_on);
    }
    refuse_if(forbidden, result::capture_unsupported);
}

void refuse_capturing(stream& on) {
    if (on.capturing == nullptr)
        return;
    invalidate(*on.capturing);
    refuse(result::capture_unsupported);
}

void refuse_implicit(stream& on, bool invalidating) {
    if (on.owner->legacy.get() != &on)
        return;
    bool implicit = false;
    for (const stream_ref& other : on.owner->streams) {
        if (other->capturing == nullptr || other->with_legacy == blocking::no)
            continue;
        implicit = true;
        if (invalidating)
            invalidate(*other->capturing);
    }
    refuse_if(implicit, result::capture_implicit);
}

void launch(world& w, stream& on, const std::shared_ptr<graph_exec>& launched) {
    operation whole;
    for (const operation& part : launched->work)
        for (const block_ref& used : part.uses) {
            if (used->freed)
                report_use_after_free(w, *used);
            whole.uses.push_back(used);
        }
    whole.run = [launched] {
        for (const operation& part : launched->work)
            if (part.run)
                part.run();
    };
    whole.settle = [launched](world& in) {
        for (const operation& part : launched->work)
            if (part.settle)
                part.settle(in);
    };
    submit_or_capture(w, on, node_type::graph, std::move(whole));
}

} // namespace sim
