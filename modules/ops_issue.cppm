// SPDX-License-Identifier: Apache-2.0
// From runs to driver calls: the strategy, its reason, and the loops. Shared by the operations and by
// prepared plans.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
export module cmm.ops:issue;
import cmm.driver;
import cmm.error;
import cmm.plan;
import cmm.stream;

export namespace cmm::detail {

enum class move : std::uint8_t { prefetch, discard, discard_prefetch };

// Which entry point serves some runs, and why.
struct way {
    bool batch;
    std::string_view entry;
    std::string_view reason;
};

// `asked` is a cmm::strategy by number, since this stands below it.
CMM_API way choose_way(move m, std::span<const plan::run> runs, std::int32_t asked, bool pageable);

// Issues the runs; how many driver calls it took. Batches go in chunks. Throws driver_error: with the index of
// the run's first target where the driver names it, and how many runs had been issued.
CMM_API std::size_t issue(move m, std::span<const plan::run> runs, const way& w, const error_site& site,
                          const stream_call& call);

// The most ranges of one batch call.
inline constexpr std::size_t chunk = 4096;

} // namespace cmm::detail
