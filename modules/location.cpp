// SPDX-License-Identifier: Apache-2.0
module;
#include <cmm/export.h>
#include <cstdint>
#include <string>
module cmm.location;
import cmm.error;

namespace cmm {

namespace {

[[noreturn]] void refuse(const char* what, const std::string& given) {
    throw invalid_argument({"location", what},
                           given + " is no ordinal; allowed are 0 to 2147483647");
}

} // namespace

void detail::refuse_ordinal(const char* what, long long given) {
    refuse(what, std::to_string(given));
}
void detail::refuse_ordinal(const char* what, unsigned long long given) {
    refuse(what, std::to_string(given));
}

location location::from(std::int32_t kind, std::int64_t id) {
    switch (static_cast<location_kind>(kind)) {
    case location_kind::device: return cmm::device{id};
    case location_kind::host: return cmm::host{};
    case location_kind::host_numa: return cmm::host::numa(id);
    case location_kind::host_numa_current: return cmm::host::numa_current();
    }
    throw invalid_argument({"location", "kind"},
                           std::to_string(kind) +
                               " is no kind of location; allowed are 1 (device), "
                               "2 (host), 3 (host_numa) and 4 (host_numa_current)");
}

std::string to_string(const location& l) {
    switch (l.kind()) {
    case location_kind::device: return "device:" + std::to_string(l.id());
    case location_kind::host: return "host";
    case location_kind::host_numa: return "host_numa:" + std::to_string(l.id());
    case location_kind::host_numa_current: return "host_numa_current";
    }
    return "nowhere";
}

} // namespace cmm
