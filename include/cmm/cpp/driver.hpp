// SPDX-License-Identifier: Apache-2.0
// The driver, its devices and what they can do; policies and traces.
#ifndef CMM_CPP_DRIVER_HPP
#define CMM_CPP_DRIVER_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/error.hpp>
#include <cmm/cpp/location.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace cmm {
inline namespace over_c {

namespace driver {

struct simulated {
    std::string
        config; // key=value pairs as cmm/sim.h says; empty: the environment and the defaults
};
struct options {
    std::string library = {}; // a path or a soname; empty: CMM_DRIVER, else libcuda.so.1
    int api_level = 0;        // ceiling such as 12080; 0: CMM_API_LEVEL, else none
};
struct facts {
    std::string library;
    int version;
    int level; // the smaller of version and ceiling
    bool simulated;
    int numa_nodes;
};

inline void open(const options& o = {}) { detail::check(cmm_open(o.library.c_str(), o.api_level)); }
inline void open(const simulated& s, int api_level = 0) {
    detail::check(cmm_open_simulated(s.config.c_str(), api_level));
}
inline facts get_facts() {
    cmm_driver_facts f = CMM_DRIVER_FACTS_INIT;
    detail::check(cmm_get_driver_facts(&f));
    return {f.library, f.version, f.api_level, f.simulated != 0, f.numa_nodes};
}
inline bool available() noexcept {
    cmm_driver_facts f = CMM_DRIVER_FACTS_INIT;
    return cmm_get_driver_facts(&f) == CMM_OK;
}

} // namespace driver

enum class operation : std::int32_t {
    advise = 1,
    prefetch = 2,
    discard = 3,
    discard_prefetch = 4,
    copy_batch = 5,
    numa_locations = 6,
    managed_memory = 7,
    batches = 8,
    pageable_memory = 9,
};

// Whether `o` works on `d` with this driver; `why_not` gets the reason, when given.
inline bool supports(device d, operation o, std::string* why_not = nullptr) {
    bool yes = false;
    const char* reason = "";
    detail::check(cmm_supports(d.ordinal(), static_cast<std::int32_t>(o), &yes, &reason));
    if (why_not)
        *why_not = reason;
    return yes;
}

struct memory_information {
    std::size_t free_bytes;
    std::size_t total_bytes;
};
inline memory_information memory_info(device d) {
    memory_information m{};
    detail::check(cmm_device_memory(d.ordinal(), &m.free_bytes, &m.total_bytes));
    return m;
}

inline int device_count() {
    cmm_driver_facts f = CMM_DRIVER_FACTS_INIT;
    detail::check(cmm_get_driver_facts(&f));
    return f.devices;
}
inline void set_current(device d) { detail::check(cmm_set_current(d.ordinal())); }

// What a hint that this machine cannot honour does.
enum class hint_policy : std::int32_t { strict = 1, warn = 2, ignore = 3 };
inline void set_default_hint_policy(std::optional<hint_policy> p) noexcept {
    cmm_set_hint_policy(p ? static_cast<std::int32_t>(*p) : CMM_HINTS_DEFAULT);
}
inline std::optional<hint_policy> default_hint_policy() noexcept {
    const auto p = cmm_get_hint_policy();
    return p ? std::optional<hint_policy>(static_cast<hint_policy>(p)) : std::nullopt;
}

using warning_handler = void (*)(std::string_view key, std::string_view text, void* user);

namespace detail {
struct handler {
    warning_handler call;
    void* user;
    static void hand_on(const char* key, const char* text, void* self) {
        const auto& h = *static_cast<const handler*>(self);
        h.call(key, text, h.user);
    }
    // They stay: a warning may be on its way to one that was just replaced.
    static handler& remember(const handler& h) {
        static std::mutex lock;
        static auto* all = new std::deque<handler>;
        const std::lock_guard<std::mutex> guard(lock);
        return all->emplace_back(h);
    }
};
} // namespace detail

// Warnings go to this function, once per key; without one, to standard error.
inline void set_warning_handler(warning_handler call, void* user) {
    if (call)
        cmm_set_warning_handler(&detail::handler::hand_on,
                                &detail::handler::remember({call, user}));
    else
        cmm_set_warning_handler(nullptr, nullptr);
}

namespace trace {
inline void to_file(std::string_view path) {
    cmm::detail::check(cmm_trace_to_file(std::string(path).c_str()));
}
inline bool to_nvtx(bool wanted) noexcept { return cmm_trace_to_nvtx(wanted); }
} // namespace trace

} // namespace over_c
} // namespace cmm

#endif
