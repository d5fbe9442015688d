// SPDX-License-Identifier: Apache-2.0
// Finding and opening a driver library, and what is asked of it once.
module;
#include "driver_abi.h"
#include <algorithm>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <numeric>
#include <pthread.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module cmm.driver;
import :table;
import :state;
import cmm.error;

namespace cmm::driver {

std::atomic<const state*> current{nullptr};

namespace {

std::mutex opening;
std::atomic<std::uint64_t> generations{0};
std::atomic<bool> forked{false};

// A child of fork shares nothing with the driver: every call in it is refused, and nothing is freed.
void forget_in_child() {
    if (current.exchange(nullptr))
        forked = true;
}

struct library {
    void* handle;
    std::string name;
    template <class Function> Function symbol(const char* name) const noexcept {
        return reinterpret_cast<Function>(::dlsym(handle, name));
    }
};

// libcmm_sim stands beside libcmm, both in the build tree and where they are installed.
std::string simulated_library() {
    Dl_info self{};
    if (::dladdr(reinterpret_cast<const void*>(&simulated_library), &self) && self.dli_fname) {
        const auto beside = std::filesystem::path(self.dli_fname).parent_path() / "libcmm_sim.so";
        std::error_code ignored;
        if (std::filesystem::exists(beside, ignored))
            return beside.string();
    }
    return "libcmm_sim.so";
}

library load(const options& o) {
    const char* asked = std::getenv("CMM_DRIVER");
    std::string name = !o.library.empty() ? o.library : asked && *asked ? asked : "libcuda.so.1";
    if (name == "sim")
        name = simulated_library();
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        throw driver_missing(fmt::format(
            "{} could not be loaded ({}); install NVIDIA's driver, set CMM_DRIVER to a driver library, "
            "or set CMM_DRIVER=sim to run on the simulated driver",
            name, ::dlerror()));
    return {handle, std::move(name)};
}

int ceiling(const options& o) {
    if (o.api_level != 0) {
        if (o.api_level < 11000)
            throw invalid_argument({"driver", "api_level"},
                                   fmt::format("{} is no CUDA version; allowed are 11000 (CUDA 11.0) and "
                                               "above, such as 12080",
                                               o.api_level));
        return o.api_level;
    }
    const char* text = std::getenv("CMM_API_LEVEL");
    if (!text || !*text)
        return 1 << 30;
    char* end = nullptr;
    const long level = std::strtol(text, &end, 10);
    if (*end || level < 11000 || level > 1 << 30)
        throw invalid_argument({"driver", "CMM_API_LEVEL"},
                               fmt::format("'{}' is no CUDA version; allowed are 11000 (CUDA 11.0) and "
                                           "above, such as 12080",
                                           text));
    return static_cast<int>(level);
}

int start(const library& lib) {
    const auto init = lib.symbol<int (*)(unsigned)>("cuInit");
    const auto get_version = lib.symbol<int (*)(int*)>("cuDriverGetVersion");
    if (!init || !get_version)
        throw driver_missing(fmt::format("{} is no CUDA driver: it has no cuInit", lib.name));
    if (const int r = init(0))
        throw driver_missing(
            fmt::format("cuInit of {} failed: {} ({}); is a GPU there, and is its kernel module loaded?",
                        lib.name, name_of(static_cast<result>(r)), r));
    int version = 0;
    if (const int r = get_version(&version))
        throw driver_missing(fmt::format("cuDriverGetVersion of {} failed: {}", lib.name, r));
    return version;
}

resolver make_resolver(const library& lib, int level) {
    const auto v2 = lib.symbol<get_proc_v2>("cuGetProcAddress_v2");
    const auto v1 = lib.symbol<get_proc_v1>("cuGetProcAddress");
    if (!v1 && !v2)
        throw driver_missing(fmt::format(
            "{} has no cuGetProcAddress; a driver of CUDA 11.3 or newer is needed", lib.name));
    return {v1, v2, level};
}

std::vector<int> host_numa_ids(const library& lib) {
    std::vector<int> ids;
    if (const auto simulated_nodes = lib.symbol<int (*)()>("cmm_sim_numa_nodes")) {
        ids.resize(static_cast<std::size_t>(simulated_nodes()));
        std::iota(ids.begin(), ids.end(), 0);
        return ids;
    }
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", ignored)) {
        const auto name = entry.path().filename().string();
        if (name.starts_with("node") && name.size() > 4 && name.find_first_not_of("0123456789", 4) == name.npos)
            ids.push_back(std::atoi(name.c_str() + 4));
    }
    std::ranges::sort(ids);
    return ids;
}

device_facts facts_of(const table& t, int ordinal) {
    device_facts out{};
    abi::device_id id = 0;
    t.device_get(&id, ordinal);
    char name[256] = "";
    if (t.device_name(name, sizeof name, id) == abi::success)
        out.name = name;
    const auto attribute = [&](int which, int otherwise) {
        int value = otherwise;
        return t.device_attribute(&value, which, id) == abi::success ? value : otherwise;
    };
    out.concurrent_managed_access = attribute(abi::attribute_concurrent_managed_access, 0) != 0;
    out.pageable_memory_access = attribute(abi::attribute_pageable_memory_access, 0) != 0;
    out.managed_memory = attribute(abi::attribute_managed_memory, 0) != 0;
    out.integrated = attribute(abi::attribute_integrated, 0) != 0;
    out.host_numa_id = attribute(abi::attribute_host_numa_id, -1);
    return out;
}

void learn(state& s) {
    int count = 0;
    s.calls.device_count(&count);
    s.without_concurrent = -1;
    for (int i = 0; i < count; ++i) {
        s.known.devices.push_back(facts_of(s.calls, i));
        if (!s.known.devices.back().concurrent_managed_access && s.without_concurrent < 0)
            s.without_concurrent = i;
    }
    for (const auto& r : s.calls.find.records())
        s.known.lookups.push_back({r.name, r.version, r.found, r.why});
    s.can = {.locations = s.calls.advise_12020 && s.calls.prefetch_12020,
             .prefetch_batch = static_cast<bool>(s.calls.prefetch_batch),
             .discard_batch = static_cast<bool>(s.calls.discard_batch),
             .discard_prefetch_batch = static_cast<bool>(s.calls.discard_prefetch_batch),
             .copy_batch = s.calls.copy_batch_12080 || s.calls.copy_batch_13000};
}

const state& open_locked(const options& o) {
    if (forked)
        throw driver_missing("this process was forked after the driver was first used, and a forked child "
                             "cannot use CUDA; start the child with exec or the spawn method");
    const int limit = ceiling(o);
    const library lib = load(o);
    const int version = start(lib);
    auto* s = new state(make_resolver(lib, version < limit ? version : limit));
    s->known.library = lib.name;
    s->known.version = version;
    s->known.level = version < limit ? version : limit;
    s->known.simulated = lib.symbol<void*>("cmm_sim_reset") != nullptr;
    s->known.numa_ids = host_numa_ids(lib);
    s->known.numa_nodes = std::max(1, static_cast<int>(s->known.numa_ids.size()));
    s->known.generation = ++generations;
    learn(*s);
    static const int watched = ::pthread_atfork(nullptr, nullptr, &forget_in_child);
    (void)watched;
    current.store(s, std::memory_order_release);
    return *s;
}

} // namespace

const state& open_now() {
    const std::lock_guard lock(opening);
    if (const state* s = current.load(std::memory_order_acquire))
        return *s;
    return open_locked({});
}

const state* open_quietly() noexcept {
    try {
        return &open_now();
    } catch (...) {
        return nullptr;
    }
}

void open(const options& o) {
    const std::lock_guard lock(opening);
    open_locked(o);
}

void open(const simulated& s, int api_level) {
    const std::lock_guard lock(opening);
    const options o{.library = "sim", .api_level = api_level};
    const library lib = load(o);
    if (const auto reset = lib.symbol<int (*)(const char*)>("cmm_sim_reset"); reset && reset(s.config.c_str())) {
        const auto message = lib.symbol<const char* (*)()>("cmm_sim_message");
        throw invalid_argument({"driver", "config"}, message ? message() : s.config);
    }
    open_locked(o);
}

bool available() noexcept { return live_quietly() != nullptr; }
const facts& get_facts() { return live().known; }
const features& get_features() { return live().can; }
int device_without_concurrent_access() { return live().without_concurrent; }

std::uint64_t generation() noexcept {
    const state* s = current.load(std::memory_order_acquire);
    return s ? s->known.generation : 0;
}

void* symbol(const char* name, int version) {
    const auto& find = live().calls.find;
    void* address = nullptr;
    return version <= find.level() && find.ask(name, version, address) ? address : nullptr;
}

} // namespace cmm::driver
