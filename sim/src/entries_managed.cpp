// SPDX-License-Identifier: Apache-2.0
// Managed memory: advice, prefetch and discard, in every shape that drivers from 8.0 to 13.x have.
#include "entry.h"
#include "managed.h"

namespace sim {
namespace {

result advise(entry call, range of, int given, location where, naming how) {
    return call.range(of.address, of.bytes)
        .advice(given)
        .where(where)
        .in_context([&](locked& w, context&) {
            sim::advise(*w, of, given, where, how);
            return result::success;
        });
}

result prefetch(entry call, range of, location where, unsigned flags, handle given) {
    return call.range(of.address, of.bytes)
        .where(where)
        .on(given)
        .in_context([&](locked& w, context& current) {
            stream& on = working_stream(*w, current, given);
            refuse_capturing(on);
            refuse_if(flags != 0);
            check_target(*w, where, result::invalid_device);
            check_concurrent(*w, on.owner->device);
            prefetch(*w, on, of, where);
            return result::success;
        });
}

struct batch {
    const device_ptr* addresses;
    const std::size_t* bytes;
    std::size_t count;
    const location* locations = nullptr;
    const std::size_t* starts = nullptr;
    std::size_t places = 0;

    range at(std::size_t index) const { return {addresses[index], bytes[index]}; }
};

// Batches refuse the default legacy stream, and a machine where one device lacks the attribute.
stream& batch_stream(world& w, context& current, handle given, std::uint64_t flags) {
    stream& on = find_stream(w, current, given);
    refuse_if(&on == current.legacy.get());
    refuse_capturing(on);
    refuse_if(flags != 0);
    for (int device = 0; device < w.config.devices; ++device)
        check_concurrent(w, device);
    return on;
}

// All locations are looked at before anything moves; the ranges are not.
void check_locations(const world& w, const batch& of) {
    refuse_if(of.locations == nullptr || of.starts == nullptr || of.places == 0 ||
              of.places > of.count);
    refuse_if(of.starts[0] != 0);
    for (std::size_t place = 0; place < of.places; ++place) {
        refuse_if(of.starts[place] >= of.count ||
                  (place != 0 && of.starts[place] < of.starts[place - 1]));
        check_target(w, of.locations[place], result::invalid_value);
    }
}

void check_lists(const batch& of) {
    refuse_if(of.count == 0 || of.addresses == nullptr || of.bytes == nullptr);
}

// Calls `each(range, location)` in order. Where two locations start at one range the earlier one
// wins.
template <class Each> void for_each(const batch& of, Each each) {
    std::size_t place = 0, next = 0;
    for (std::size_t index = 0; index < of.count; ++index) {
        if (next < of.places && of.starts[next] == index)
            place = next;
        while (next < of.places && of.starts[next] == index)
            ++next;
        each(of.at(index), of.locations[place]);
    }
}

template <class Each>
result located_batch(entry call, const batch& of, std::uint64_t flags, handle given, Each each) {
    return call.batch(of.addresses, nullptr, of.bytes, of.count)
        .places(of.locations, of.places)
        .on(given)
        .in_context([&](locked& w, context& current) {
            check_lists(of);
            stream& on = batch_stream(*w, current, given, flags);
            check_locations(*w, of);
            for_each(of, [&](range part, location where) { each(*w, on, part, where); });
            return result::success;
        });
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuMemAdvise(device_ptr address, std::size_t bytes, int given, int device) {
    return advise(entry("cuMemAdvise", 8000), {address, bytes}, given, from_ordinal(device),
                  naming::ordinal);
}
SIM_EXPORT result cuMemAdvise_v2(device_ptr address, std::size_t bytes, int given, location where) {
    return advise(entry("cuMemAdvise", 12020), {address, bytes}, given, where, naming::location);
}

SIM_EXPORT result cuMemPrefetchAsync(device_ptr address, std::size_t bytes, int device,
                                     handle given) {
    return prefetch(entry("cuMemPrefetchAsync", 8000), {address, bytes}, from_ordinal(device), 0,
                    given);
}
SIM_EXPORT result cuMemPrefetchAsync_v2(device_ptr address, std::size_t bytes, location where,
                                        unsigned flags, handle given) {
    return prefetch(entry("cuMemPrefetchAsync", 12020), {address, bytes}, where, flags, given);
}

SIM_EXPORT result cuMemPrefetchBatchAsync(device_ptr* addresses, std::size_t* bytes,
                                          std::size_t count, location* locations,
                                          std::size_t* starts, std::size_t places,
                                          std::uint64_t flags, handle given) {
    return located_batch(entry("cuMemPrefetchBatchAsync", 13000),
                         {addresses, bytes, count, locations, starts, places}, flags, given,
                         [](world& w, stream& on, range part, location where) {
                             sim::prefetch(w, on, part, where);
                         });
}

SIM_EXPORT result cuMemDiscardAndPrefetchBatchAsync(device_ptr* addresses, std::size_t* bytes,
                                                    std::size_t count, location* locations,
                                                    std::size_t* starts, std::size_t places,
                                                    std::uint64_t flags, handle given) {
    return located_batch(entry("cuMemDiscardAndPrefetchBatchAsync", 13000),
                         {addresses, bytes, count, locations, starts, places}, flags, given,
                         [](world& w, stream& on, range part, location where) {
                             discard(w, on, part);
                             sim::prefetch(w, on, part, where);
                         });
}

SIM_EXPORT result cuMemDiscardBatchAsync(device_ptr* addresses, std::size_t* bytes,
                                         std::size_t count, std::uint64_t flags, handle given) {
    const batch of{addresses, bytes, count};
    return entry("cuMemDiscardBatchAsync", 13000)
        .batch(addresses, nullptr, bytes, count)
        .on(given)
        .in_context([&](locked& w, context& current) {
            check_lists(of);
            stream& on = batch_stream(*w, current, given, flags);
            for (std::size_t index = 0; index < count; ++index)
                discard(*w, on, of.at(index));
            return result::success;
        });
}

static const export_list managed_exports{
    row<cuMemAdvise>("cuMemAdvise", 8000),
    row<cuMemAdvise_v2>("cuMemAdvise", 12020),
    stream_row<cuMemPrefetchAsync>("cuMemPrefetchAsync", 8000),
    stream_row<cuMemPrefetchAsync_v2>("cuMemPrefetchAsync", 12020),
    stream_row<cuMemPrefetchBatchAsync>("cuMemPrefetchBatchAsync", 13000),
    stream_row<cuMemDiscardBatchAsync>("cuMemDiscardBatchAsync", 13000),
    stream_row<cuMemDiscardAndPrefetchBatchAsync>("cuMemDiscardAndPrefetchBatchAsync", 13000),
};
