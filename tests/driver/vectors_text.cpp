// SPDX-License-Identifier: Apache-2.0
#include "vectors_text.hpp"

#include <stdexcept>

namespace vectors {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t first = 0;
    for (auto at = text.find(separator); at != std::string::npos;
         at = text.find(separator, first)) {
        parts.push_back(text.substr(first, at - first));
        first = at + 1;
    }
    parts.push_back(text.substr(first));
    return parts;
}

int number_of(const std::string& text) { return std::stoi(text); }

int order_of(const std::string& text) {
    static const std::map<std::string, int> orders{
        {"invalid", 0}, {"stream", 1}, {"during", 2}, {"any", 3}};
    const auto found = orders.find(text);
    return found != orders.end() ? found->second : number_of(text);
}

driver::location hint_of(const std::string& text) {
    return text == "-" ? driver::nowhere : location_of(text);
}

driver::copy_attributes attribute_of(const std::string& text) {
    const auto parts = split(text, '/');
    if (parts.size() == 1)
        return {.order = order_of(parts[0]), .source = {}, .destination = {}, .flags = 0};
    return {.order = order_of(parts.at(0)),
            .source = hint_of(parts.at(1)),
            .destination = hint_of(parts.at(2)),
            .flags = static_cast<unsigned>(number_of(parts.at(3)))};
}

template <class Value, class Read>
std::vector<placed<Value>> placed_list(const std::string& text, Read read) {
    std::vector<placed<Value>> list;
    for (const std::string& part : list_of(text)) {
        const auto at = part.rfind('@');
        list.push_back({read(part.substr(0, at)), std::stoull(part.substr(at + 1))});
    }
    return list;
}

} // namespace

std::size_t size_of(const std::string& text) {
    const std::size_t count = std::stoull(text);
    switch (text.back()) {
    case 'K': return count << 10;
    case 'M': return count << 20;
    default: return count;
    }
}

std::vector<std::string> list_of(const std::string& text) {
    return text == "-" ? std::vector<std::string>{} : split(text, ',');
}

driver::pointer address_of(const memory_table& known, const std::string& text) {
    if (text == "null")
        return 0;
    if (text.starts_with("0x"))
        return std::stoull(text, nullptr, 16);
    const auto plus = text.find('+');
    const driver::pointer base = known.at(text.substr(0, plus)).address;
    return plus == std::string::npos ? base : base + std::stoull(text.substr(plus + 1));
}

range range_of(const memory_table& known, const std::string& text) {
    const auto bracket = text.find('[');
    if (bracket == std::string::npos)
        return {known.at(text).address, known.at(text).bytes};
    const auto plus = text.find('+', bracket);
    return {address_of(known, text.substr(0, bracket)) + std::stoull(text.substr(bracket + 1)),
            std::stoull(text.substr(plus + 1))};
}

copy copy_of(const memory_table& known, const std::string& text) {
    const auto arrow = text.find("<-");
    const copy of{range_of(known, text.substr(0, arrow)), range_of(known, text.substr(arrow + 2))};
    if (of.to.bytes != of.from.bytes)
        throw std::runtime_error(text + ": the sides differ in size");
    return of;
}

driver::location location_of(const std::string& text) {
    static const std::map<std::string, int> kinds{
        {"device", 1}, {"host", 2}, {"node", 3}, {"node_here", 4}};
    const auto parts = split(text, ':');
    const int id = parts.size() > 1 ? number_of(parts[1]) : 0;
    return parts[0] == "kind" ? driver::location{id, 0} : driver::location{kinds.at(parts[0]), id};
}

std::vector<placed<driver::location>> places_of(const std::string& text) {
    return placed_list<driver::location>(text, location_of);
}

std::vector<placed<driver::copy_attributes>> attributes_of(const std::string& text) {
    return placed_list<driver::copy_attributes>(text, attribute_of);
}

} // namespace vectors
