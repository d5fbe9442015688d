// SPDX-License-Identifier: Apache-2.0
#include "vectors_player.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace vectors {

namespace {

int advice_of(const std::string& text) {
    static const std::map<std::string, int> advices{{"read_mostly", 1}, {"no_read_mostly", 2},
                                                    {"preferred", 3},   {"no_preferred", 4},
                                                    {"accessed_by", 5}, {"no_accessed_by", 6}};
    const auto found = advices.find(text);
    return found != advices.end() ? found->second : std::stoi(text);
}

} // namespace

std::string player::advise(const arguments& words) {
    const range of = range_at(words.at(1));
    return call("cuMemAdvise", 12020, of.address, of.bytes, advice_of(words.at(2)),
                location_of(words.at(3)));
}

std::string player::advise_ordinal(const arguments& words) {
    const range of = range_at(words.at(1));
    return call("cuMemAdvise", 8000, of.address, of.bytes, advice_of(words.at(2)),
                std::stoi(words.at(3)));
}

std::string player::prefetch(const arguments& words) {
    const range of = range_at(words.at(2));
    const auto flags = static_cast<unsigned>(flags_of(words, 4));
    return call("cuMemPrefetchAsync", 12020, of.address, of.bytes, location_of(words.at(3)), flags,
                stream_at(words.at(1)));
}

std::string player::prefetch_ordinal(const arguments& words) {
    const range of = range_at(words.at(2));
    return call("cuMemPrefetchAsync", 8000, of.address, of.bytes, std::stoi(words.at(3)),
                stream_at(words.at(1)));
}

namespace {

struct range_lists {
    std::vector<pointer> addresses;
    std::vector<std::size_t> bytes;
    void add(range of) {
        addresses.push_back(of.address);
        bytes.push_back(of.bytes);
    }
};

template <class Value> struct placed_lists {
    std::vector<Value> values;
    std::vector<std::size_t> starts;
    explicit placed_lists(const std::vector<placed<Value>>& from) {
        for (const auto& each : from) {
            values.push_back(each.value);
            starts.push_back(each.start);
        }
        // An empty list still has an address: what is tested is its length.
        values.reserve(1);
        starts.reserve(1);
    }
};

} // namespace

std::string player::located_batch(const char* entry, const arguments& words) {
    range_lists ranges;
    for (const std::string& each : list_of(words.at(2)))
        ranges.add(range_at(each));
    placed_lists<driver::location> places(places_of(words.at(3)));
    return call(entry, 13000, ranges.addresses.data(), ranges.bytes.data(), ranges.bytes.size(),
                places.values.data(), places.starts.data(), places.values.size(),
                flags_of(words, 4), stream_at(words.at(1)));
}

std::string player::prefetch_many(const arguments& words) {
    return located_batch("cuMemPrefetchBatchAsync", words);
}

std::string player::discard_prefetch_many(const arguments& words) {
    return located_batch("cuMemDiscardAndPrefetchBatchAsync", words);
}

std::string player::discard_many(const arguments& words) {
    range_lists ranges;
    for (const std::string& each : list_of(words.at(2)))
        ranges.add(range_at(each));
    return call("cuMemDiscardBatchAsync", 13000, ranges.addresses.data(), ranges.bytes.data(),
                ranges.bytes.size(), flags_of(words, 3), stream_at(words.at(1)));
}

std::string player::copy_one(const arguments& words) {
    const copy of = copy_of(memory_, words.at(2));
    return call("cuMemcpyAsync", 4000, of.to.address, of.from.address, of.to.bytes,
                stream_at(words.at(1)));
}

namespace {

std::string shown_index(std::size_t index, std::size_t untouched) {
    if (index == untouched)
        return "untouched";
    return index == ~std::size_t{0} ? "no_index" : "index_" + std::to_string(index);
}

} // namespace

std::string player::copy_batch(const arguments& words, int version) {
    constexpr std::size_t untouched = 0x1234567;
    range_lists to, from;
    for (const std::string& each : list_of(words.at(2))) {
        const copy of = copy_of(memory_, each);
        to.add(of.to);
        from.add(of.from);
    }
    placed_lists<driver::copy_attributes> attributes(attributes_of(words.at(3)));
    const opaque on = stream_at(words.at(1));
    if (version >= 13000)
        return call("cuMemcpyBatchAsync", version, to.addresses.data(), from.addresses.data(),
                    to.bytes.data(), to.bytes.size(), attributes.values.data(),
                    attributes.starts.data(), attributes.values.size(), on);
    std::size_t failed = untouched;
    const auto answer =
        call("cuMemcpyBatchAsync", version, to.addresses.data(), from.addresses.data(),
             to.bytes.data(), to.bytes.size(), attributes.values.data(), attributes.starts.data(),
             attributes.values.size(), &failed, on);
    return answer + " " + shown_index(failed, untouched);
}

} // namespace vectors
