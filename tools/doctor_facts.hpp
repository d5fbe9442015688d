// SPDX-License-Identifier: Apache-2.0
// What works on a device, how, and what to do where it does not. This header imports, so that it is
// included last.
#pragma once
#include <string>
#include <vector>
// Imports.
import cmm;

namespace cmm::tool {

struct diagnosis {
    operation what;
    bool works;
    std::string entry;  // the entry point that serves; empty where none is needed or none is there
    std::string why;    // why that one, or why it does not work
    std::string remedy; // empty where nothing is to be done
};

std::vector<diagnosis> diagnose(device d);

} // namespace cmm::tool
