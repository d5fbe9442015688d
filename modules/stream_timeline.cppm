// SPDX-License-Identifier: Apache-2.0
// What a timeline is made of; private to cmm.stream.
module;
#include <atomic>
#include <cstdint>
#include <mutex>
module cmm.stream:timelines;
import cmm.driver;

namespace cmm::detail {

enum class timeline_kind : std::uint8_t { stream, legacy, mark };

class timeline {
public:
    timeline_kind kind = timeline_kind::mark;
    std::atomic<std::uint32_t> references{1};
    driver::context_handle context = nullptr;
    int device = 0;
    driver::stream_handle handle = nullptr; // stream, legacy
    driver::event_handle event = nullptr;   // mark
    std::uint64_t generation = 0;           // mark: of the driver that made the event
    std::mutex lock;                        // of handle and last, while a stream is closed
    timeline* last = nullptr;               // a closed stream's last mark; null: nothing was left
};

// Events without timing, kept per context: making one costs more than recording it. Never shared between
// calls: whoever takes one has it until it is given back. Null where the driver refuses.
driver::event_handle take_event(driver::context_handle context) noexcept;
void give_event(driver::context_handle context, driver::event_handle e) noexcept;

// A mark behind what is in the stream now; its context must be current. Null where the driver refuses.
timeline* record_mark(driver::context_handle context, driver::stream_handle s) noexcept;

// The one timeline of a context's legacy stream.
timeline* legacy_timeline(driver::context_handle context) noexcept;

// cmm's own non-blocking stream of a context, for bridging. Null where the driver refuses.
driver::stream_handle bridge_stream(driver::context_handle context) noexcept;

} // namespace cmm::detail
