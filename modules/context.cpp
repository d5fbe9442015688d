// SPDX-License-Identifier: Apache-2.0
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>
module cmm.context;
import cmm.driver;

namespace cmm {

std::string_view to_string(operation o) noexcept {
    switch (o) {
    case operation::advise: return "advise";
    case operation::prefetch: return "prefetch";
    case operation::discard: return "discard";
    case operation::discard_prefetch: return "discard_prefetch";
    case operation::copy_batch: return "copy_batch";
    case operation::numa_locations: return "numa_locations";
    case operation::managed_memory: return "managed_memory";
    case operation::batches: return "batches";
    case operation::pageable_memory: return "pageable_memory";
    }
    return "no operation";
}

namespace {

// The reason why `o` does not work there, or nothing.
std::string obstacle(std::int32_t ordinal, operation o) {
    const auto& known = driver::get_facts();
    const auto& can = driver::get_features();
    const auto& facts = known.devices[static_cast<std::size_t>(ordinal)];
    const auto needs = [&](std::string_view what) {
        return fmt::format("it needs a driver of {}, and this one offers CUDA {}.{}", what,
                           known.level / 1000, known.level % 1000 / 10);
    };
    const auto lacks = [&](std::string_view attribute) {
        return fmt::format("device:{} ({}) has no {}", ordinal, facts.name, attribute);
    };
    switch (o) {
    case operation::managed_memory: return facts.managed_memory ? "" : lacks("managedMemory");
    case operation::pageable_memory:
        return facts.pageable_memory_access ? "" : lacks("pageableMemoryAccess");
    case operation::advise:
    case operation::prefetch:
        return facts.concurrent_managed_access ? "" : lacks("concurrentManagedAccess");
    case operation::numa_locations: return can.locations ? "" : needs("CUDA 12.2 or newer");
    case operation::discard:
        if (!can.discard_batch)
            return needs("CUDA 13.0 or newer");
        break;
    case operation::discard_prefetch:
        if (!can.discard_prefetch_batch)
            return needs("CUDA 13.0 or newer");
        break;
    case operation::batches:
        if (!can.prefetch_batch)
            return needs("CUDA 13.0 or newer");
        break;
    case operation::copy_batch: return ""; // below 12.8 copy by copy
    }
    const int without = driver::device_without_concurrent_access();
    return without < 0 ? ""
                       : fmt::format("device:{} has no concurrentManagedAccess, which the driver's batch "
                                     "calls need on every device",
                                     without);
}

// Primary contexts that were retained, for one driver.
struct retained {
    std::mutex lock;
    std::uint64_t generation = 0;
    std::vector<driver::context_handle> contexts;
};

retained& primaries() {
    static auto* all = new retained; // outlives static destructors that still free memory
    return *all;
}

} // namespace

bool supports(device d, operation o, std::string* why_not) {
    detail::require_device({"supports", "device"}, d.ordinal());
    auto why = obstacle(d.ordinal(), o);
    const bool works = why.empty();
    if (why_not)
        *why_not = std::move(why);
    return works;
}

memory_information memory_info(device d) {
    const error_site site{"memory_info", "device"};
    detail::require_device(site, d.ordinal());
    const detail::current_context in(detail::primary_context(d.ordinal()));
    memory_information out{};
    driver::check(driver::memory_info(out.free_bytes, out.total_bytes), site, "cuMemGetInfo");
    return out;
}

int device_count() { return static_cast<int>(driver::get_facts().devices.size()); }

void set_current(device d) {
    const error_site site{"set_current", "device"};
    detail::require_device(site, d.ordinal());
    const auto context = detail::primary_context(d.ordinal());
    driver::context_handle before = nullptr;
    driver::check(driver::current_context(before), site, "cuCtxGetCurrent");
    if (before == context)
        return;
    if (before)
        driver::check(driver::pop_context(), site, "cuCtxPopCurrent");
    driver::check(driver::push_context(context), site, "cuCtxPushCurrent");
}

namespace detail {

void require_device(const error_site& site, std::int32_t ordinal) {
    const auto count = driver::get_facts().devices.size();
    if (static_cast<std::size_t>(ordinal) >= count)
        throw invalid_argument(site, fmt::format("device:{} is not there; this machine has {} device{}{}",
                                                 ordinal, count, count == 1 ? "" : "s",
                                                 count ? fmt::format(", 0 to {}", count - 1) : ""));
}

driver::context_handle primary_context(int ordinal) {
    require_device({"context", "device"}, ordinal);
    auto& all = primaries();
    const std::lock_guard lock(all.lock);
    if (all.generation != driver::generation()) {
        all.contexts.assign(driver::get_facts().devices.size(), nullptr);
        all.generation = driver::generation();
    }
    auto& context = all.contexts[static_cast<std::size_t>(ordinal)];
    if (!context)
        driver::check(driver::primary_context(ordinal, context), {"context", "device"},
                      "cuDevicePrimaryCtxRetain");
    return context;
}

driver::context_handle any_context(int otherwise) {
    driver::context_handle now = nullptr;
    driver::check(driver::current_context(now), {"context", {}}, "cuCtxGetCurrent");
    return now ? now : primary_context(otherwise);
}

current_context::current_context(driver::context_handle wanted) {
    driver::context_handle now = nullptr;
    driver::check(driver::current_context(now), {"context", {}}, "cuCtxGetCurrent");
    if (now == wanted)
        return;
    driver::check(driver::push_context(wanted), {"context", {}}, "cuCtxPushCurrent");
    pushed_ = true;
}

current_context::~current_context() {
    if (pushed_)
        driver::pop_context();
}

relaxed_capture::relaxed_capture() noexcept : changed_(driver::ok(driver::relaxed_capture(before_))) {}

relaxed_capture::~relaxed_capture() {
    if (changed_)
        driver::restore_capture(before_);
}

} // namespace detail
} // namespace cmm
