// SPDX-License-Identifier: Apache-2.0
#include "vectors.hpp"
#include "vectors_text.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

namespace vectors {
namespace {

using driver::opaque;
using driver::pointer;
using arguments = std::vector<std::string>;

constexpr std::size_t system_page = 65536; // at least that of any machine

class player {
public:
    explicit player(const driver::library& with) : with_(with) {}
    ~player();
    player(const player&) = delete;
    player& operator=(const player&) = delete;

    std::string play(const arguments& words);

private:
    using verb = std::string (player::*)(const arguments&);
    static const std::map<std::string, verb>& verbs();

    template <class... Arguments>
    std::string call(const char* name, int version, Arguments... given) {
        return with_.name_of(with_.call(name, version, given...));
    }
    range range_at(const std::string& text) const { return range_of(memory_, text); }
    opaque stream_at(const std::string& text) const;
    static std::uint64_t flags_of(const arguments& words, std::size_t place);

    std::string keep(const std::string& name, memory made, int result);
    std::string release(const memory& gone);

    std::string managed(const arguments& words);
    std::string device(const arguments& words);
    std::string pinned(const arguments& words);
    std::string heap(const arguments& words);
    std::string pool(const arguments& words);
    std::string free(const arguments& words);
    std::string free_ordered(const arguments& words);
    std::string stream(const arguments& words);
    std::string sync(const arguments& words);
    std::string capture(const arguments& words);
    std::string end(const arguments& words);
    std::string state(const arguments& words);
    std::string mode(const arguments& words);
    std::string advise(const arguments& words);
    std::string advise_ordinal(const arguments& words);
    std::string prefetch(const arguments& words);
    std::string prefetch_ordinal(const arguments& words);
    std::string located_batch(const char* entry, const arguments& words);
    std::string prefetch_many(const arguments& words);
    std::string discard_prefetch_many(const arguments& words);
    std::string discard_many(const arguments& words);
    std::string copy_one(const arguments& words);
    std::string copy_batch(const arguments& words, int version);
    std::string copy_many(const arguments& words) { return copy_batch(words, 13000); }
    std::string copy_many_12(const arguments& words) { return copy_batch(words, 12080); }
    std::string is(const arguments& words);
    std::string ask(const arguments& words);
    std::string pointer_is(const arguments& words);
    std::string fill(const arguments& words);
    std::string holds(const arguments& words);
    std::string look_up(const arguments& words);

    std::string read_attribute(range of, int attribute, std::vector<int>& values);
    std::string is_location(range of, const std::string& wanted, const int (&attributes)[3]);

    const driver::library& with_;
    memory_table memory_;
    std::map<std::string, opaque> streams_;
    std::vector<opaque> pools_;
    std::vector<std::unique_ptr<std::byte[]>> heap_;
};

const std::map<std::string, player::verb>& player::verbs() {
    static const std::map<std::string, verb> all{
        {"managed", &player::managed},
        {"managed_host", &player::managed},
        {"device", &player::device},
        {"pinned", &player::pinned},
        {"heap", &player::heap},
        {"pool", &player::pool},
        {"free", &player::free},
        {"free_ordered", &player::free_ordered},
        {"stream", &player::stream},
        {"sync", &player::sync},
        {"capture", &player::capture},
        {"end", &player::end},
        {"state", &player::state},
        {"mode", &player::mode},
        {"advise", &player::advise},
        {"advise_ordinal", &player::advise_ordinal},
        {"prefetch", &player::prefetch},
        {"prefetch_ordinal", &player::prefetch_ordinal},
        {"prefetch_many", &player::prefetch_many},
        {"discard_many", &player::discard_many},
        {"discard_prefetch_many", &player::discard_prefetch_many},
        {"copy", &player::copy_one},
        {"copy_many", &player::copy_many},
        {"copy_many_12", &player::copy_many_12},
        {"is", &player::is},
        {"ask", &player::ask},
        {"pointer", &player::pointer_is},
        {"fill", &player::fill},
        {"holds", &player::holds},
        {"look_up", &player::look_up},
    };
    return all;
}

std::string player::play(const arguments& words) { return (this->*verbs().at(words.at(0)))(words); }

player::~player() {
    for (const auto& [name, made] : streams_) {
        call("cuStreamSynchronize", 2000, made);
        call("cuStreamDestroy", 4000, made);
    }
    for (const auto& [name, held] : memory_)
        release(held);
    call("cuStreamSynchronize", 2000, driver::null_stream);
    for (const opaque made : pools_)
        call("cuMemPoolDestroy", 11020, made);
}

opaque player::stream_at(const std::string& text) const {
    if (text == "null")
        return driver::null_stream;
    if (text == "legacy")
        return driver::legacy;
    return text == "per_thread" ? driver::per_thread : streams_.at(text);
}

std::uint64_t player::flags_of(const arguments& words, std::size_t place) {
    return words.size() > place ? std::stoull(words[place].substr(words[place].find(':') + 1)) : 0;
}

// -- memory

std::string player::keep(const std::string& name, memory made, int result) {
    if (result == 0)
        memory_[name] = std::move(made);
    return with_.name_of(result);
}

std::string player::managed(const arguments& words) {
    constexpr unsigned global = 1, host = 2;
    memory made{"managed", 0, size_of(words.at(2))};
    const unsigned flags = words[0] == "managed_host" ? host : global;
    const int result = with_.call("cuMemAllocManaged", 6000, &made.address, made.bytes, flags);
    return keep(words.at(1), made, result);
}

std::string player::device(const arguments& words) {
    memory made{"device", 0, size_of(words.at(2))};
    const int result = with_.call("cuMemAlloc", 3020, &made.address, made.bytes);
    return keep(words.at(1), made, result);
}

std::string player::pinned(const arguments& words) {
    memory made{"pinned", 0, size_of(words.at(2))};
    void* got = nullptr;
    const int result = with_.call("cuMemHostAlloc", 2020, &got, made.bytes, 0U);
    made.address = reinterpret_cast<pointer>(got);
    return keep(words.at(1), made, result);
}

std::string player::heap(const arguments& words) {
    memory made{"heap", 0, size_of(words.at(2))};
    heap_.push_back(std::make_unique<std::byte[]>(made.bytes + system_page));
    made.address = (reinterpret_cast<pointer>(heap_.back().get()) + system_page - 1) / system_page *
                   system_page;
    return keep(words.at(1), made, 0);
}

std::string player::pool(const arguments& words) {
    constexpr int managed_type = 2;
    const driver::pool_properties properties{.type = managed_type};
    opaque made = nullptr;
    if (const int result = with_.call("cuMemPoolCreate", 11020, &made, &properties); result != 0)
        return with_.name_of(result);
    pools_.push_back(made);
    memory held{"pool", 0, size_of(words.at(2))};
    const int result = with_.call("cuMemAllocFromPoolAsync", 11020, &held.address, held.bytes, made,
                                  driver::null_stream);
    call("cuStreamSynchronize", 2000, driver::null_stream);
    return keep(words.at(1), held, result);
}

std::string player::release(const memory& gone) {
    if (gone.kind == "heap")
        return "SUCCESS";
    if (gone.kind == "pinned")
        return call("cuMemFreeHost", 2000, reinterpret_cast<void*>(gone.address));
    if (gone.kind == "pool")
        return call("cuMemFreeAsync", 11020, gone.address, driver::null_stream);
    return call("cuMemFree", 3020, gone.address);
}

std::string player::free(const arguments& words) {
    const memory gone = memory_.at(words.at(1));
    memory_.erase(words[1]);
    return release(gone);
}

std::string player::free_ordered(const arguments& words) {
    const int result = with_.call("cuMemFreeAsync", 11020, memory_.at(words.at(1)).address,
                                  stream_at(words.at(2)));
    if (result == 0)
        memory_.erase(words[1]);
    return with_.name_of(result);
}

// -- streams

std::string player::stream(const arguments& words) {
    constexpr unsigned nonblocking = 1;
    opaque made = nullptr;
    const int result =
        with_.call("cuStreamCreate", 2000, &made, words.size() > 2 ? nonblocking : 0U);
    if (result == 0)
        streams_[words.at(1)] = made;
    return with_.name_of(result);
}

std::string player::sync(const arguments& words) {
    return call("cuStreamSynchronize", 2000, stream_at(words.at(1)));
}

std::string player::capture(const arguments& words) {
    return call("cuStreamBeginCapture", 10010, stream_at(words.at(1)), 0);
}

std::string player::end(const arguments& words) {
    opaque graph = nullptr;
    std::size_t nodes = 0;
    const int result = with_.call("cuStreamEndCapture", 10000, stream_at(words.at(1)), &graph);
    if (result != 0)
        return with_.name_of(result);
    call("cuGraphGetNodes", 10000, graph, static_cast<opaque*>(nullptr), &nodes);
    call("cuGraphDestroy", 10000, graph);
    return "SUCCESS " + std::to_string(nodes);
}

std::string player::state(const arguments& words) {
    int status = -1;
    const int result = with_.call("cuStreamIsCapturing", 10000, stream_at(words.at(1)), &status);
    if (result != 0)
        return with_.name_of(result);
    return arguments{"none", "active", "invalidated"}.at(static_cast<std::size_t>(status));
}

std::string player::mode(const arguments& words) {
    int wanted = words.at(1) == "global" ? 0 : words[1] == "thread" ? 1 : 2;
    return call("cuThreadExchangeStreamCaptureMode", 10010, &wanted);
}

// -- advice and prefetch

int advice_of(const std::string& text) {
    static const std::map<std::string, int> advices{{"read_mostly", 1}, {"no_read_mostly", 2},
                                                    {"preferred", 3},   {"no_preferred", 4},
                                                    {"accessed_by", 5}, {"no_accessed_by", 6}};
    const auto found = advices.find(text);
    return found != advices.end() ? found->second : std::stoi(text);
}

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

// -- copies

std::string player::copy_one(const arguments& words) {
    const copy of = copy_of(memory_, words.at(2));
    return call("cuMemcpyAsync", 4000, of.to.address, of.from.address, of.to.bytes,
                stream_at(words.at(1)));
}

std::string shown_index(std::size_t index, std::size_t untouched) {
    if (index == untouched)
        return "untouched";
    return index == ~std::size_t{0} ? "no_index" : "index_" + std::to_string(index);
}

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

// -- what the driver tells

constexpr int preferred_attributes[] = {2, 5, 6}, prefetched_attributes[] = {4, 7, 8};
constexpr int invalid_ordinal = -2, cpu_ordinal = -1;

std::string player::read_attribute(range of, int attribute, std::vector<int>& values) {
    return call("cuMemRangeGetAttribute", 8000, static_cast<void*>(values.data()),
                values.size() * sizeof(int), attribute, of.address, of.bytes);
}

std::string shown(const std::vector<int>& values) {
    std::string text;
    for (const int value : values)
        text += (text.empty() ? "" : " ") +
                (value == invalid_ordinal ? std::string("none") : std::to_string(value));
    return text;
}

// The ordinal form, and from CUDA 12.2 on the type and the id, all have to say the same.
std::string player::is_location(range of, const std::string& wanted, const int (&attributes)[3]) {
    const bool none = wanted == "none";
    const driver::location at = none ? driver::location{0, invalid_ordinal} : location_of(wanted);
    const int id = at.type == 2 ? cpu_ordinal : at.id;
    const int expected[] = {none           ? invalid_ordinal
                            : at.type == 1 ? at.id
                                           : cpu_ordinal,
                            at.type, id};
    const std::size_t forms = with_.version() >= 12020 ? 3 : 1;
    for (std::size_t form = 0; form < forms; ++form) {
        std::vector<int> value(1, -77);
        const std::string answer = read_attribute(of, attributes[form], value);
        if (answer != "SUCCESS" || value[0] != expected[form])
            return answer + ", attribute " + std::to_string(attributes[form]) + " is " +
                   std::to_string(value[0]);
    }
    return "SUCCESS";
}

std::string player::is(const arguments& words) {
    const range of = range_at(words.at(1));
    if (words.at(2) == "preferred")
        return is_location(of, words.at(3), preferred_attributes);
    if (words[2] == "prefetched")
        return is_location(of, words.at(3), prefetched_attributes);
    std::vector<int> values(words.size() - 3, -77);
    const std::string answer = read_attribute(of, words[2] == "read_mostly" ? 1 : 3, values);
    std::string wanted;
    for (std::size_t index = 3; index < words.size(); ++index)
        wanted += (index == 3 ? "" : " ") + words[index];
    return answer == "SUCCESS" && shown(values) != wanted ? "SUCCESS " + shown(values) : answer;
}

std::string player::ask(const arguments& words) {
    const range of = range_at(words.at(1));
    std::vector<int> room(4);
    return call("cuMemRangeGetAttribute", 8000, static_cast<void*>(room.data()),
                size_of(words.at(3)), std::stoi(words.at(2)), of.address, of.bytes);
}

std::string player::pointer_is(const arguments& words) {
    static const std::map<std::string, int> attributes{{"memory_type", 2},  {"device_pointer", 3},
                                                       {"host_pointer", 4}, {"managed", 8},
                                                       {"ordinal", 9},      {"bytes", 12}};
    const pointer at = address_of(memory_, words.at(1));
    pointer value = 0;
    const std::string answer = call("cuPointerGetAttribute", 4000, static_cast<void*>(&value),
                                    attributes.at(words.at(2)), at);
    if (answer != "SUCCESS" || words.size() < 4)
        return answer;
    const pointer wanted = words[3] == "same" ? at : std::stoull(words[3]);
    return value == wanted ? answer : "SUCCESS " + std::to_string(value);
}

std::string player::fill(const arguments& words) {
    const range of = range_at(words.at(1));
    std::memset(reinterpret_cast<void*>(of.address), std::stoi(words.at(2)), of.bytes);
    return "SUCCESS";
}

std::string player::holds(const arguments& words) {
    const range of = range_at(words.at(1));
    const auto* bytes = reinterpret_cast<const unsigned char*>(of.address);
    const auto wanted = static_cast<unsigned char>(std::stoi(words.at(2)));
    const auto* other =
        std::find_if(bytes, bytes + of.bytes, [=](unsigned char byte) { return byte != wanted; });
    return other == bytes + of.bytes
               ? "SUCCESS"
               : "byte " + std::to_string(other - bytes) + " is " + std::to_string(*other);
}

std::string player::look_up(const arguments& words) {
    const auto [code, status, function] = with_.find(words.at(1), std::stoi(words.at(2)));
    if (code != 0)
        return "refused";
    if (function != nullptr)
        return "present";
    return status == 2 ? "newer" : "unknown";
}

std::string text_of(const step& of) {
    std::string text;
    for (const std::string& word : of.words)
        text += word + " ";
    return text;
}

} // namespace

std::vector<difference> play(const driver::library& with, const vector_case& played) {
    player on(with);
    std::vector<difference> differences;
    for (const step& next : played.steps) {
        std::string got;
        try {
            got = on.play(next.words);
        } catch (const std::logic_error& error) {
            got = std::string("no such step: ") + error.what();
        }
        if (got != next.answer)
            differences.push_back({next.line, text_of(next), next.answer, got});
    }
    return differences;
}

} // namespace vectors
