// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <string_view>
// Imports.
#include "doctor_facts.hpp"

namespace cmm::tool {

namespace {

struct pinned_name {
    std::string_view name;
    int version;
};

std::string text_of(const pinned_name& e) { return fmt::format("{}@{}", e.name, e.version); }

// The entry points that can serve an operation, the best first.
std::vector<pinned_name> candidates(operation o) {
    switch (o) {
    case operation::advise: return {{"cuMemAdvise", 12020}, {"cuMemAdvise", 8000}};
    case operation::prefetch: return {{"cuMemPrefetchAsync", 12020}, {"cuMemPrefetchAsync", 8000}};
    case operation::discard: return {{"cuMemDiscardBatchAsync", 13000}};
    case operation::discard_prefetch: return {{"cuMemDiscardAndPrefetchBatchAsync", 13000}};
    case operation::copy_batch:
        return {
            {"cuMemcpyBatchAsync", 13000}, {"cuMemcpyBatchAsync", 12080}, {"cuMemcpyAsync", 4000}};
    case operation::numa_locations: return {{"cuMemAdvise", 12020}};
    case operation::managed_memory: return {{"cuMemAllocManaged", 6000}};
    case operation::batches:
        return {{"cuMemPrefetchBatchAsync", 13000},
                {"cuMemPrefetchAsync", 12020},
                {"cuMemPrefetchAsync", 8000}};
    case operation::pageable_memory: return {};
    }
    return {};
}

const driver::lookup* lookup_of(const pinned_name& e) {
    const auto& all = driver::get_facts().lookups;
    const auto at = std::ranges::find_if(
        all, [&](const driver::lookup& l) { return l.name == e.name && l.version == e.version; });
    return at == all.end() ? nullptr : &*at;
}

bool is_found(const pinned_name& e) {
    const auto* l = lookup_of(e);
    return l && l->found;
}

// "cuMemAdvise@12020 is above the API level".
std::string absence(const pinned_name& e) {
    const auto* l = lookup_of(e);
    return fmt::format("{} is {}", text_of(e), l ? l->why : "not looked up");
}

// Why the best one that is there serves, and no better one.
std::string choice_text(const std::vector<pinned_name>& all, const pinned_name* chosen) {
    if (all.empty())
        return "the device has pageableMemoryAccess";
    if (chosen == &all.front())
        return "the newest form is there";
    return absence(all.front());
}

constexpr bool needs_concurrent_access(operation o) {
    return o != operation::managed_memory && o != operation::pageable_memory &&
           o != operation::copy_batch && o != operation::numa_locations;
}

std::string version_remedy(const pinned_name& best) {
    const auto& known = driver::get_facts();
    if (best.version <= known.level)
        return "the driver lacks it although its version promises it: reinstall or update the "
               "driver";
    if (best.version <= known.version)
        return fmt::format("the driver has CUDA {}: take the ceiling of {} away (CMM_API_LEVEL)",
                           version_text(known.version), known.level);
    return fmt::format("install a driver of CUDA {} or newer", version_text(best.version));
}

std::string instead_of(operation o) {
    switch (o) {
    case operation::discard: return "; until then let the contents be moved, or free the buffer";
    case operation::discard_prefetch: return "; until then prefetch, which moves the contents";
    case operation::batches: return "; until then ranges that do not merge go one by one";
    case operation::numa_locations: return "; until then use host{} for all host nodes";
    default: return {};
    }
}

std::string remedy_for(operation o, const std::vector<pinned_name>& all) {
    if (o == operation::managed_memory)
        return "use device_memory_resource and pinned_memory_resource with copy_batch";
    if (o == operation::pageable_memory)
        return "allocate from a managed_memory_resource; memory of malloc needs heterogeneous "
               "memory "
               "management (Linux 6.1.24 with NVIDIA's open kernel modules) or a coherent link";
    if (!all.empty() && !is_found(all.front()))
        return version_remedy(all.front()) + instead_of(o);
    if (needs_concurrent_access(o))
        return "usual on WSL, Windows, Tegra and virtual GPUs: pass hint_policy::ignore, then such "
               "calls "
               "are left out and memory moves on demand";
    return {};
}

diagnosis diagnose(device d, operation o) {
    const auto all = candidates(o);
    const auto chosen = std::ranges::find_if(all, is_found);
    diagnosis out{.what = o, .works = false, .entry = {}, .why = {}, .remedy = {}};
    out.works = supports(d, o, &out.why);
    if (out.works && chosen != all.end())
        out.entry = text_of(*chosen);
    if (out.works)
        out.why = choice_text(all, chosen == all.end() ? nullptr : &*chosen);
    else
        out.remedy = remedy_for(o, all);
    return out;
}

} // namespace

std::vector<diagnosis> diagnose(device d) {
    std::vector<diagnosis> out;
    for (const auto o :
         {operation::managed_memory, operation::advise, operation::prefetch, operation::batches,
          operation::discard, operation::discard_prefetch, operation::copy_batch,
          operation::numa_locations, operation::pageable_memory})
        out.push_back(diagnose(d, o));
    return out;
}

} // namespace cmm::tool
