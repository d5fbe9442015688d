// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <dlfcn.h>
#include <string_view>
module cmm.trace;

namespace cmm::trace {

namespace {

// The two functions of NVTX that are used, as its header declares them.
struct nvtx_library {
    int (*push)(const char*) = nullptr;
    int (*pop)() = nullptr;

    nvtx_library() noexcept {
        void* library = ::dlopen("libnvToolsExt.so.1", RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            return;
        push = reinterpret_cast<decltype(push)>(::dlsym(library, "nvtxRangePushA"));
        pop = reinterpret_cast<decltype(pop)>(::dlsym(library, "nvtxRangePop"));
    }
    bool found() const noexcept { return push && pop; }
};

const nvtx_library& library() noexcept {
    static const nvtx_library loaded;
    return loaded;
}

constinit std::atomic<bool> ranges_wanted{false};

} // namespace

bool to_nvtx(bool wanted) noexcept {
    const bool on = wanted && library().found();
    ranges_wanted = on;
    detail::want(detail::outlet::nvtx, on);
    return on;
}

nvtx_range::nvtx_range(std::string_view operation) noexcept
    : pushed_(ranges_wanted.load(std::memory_order_relaxed)) {
    if (!pushed_)
        return;
    std::array<char, 64> name{}; // NVTX copies it, and wants a zero at its end
    std::copy_n(operation.data(), std::min(operation.size(), name.size() - 1), name.data());
    library().push(name.data());
}

nvtx_range::~nvtx_range() {
    if (pushed_)
        library().pop();
}

} // namespace cmm::trace
