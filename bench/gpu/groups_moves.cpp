// SPDX-License-Identifier: Apache-2.0
module;
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
module cmm.bench.groups;
import cmm;
import cmm.bench.memory;
import cmm.bench.raw;
import cmm.bench.rounds;

namespace cmm::bench {

namespace {

constexpr std::size_t kib = 1024;

struct shape {
    std::size_t bytes;
    std::size_t count;
};

std::vector<shape> shapes(const session& s) {
    if (s.quick)
        return {{4 * kib, 8}, {64 * kib, 8}};
    return {{4 * kib, 8},    {4 * kib, 64},   {4 * kib, 256},   {64 * kib, 8},    {64 * kib, 64},
            {64 * kib, 256}, {2048 * kib, 8}, {2048 * kib, 64}, {2048 * kib, 256}};
}

struct direction {
    std::string_view name;
    place to;
    place from;
};
constexpr direction directions[] = {{"to device", on_device, on_host},
                                    {"to host", on_host, on_device}};

// Memory and the contenders that work on it.
class bench_of_moves {
public:
    bench_of_moves(session& s, placement p, const shape& what, const direction& d)
        : s_(s), d_(d), set_(kind::managed, p, what.bytes, what.count), arrays_(set_.pieces()),
          stream_(s.stream_handle()) {
        if (p != placement::scattered) {
            const piece one[] = {set_.whole()};
            merged_ = batch_arrays(one);
        }
    }

    std::function<void()> loop() {
        return [this] {
            for (const auto& p : set_.pieces())
                s_.raw.prefetch(p, d_.to, stream_);
        };
    }
    std::function<void()> batch() {
        return [this] { s_.raw.prefetch_batch(arrays_, d_.to, stream_); };
    }
    std::function<void()> merged() {
        return [this, all = set_.whole()] { s_.raw.prefetch(all, d_.to, stream_); };
    }
    std::function<void()> ours(strategy how = strategy::automatic) {
        return [this, how, to = as_location(d_.to)] {
            prefetch(set_.buffers(), to, s_.queue, {.strategy = how});
        };
    }
    std::function<void()> plan() {
        return [this, p = std::make_shared<prefetch_plan>(set_.buffers(), as_location(d_.to))] {
            p->run(s_.queue);
        };
    }
    std::function<void()> discard_batch() {
        return [this] { s_.raw.discard_prefetch_batch(arrays_, d_.to, stream_); };
    }
    std::function<void()> discard_merged() {
        return [this] { s_.raw.discard_prefetch_batch(merged_, d_.to, stream_); };
    }
    std::function<void()> discard_ours() {
        return [this, to = as_location(d_.to)] { discard_prefetch(set_.buffers(), to, s_.queue); };
    }

    // Where the memory comes from, each time anew.
    std::function<void()> from_origin() {
        return [this] { bring(d_.from); };
    }
    // The same for memory that was discarded: it has contents again.
    std::function<void()> written_at_origin() {
        return [this] {
            bring(on_host);
            set_.fill(2);
            bring(d_.from);
        };
    }
    void bring_to_goal() { bring(d_.to); }

private:
    void bring(place to) {
        if (set_.placed() == placement::scattered)
            for (const auto& p : set_.pieces())
                s_.raw.prefetch(p, to, stream_);
        else
            s_.raw.prefetch(set_.whole(), to, stream_);
        s_.wait();
    }

    session& s_;
    direction d_;
    buffer_set set_;
    batch_arrays arrays_;
    batch_arrays merged_{std::vector<piece>{}};
    void* stream_;
};

struct three_placements {
    bench_of_moves neighbours, arena, scattered;
    three_placements(session& s, const shape& what, const direction& d)
        : neighbours(s, placement::neighbours, what, d), arena(s, placement::arena, what, d),
          scattered(s, placement::scattered, what, d) {}
};

subject about(std::string_view group, const shape& what, const direction& d) {
    return {std::string(group), std::string(d.name), what.bytes, what.count};
}

// Every shape, in both directions.
template <class Each> void for_all(session& s, Each each) {
    for (const auto& d : directions)
        for (const auto& what : shapes(s))
            each(what, d);
}

} // namespace

void prefetches(session& s) {
    for_all(s, [&](const shape& what, const direction& d) {
        three_placements m(s, what, d);
        auto& [near, arena, far] = m;
        s.measure(about("prefetch", what, d),
                  {{"raw loop", "neighbours", near.loop(), near.from_origin()},
                   {"raw batch", "neighbours", near.batch(), near.from_origin()},
                   {"raw merged", "neighbours", near.merged(), near.from_origin()},
                   {"cmm", "neighbours", near.ours(), near.from_origin()},
                   {"cmm plan", "neighbours", near.plan(), near.from_origin()},
                   {"cmm", "arena", arena.ours(), arena.from_origin()},
                   {"raw loop", "scattered", far.loop(), far.from_origin()},
                   {"raw batch", "scattered", far.batch(), far.from_origin()},
                   {"cmm", "scattered", far.ours(), far.from_origin()},
                   {"cmm return_early", "scattered", far.ours(strategy::return_early),
                    far.from_origin()}});
    });
}

void already_there(session& s) {
    for_all(s, [&](const shape& what, const direction& d) {
        three_placements m(s, what, d);
        auto& [near, arena, far] = m;
        near.bring_to_goal();
        arena.bring_to_goal();
        far.bring_to_goal();
        s.measure(about("already there", what, d), {{"raw loop", "neighbours", near.loop()},
                                                    {"raw batch", "neighbours", near.batch()},
                                                    {"raw merged", "neighbours", near.merged()},
                                                    {"cmm", "neighbours", near.ours()},
                                                    {"cmm", "arena", arena.ours()},
                                                    {"raw loop", "scattered", far.loop()},
                                                    {"raw batch", "scattered", far.batch()},
                                                    {"cmm", "scattered", far.ours()},
                                                    {"cmm plan", "scattered", far.plan()}});
    });
}

void discard_prefetches(session& s) {
    for_all(s, [&](const shape& what, const direction& d) {
        if (what.bytes * what.count > std::size_t{128} << 20U)
            return; // writing it anew for each sample takes long, and shows no more
        bench_of_moves near(s, placement::neighbours, what, d);
        bench_of_moves arena(s, placement::arena, what, d);
        s.measure(about("discard_prefetch", what, d),
                  {{"raw batch", "neighbours", near.discard_batch(), near.written_at_origin()},
                   {"raw merged", "neighbours", near.discard_merged(), near.written_at_origin()},
                   {"cmm", "neighbours", near.discard_ours(), near.written_at_origin()},
                   {"cmm", "arena", arena.discard_ours(), arena.written_at_origin()}});
    });
}

} // namespace cmm::bench
