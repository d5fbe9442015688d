// SPDX-License-Identifier: Apache-2.0
// Single copies and fills, in stream order and synchronous.
#include "copy.h"
#include "entry.h"

#include <algorithm>

namespace sim {
namespace {

enum class side { any, device }; // whether the driver has to know the memory

struct copy {
    device_ptr to, from;
    std::size_t bytes;
    side to_side = side::any, from_side = side::any;
};

device_ptr as_address(const void* pointer) { return reinterpret_cast<device_ptr>(pointer); }

operand find_side(const world& w, device_ptr address, std::size_t bytes, side kind) {
    return kind == side::device ? find_device_operand(w, address, bytes)
                                : find_operand(w, address, bytes);
}

operation work_of(const world& w, const copy& of) {
    return copy_work(find_side(w, of.to, of.bytes, of.to_side),
                     find_side(w, of.from, of.bytes, of.from_side), of.bytes);
}

result copy_in_stream(entry call, const copy& of, handle given) {
    return call.range(of.to, of.bytes)
        .from(of.from)
        .on(given)
        .in_context([&](locked& w, context& current) {
            stream& on = working_stream(*w, current, given);
            if (of.bytes == 0)
                return result::success;
            submit_or_capture(*w, on, node_type::memcpy, work_of(*w, of));
            return result::success;
        });
}

// A synchronous copy runs on the null stream, which a capture elsewhere may forbid.
void run_now(locked& w, context& current, operation work) {
    refuse_unsafe_in_capture(*w);
    stream& on = working_stream(*w, current, null_stream);
    submit(*w, on, std::move(work));
    wait_for(w, {on.now()});
}

result copy_now(entry call, const copy& of) {
    return call.range(of.to, of.bytes).from(of.from).in_context([&](locked& w, context& current) {
        if (of.bytes != 0)
            run_now(w, current, work_of(*w, of));
        return result::success;
    });
}

template <class Value>
operation fill_work(const world& w, device_ptr address, Value value, std::size_t count) {
    refuse_if(address % sizeof(Value) != 0);
    const operand to = find_device_operand(w, address, count * sizeof(Value));
    return {.uses = {to.held},
            .run = [=] { std::fill_n(reinterpret_cast<Value*>(to.at), count, value); },
            .settle = {},
            .after = {}};
}

template <class Value>
result fill_in_stream(entry call, device_ptr address, Value value, std::size_t count,
                      handle given) {
    return call.range(address, count * sizeof(Value))
        .on(given)
        .in_context([&](locked& w, context& current) {
            stream& on = working_stream(*w, current, given);
            if (count != 0)
                submit_or_capture(*w, on, node_type::memset, fill_work(*w, address, value, count));
            return result::success;
        });
}

template <class Value>
result fill_now(entry call, device_ptr address, Value value, std::size_t count) {
    return call.range(address, count * sizeof(Value)).in_context([&](locked& w, context& current) {
        if (count != 0)
            run_now(w, current, fill_work(*w, address, value, count));
        return result::success;
    });
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuMemcpyAsync(device_ptr to, device_ptr from, std::size_t bytes, handle given) {
    return copy_in_stream(entry("cuMemcpyAsync"), {to, from, bytes}, given);
}
SIM_EXPORT result cuMemcpyHtoDAsync_v2(device_ptr to, const void* from, std::size_t bytes,
                                       handle given) {
    return copy_in_stream(entry("cuMemcpyHtoDAsync", 3020),
                          {to, as_address(from), bytes, side::device}, given);
}
SIM_EXPORT result cuMemcpyDtoHAsync_v2(void* to, device_ptr from, std::size_t bytes, handle given) {
    return copy_in_stream(entry("cuMemcpyDtoHAsync", 3020),
                          {as_address(to), from, bytes, side::any, side::device}, given);
}
SIM_EXPORT result cuMemcpyDtoDAsync_v2(device_ptr to, device_ptr from, std::size_t bytes,
                                       handle given) {
    return copy_in_stream(entry("cuMemcpyDtoDAsync", 3020),
                          {to, from, bytes, side::device, side::device}, given);
}
SIM_EXPORT result cuMemcpyPeerAsync(device_ptr to, handle, device_ptr from, handle,
                                    std::size_t bytes, handle given) {
    return copy_in_stream(entry("cuMemcpyPeerAsync"), {to, from, bytes, side::device, side::device},
                          given);
}

SIM_EXPORT result cuMemcpy(device_ptr to, device_ptr from, std::size_t bytes) {
    return copy_now(entry("cuMemcpy"), {to, from, bytes});
}
SIM_EXPORT result cuMemcpyHtoD_v2(device_ptr to, const void* from, std::size_t bytes) {
    return copy_now(entry("cuMemcpyHtoD", 3020), {to, as_address(from), bytes, side::device});
}
SIM_EXPORT result cuMemcpyDtoH_v2(void* to, device_ptr from, std::size_t bytes) {
    return copy_now(entry("cuMemcpyDtoH", 3020),
                    {as_address(to), from, bytes, side::any, side::device});
}
SIM_EXPORT result cuMemcpyDtoD_v2(device_ptr to, device_ptr from, std::size_t bytes) {
    return copy_now(entry("cuMemcpyDtoD", 3020), {to, from, bytes, side::device, side::device});
}

SIM_EXPORT result cuMemsetD8Async(device_ptr to, unsigned char value, std::size_t count,
                                  handle given) {
    return fill_in_stream(entry("cuMemsetD8Async"), to, value, count, given);
}
SIM_EXPORT result cuMemsetD16Async(device_ptr to, unsigned short value, std::size_t count,
                                   handle given) {
    return fill_in_stream(entry("cuMemsetD16Async"), to, value, count, given);
}
SIM_EXPORT result cuMemsetD32Async(device_ptr to, unsigned value, std::size_t count, handle given) {
    return fill_in_stream(entry("cuMemsetD32Async"), to, value, count, given);
}
SIM_EXPORT result cuMemsetD8_v2(device_ptr to, unsigned char value, std::size_t count) {
    return fill_now(entry("cuMemsetD8", 3020), to, value, count);
}
SIM_EXPORT result cuMemsetD16_v2(device_ptr to, unsigned short value, std::size_t count) {
    return fill_now(entry("cuMemsetD16", 3020), to, value, count);
}
SIM_EXPORT result cuMemsetD32_v2(device_ptr to, unsigned value, std::size_t count) {
    return fill_now(entry("cuMemsetD32", 3020), to, value, count);
}

static const export_list copy_exports{
    stream_row<cuMemcpyAsync>("cuMemcpyAsync", 4000),
    stream_row<cuMemcpyHtoDAsync_v2>("cuMemcpyHtoDAsync", 3020),
    stream_row<cuMemcpyDtoHAsync_v2>("cuMemcpyDtoHAsync", 3020),
    stream_row<cuMemcpyDtoDAsync_v2>("cuMemcpyDtoDAsync", 3020),
    stream_row<cuMemcpyPeerAsync>("cuMemcpyPeerAsync", 4000),
    stream_row<cuMemcpy>("cuMemcpy", 4000),
    stream_row<cuMemcpyHtoD_v2>("cuMemcpyHtoD", 3020),
    stream_row<cuMemcpyDtoH_v2>("cuMemcpyDtoH", 3020),
    stream_row<cuMemcpyDtoD_v2>("cuMemcpyDtoD", 3020),
    stream_row<cuMemsetD8Async>("cuMemsetD8Async", 3020),
    stream_row<cuMemsetD16Async>("cuMemsetD16Async", 3020),
    stream_row<cuMemsetD32Async>("cuMemsetD32Async", 3020),
    stream_row<cuMemsetD8_v2>("cuMemsetD8", 3020),
    stream_row<cuMemsetD16_v2>("cuMemsetD16", 3020),
    stream_row<cuMemsetD32_v2>("cuMemsetD32", 3020),
};
