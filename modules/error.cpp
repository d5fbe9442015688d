// SPDX-License-Identifier: Apache-2.0
module;
#include <cmm/export.h>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
module cmm.error;

namespace cmm {

std::string error_text(const error_site& site, std::string_view text) {
    std::string out(site.operation);
    if (!site.argument.empty()) {
        out += ": ";
        out += site.argument;
        if (site.index)
            out += '[' + std::to_string(*site.index) + ']';
    }
    out += ": ";
    out += text;
    return out;
}

error::error(error_kind kind, const error_site& site, const std::string& text)
    : std::runtime_error(error_text(site, text)), kind_(kind), argument_(site.argument),
      index_(site.index), other_(site.other) {}

driver_error::driver_error(error_kind kind, const error_site& site, const std::string& text, int code,
                           std::string_view name, std::string_view entry, std::size_t issued)
    : error(kind, site, text), code_(code), name_(name), entry_(entry), issued_(issued) {}

} // namespace cmm
