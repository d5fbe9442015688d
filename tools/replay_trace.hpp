// SPDX-License-Identifier: Apache-2.0
// A trace, as CMM_TRACE=FILE writes it, read back. This header imports, so that it is included
// last.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
// Imports.
import cmm;

namespace cmm::tool {

enum class traced_kind { advise, prefetch, discard, discard_prefetch, copy_batch };

struct traced_operation {
    traced_kind kind;
    cmm::advice advice = advice::set_read_mostly; // advise alone
    location where = host{};
    src_access_order order = src_access_order::stream; // copy_batch alone
    std::size_t ranges_in = 0, ranges_out = 0, calls = 0, bytes = 0;
    std::uint64_t stream = 0;
    std::uintptr_t address = 0; // of the first range
    double begin = 0, nanoseconds = 0;
};
std::string to_string(traced_kind kind);

struct trace_content {
    std::vector<traced_operation> operations;    // in the order in which they began
    std::map<std::string, std::size_t> left_out; // why, and how many
};

// A trace of a program that died is read as far as it goes. Throws invalid_argument where there is
// no file, or no trace in it.
trace_content read_trace(const std::string& path);

} // namespace cmm::tool
