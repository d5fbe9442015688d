// SPDX-License-Identifier: Apache-2.0
// Life and death of memory: holds, uses in flight, and the list of what waits to be freed.
module;
#include <algorithm>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
module cmm.buffer;
import cmm.context;
import cmm.driver;
import cmm.trace;

namespace cmm::detail {

// -- uses ---------------------------------------------------------------------------------------------

void use_list::add(timeline* t) {
    const auto known = std::find_if(uses_.begin(), uses_.end(), [&](const auto& u) { return u.get() == t; });
    if (known != uses_.end()) {
        std::swap(*known, uses_.back()); // the fast check looks at the last one
        return;
    }
    if (uses_.size() >= prune_at_) {
        std::erase_if(uses_, [](const auto& u) { return is_finished_mark(*u.get()); });
        prune_at_ = std::max<std::size_t>(8, 2 * uses_.size());
    }
    retain(t);
    uses_.emplace_back(timeline_ptr(t));
}

void use_list::add_all(const use_list& o) {
    for (const auto& u : o.uses_)
        add(u.get());
}

void mark_use_slow(buffer_state& root, timeline* t) {
    const std::lock_guard guard(root.lock);
    root.uses.add(t);
}

void drop_finished_uses(buffer_state& root) {
    std::vector<timeline_ptr> uses;
    {
        const std::lock_guard guard(root.lock);
        uses = root.uses.take();
    }
    for (auto& u : uses) {
        bool idle = false;
        auto m = mark(*u.get(), idle);
        if (idle || (m && finished(*m.get())))
            continue;
        mark_use_slow(root, u.get());
    }
}

// -- references and holds -------------------------------------------------------------------------------

buffer_state::buffer_state(buffer_state& of, const range& r) : where(r), root(of.root), references(1) {
    retain(root);
}

buffer_state::~buffer_state() {
    if (root != this)
        release(root);
}

void retain(buffer_state* s) noexcept { s->references.fetch_add(1, std::memory_order_relaxed); }

void release(buffer_state* s) noexcept {
    if (s->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
        delete s;
}

namespace {

void retire(buffer_state& root) noexcept;

// Whether nothing holds the memory any more; under the lock. True once only, since nothing can hold it
// again afterwards.
bool let_go(const buffer_state& root) noexcept { return root.holds == 0 && root.plan_holds == 0; }

} // namespace

bool try_hold(buffer_state& root) noexcept {
    const std::lock_guard guard(root.lock);
    if (root.holds == 0 && root.plan_holds == 0)
        return false;
    ++root.holds;
    retain(&root);
    return true;
}

void drop_hold(buffer_state& root) noexcept {
    bool last = false;
    {
        const std::lock_guard guard(root.lock);
        --root.holds;
        last = let_go(root);
    }
    if (last)
        retire(root);
    release(&root);
}

namespace {

// Holds to drop that a callback of the driver left behind: a lock-free stack of roots.
std::atomic<buffer_state*> dropped{nullptr};

} // namespace

void drop_hold_later(buffer_state& root) noexcept {
    {
        const std::lock_guard guard(root.lock);
        if (root.dropped_later++ != 0)
            return; // it is in the stack already
    }
    retain(&root);
    root.next_dropped = dropped.load(std::memory_order_relaxed);
    while (!dropped.compare_exchange_weak(root.next_dropped, &root, std::memory_order_release)) {
    }
}

namespace {

void drop_what_was_left() noexcept {
    auto* root = dropped.exchange(nullptr, std::memory_order_acquire);
    while (root) {
        auto* const next = root->next_dropped;
        std::uint32_t count = 0;
        {
            const std::lock_guard guard(root->lock);
            std::swap(count, root->dropped_later);
        }
        for (; count > 0; --count)
            drop_hold(*root);
        release(root);
        root = next;
    }
}

} // namespace

// -- plans ----------------------------------------------------------------------------------------------

void join_plan(buffer_state& s, plan_state& p, std::size_t target) {
    retain(&s);
    const std::lock_guard guard(s.root->lock);
    s.plans.emplace_back(&p, target);
    ++s.root->plan_holds;
}

void leave_plan(buffer_state& s, plan_state& p) noexcept {
    bool last = false;
    {
        const std::lock_guard guard(s.root->lock);
        const auto mine = std::find_if(s.plans.begin(), s.plans.end(), [&](const auto& e) { return e.first == &p; });
        if (mine != s.plans.end()) { // else the buffer was closed and has left the plan itself
            s.plans.erase(mine);
            s.root->uses.add_all(p.uses);
            --s.root->plan_holds;
            last = let_go(*s.root);
        }
    }
    if (last)
        retire(*s.root);
    release(&s);
}

namespace {

// Under the root's lock.
void mark_broken(const buffer_state& s) noexcept {
    for (const auto& [plan, target] : s.plans) {
        auto seen = plan->broken.load();
        while (target < seen && !plan->broken.compare_exchange_weak(seen, target)) {
        }
    }
}

// Under the root's lock, which also keeps the plans from going away.
bool any_runs(const buffer_state& s) noexcept {
    return std::any_of(s.plans.begin(), s.plans.end(), [](const auto& p) { return p.first->running.load() != 0; });
}

// A closed buffer's plans can run no more. A run that is under way is waited for, without the lock: a run
// into a graph takes it to hold its operands.
void break_plans(buffer_state& s) noexcept {
    std::unique_lock guard(s.root->lock);
    mark_broken(s);
    while (any_runs(s)) {
        guard.unlock();
        std::this_thread::yield();
        guard.lock();
    }
    for (const auto& [plan, target] : s.plans) {
        const std::lock_guard uses(plan->lock);
        s.root->uses.add_all(plan->uses);
        --s.root->plan_holds;
    }
    s.plans.clear();
}

} // namespace

void close(buffer_state* s, bool explicitly) noexcept {
    if (!s->closed.exchange(true)) {
        if (explicitly)
            break_plans(*s);
        drop_hold(*s->root);
    }
    release(s);
    if (explicitly)
        collect();
}

// -- giving memory back -----------------------------------------------------------------------------------

namespace {

// Reports a free that the driver refused: nobody is left who could catch an error.
void report(const char* entry, driver::result r) noexcept {
    if (trace::on())
        trace::emit({.operation = "free", .entry = entry, .error = driver::name_of(r)});
}

template <class Free> void free_in_context(buffer_state& root, const char* entry, Free call) noexcept {
    try {
        const current_context in(root.context);
        const relaxed_capture relaxed;
        if (const auto r = call(root.where.begin()); !driver::ok(r))
            report(entry, r);
    } catch (const error&) {
        report(entry, driver::result::invalid_context);
    }
}

} // namespace

void free_managed(buffer_state& root) noexcept { free_in_context(root, "cuMemFree", &driver::free_memory); }
void free_pinned(buffer_state& root) noexcept { free_in_context(root, "cuMemFreeHost", &driver::free_pinned); }
void drop_owner(buffer_state& root) noexcept { root.owner.reset(); }

// -- the list of what waits ---------------------------------------------------------------------------------

namespace {

struct waiting {
    buffer_state* root;
    std::vector<timeline_ptr> uses;
};

struct retired_list {
    std::mutex lock;
    std::deque<waiting> entries;
    std::atomic<std::size_t> count{0};
};

retired_list& retired() {
    static auto* list = new retired_list; // static destructors may still close buffers
    return *list;
}

// Whether the work before every use has finished. Streams become marks as soon as that is possible.
bool settled(std::vector<timeline_ptr>& uses) noexcept {
    std::erase_if(uses, [](timeline_ptr& u) {
        bool idle = false;
        auto m = mark(*u.get(), idle);
        if (idle || (m && finished(*m.get())))
            return true;
        if (m)
            u = std::move(m);
        return false;
    });
    return uses.empty();
}

void give_back(buffer_state& root) noexcept {
    if (root.give_back) // an empty buffer has nothing to give
        root.give_back(root);
    release(&root);
}

void retire(buffer_state& root) noexcept {
    retain(&root);
    waiting w{&root, root.uses.take()};
    if (settled(w.uses)) {
        give_back(root);
        return;
    }
    auto& list = retired();
    const std::lock_guard guard(list.lock);
    list.entries.push_back(std::move(w));
    list.count.store(list.entries.size(), std::memory_order_relaxed);
}

// Takes settled entries off the front half of the list; a few unsettled ones are skipped, so that one
// long-running stream does not hold up the others. Freed outside the lock: owners may run code of theirs.
std::vector<buffer_state*> take_settled(retired_list& list, std::size_t patience) {
    std::vector<buffer_state*> out;
    const std::lock_guard guard(list.lock);
    for (auto e = list.entries.begin(); e != list.entries.end() && patience > 0;) {
        if (settled(e->uses)) {
            out.push_back(e->root);
            e = list.entries.erase(e);
        } else {
            --patience;
            ++e;
        }
    }
    list.count.store(list.entries.size(), std::memory_order_relaxed);
    return out;
}

void wait_for_all(retired_list& list) {
    std::vector<timeline_ptr> marks;
    {
        const std::lock_guard guard(list.lock);
        for (const auto& e : list.entries)
            marks.insert(marks.end(), e.uses.begin(), e.uses.end());
    }
    for (const auto& m : marks)
        wait_if_mark(*m.get());
}

} // namespace

} // namespace cmm::detail

namespace cmm {

std::size_t collect() noexcept {
    detail::drop_what_was_left();
    auto& list = detail::retired();
    if (list.count.load(std::memory_order_relaxed) == 0) [[likely]]
        return 0;
    try {
        for (auto* root : detail::take_settled(list, 8))
            detail::give_back(*root);
    } catch (const std::exception&) { // out of host memory: later
    }
    return list.count.load(std::memory_order_relaxed);
}

void drain() noexcept {
    detail::drop_what_was_left();
    auto& list = detail::retired();
    if (list.count.load(std::memory_order_relaxed) == 0)
        return;
    try {
        constexpr auto every = static_cast<std::size_t>(-1);
        for (auto* root : detail::take_settled(list, every)) // turns streams into marks
            detail::give_back(*root);
        detail::wait_for_all(list);
        for (auto* root : detail::take_settled(list, every))
            detail::give_back(*root);
    } catch (const std::exception&) { // out of host memory: what is left waits on
    }
}

} // namespace cmm
