// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module cmm.plan;
import cmm.error;
import cmm.location;
import cmm.range;

namespace cmm::plan {

namespace {

std::string described(const element& e) {
    return fmt::format("{:#x} ({} bytes) to {}", e.address, e.bytes, to_string(e.where));
}

[[noreturn]] void refuse_conflict(std::string_view operation, const element& a, const element& b,
                                  bool by_page) {
    const auto& [low, high] =
        std::minmax(a, b, [](const auto& x, const auto& y) { return x.index < y.index; });
    throw invalid_argument(
        {operation, "targets", low.index, high.index},
        fmt::format("{} {} targets[{}], {}; give both the same location, or ranges that are apart",
                    described(low), by_page ? "shares a page with" : "overlaps", high.index,
                    described(high)));
}

// One pass over elements by address: it extends the last run or begins the next, and remembers
// which element so far reaches furthest. That one alone has to agree with the next element: all
// that overlap the furthest have been found to go where it goes.
class sweep {
public:
    sweep(std::string_view operation, merging rule, page_size page, run* out) noexcept
        : operation_(operation), merge_(rule != merging::none), by_page_(rule != merging::bytes),
          grain_(by_page_ ? page : page_size{1}), next_(out) {}

    inline void add(const element& e) {
        const auto end = e.address + e.bytes;
        if (furthest_ && e.where != furthest_->where && overlaps_furthest(e))
            refuse_conflict(operation_, *furthest_, e, by_page_);
        if (continues(e))
            extend(e, end);
        else
            begin(e, end);
        if (!furthest_ || end > furthest_end_) {
            furthest_ = &e;
            furthest_end_ = end;
        }
    }

    const run* end() const noexcept { return next_; }

private:
    inline bool overlaps_furthest(const element& e) const noexcept {
        return grain_.down(e.address) <= grain_.down(furthest_end_ - 1);
    }
    inline bool continues(const element& e) const noexcept {
        return merge_ && furthest_ && e.of == area_ && e.where == next_[-1].where &&
               grain_.down(e.address) <= grain_.up(run_end_);
    }
    inline void extend(const element& e, std::uintptr_t end) noexcept {
        run& last = next_[-1];
        run_end_ = std::max(run_end_, end);
        last.bytes = run_end_ - last.address;
        last.first = std::min(last.first, e.index);
        ++last.count;
    }
    inline void begin(const element& e, std::uintptr_t end) noexcept {
        *next_++ = {e.address, e.bytes, e.where, e.index, 1};
        area_ = e.of;
        run_end_ = end;
    }

    std::string_view operation_;
    bool merge_;
    bool by_page_;
    page_size grain_;
    run* next_;
    area area_ = by_address;
    std::uintptr_t run_end_ = 0;
    const element* furthest_ = nullptr;
    std::uintptr_t furthest_end_ = 0;
};

// Without a branch: which of two shuffled keys comes first cannot be predicted.
inline bool before(const detail::key& a, const detail::key& b) noexcept {
    return static_cast<unsigned>(a.address < b.address) |
           (static_cast<unsigned>(a.address == b.address) & static_cast<unsigned>(a.tie < b.tie));
}

} // namespace

void detail::sort(std::span<key> keys) {
    if (!std::is_sorted(keys.begin(), keys.end(), before))
        boost::sort::pdqsort_branchless(keys.begin(), keys.end(), before);
}

std::span<const run> range_planner::plan(std::string_view operation, merging rule, page_size page) {
    const auto order = detail::room(order_, elements_.size(), {});
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = detail::key::of(elements_[i].address, elements_[i].index, i);
    detail::sort(order);
    const auto runs = detail::room(runs_, order.size(), {0, 0, host{}, 0, 0});
    sweep pass(operation, rule, page, runs.data());
    for (const auto& k : order)
        pass.add(elements_[k.position()]);
    return {runs.data(), pass.end()};
}

} // namespace cmm::plan
