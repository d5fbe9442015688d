// SPDX-License-Identifier: Apache-2.0
// What the last failure was.
#include <array>
#include <cmm/cmm.h>
#include <cstddef>
import cmm.capi;

using namespace cmm::capi;

cmm_status cmm_last_error(cmm_error* out) noexcept {
    const auto* last = last_error();
    if (!last)
        return CMM_OK;
    const auto status = static_cast<cmm_status>(last->kind);
    if (out)
        write_struct(*out, {0, status, last->message.c_str(), last->argument.c_str(), last->index,
                            last->other_index, last->code, last->name.c_str(), last->entry.c_str(),
                            last->issued});
    return status;
}

const char* cmm_last_message(void) noexcept {
    const auto* last = last_error();
    return last ? last->message.c_str() : "";
}

const char* cmm_status_name(cmm_status s) noexcept {
    static constexpr std::array names{
        "ok",     "invalid_argument", "not_supported", "closed", "driver_missing",
        "driver", "out_of_memory",    "internal"};
    const auto i = static_cast<std::size_t>(s);
    return i < names.size() ? names[i] : "no status";
}

const char* cmm_version(void) noexcept { return CMM_VERSION; }
