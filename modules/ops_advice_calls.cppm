// SPDX-License-Identifier: Apache-2.0
// One cuMemAdvise per run, with what the driver needs done before and after it.
module;
#include <cstddef>
#include <optional>
#include <span>
#include <vector>
module cmm.ops:advice_calls;
import cmm.driver;
import cmm.plan;

namespace cmm::detail {

// How many driver calls it took. On failure the runs before it are put back to what they were, as far as
// each was uniform, and driver_error or not_supported is thrown.
std::size_t advise_runs(std::span<const plan::run> runs, advice a);

} // namespace cmm::detail
