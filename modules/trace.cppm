// SPDX-License-Identifier: Apache-2.0
// Trace: what each operation became, for people and for tools. Off, an operation pays one relaxed
// load.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
export module cmm.trace;
import cmm.error;

export namespace cmm::trace {

// One operation and what reached the driver of it. All text must live until `emit` returns.
struct event {
    std::string_view operation;   // "prefetch"
    std::string_view detail = {}; // "device:0", or the advice
    std::size_t ranges_in = 0;    // as the caller gave them
    std::size_t ranges_out = 0;   // after merging
    std::size_t calls = 0;        // driver calls that move, copy or advise
    std::size_t bytes = 0;
    std::string_view entry = {};    // "cuMemPrefetchBatchAsync@13000"
    std::string_view strategy = {}; // "driver_batch"
    std::string_view reason = {};   // why that strategy
    std::string_view ignored = {};  // a hint that this machine cannot honour
    std::string_view error = {};    // the text of the failure, if it failed
    std::uint64_t stream = 0;
    std::int64_t begin_ns = 0; // steady clock; 0 where only the moment of emitting counts
    std::int64_t end_ns = 0;
    std::uint64_t address = 0; // of the first range, so that a trace can be run again
};

namespace detail {
CMM_API extern std::atomic<bool> enabled;
}

inline bool on() noexcept { return detail::enabled.load(std::memory_order_relaxed); }

// Called for every event, from the thread that ran the operation, maybe from several at once. Must
// not throw, and must not call cmm.
using sink = void (*)(const event&, void* user) noexcept;

// Adds or replaces the program's own sink; null takes it away. Independent of the file. Waits for
// calls of the sink before, which is not called once this returns.
CMM_API void set_sink(sink s, void* user) noexcept;

// Starts writing events to `path` in the Chrome trace format, which Perfetto opens. What stood
// there is replaced, the file before is ended, `%p` becomes the process id. Each event is one
// write: after a normal exit the file is a JSON array, and where the program died only the closing
// bracket is missing, which Perfetto does not ask for. An empty path stops. The environment
// variable CMM_TRACE does the same at load time, but a file that cannot be written is one line on
// standard error there. Two processes cannot write one file; a forked child writes on into its
// parent's. Throws invalid_argument, and writes no events, where the file cannot be written.
CMM_API void to_file(std::string_view path);

// NVTX ranges around operations, for Nsight; needs libnvToolsExt.so.1 at run time. The environment
// variable CMM_NVTX=1 does the same. Returns whether there are ranges from now on: false where
// `wanted` is false or the library was not found.
CMM_API bool to_nvtx(bool wanted) noexcept;

// One NVTX range, from here to the end of the scope, where to_nvtx asked for them; else nothing.
class CMM_API nvtx_range {
public:
    explicit nvtx_range(std::string_view operation) noexcept;
    ~nvtx_range();
    nvtx_range(const nvtx_range&) = delete;
    nvtx_range& operator=(const nvtx_range&) = delete;

private:
    bool pushed_;
};

// Hands an event to the sink and the file; nothing where neither is there.
CMM_API void emit(const event& e) noexcept;
CMM_API std::int64_t now_ns() noexcept;

} // namespace cmm::trace

export namespace cmm {

// What a hint that this machine cannot honour does.
enum class hint_policy : std::int32_t { strict = 1, warn = 2, ignore = 3 };

// Warnings go to this function, once per `key`; without one, to standard error. It may throw, which
// warn_once passes on: the warning then counts as not given.
using warning_handler = void (*)(std::string_view key, std::string_view text, void* user);
CMM_API void set_warning_handler(warning_handler handler, void* user) noexcept;
CMM_API void warn_once(std::string_view key, std::string_view text);
// Forgets which warnings were given, so that each is given once more.
CMM_API void reset_warnings() noexcept;

} // namespace cmm

// Not exported: what the sources of this module share.
namespace cmm::trace::detail {

// One event as an object of the Chrome trace format, behind the comma that parts it from the one
// before.
std::string line_of(const event& e);

// The file of events. Only `append` may run in several threads at once.
class json_file {
public:
    constexpr json_file() = default;
    inline bool is_open() const noexcept { return descriptor_ >= 0; }
    void open(const std::string& path);
    void append(std::string_view line) noexcept;
    void close() noexcept;

private:
    int descriptor_ = -1;
    int owner_ = 0; // the process that ends the array
    std::atomic<bool> failed_ = false;
};

// Which of the ways out are wanted; `enabled` says whether any is.
enum class outlet : unsigned { sink = 1, file = 2, nvtx = 4 };
void want(outlet o, bool wanted) noexcept;

} // namespace cmm::trace::detail
