// SPDX-License-Identifier: Apache-2.0
// One cuMemAdvise per run, with what the driver needs done before and after it.
module;
#include <cmm/export.h>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>
export module cmm.ops:advice_calls;
import cmm.driver;
import cmm.gather;
import cmm.plan;
import cmm.target;

export namespace cmm::detail {

// What an advice demands of its targets. Throws invalid_argument for a value that is none.
CMM_API demands demands_of_advice(advice a);
// Whether the advice looks at its location at all.
CMM_API bool takes_location(advice a) noexcept;
// Makes the primary contexts of the devices named: an accessor may be named before anybody used it.
CMM_API void prepare_advice_devices(const location_list& where);

// How many driver calls it took. On failure the runs before it are put back to what they were, as far as
// each was uniform, and driver_error or not_supported is thrown.
CMM_API std::size_t advise_runs(std::span<const plan::run> runs, advice a);

} // namespace cmm::detail
