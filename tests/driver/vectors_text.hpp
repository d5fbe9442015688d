// SPDX-License-Identifier: Apache-2.0
// The words of a vector: sizes, ranges, locations, lists.
#pragma once

#include "client.hpp"

#include <map>
#include <string>
#include <vector>

namespace vectors {

struct memory {
    std::string kind;
    driver::pointer address = 0;
    std::size_t bytes = 0;
};
using memory_table = std::map<std::string, memory>;

struct range {
    driver::pointer address = 0;
    std::size_t bytes = 0;
};

struct copy {
    range to, from;
};

/// A value and the index in a batch from which it counts.
template <class Value> struct placed {
    Value value;
    std::size_t start;
};

std::size_t size_of(const std::string& text);
/// A list of words between ','; "-" is empty.
std::vector<std::string> list_of(const std::string& text);
driver::pointer address_of(const memory_table& known, const std::string& text);
range range_of(const memory_table& known, const std::string& text);
copy copy_of(const memory_table& known, const std::string& text);
driver::location location_of(const std::string& text);
std::vector<placed<driver::location>> places_of(const std::string& text);
std::vector<placed<driver::copy_attributes>> attributes_of(const std::string& text);

} // namespace vectors
