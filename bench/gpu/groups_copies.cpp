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

struct way {
    std::string_view name;
    kind from;
    kind to;
    std::vector<shape> shapes;
};

std::vector<way> ways(bool quick) {
    if (quick)
        return {{"pinned to device", kind::pinned, kind::device, {{4 * kib, 8}}},
                {"managed to managed", kind::managed, kind::managed, {{4 * kib, 8}}}};
    const std::vector<shape> common{{4 * kib, 8},  {4 * kib, 64},  {4 * kib, 256},
                                    {64 * kib, 8}, {64 * kib, 64}, {64 * kib, 256}};
    auto large = common;
    large.insert(large.end(), {{2048 * kib, 8}, {2048 * kib, 64}, {2048 * kib, 256}});
    return {{"pinned to device", kind::pinned, kind::device, large},
            {"managed to managed", kind::managed, kind::managed, common}};
}

// Sources and destinations, and the contenders that copy between them.
class bench_of_copies {
public:
    bench_of_copies(session& s, placement p, const way& w, const shape& what)
        : s_(s), from_(w.from, p, what.bytes, what.count), to_(w.to, p, what.bytes, what.count),
          arrays_(to_.pieces(), from_.pieces()), stream_(s.stream_handle()) {
        for (const auto* set : {&from_, &to_})
            if (w.to == kind::managed) // both ends on the device, where they stay
                for (const auto& piece : set->pieces())
                    s.raw.prefetch(piece, on_device, stream_);
        s.wait();
    }

    std::function<void()> loop() {
        return [this] {
            for (std::size_t i = 0; i < from_.pieces().size(); ++i)
                s_.raw.copy(to_.pieces()[i].at, from_.pieces()[i].at, from_.pieces()[i].bytes,
                            stream_);
        };
    }
    std::function<void()> batch() {
        return [this] { s_.raw.copy_batch(arrays_, stream_); };
    }
    std::function<void()> merged() {
        return [this, from = from_.whole(), to = to_.whole()] {
            s_.raw.copy(to.at, from.at, from.bytes, stream_);
        };
    }
    std::function<void()> ours() {
        return [this] { copy_batch(s_.queue, from_.buffers(), to_.buffers()); };
    }
    std::function<void()> plan() {
        return [this, p = std::make_shared<copy_plan>(from_.buffers(), to_.buffers())] {
            p->run(s_.queue);
        };
    }

private:
    session& s_;
    buffer_set from_;
    buffer_set to_;
    batch_arrays arrays_;
    void* stream_;
};

void copies_of(session& s, const way& w, const shape& what) {
    bench_of_copies near(s, placement::neighbours, w, what);
    bench_of_copies far(s, placement::scattered, w, what);
    s.measure({"copy_batch", std::string(w.name), what.bytes, what.count},
              {{"raw loop", "neighbours", near.loop()},
               {"raw batch", "neighbours", near.batch()},
               {"raw merged", "neighbours", near.merged()},
               {"cmm", "neighbours", near.ours()},
               {"cmm plan", "neighbours", near.plan()},
               {"raw loop", "scattered", far.loop()},
               {"raw batch", "scattered", far.batch()},
               {"cmm", "scattered", far.ours()},
               {"cmm plan", "scattered", far.plan()}});
}

} // namespace

void copies(session& s) {
    for (const auto& w : ways(s.quick))
        for (const auto& what : w.shapes)
            copies_of(s, w, what);
}

} // namespace cmm::bench
