// SPDX-License-Identifier: Apache-2.0
module;
#include <atomic>
#include <chrono>
#include <cmm/export.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unistd.h>
module cmm.trace;

namespace cmm::trace {

constinit std::atomic<bool> detail::enabled{false};

namespace {

// Constant-initialised and never destroyed, so that the first and the last event find it alive.
constinit std::mutex wanted_lock;
constinit unsigned wanted_outlets = 0;
constinit std::shared_mutex lock; // alone: sink and file change; shared: they are used
constinit sink current_sink = nullptr;
constinit void* current_user = nullptr;
constinit detail::json_file file;

std::string with_process_id(std::string_view path) {
    std::string out(path);
    for (auto at = out.find("%p"); at != std::string::npos; at = out.find("%p", at))
        out.replace(at, 2, std::to_string(::getpid()));
    return out;
}

// What the environment asks for, as long as the library is loaded.
struct from_environment {
    from_environment() noexcept {
        if (const char* path = std::getenv("CMM_TRACE"))
            try {
                to_file(path);
            } catch (const std::exception& e) {
                std::fprintf(stderr, "cmm: CMM_TRACE: %s\n", e.what());
            }
        const char* nvtx = std::getenv("CMM_NVTX");
        if (nvtx && std::string_view(nvtx) == "1" && !to_nvtx(true))
            std::fputs("cmm: CMM_NVTX: libnvToolsExt.so.1 was not found\n", stderr);
    }
    ~from_environment() {
        const std::unique_lock alone(lock);
        file.close();
    }
} const at_load;

} // namespace

void detail::want(outlet o, bool wanted) noexcept {
    const std::lock_guard alone(wanted_lock);
    const auto bit = static_cast<unsigned>(o);
    wanted_outlets = wanted ? wanted_outlets | bit : wanted_outlets & ~bit;
    enabled.store(wanted_outlets != 0, std::memory_order_relaxed);
}

void set_sink(sink s, void* user) noexcept {
    const std::unique_lock alone(lock);
    current_sink = s;
    current_user = user;
    detail::want(detail::outlet::sink, s != nullptr);
}

void to_file(std::string_view path) {
    const std::unique_lock alone(lock);
    file.close();
    detail::want(detail::outlet::file, false);
    if (path.empty())
        return;
    file.open(with_process_id(path));
    detail::want(detail::outlet::file, true);
}

void emit(const event& e) noexcept {
    const std::shared_lock shared(lock);
    if (current_sink)
        current_sink(e, current_user);
    if (!file.is_open())
        return;
    try {
        file.append(detail::line_of(e));
    } catch (const std::exception&) { // no memory for a line: the operation goes on without it
    }
}

std::int64_t now_ns() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace cmm::trace
