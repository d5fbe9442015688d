// SPDX-License-Identifier: Apache-2.0
// Driver, devices, policies, trace.
#include <cmm/cmm.h>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
import cmm.capi;
import cmm.trace;

using namespace cmm;
using namespace cmm::capi;

cmm_status cmm_open(const char* library, int32_t api_level) noexcept {
    return guarded([&] { boundary::open_driver(as_text(library), api_level); });
}

cmm_status cmm_open_simulated(const char* config, int32_t api_level) noexcept {
    return guarded([&] { boundary::open_simulated(as_text(config), api_level); });
}

cmm_status cmm_get_driver_facts(cmm_driver_facts* out) noexcept {
    return guarded([&] {
        auto& facts = wanted(out, "driver_facts");
        require_struct(facts, "driver_facts", "out");
        write_struct(facts, {0, boundary::driver_version(), boundary::api_level(),
                             boundary::driver_is_simulated() ? 1 : 0, boundary::devices(),
                             boundary::numa_nodes(),
                             keep(text_place::library, boundary::driver_library())});
    });
}

cmm_status cmm_device_name(int32_t device, const char** out) noexcept {
    return guarded([&] {
        wanted(out, "device_name") = keep(text_place::device_name, boundary::device_name(device));
    });
}

cmm_status cmm_device_memory(int32_t device, size_t* free_bytes, size_t* total_bytes) noexcept {
    return guarded([&] {
        const auto memory = boundary::device_memory(device);
        if (free_bytes)
            *free_bytes = memory.free_bytes;
        if (total_bytes)
            *total_bytes = memory.total_bytes;
    });
}

cmm_status cmm_set_current(int32_t device) noexcept {
    return guarded([&] { boundary::make_current(device); });
}

cmm_status cmm_supports(int32_t device, int32_t operation, bool* out,
                        const char** why_not) noexcept {
    return guarded([&] {
        auto& yes = wanted(out, "supports");
        auto reason = boundary::unsupported_reason(device, operation);
        yes = reason.empty();
        if (why_not)
            *why_not = keep(text_place::reason, std::move(reason));
    });
}

cmm_status cmm_set_hint_policy(int32_t policy) noexcept {
    return guarded([&] { boundary::set_hint_policy(policy); });
}

int32_t cmm_get_hint_policy(void) noexcept { return boundary::get_hint_policy(); }

namespace {

struct c_handler {
    cmm_warning_handler call;
    void* user;
};

// Handlers stay: a warning may be on its way to one that was just replaced.
const c_handler* remember(cmm_warning_handler call, void* user) {
    static std::mutex lock;
    static auto* all = new std::deque<c_handler>;
    const std::lock_guard guard(lock);
    return &all->emplace_back(c_handler{call, user});
}

void hand_on(std::string_view key, std::string_view text, void* user) {
    const auto& to = *static_cast<const c_handler*>(user);
    to.call(std::string(key).c_str(), std::string(text).c_str(), to.user);
}

} // namespace

void cmm_set_warning_handler(cmm_warning_handler handler, void* user) noexcept {
    guarded([&] {
        if (handler)
            set_warning_handler(&hand_on, const_cast<c_handler*>(remember(handler, user)));
        else
            set_warning_handler(nullptr, nullptr);
    });
}

cmm_status cmm_trace_to_file(const char* path) noexcept {
    return guarded([&] { trace::to_file(as_text(path)); });
}

bool cmm_trace_to_nvtx(bool wanted) noexcept { return trace::to_nvtx(wanted); }
