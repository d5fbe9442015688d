// SPDX-License-Identifier: Apache-2.0
// One large range: bandwidths, memory nobody has touched yet, and read-mostly memory.
module;
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module cmm.bench.groups;
import cmm;
import cmm.bench.memory;
import cmm.bench.raw;
import cmm.bench.rounds;

namespace cmm::bench {

namespace {

std::size_t large(const session& s) {
    return s.quick ? std::size_t{4} << 20U : std::size_t{1} << 30U;
}

void move_whole(session& s, const buffer_set& set, place to, place from) {
    const auto whole = set.whole();
    auto* const stream = s.stream_handle();
    const auto back = [&s, whole, from, stream] { s.raw.prefetch(whole, from, stream); };
    s.measure(
        {"one large range", to.type == on_device.type ? "to device" : "to host", whole.bytes, 1},
        {{"raw", "", [&] { s.raw.prefetch(whole, to, stream); }, back},
         {"cmm", "", [&] { prefetch(set.buffers(), as_location(to), s.queue); }, back}});
}

// The second and later trips of what nobody writes in between.
void read_mostly_trip(session& s, const buffer_set& set, place to, place from) {
    const auto whole = set.whole();
    auto* const stream = s.stream_handle();
    const auto back = [&s, whole, from, stream] { s.raw.prefetch(whole, from, stream); };
    s.measure(
        {"one large range",
         to.type == on_device.type ? "read-mostly, again to device" : "read-mostly, again to host",
         whole.bytes, 1},
        {{"raw", "", [&] { s.raw.prefetch(whole, to, stream); }, back},
         {"cmm", "", [&] { prefetch(set.buffers(), as_location(to), s.queue); }, back}});
}

// Memory that was allocated just now, in `before`, and freed by the next one or at the end.
class fresh_memory {
public:
    explicit fresh_memory(session& s) : s_(s), taken_(kind::managed, large(s)), bytes_(large(s)) {}
    std::function<void()> anew() {
        return [this] {
            buffer_.close(); // never two of them
            buffer_ = managed_memory_resource().allocate(bytes_);
        };
    }
    std::function<void()> touched() {
        return [this] { std::memset(buffer_.data(), 1, bytes_); };
    }
    std::function<void()> moved(place to) {
        return [this, to] { prefetch(buffer_, as_location(to), s_.queue); };
    }

private:
    session& s_;
    lease taken_;
    std::size_t bytes_;
    managed_buffer buffer_;
};

void populate(session& s) {
    fresh_memory m(s);
    const auto one = [&](std::string_view what, std::string_view system,
                         std::function<void()> work) {
        s.measure({"one large range", std::string(what), large(s), 1},
                  {{std::string(system), "", std::move(work), m.anew()}});
    };
    one("fresh, touched by the CPU", "memset", m.touched());
    one("fresh, prefetched to host", "cmm", m.moved(on_host));
    one("fresh, prefetched to device", "cmm", m.moved(on_device));
}

} // namespace

void bulk(session& s) {
    {
        const buffer_set set(kind::managed, placement::neighbours, large(s), 1);
        move_whole(s, set, on_device, on_host);
        move_whole(s, set, on_host, on_device);
        advise(set.buffers(), advice::set_read_mostly);
        read_mostly_trip(s, set, on_device, on_host);
        read_mostly_trip(s, set, on_host, on_device);
    }
    populate(s);
}

} // namespace cmm::bench
