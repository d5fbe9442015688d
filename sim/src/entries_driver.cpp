// SPDX-License-Identifier: Apache-2.0
// The driver itself: start, version, errors, and the look-up of entry points by name and version.
#include "entry.h"
#include "errors.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace sim {
namespace {

constexpr std::uint64_t flag_legacy = 1, flag_per_thread = 2;
constexpr int found = 0, not_found = 1,
              version_not_sufficient = 2; // CUdriverProcAddressQueryResult

bool is_hidden(const world& w, const export_row& row) {
    return std::ranges::any_of(w.config.hide, [&](const hidden_entry& hidden) {
        return hidden.name == row.name && (hidden.version == 0 || hidden.version == row.since);
    });
}

struct looked_up {
    const export_row* row = nullptr;
    int status = not_found;
};

// The newest form that is not newer than the version asked for, of those that this driver has.
looked_up look_up(const world& w, std::string_view name, int version) {
    looked_up best;
    for (const export_row& row : all_exports()) {
        if (name != row.name || row.since > w.config.version || is_hidden(w, row))
            continue;
        if (best.row == nullptr && row.since > version)
            best.status = version_not_sufficient;
        if (row.since <= version && (best.row == nullptr || row.since > best.row->since))
            best = {&row, found};
    }
    return best;
}

void* pick(const export_row& row, std::uint64_t flags) {
    return (flags & flag_per_thread) != 0 && row.per_thread != nullptr ? row.per_thread
                                                                       : row.function;
}

void check_request(const world& w, const char* name, void** function, int version,
                   std::uint64_t flags) {
    refuse_if(name == nullptr || function == nullptr || *name == '\0');
    refuse_if(version > w.config.version);
    refuse_if(flags > flag_per_thread || flags == (flag_legacy | flag_per_thread));
}

const error_text& known_error(int code) {
    const error_text* known = find_error(code);
    refuse_if(known == nullptr);
    return *known;
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuInit(unsigned flags) {
    return entry("cuInit").anywhere([&](locked& w) {
        refuse_if(w->forked, result::not_initialized);
        refuse_if(w->closing, result::deinitialized);
        refuse_if(flags != 0 || !w->broken.empty());
        w->initialised = true;
        return result::success;
    });
}

SIM_EXPORT result cuDriverGetVersion(int* version) {
    return entry("cuDriverGetVersion").anywhere([&](locked& w) {
        refuse_if(version == nullptr);
        *version = w->config.version;
        return result::success;
    });
}

// The form of CUDA 11: what is not there is an error.
SIM_EXPORT result cuGetProcAddress(const char* name, void** function, int version,
                                   std::uint64_t flags) {
    return entry("cuGetProcAddress", 11030).anywhere([&](locked& w) {
        check_request(*w, name, function, version, flags);
        const looked_up got = look_up(*w, name, version);
        *function = got.row != nullptr ? pick(*got.row, flags) : nullptr;
        return got.row != nullptr ? result::success : result::not_found;
    });
}

// The form of CUDA 12: what is not there is null, with a status. A driver below 12.0 has no such
// symbol; since this library's symbols are the same at every version, it answers NOT_SUPPORTED
// there.
SIM_EXPORT result cuGetProcAddress_v2(const char* name, void** function, int version,
                                      std::uint64_t flags, int* status) {
    return entry("cuGetProcAddress", 12000).anywhere([&](locked& w) {
        refuse_if(w->config.version < 12000, result::not_supported);
        if (function != nullptr)
            *function = nullptr;
        check_request(*w, name, function, version, flags);
        const looked_up got = look_up(*w, name, version);
        *function = got.row != nullptr ? pick(*got.row, flags) : nullptr;
        if (status != nullptr)
            *status = got.status;
        return got.row != nullptr || status != nullptr ? result::success : result::not_found;
    });
}

SIM_EXPORT result cuGetErrorName(int error, const char** text) {
    return entry("cuGetErrorName").anywhere([&](locked&) {
        refuse_if(text == nullptr);
        *text = nullptr;
        *text = known_error(error).name;
        return result::success;
    });
}

SIM_EXPORT result cuGetErrorString(int error, const char** text) {
    return entry("cuGetErrorString").anywhere([&](locked&) {
        refuse_if(text == nullptr);
        *text = nullptr;
        *text = known_error(error).text;
        return result::success;
    });
}

static const export_list driver_exports{
    row<cuInit>("cuInit", 2000),
    row<cuDriverGetVersion>("cuDriverGetVersion", 2020),
    row<cuGetProcAddress>("cuGetProcAddress", 11030),
    row<cuGetProcAddress_v2>("cuGetProcAddress", 12000),
    row<cuGetErrorName>("cuGetErrorName", 6000),
    row<cuGetErrorString>("cuGetErrorString", 6000),
};
