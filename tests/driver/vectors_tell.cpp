// SPDX-License-Identifier: Apache-2.0
#include "vectors_player.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace vectors {

namespace {

constexpr int preferred_attributes[] = {2, 5, 6}, prefetched_attributes[] = {4, 7, 8};
constexpr int invalid_ordinal = -2, cpu_ordinal = -1;

} // namespace

std::string player::read_attribute(range of, int attribute, std::vector<int>& values) {
    return call("cuMemRangeGetAttribute", 8000, static_cast<void*>(values.data()),
                values.size() * sizeof(int), attribute, of.address, of.bytes);
}

namespace {

std::string shown(const std::vector<int>& values) {
    std::string text;
    for (const int value : values)
        text += (text.empty() ? "" : " ") +
                (value == invalid_ordinal ? std::string("none") : std::to_string(value));
    return text;
}

} // namespace

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

} // namespace vectors
