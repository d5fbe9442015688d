// SPDX-License-Identifier: Apache-2.0
// The C ABI on the simulated driver: any sequence of calls with any handles, numbers and null
// pointers ends in status codes. No call crashes, none answers CMM_INTERNAL, no memory is freed
// under queued work, and nothing is left when everything is closed. Addresses are those of real
// memory: cmm cannot know better about pageable memory.
#include <array>
#include <chrono>
#include <cmm/cmm.h>
#include <cmm/sim.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

class bytes {
public:
    bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}
    bool empty() const { return left_ == 0; }
    std::uint8_t next() {
        if (left_ == 0)
            return 0;
        --left_;
        return *at_++;
    }
    std::size_t below(std::size_t n) { return next() % n; }
    // Small and mostly right, sometimes anything.
    std::int32_t number(int most) {
        const auto b = next();
        return b < 240 ? b % (most + 1)
                       : static_cast<std::int32_t>(0x7fffff00U + b * 37U) * (b % 2 ? -1 : 1);
    }
    bool rarely() { return next() > 245; }

private:
    const std::uint8_t* at_;
    std::size_t left_;
};

alignas(4096) std::array<unsigned char, 65536> host_memory;

void require(bool holds, const char* what) {
    if (holds)
        return;
    std::fprintf(stderr, "capi_fuzz: %s: %s\n", what, cmm_last_message());
    std::abort();
}

void note(cmm_status s) {
    require(s >= CMM_OK && s <= CMM_OUT_OF_MEMORY, "a status that is none, or internal");
    if (s == CMM_OK)
        return;
    cmm_error e = CMM_ERROR_INIT;
    require(cmm_last_error(&e) == s && e.status == s && *e.message,
            "the last error is another one");
}

class player {
public:
    explicit player(bytes input) : in_(input) {}
    ~player() {
        cmm_sim_clear_faults();
        cmm_sim_release();
        for (auto p : plans_)
            cmm_plan_close(p);
        for (auto v : views_)
            cmm_view_close(v);
        for (auto b : buffers_)
            cmm_buffer_drop(b);
        for (auto e : events_)
            cmm_event_close(e);
        for (auto s : streams_)
            cmm_stream_close(s);
        for (auto r : resources_)
            cmm_resource_close(r);
        cmm_set_hint_policy(CMM_HINTS_IGNORE);
    }
    void play() {
        while (!in_.empty()) {
            step();
            settle();
        }
    }

private:
    static constexpr std::size_t most = 8;
    template <class H> using pool = std::array<H, most>;

    // One of the pool, another kind's, or anything.
    template <class H> H any(const pool<H>& from) {
        if (!in_.rarely())
            return from[in_.below(most)];
        const std::uint64_t stray[] = {0,
                                       ~std::uint64_t{0},
                                       buffers_[0].id,
                                       streams_[0].id,
                                       resources_[0].id,
                                       (std::uint64_t{in_.next()} << 32U) | in_.next()};
        return H{stray[in_.below(6)]};
    }
    cmm_buffer buffer() { return any(buffers_); }

    // `make(out)` makes an object for a place of the pool; what stood there is closed. Seldom
    // nobody wants it.
    template <class H, class Make> void put(pool<H>& to, void (*close)(H), Make make) {
        H made{};
        if (in_.rarely()) {
            note(make(static_cast<H*>(nullptr)));
            return;
        }
        const cmm_status s = make(&made);
        note(s);
        auto& slot = to[in_.below(most)];
        if (s == CMM_OK) {
            close(slot);
            slot = made;
        }
    }

    cmm_target target() {
        const auto how = in_.next();
        if (how < 200)
            return cmm_of(buffer());
        if (how < 220)
            return cmm_range(nullptr, 0);
        if (how < 240) {
            const std::size_t from = in_.below(16) * 4096;
            return cmm_range(host_memory.data() + from,
                             in_.below(static_cast<std::size_t>(16 - from / 4096)) * 256);
        }
        void* data = nullptr; // of an open buffer, which may be shorter
        const auto b = buffer();
        const auto bytes = in_.next() * std::size_t{600};
        unwatched_ = true;
        return cmm_buffer_data(b, &data) == CMM_OK ? cmm_range(data, bytes)
                                                   : cmm_range(nullptr, bytes);
    }
    std::size_t targets(pool<cmm_target>& out) {
        const auto count = in_.below(most + 1);
        for (std::size_t i = 0; i < count; ++i)
            out[i] = target();
        return count;
    }
    cmm_location location() { return {in_.number(4), in_.number(2)}; }
    std::size_t locations(pool<cmm_location>& out, std::size_t wanted) {
        for (auto& l : out)
            l = location();
        return in_.next() < 128 ? CMM_FOR_ALL : in_.rarely() ? in_.below(most + 1) : wanted;
    }
    cmm_stream_ref stream() {
        switch (in_.below(8)) {
        case 0: return cmm_legacy();
        case 1: return cmm_per_thread();
        case 2: {
            void* raw = nullptr;
            (void)cmm_stream_handle(any(streams_), &raw);
            return cmm_raw(raw);
        }
        default: return cmm_on(any(streams_));
        }
    }
    const cmm_options* options() {
        options_ = CMM_OPTIONS_INIT;
        options_.strategy = in_.number(3);
        options_.hints = in_.number(3);
        if (in_.rarely())
            options_.size = in_.next();
        return in_.next() < 128 ? nullptr : &options_;
    }
    cmm_report* report() {
        report_ = CMM_REPORT_INIT;
        if (in_.rarely())
            report_.size = in_.next() % (sizeof(cmm_report) + 1);
        return in_.next() < 128 ? nullptr : &report_;
    }
    std::size_t copies(pool<cmm_copy_options>& out, std::size_t wanted) {
        for (auto& c : out) {
            c = CMM_COPY_OPTIONS_INIT;
            c.src_access_order = 1 + in_.number(2);
            c.overlap_mode = in_.number(1);
            if (in_.rarely())
                c.src_location_hint = location();
        }
        return in_.next() < 128 ? CMM_FOR_ALL : wanted;
    }

    // Of plain ranges cmm does not know when they are freed: their work is waited for, as their
    // owner would. Not by cmm_synchronize: without a current context the legacy stream of an
    // operation is that of its memory's device, and the one of cmm_synchronize is that of device 0.
    void settle() {
        cmm_sim_live now{};
        for (cmm_sim_live_counts(&now); unwatched_ && now.pending_operations != 0;
             cmm_sim_live_counts(&now))
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        unwatched_ = false;
    }

    void step();
    void make_step(std::size_t which);
    void buffer_step(std::size_t which);
    void advice_step(std::size_t which);
    void operation_step(std::size_t which);
    void stream_step(std::size_t which);
    void plan_step(std::size_t which);

    bytes in_;
    pool<cmm_resource> resources_{};
    pool<cmm_buffer> buffers_{};
    pool<cmm_stream> streams_{};
    pool<cmm_event> events_{};
    pool<cmm_plan> plans_{};
    pool<cmm_view> views_{};
    bool unwatched_ = false;
    cmm_options options_ = CMM_OPTIONS_INIT;
    cmm_report report_ = CMM_REPORT_INIT;
};

void player::make_step(std::size_t which) {
    const auto bytes = in_.next() * std::size_t{300};
    switch (which) {
    case 0: {
        cmm_resource_options o = CMM_RESOURCE_OPTIONS_INIT;
        o.kind = in_.number(3);
        o.device = in_.number(2) - 1;
        o.slab_bytes = std::uint64_t{in_.next()} << 13U;
        o.limit_bytes = in_.rarely() ? 0 : std::uint64_t{8} << 20U;
        return put(resources_, &cmm_resource_close,
                   [&](auto* out) { return cmm_resource_create(&o, out); });
    }
    case 1: {
        std::array<std::size_t, most> sizes{};
        std::array<cmm_buffer, most> made{};
        const auto count = in_.below(most + 1);
        for (auto& s : sizes)
            s = in_.next() * std::size_t{64};
        const auto s = cmm_allocate_batch(any(resources_), sizes.data(), count, made.data());
        note(s);
        for (std::size_t i = 0; s == CMM_OK && i < count; ++i) {
            cmm_buffer_drop(buffers_[i]);
            buffers_[i] = made[i];
        }
        return;
    }
    case 2: {
        const auto of = buffer();
        return put(buffers_, &cmm_buffer_drop, [&](auto* out) {
            return cmm_buffer_slice(of, bytes / 2, in_.next() * std::size_t{64}, out);
        });
    }
    case 3: {
        const auto release = in_.next() < 128 ? [](void* n) { ++*static_cast<int*>(n); } : nullptr;
        static int released = 0;
        const bool managed = in_.rarely();
        return put(buffers_, &cmm_buffer_close, [&](auto* out) {
            return cmm_buffer_borrow(host_memory.data() + bytes % 4096, bytes / 2, managed, release,
                                     &released, out);
        });
    }
    default: {
        const auto from = any(resources_);
        return put(buffers_, &cmm_buffer_close,
                   [&](auto* out) { return cmm_allocate(from, bytes, out); });
    }
    }
}

void player::buffer_step(std::size_t which) {
    std::int32_t number = 0;
    std::size_t size = 0;
    void* data = nullptr;
    const auto b = buffer();
    switch (which) {
    case 0: return cmm_buffer_close(b);
    case 1: return cmm_buffer_drop(b);
    case 2: return note(cmm_buffer_close_after(b, stream()));
    case 3: return note(cmm_buffer_kind(b, in_.rarely() ? nullptr : &number));
    case 4: return note(cmm_buffer_device(b, &number));
    case 5: return note(cmm_buffer_size(b, &size));
    case 6: return cmm_view_close(any(views_));
    case 7: (void)cmm_collect(); return;
    default:
        put(views_, &cmm_view_close, [&](auto* out) {
            const auto s = cmm_view_open(b, out, &data, &size);
            if (s == CMM_OK)
                std::memset(data, 1, size);
            return s;
        });
    }
}

void player::advice_step(std::size_t which) {
    bool yes = false;
    cmm_location l{};
    std::uint64_t bits = 0;
    pool<cmm_location> many{};
    const auto t = target();
    switch (which) {
    case 0: return note(cmm_read_mostly(t, &yes));
    case 1: return note(cmm_set_read_mostly(t, in_.next() % 2 != 0));
    case 2: return note(cmm_preferred_location(t, in_.rarely() ? nullptr : &l));
    case 3: return note(cmm_set_preferred_location(t, location()));
    case 4: return note(cmm_last_prefetch_location(t, &l));
    case 5: return note(cmm_accessed_by(t, &bits, in_.rarely() ? nullptr : &yes));
    case 6: return note(cmm_add_accessed_by(t, location()));
    case 7: return note(cmm_discard_accessed_by(t, location()));
    default: {
        const auto count = locations(many, in_.below(most + 1));
        return note(cmm_assign_accessed_by(t, many.data(), count));
    }
    }
}

void player::operation_step(std::size_t which) {
    pool<cmm_target> list{};
    pool<cmm_target> other{};
    pool<cmm_location> where{};
    pool<cmm_copy_options> copy{};
    const auto count = targets(list);
    const auto places = locations(where, count);
    const auto* at = in_.rarely() ? nullptr : where.data();
    switch (which) {
    case 0:
        return note(
            cmm_advise(list.data(), count, 1 + in_.number(5), at, places, options(), report()));
    case 1: return note(cmm_discard(list.data(), count, stream(), options(), report()));
    case 2:
        return note(
            cmm_discard_prefetch(list.data(), count, at, places, stream(), options(), report()));
    case 3:
    case 4: {
        const auto to = in_.rarely() ? targets(other) : count;
        for (std::size_t i = 0; i < to; ++i)
            other[i] = target();
        const auto options_count = copies(copy, count);
        const auto* choice = in_.next() < 128 ? nullptr : copy.data();
        return note(cmm_copy_batch(stream(), list.data(), count, other.data(), to, choice,
                                   choice ? options_count : 0, options(), report()));
    }
    default:
        return note(cmm_prefetch(list.data(), count, at, places, stream(), options(), report()));
    }
}

void player::stream_step(std::size_t which) {
    bool yes = false;
    std::int32_t number = 0;
    double ns = 0;
    switch (which) {
    case 0: return cmm_stream_close(any(streams_));
    case 1: return note(cmm_stream_done(any(streams_), &yes));
    case 2: return note(cmm_stream_wait_event(any(streams_), any(events_)));
    case 3: return note(cmm_stream_wait_stream(any(streams_), stream()));
    case 4: return note(cmm_synchronize(stream()));
    case 5: return note(cmm_event_sync(any(events_)));
    case 6: return note(cmm_event_nanoseconds(any(events_), any(events_), &ns));
    case 7: return note(cmm_stream_priority(any(streams_), &number));
    case 8: {
        const auto s = stream();
        const bool timing = in_.next() % 2 != 0;
        return put(events_, &cmm_event_close,
                   [&](auto* out) { return cmm_event_record(s, timing, out); });
    }
    default: {
        cmm_stream_options o = CMM_STREAM_OPTIONS_INIT;
        o.device = in_.number(2) - 1;
        o.priority = in_.rarely() ? in_.number(8) : 0;
        o.blocking = in_.next() % 2;
        return put(streams_, &cmm_stream_close,
                   [&](auto* out) { return cmm_stream_create(&o, out); });
    }
    }
}

void player::plan_step(std::size_t which) {
    pool<cmm_target> list{};
    pool<cmm_target> other{};
    pool<cmm_location> where{};
    const char* text = nullptr;
    std::uint64_t in = 0;
    switch (which) {
    case 0: return cmm_plan_close(any(plans_));
    case 1: return note(cmm_plan_describe(any(plans_), &text));
    case 2: return note(cmm_plan_ranges(any(plans_), &in, nullptr));
    case 3:
    case 4:
    case 5: return note(cmm_plan_run(any(plans_), stream(), report()));
    default: break;
    }
    // Plans of plain ranges must not outlive the memory: these are of buffers alone.
    const auto count = 1 + in_.below(most);
    for (std::size_t i = 0; i < count; ++i) {
        list[i] = cmm_of(buffer());
        other[i] = cmm_of(buffer());
    }
    const auto places = locations(where, count);
    put(plans_, &cmm_plan_close, [&](auto* out) {
        switch (which) {
        case 6:
            return cmm_plan_discard_prefetch(list.data(), count, where.data(), places, options(),
                                             out);
        case 7:
            return cmm_plan_advise(list.data(), count, 1 + in_.number(5), where.data(), places,
                                   options(), out);
        case 8:
            return cmm_plan_copy(list.data(), count, other.data(), count, nullptr, 0, options(),
                                 out);
        default: return cmm_plan_prefetch(list.data(), count, where.data(), places, options(), out);
        }
    });
}

void player::step() {
    static constexpr std::array entries{
        "cuMemAdvise",   "cuMemPrefetchAsync", "cuMemPrefetchBatchAsync", "cuMemcpyBatchAsync",
        "cuMemcpyAsync", "cuMemAllocManaged",  "cuMemDiscardBatchAsync",  "cuPointerGetAttributes"};
    static constexpr std::array results{1, 2, 801, 999};
    const auto kind = in_.below(16);
    const auto which = in_.below(10);
    switch (kind) {
    case 0:
    case 1:
    case 2: return make_step(which);
    case 3:
    case 4: return buffer_step(which);
    case 5:
    case 6: return advice_step(which);
    case 7:
    case 8:
    case 9:
    case 10: return operation_step(which);
    case 11: return stream_step(which);
    case 12:
    case 13: return plan_step(which);
    case 14:
        if (in_.next() < 32)
            return note(cmm_set_hint_policy(in_.number(3)));
        cmm_sim_fault(entries[in_.below(entries.size())], 1 + in_.below(4),
                      results[in_.below(results.size())]);
        return;
    default: return stream_step(9); // streams are what operations need
    }
}

// The machine of an input: its first byte chooses, seldom another than the first.
void open_machine(std::uint8_t choice) {
    struct machine {
        const char* config;
        int api_level;
    };
    static constexpr std::array<machine, 4> machines{{{"devices=2;numa_nodes=2", 0},
                                                      {"devices=2;concurrent=1,0", 0},
                                                      {"pageable=1", 12080},
                                                      {"version=12000", 0}}};
    static std::size_t open = machines.size();
    const std::size_t wanted = choice < 240 ? 0 : choice % machines.size();
    if (open == wanted)
        return;
    open = wanted;
    note(cmm_open_simulated(machines[open].config, machines[open].api_level));
    cmm_sim_record_enable(0);
    cmm_set_hint_policy(CMM_HINTS_IGNORE); // warnings go to standard error
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    bytes input(data, size);
    open_machine(input.next());
    player(input).play();
    cmm_drain();
    cmm_sim_live left{};
    cmm_sim_live_counts(&left);
    require(cmm_sim_use_after_free_count() == 0, cmm_sim_use_after_free_report());
    require(left.managed_allocations == 0 && left.device_allocations == 0 && left.graphs == 0,
            "memory is left");
    return 0;
}
