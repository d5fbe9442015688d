// SPDX-License-Identifier: Apache-2.0
// What the part with cmm.hpp and the part in CUDA C++ both do.
#pragma once
#include "mixed.h"
#include <cmm/cmm.hpp>
#include <cstdio>

inline seen look(const shared_memory& m, const cmm::location& next) {
    seen out{};
    auto buffer = cmm::managed_buffer::from_handle(m.address, m.bytes);
    const auto last = buffer.last_prefetch_location();
    std::snprintf(out.location, sizeof out.location, "%s",
                  last ? cmm::to_string(*last).c_str() : "nowhere");
    cmm::prefetch(buffer, next, static_cast<CUstream_st*>(m.stream));
    cmm::synchronize(static_cast<CUstream_st*>(m.stream));
    buffer.close();
    try {
        buffer.prefetch(next, static_cast<CUstream_st*>(m.stream));
    } catch (const cmm::closed&) {
        out.caught_closed = true;
    }
    return out;
}
