// SPDX-License-Identifier: Apache-2.0
// Tracing round an operation: off, one relaxed load and a branch.
module;
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
export module cmm.ops:traced;
import cmm.error;
import cmm.trace;

export namespace cmm::detail {

template <class Report>
void emit(std::string_view operation, std::uint64_t stream, std::string_view detail, std::int64_t begin,
          std::uintptr_t first, const Report& r, std::string_view strategy, std::string_view failure) noexcept {
    trace::emit({.operation = operation,
                 .detail = detail,
                 .ranges_in = r.ranges_in,
                 .ranges_out = r.ranges_out,
                 .calls = r.calls,
                 .bytes = r.bytes,
                 .entry = r.entry,
                 .strategy = strategy,
                 .reason = r.reason,
                 .ignored = r.ignored ? "targets left out by the hint policy" : r.ignored_hint,
                 .error = failure,
                 .stream = stream,
                 .begin_ns = begin,
                 .end_ns = trace::now_ns(),
                 .address = first});
}

// `name` makes the detail's text, `body(first)` runs the operation and tells the first range's address.
template <class Name, class Body>
auto traced(std::string_view operation, void* stream, Name name, Body body) {
    std::uintptr_t first = 0;
    if (!trace::on()) [[likely]]
        return body(first);
    const trace::nvtx_range around(operation);
    const auto begin = trace::now_ns();
    const std::string detail = name();
    const auto handle = reinterpret_cast<std::uint64_t>(stream);
    try {
        const auto r = body(first);
        emit(operation, handle, detail, begin, first, r, to_string(r.strategy), std::string_view());
        return r;
    } catch (const error& e) {
        emit(operation, handle, detail, begin, first, decltype(body(first)){}, "", e.what());
        throw;
    }
}

} // namespace cmm::detail
