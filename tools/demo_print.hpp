// SPDX-License-Identifier: Apache-2.0
// The demo's outcome, for people and as JSON. This header imports, so that it is included last.
#pragma once
#include <string>
#include <vector>
// Imports.
#include "demo_rounds.hpp"

namespace cmm::tool {

// Whether everything that the device computed is what zlib computed.
bool is_right(const source& s);

// `fallback`: why the simulated driver serves; empty where it was asked for or is not used.
void print_demo(const std::vector<source>& sources, const staging& done);
void print_demo_json(const std::vector<source>& sources, const staging& done,
                     const std::string& fallback);

} // namespace cmm::tool
