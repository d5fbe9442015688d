// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include <pthread.h>

namespace sim {
namespace {

bool dependencies_done(const stream& of) {
    return !of.queue.empty() && !of.running && all_reached(of.queue.front().after);
}

bool is_ready(const world& w, const stream& of) {
    return !w.held && !w.closing && dependencies_done(of);
}

// With a seed one operation runs at a time, and which stream's comes next is drawn: the same seed
// and the same queued work give the same order. A held world draws only once it is released.
void draw(world& w) {
    if (w.config.seed == 0 || w.chosen != nullptr || w.running != 0)
        return;
    std::vector<stream*> ready;
    std::ranges::copy_if(w.workers, std::back_inserter(ready),
                         [&](stream* s) { return is_ready(w, *s); });
    if (ready.empty())
        return;
    std::ranges::sort(ready, {}, &stream::number);
    w.chosen = ready[w.shuffle() % ready.size()];
    w.chosen->wake.notify_one();
}

bool may_run(const world& w, const stream& of) {
    return is_ready(w, of) && (w.config.seed == 0 || w.chosen == &of);
}

void block_signals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
        sigdelset(&blocked, own);
    pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

void run_outside(const operation& work, std::uint64_t delay) {
    if (delay != 0)
        std::this_thread::sleep_for(std::chrono::nanoseconds(delay));
    if (work.run)
        work.run();
}

void finish(locked& w, stream& on, const operation& work) {
    if (work.settle)
        work.settle(*w);
    for (const block_ref& used : work.uses)
        --used->pending;
    ++on.completed;
    --w->pending;
    --w->running;
    on.running = false;
    wake_workers(*w);
    w->progress.notify_all();
}

void run_next(stream& on) {
    locked w;
    on.wake.wait(w.guard(), [&] { return may_run(*w, on) || (on.closing && on.queue.empty()); });
    if (on.queue.empty())
        return;
    // Shared, so that what it holds is dropped after the lock.
    const auto work = std::make_shared<operation>(std::move(on.queue.front()));
    w.later(work);
    on.queue.pop_front();
    on.running = true;
    ++w->running;
    w->chosen = nullptr;
    const auto delay = w->config.copy_delay;
    w.guard().unlock();
    run_outside(*work, delay);
    w.guard().lock();
    finish(w, on, *work);
}

bool has_left(stream& on) {
    locked w;
    if (!on.closing || !on.queue.empty())
        return false;
    std::erase(w->workers, &on);
    std::erase_if(on.owner->streams, [&](const stream_ref& s) { return s.get() == &on; });
    w.later(std::move(on.owner));
    w->progress.notify_all();
    return true;
}

void work(const stream_ref& on) {
    pthread_setname_np(pthread_self(), "cmm-sim-stream");
    this_thread().in_callback = true;
    while (!has_left(*on))
        run_next(*on);
}

// The thread inherits the mask, so that no signal of the client's is ever handled on it.
void start_worker(world& w, stream& on) {
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    block_signals();
    try {
        std::thread([self = on.shared_from_this()] { work(self); }).detach();
    } catch (const std::system_error&) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        refuse(result::out_of_memory);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    on.has_worker = true;
    w.workers.push_back(&on);
}

// The legacy stream waits for what the blocking streams have, and they for what it has.
void add_legacy_order(stream& on, operation& work) {
    context& in = *on.owner;
    if (&on != in.legacy.get()) {
        if (on.with_legacy == blocking::yes && !in.legacy->idle())
            work.after.push_back(in.legacy->now());
        return;
    }
    for (const stream_ref& other : in.streams)
        if (other.get() != &on && other->with_legacy == blocking::yes && !other->idle())
            work.after.push_back(other->now());
}

} // namespace

stream_ref make_stream(world& w, std::shared_ptr<context> owner, unsigned flags, int priority) {
    auto made = std::make_shared<stream>();
    made->id = w.new_handle();
    made->number = w.next_number++;
    made->flags = flags;
    made->priority = priority;
    made->with_legacy = (flags & 1U) != 0 ? blocking::no : blocking::yes;
    owner->streams.push_back(made);
    made->owner = std::move(owner);
    return made;
}

void submit(world& w, stream& on, operation work) {
    if (!on.has_worker)
        start_worker(w, on);
    add_legacy_order(on, work);
    for (const block_ref& used : work.uses)
        ++used->pending;
    on.queue.push_back(std::move(work));
    ++on.submitted;
    ++w.pending;
    draw(w);
    on.wake.notify_one();
}

void close(locked& w, stream& closed) {
    closed.closing = true;
    if (closed.has_worker) {
        closed.wake.notify_one();
        return;
    }
    const stream_ref self = closed.shared_from_this();
    w.later(self);
    std::erase(closed.owner->streams, self);
    w.later(std::move(closed.owner));
}

std::vector<point> work_until_now(stream& of) {
    std::vector<point> points;
    if (!of.idle())
        points.push_back(of.now());
    if (of.owner == nullptr || &of != of.owner->legacy.get())
        return points;
    for (const stream_ref& other : of.owner->streams)
        if (other->with_legacy == blocking::yes && !other->idle())
            points.push_back(other->now());
    return points;
}

bool all_reached(const std::vector<point>& points) {
    return std::ranges::all_of(points, &point::reached);
}

void wait_for(locked& w, const std::vector<point>& points) {
    w.wait([&] { return all_reached(points); });
}

void wake_workers(world& w) {
    draw(w);
    for (stream* waiting : w.workers)
        if (!waiting->running && !waiting->queue.empty())
            waiting->wake.notify_one();
}

} // namespace sim
