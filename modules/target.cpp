// SPDX-License-Identifier: Apache-2.0
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
module cmm.target;
import cmm.driver;
import cmm.plan;

namespace cmm::detail {

memory_facts memory_lookup::ask(const target& t, std::size_t index) {
    error_site site = site_;
    site.index = index;
    if (!argument_.empty())
        site.argument = argument_;
    if (t.is_closed())
        throw closed(site, "the buffer was closed");
    const range r(t.address(), t.bytes());
    if (!last_.allocation.contains(r) || last_.kind == memory_kind::pageable) {
        driver::check(driver::pointer(t.address(), last_), site, "cuPointerGetAttributes");
        if (last_.kind != memory_kind::pageable && !last_.allocation.contains(r))
            throw invalid_argument(
                site, fmt::format("{} bytes at {:#x} leave their allocation, which is {} bytes at {:#x} ({}); "
                                  "a range lies in one allocation",
                                  t.bytes(), t.address(), last_.allocation.bytes(), last_.allocation.begin(),
                                  to_string(last_.kind)));
    }
    if (last_.kind == memory_kind::pageable)
        return {last_.kind, plan::by_address, 0, -1, 0, attach::global};
    return {last_.kind, last_.allocation.begin(), last_.allocation.bytes(), last_.device, 0, attach::global};
}

namespace {
std::atomic<bool> plain_advice{false};
}

void remember_advice(const target_list& targets) noexcept {
    for (std::size_t i = 0; i < targets.size(); ++i) {
        auto* s = targets[i].state();
        auto& flag = s && !s->borrowed() ? s->root->advised : plain_advice;
        if (!flag.load(std::memory_order_relaxed))
            flag.store(true, std::memory_order_relaxed);
    }
}

bool plain_ranges_were_advised() noexcept { return plain_advice.load(std::memory_order_relaxed); }

void require_pairs(std::string_view operation, const target_list& targets, const location_list& where) {
    if (targets.size() == 0)
        throw invalid_argument({operation, "targets"}, "no targets were given; give at least one");
    if (where.paired() && where.size() != targets.size())
        throw invalid_argument({operation, "locations"},
                               fmt::format("{} locations for {} targets; give one location for all of them, "
                                           "or one for each",
                                           where.size(), targets.size()));
}

} // namespace cmm::detail
