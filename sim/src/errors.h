// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sim {

struct error_text {
    int code;
    const char* name;
    const char* text;
};

/// Null for a code that the driver does not know.
const error_text* find_error(int code);

} // namespace sim
