// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <algorithm>

#include <memory>
#include <pthread.h>
#include <unistd.h>

namespace sim {
namespace {

// The handle of a primary context is the device's own: it comes back with the same value, as in the
// real driver.
handle primary_handle(int device) {
    return handle{0x5000'0000'0000} + 64 * static_cast<handle>(device + 1);
}

std::shared_ptr<context> add_context(world& w, handle id, int device) {
    auto made = std::make_shared<context>();
    made->id = id;
    made->device = device;
    w.contexts.emplace(id, made);
    made->legacy = make_stream(w, made, 0, 0);
    return made;
}

stream& per_thread_default(world& w, context& current) {
    stream_ref& own = current.per_thread[this_thread().id];
    if (!own)
        own = make_stream(w, share_context(w, current.id), 0, 0);
    return *own;
}

void drop_memory_of(locked& w, handle gone) {
    std::vector<device_ptr> owned;
    for (const auto& [base, held] : w->memory)
        if (held->context == gone)
            owned.push_back(base);
    for (const device_ptr base : owned)
        free_block(w, base);
}

void close_stream_of(locked& w, context& in, std::uint64_t thread) {
    const auto own = in.per_thread.find(thread);
    if (own == in.per_thread.end())
        return;
    const stream_ref leaving = std::move(own->second);
    in.per_thread.erase(own);
    leave_capture(w, *leaving);
    close(w, *leaving);
}

void end_thread(void* ended) {
    const std::unique_ptr<thread_state> state(static_cast<thread_state*>(ended));
    *state->anchor = nullptr;
    if (the_world().forked)
        return;
    locked w;
    for (const auto& [id, in] : w->contexts)
        close_stream_of(w, *in, state->id);
}

// A key of pthread, not a destructor of a thread_local: the state of the main thread has to last
// beyond main, since a client's global objects may still call the driver.
thread_state* begin_thread(thread_state** anchor) {
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        pthread_key_create(&made, end_thread);
        return made;
    }();
    auto* begun = new thread_state;
    begun->anchor = anchor;
    pthread_setspecific(key, begun);
    return begun;
}

} // namespace

thread_state::thread_state() : id(static_cast<std::uint64_t>(gettid())) {}

thread_state& this_thread() {
    thread_local thread_state* state = nullptr;
    if (state == nullptr)
        state = begin_thread(&state);
    return *state;
}

context* current_context(world& w) {
    thread_state& thread = this_thread();
    if (thread.epoch != w.epoch) {
        thread.contexts.clear();
        thread.epoch = w.epoch;
    }
    if (thread.contexts.empty() || thread.contexts.back() == 0)
        return nullptr;
    const auto found = w.contexts.find(thread.contexts.back());
    refuse_if(found == w.contexts.end(), result::context_is_destroyed);
    return found->second.get();
}

std::shared_ptr<context> share_context(world& w, handle id) {
    const auto found = w.contexts.find(id);
    refuse_if(found == w.contexts.end(), result::invalid_context);
    return found->second;
}

context& find_context(world& w, handle id) { return *share_context(w, id); }

context& retain_primary(world& w, int device) {
    refuse_if(!w.device_exists(device), result::invalid_device);
    const handle id = primary_handle(device);
    const auto found = w.contexts.find(id);
    context& primary = found != w.contexts.end() ? *found->second : *add_context(w, id, device);
    primary.primary = true;
    ++primary.retains;
    return primary;
}

void release_primary(locked& w, int device) {
    refuse_if(!w->device_exists(device), result::invalid_device);
    const auto found = w->contexts.find(primary_handle(device));
    refuse_if(found == w->contexts.end(), result::invalid_context);
    if (--found->second->retains == 0)
        destroy_context(w, *found->second);
}

std::shared_ptr<context> create_context(world& w, int device, unsigned flags) {
    refuse_if(!w.device_exists(device), result::invalid_device);
    auto made = add_context(w, w.new_handle(), device);
    made->retains = 1;
    made->flags = flags;
    return made;
}

void destroy_context(locked& w, context& gone) {
    const auto self = share_context(*w, gone.id);
    w.later(self);
    for (const stream_ref& own : std::vector(gone.streams)) {
        leave_capture(w, *own);
        w->streams.erase(own->id);
        close(w, *own);
    }
    gone.per_thread.clear();
    std::erase_if(w->events, [&](const auto& known) { return known.second->context == gone.id; });
    drop_memory_of(w, gone.id);
    w.later(std::move(gone.legacy));
    w->contexts.erase(gone.id);
}

stream& find_stream(world& w, context& current, handle given) {
    if (given == null_stream)
        given = this_thread().per_thread_default ? per_thread_stream : legacy_stream;
    if (given == legacy_stream)
        return *current.legacy;
    if (given == per_thread_stream)
        return per_thread_default(w, current);
    const auto found = w.streams.find(given);
    refuse_if(found == w.streams.end(), result::invalid_handle);
    const result sticky = found->second->owner->sticky;
    refuse_if(sticky != result::success, sticky);
    return *found->second;
}

stream& stream_anywhere(world& w, handle given) {
    if (given > per_thread_stream) {
        context none;
        return find_stream(w, none, given);
    }
    context* current = current_context(w);
    refuse_if(current == nullptr, result::invalid_context);
    refuse_if(current->sticky != result::success, current->sticky);
    return find_stream(w, *current, given);
}

stream& working_stream(world& w, context& current, handle given) {
    stream& found = find_stream(w, current, given);
    refuse_implicit(found, true);
    return found;
}

} // namespace sim
