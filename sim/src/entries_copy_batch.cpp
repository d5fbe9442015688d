// SPDX-License-Identifier: Apache-2.0
// Batched copies, in the shapes of CUDA 12.8 (which tells the failing index) and 13.0.
#include "copy.h"
#include "entry.h"

#include <limits>

namespace sim {
namespace {

constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

struct batch {
    const device_ptr* to;
    const device_ptr* from;
    const std::size_t* bytes;
    std::size_t count;
    const copy_attributes* attributes;
    const std::size_t* starts;
    std::size_t attribute_count;
};

void check_hint(const world& w, location hint) {
    const auto type = static_cast<int>(hint.type);
    refuse_if(type < 0 || type > static_cast<int>(location_type::host_numa_current));
    refuse_if(hint.type == location_type::device && !w.device_exists(hint.id));
}

void check_attributes(const world& w, const copy_attributes& of) {
    constexpr unsigned prefer_overlap = 1;
    refuse_if(of.order < source_order::stream || of.order > source_order::any);
    refuse_if(of.flags > prefer_overlap);
    check_hint(w, of.source);
    check_hint(w, of.destination);
}

// Unlike a batch of prefetches, one of copies refuses two attributes that start at one copy.
void check_lists(const world& w, const batch& of) {
    refuse_if(of.count == 0 || of.to == nullptr || of.from == nullptr || of.bytes == nullptr);
    refuse_if(of.attribute_count == 0 || of.attribute_count > of.count);
    refuse_if(of.attributes == nullptr || of.starts == nullptr || of.starts[0] != 0);
    for (std::size_t place = 0; place < of.attribute_count; ++place) {
        refuse_if(of.starts[place] >= of.count ||
                  (place != 0 && of.starts[place] <= of.starts[place - 1]));
        check_attributes(w, of.attributes[place]);
    }
}

void submit_one(world& w, stream& on, const batch& of, std::size_t index, source_order order) {
    refuse_if(of.bytes[index] == 0);
    const operand to = find_operand(w, of.to[index], of.bytes[index]);
    const operand from = find_operand(w, of.from[index], of.bytes[index]);
    const bool now = order == source_order::during_call;
    submit(w, on,
           now ? copy_work_of_snapshot(to, from, of.bytes[index])
               : copy_work(to, from, of.bytes[index]));
}

void submit_all(world& w, stream& on, const batch& of, std::size_t* failed) {
    std::size_t place = 0;
    for (std::size_t index = 0; index < of.count; ++index) {
        if (place + 1 < of.attribute_count && of.starts[place + 1] == index)
            ++place;
        *failed = index;
        submit_one(w, on, of, index, of.attributes[place].order);
    }
    *failed = no_index;
}

result copy_batch(entry call, const batch& of, std::size_t* failed, handle given) {
    return call.batch(of.to, of.from, of.bytes, of.count)
        .attributes(of.attribute_count)
        .on(given)
        .in_context([&](locked& w, context& current) {
            stream& on = find_stream(*w, current, given);
            refuse_if(&on == current.legacy.get());
            *failed = no_index;
            // The capture survives; what does not happen is the copy.
            refuse_if(on.capturing != nullptr, result::capture_unsupported);
            check_lists(*w, of);
            submit_all(*w, on, of, failed);
            return result::success;
        });
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuMemcpyBatchAsync(device_ptr* to, device_ptr* from, std::size_t* bytes,
                                     std::size_t count, copy_attributes* attributes,
                                     std::size_t* starts, std::size_t attribute_count,
                                     std::size_t* failed, handle given) {
    std::size_t unread = 0;
    return copy_batch(entry("cuMemcpyBatchAsync", 12080),
                      {to, from, bytes, count, attributes, starts, attribute_count},
                      failed != nullptr ? failed : &unread, given);
}

SIM_EXPORT result cuMemcpyBatchAsync_v2(device_ptr* to, device_ptr* from, std::size_t* bytes,
                                        std::size_t count, copy_attributes* attributes,
                                        std::size_t* starts, std::size_t attribute_count,
                                        handle given) {
    std::size_t unread = 0;
    return copy_batch(entry("cuMemcpyBatchAsync", 13000),
                      {to, from, bytes, count, attributes, starts, attribute_count}, &unread,
                      given);
}

SIM_EXPORT result cuMemcpyWithAttributesAsync(device_ptr to, device_ptr from, std::size_t bytes,
                                              copy_attributes* attributes, handle given) {
    const std::size_t start = 0;
    std::size_t unread = 0;
    return copy_batch(entry("cuMemcpyWithAttributesAsync", 13020),
                      {&to, &from, &bytes, 1, attributes, &start, 1}, &unread, given);
}

// The look-up finds the batch of three-dimensional copies, as it does on the real driver; the
// simulated one has none.
SIM_EXPORT result cuMemcpy3DBatchAsync(std::size_t count, void*, std::size_t*, std::uint64_t,
                                       handle given) {
    return entry("cuMemcpy3DBatchAsync", 12080)
        .on(given)
        .attributes(count)
        .in_context([](locked&, context&) { return result::not_supported; });
}
SIM_EXPORT result cuMemcpy3DBatchAsync_v2(std::size_t count, void*, std::uint64_t, handle given) {
    return entry("cuMemcpy3DBatchAsync", 13000)
        .on(given)
        .attributes(count)
        .in_context([](locked&, context&) { return result::not_supported; });
}

static const export_list copy_batch_exports{
    stream_row<cuMemcpyBatchAsync>("cuMemcpyBatchAsync", 12080),
    stream_row<cuMemcpyBatchAsync_v2>("cuMemcpyBatchAsync", 13000),
    stream_row<cuMemcpyWithAttributesAsync>("cuMemcpyWithAttributesAsync", 13020),
    stream_row<cuMemcpy3DBatchAsync>("cuMemcpy3DBatchAsync", 12080),
    stream_row<cuMemcpy3DBatchAsync_v2>("cuMemcpy3DBatchAsync", 13000),
};
