// SPDX-License-Identifier: Apache-2.0
// Trace: what each operation became, for people and for tools. Off, an operation pays one relaxed load.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <string_view>
export module cmm.trace;

export namespace cmm::trace {

// One operation and what reached the driver of it. All text must live until `emit` returns.
struct event {
    std::string_view operation;      // "prefetch"
    std::string_view detail = {};    // "device:0", or the advice
    std::size_t ranges_in = 0;       // as the caller gave them
    std::size_t ranges_out = 0;      // after merging
    std::size_t calls = 0;           // driver calls that move, copy or advise
    std::size_t bytes = 0;
    std::string_view entry = {};     // "cuMemPrefetchBatchAsync@13000"
    std::string_view strategy = {};  // "driver_batch"
    std::string_view reason = {};    // why that strategy
    std::string_view ignored = {};   // a hint that this machine cannot honour
    std::string_view error = {};     // the text of the failure, if it failed
    std::uint64_t stream = 0;
    std::int64_t begin_ns = 0;       // steady clock
    std::int64_t end_ns = 0;
    std::uint64_t address = 0;       // of the first range, so that a trace can be run again
};

namespace detail {
CMM_API extern std::atomic<bool> enabled;
}

inline bool on() noexcept { return detail::enabled.load(std::memory_order_relaxed); }

// Called for every event, from the thread that ran the operation. Must not throw.
using sink = void (*)(const event&, void* user) noexcept;

// Adds or replaces the program's own sink; null takes it away. Independent of the file.
CMM_API void set_sink(sink s, void* user) noexcept;

// Starts writing events to `path` in the Chrome trace format, which Perfetto opens. The file is
// complete after every event, also when the program dies. An empty path stops. The environment variable
// CMM_TRACE does the same at load time. Throws invalid_argument where the file cannot be written.
CMM_API void to_file(std::string_view path);

// NVTX ranges around operations, for Nsight; needs libnvToolsExt at run time. The environment variable
// CMM_NVTX=1 does the same. Returns whether the library was found.
CMM_API bool to_nvtx(bool wanted);

CMM_API void emit(const event& e) noexcept;
CMM_API std::int64_t now_ns() noexcept;

} // namespace cmm::trace

export namespace cmm {

// What a hint that this machine cannot honour does.
enum class hint_policy : std::int32_t { strict = 1, warn = 2, ignore = 3 };

// Warnings go to this function, once per `key`; without one, to standard error.
using warning_handler = void (*)(std::string_view key, std::string_view text, void* user);
CMM_API void set_warning_handler(warning_handler handler, void* user) noexcept;
CMM_API void warn_once(std::string_view key, std::string_view text);
// Forgets which warnings were given, so that each is given once more.
CMM_API void reset_warnings() noexcept;

} // namespace cmm
