// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include "explain.h"

#include <chrono>
#include <new>

#include <fmt/format.h>
#include <pthread.h>

namespace sim {
namespace {

// The lock is held across fork, so that the child finds the world whole: it can look at it, but
// every entry point answers NOT_INITIALIZED, since the workers stayed with the parent.
void before_fork() { the_world().mutex.lock(); }
void in_parent() { the_world().mutex.unlock(); }
void in_child() {
    world& w = the_world();
    w.forked = w.initialised;
    w.mutex.unlock();
}

void apply(world& w, settings read) {
    for (const fault_text& fault : read.faults)
        w.faults.arm(fault.entry, fault.nth, static_cast<result>(fault.result));
    w.shuffle.seed(read.seed);
    if (read.explain)
        explain::install();
    w.config = std::move(read);
}

std::atomic<world*> existing{nullptr};

world* make_world() {
    auto* made = new world;
    existing = made;
    try {
        apply(*made, read_settings({}));
    } catch (const settings_error& error) {
        made->broken = error.what();
        fmt::print(stderr, "cmm simulated driver: {}\n", made->broken);
    }
    pthread_atfork(before_fork, in_parent, in_child);
    return made;
}

// Workers take up nothing new once the process leaves; what runs gets a moment to come to its end.
[[gnu::destructor]] void leave() {
    world* w = existing; // nobody may have used it
    if (w == nullptr || w->forked)
        return;
    std::unique_lock guard(w->mutex);
    w->closing = true;
    w->progress.wait_for(guard, std::chrono::milliseconds(500), [w] { return w->running == 0; });
}

void drop_everything(locked& w) {
    while (!w->contexts.empty())
        destroy_context(w, *w->contexts.begin()->second);
    w.wait([&] { return w->workers.empty(); });
    for (const auto& [base, left] : w->memory)
        w.later(left);
    w->memory.clear();
    w->streams.clear();
    w->events.clear();
    for (const auto& [id, left] : w->graphs)
        w.later(left);
    for (const auto& [id, left] : w->execs)
        w.later(left);
    for (const auto& [id, left] : w->user_objects)
        w.later(left.object);
    w->graphs.clear();
    w->execs.clear();
    w->user_objects.clear();
    w->pools.clear();
    w->default_pools.clear();
    w->current_pools.clear();
    w->captures.clear();
}

void clear_books(world& w) {
    w.faults = {};
    w.record.clear();
    w.record.enable(true);
    w.pages.clear();
    w.managed_bytes = 0;
    w.use_after_free = 0;
    w.use_after_free_report.clear();
    w.chosen = nullptr;
    ++w.epoch;
}

} // namespace

world& the_world() {
    static world& only = *make_world();
    return only;
}

locked::locked() : world_(the_world()), guard_(world_.mutex) {}

void reset(std::string_view config) {
    settings read = read_settings(config);
    locked w;
    w->held = false;
    wake_workers(*w);
    w.wait([&] { return w->pending == 0; });
    drop_everything(w);
    clear_books(*w);
    w->broken.clear();
    apply(*w, std::move(read));
}

void report_use_after_free(world& w, const block& freed) {
    ++w.use_after_free;
    w.use_after_free_report =
        fmt::format("{:#x} ({} bytes) was freed while queued work still needed it ({} operations)",
                    freed.address, freed.bytes, freed.pending);
}

void free_block(locked& w, device_ptr base) {
    const block_ref removed = w->memory.remove(base);
    refuse_if(removed == nullptr);
    if (removed->pending != 0)
        report_use_after_free(*w, *removed);
    if (removed->kind == memory_kind::managed) {
        w->managed_bytes -= removed->bytes;
        w->pages.forget(page_span::touching(removed->address, removed->bytes, w->config.page_size));
    }
    w.later(removed);
}

} // namespace sim
