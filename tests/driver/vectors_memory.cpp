// SPDX-License-Identifier: Apache-2.0
#include "vectors_player.hpp"

#include <cstddef>

namespace vectors {

namespace {

constexpr std::size_t system_page = 65536; // at least that of any machine

} // namespace

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

} // namespace vectors
