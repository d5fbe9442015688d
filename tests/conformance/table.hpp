// SPDX-License-Identifier: Apache-2.0
// The table and how it is played, for runners in C++: a machine does the steps through one
// interface of cmm, and everything that it answers is JSON.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

using json = nlohmann::json;

// A step that failed: the error's fields as the table names them.
struct refused {
    json what;
};

class machine {
public:
    virtual ~machine() = default;
    virtual void open(const std::string& config, int api_level) = 0;
    // Throws refused.
    virtual json step(const json& s) = 0;
    // Closes what the case left open, the youngest first, and drains.
    virtual void finish() = 0;
};
std::unique_ptr<machine> make_machine(); // by the runner

// The memory of host_memory, and whatever else the simulated driver is asked.
json simulated_step(const json& s); // null where it is none of them

// Kinds of errors, by their numbers from 1.
const char* kind_name(int kind);

// "device:0" as kind and id; kind 0 for null.
struct place {
    int kind;
    int id;
};
place place_of(const json& text);
std::string text_of(place p);

// The position of a name in a list, from `first`.
int index_in(std::initializer_list<const char*> names, const std::string& name, int first = 0);

} // namespace conformance
