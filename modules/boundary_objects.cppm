// SPDX-License-Identifier: Apache-2.0
// What stands behind handles; private to cmm.boundary.
module;
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
module cmm.boundary:objects;
import :codes;
import cmm.handles;
import cmm.managed;
import cmm.prepared;

namespace cmm::boundary {

using advice_value = cmm::advice; // `advise` here is a function
using any_plan = std::variant<prefetch_plan, discard_prefetch_plan, advise_plan, copy_plan>;
using any_resource = std::variant<managed_memory_resource, pinned_memory_resource, device_memory_resource>;

// Every buffer is a managed_buffer behind its handle, which adds nothing to a buffer but members.
using held_buffer = held<managed_buffer>;

// A stream for the length of a call.
class held_stream {
public:
    held_stream(const stream_code& s, std::string_view operation) {
        if (s.own == 0)
            raw_ = s.raw;
        else
            own_ = held<stream>(s.own, object_kind::stream, {operation, "stream"});
    }
    stream_ref ref() const noexcept { return own_ ? stream_ref(*own_) : stream_ref::from_handle(raw_); }

private:
    held<stream> own_;
    std::uint64_t raw_ = 0;
};

} // namespace cmm::boundary
