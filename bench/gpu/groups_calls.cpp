// SPDX-License-Identifier: Apache-2.0
// Single calls: what cmm adds to what the driver itself takes.
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
constexpr int read_mostly_attribute = 1; // CU_MEM_RANGE_ATTRIBUTE_*
constexpr int accessed_by_attribute = 3;

// One managed buffer of 64 KiB on the device.
class bench_of_calls {
public:
    explicit bench_of_calls(session& s)
        : s_(s), taken_(kind::managed, 64 * kib),
          buffer_(managed_memory_resource().allocate(64 * kib)),
          piece_{buffer_.handle(), buffer_.size()} {
        s.raw.prefetch(piece_, on_device, s.stream_handle());
        s.wait();
    }

    void compare(std::string_view what, std::function<void()> raw, std::function<void()> ours) {
        s_.measure_calls({"one call", std::string(what), piece_.bytes, 1},
                         {{"raw", "", std::move(raw)}, {"cmm", "", std::move(ours)}},
                         s_.quick ? 10 : 200);
    }

    void queries() {
        int value[2] = {};
        compare(
            "read_mostly, read",
            [&] { s_.raw.range_attribute(value, sizeof(int), read_mostly_attribute, piece_); },
            [&] { (void)buffer_.read_mostly(); });
        compare(
            "preferred_location, read", [&] { s_.raw.preferred_location(piece_); },
            [&] { (void)buffer_.preferred_location(); });
        compare(
            "accessed_by, assigned unchanged",
            [&] { s_.raw.range_attribute(value, sizeof value, accessed_by_attribute, piece_); },
            [&] { buffer_.accessed_by() = {device{0}}; });
    }

    void advice() {
        const auto raw = [this](cmm::advice a, place where) {
            return [=, this] { s_.raw.advise(piece_, static_cast<int>(a), where); };
        };
        compare("read_mostly, set", raw(advice::set_read_mostly, on_host),
                [&] { buffer_.read_mostly(true); });
        compare("read_mostly, unset", raw(advice::unset_read_mostly, on_host),
                [&] { buffer_.read_mostly(false); });
        compare("preferred_location, set", raw(advice::set_preferred_location, on_device),
                [&] { buffer_.preferred_location(device{0}); });
        compare(
            "accessed_by, toggled twice",
            [&] {
                s_.raw.advise(piece_, static_cast<int>(advice::set_accessed_by), on_host);
                s_.raw.advise(piece_, static_cast<int>(advice::unset_accessed_by), on_host);
            },
            [&] {
                buffer_.accessed_by() = {device{0}, host{}};
                buffer_.accessed_by() = {device{0}};
            });
    }

    void moves() {
        auto* const stream = s_.stream_handle();
        compare(
            "prefetch, already there", [&, stream] { s_.raw.prefetch(piece_, on_device, stream); },
            [&] { buffer_.prefetch(device{0}, s_.queue); });
        prefetch_plan plan(buffer_, device{0});
        compare(
            "prefetch plan, already there",
            [&, stream] { s_.raw.prefetch(piece_, on_device, stream); },
            [&] { plan.run(s_.queue); });
        compare(
            "prefetch on the legacy stream", [&] { s_.raw.prefetch(piece_, on_device, nullptr); },
            [&] { buffer_.prefetch(device{0}, stream_ref::legacy()); });
    }

    void accessible_by_device() { buffer_.accessed_by() = {device{0}}; }

private:
    session& s_;
    lease taken_;
    managed_buffer buffer_;
    piece piece_;
};

} // namespace

void calls(session& s) {
    bench_of_calls b(s);
    b.accessible_by_device();
    b.queries();
    b.advice();
    b.moves();
}

void allocations(session& s) {
    const std::size_t pairs = s.quick ? 10 : 200;
    for (const std::size_t bytes : {4 * kib, 64 * kib, 2048 * kib}) {
        const lease taken(kind::managed, 64 * 1024 * kib);
        const managed_memory_resource direct;
        const auto arena = managed_memory_resource::arena();
        const auto kept = arena.allocate(bytes); // the slab is there before the clock starts
        s.measure_calls({"allocate and free", "", bytes, 1},
                        {{"raw", "", [&] { s.raw.free(s.raw.allocate_managed(bytes)); }},
                         {"cmm", "", [&] { direct.allocate(bytes).close(); }},
                         {"cmm arena", "", [&] { arena.allocate(bytes).close(); }}},
                        pairs);
    }
}

} // namespace cmm::bench
