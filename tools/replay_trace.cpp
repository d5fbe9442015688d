// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
// Imports.
#include "replay_trace.hpp"

namespace cmm::tool {

namespace {

using nlohmann::json;

constexpr std::string_view kinds[] = {"advise", "prefetch", "discard", "discard_prefetch",
                                      "copy_batch"};

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
    throw invalid_argument({"replay", "FILE"}, fmt::format("{}: {}", path, why));
}

std::string contents_of(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        refuse(path, "is a directory; name a trace in it");
    std::ifstream in(path, std::ios::binary);
    if (!in)
        refuse(path, std::strerror(errno));
    return {std::istreambuf_iterator<char>(in), {}};
}

// One event a line, as cmm writes them: what a killed program left has no end, and maybe half a
// line.
std::vector<json> events_by_line(std::string_view text) {
    std::vector<json> events;
    while (!text.empty()) {
        auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.ends_with(','))
            line.remove_suffix(1);
        if (auto event = json::parse(line, nullptr, false); event.is_object())
            events.push_back(std::move(event));
    }
    return events;
}

std::vector<json> events_of(const std::string& text) {
    auto whole = json::parse(text, nullptr, false);
    if (whole.is_discarded())
        return events_by_line(text);
    if (whole.is_object() && whole.contains("traceEvents"))
        whole = std::move(whole["traceEvents"]);
    return whole.is_array() ? whole.get<std::vector<json>>() : std::vector<json>();
}

std::optional<std::int32_t> number_behind(std::string_view text, std::string_view prefix) {
    std::int32_t value = 0;
    if (!text.starts_with(prefix))
        return std::nullopt;
    text.remove_prefix(prefix.size());
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = failed == std::errc() && end == text.data() + text.size() && value >= 0;
    return whole ? std::optional(value) : std::nullopt;
}

// What to_string(location) made.
std::optional<location> location_of(std::string_view text) {
    if (text == "host")
        return host{};
    if (text == "host_numa_current")
        return host::numa_current();
    if (const auto ordinal = number_behind(text, "device:"))
        return device{*ordinal};
    if (const auto node = number_behind(text, "host_numa:"))
        return host::numa(*node);
    return std::nullopt;
}

// What an enumerator is called, looked up the other way round.
template <class Enum> std::optional<Enum> named(std::string_view text, int first, int last) {
    for (int i = first; i <= last; ++i)
        if (to_string(static_cast<Enum>(i)) == text)
            return static_cast<Enum>(i);
    return std::nullopt;
}

// The advice, then the location where it takes one.
bool read_advice(std::string_view detail, traced_operation& out) {
    const auto blank = detail.find(' ');
    const auto advice = named<cmm::advice>(detail.substr(0, blank), 1, 6);
    if (!advice)
        return false;
    out.advice = *advice;
    const bool needs_place = *advice == cmm::advice::set_preferred_location ||
                             *advice == cmm::advice::set_accessed_by ||
                             *advice == cmm::advice::unset_accessed_by;
    if (!needs_place)
        return true;
    const auto where = blank == detail.npos ? std::nullopt : location_of(detail.substr(blank + 1));
    out.where = where.value_or(host{});
    return where.has_value();
}

bool read_detail(std::string_view detail, traced_operation& out) {
    if (detail.starts_with("plan "))
        detail.remove_prefix(5);
    switch (out.kind) {
    case traced_kind::advise: return read_advice(detail, out);
    case traced_kind::discard: return true;
    case traced_kind::copy_batch:
        out.order = named<src_access_order>(detail, 1, 3).value_or(src_access_order::stream);
        return true;
    case traced_kind::prefetch:
    case traced_kind::discard_prefetch: break;
    }
    const auto where = location_of(detail);
    out.where = where.value_or(host{});
    return where.has_value();
}

std::uint64_t hexadecimal(const json& arguments, const char* key) {
    const auto text = arguments.value(key, std::string("0x0"));
    std::uint64_t value = 0;
    if (text.size() > 2)
        std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    return value;
}

// Why it cannot be run again; empty where it can.
std::string take(const json& event, trace_content& content) {
    const auto name = event.value("name", std::string());
    const auto kind = std::ranges::find(kinds, name);
    if (event.value("cat", std::string()) != "cmm" || kind == std::end(kinds))
        return "other events";
    const auto arguments = event.value("args", json::object());
    if (!arguments.value("error", std::string()).empty())
        return "failed when they were traced";
    traced_operation out{.kind = static_cast<traced_kind>(kind - std::begin(kinds))};
    out.ranges_in = arguments.value("ranges_in", std::size_t{0});
    out.ranges_out = arguments.value("ranges_out", std::size_t{0});
    out.calls = arguments.value("calls", std::size_t{0});
    out.bytes = arguments.value("bytes", std::size_t{0});
    out.stream = hexadecimal(arguments, "stream");
    out.address = static_cast<std::uintptr_t>(hexadecimal(arguments, "address"));
    out.begin = event.value("ts", 0.0) * 1000;
    out.nanoseconds = event.value("dur", 0.0) * 1000;
    if (out.ranges_in == 0 || out.bytes == 0 || out.address == 0)
        return "had nothing to do";
    if (!read_detail(arguments.value("detail", std::string()), out))
        return "with locations in pairs, which a trace does not tell";
    content.operations.push_back(out);
    return {};
}

} // namespace

std::string to_string(traced_kind kind) {
    return std::string(kinds[static_cast<std::size_t>(kind)]);
}

trace_content read_trace(const std::string& path) {
    const auto events = events_of(contents_of(path));
    if (events.empty())
        refuse(path, "holds no trace; CMM_TRACE=FILE makes a program write one");
    trace_content out;
    for (const auto& event : events) {
        if (!event.is_object() || event.value("ph", std::string()) == "M")
            continue;
        if (const auto why = take(event, out); !why.empty())
            ++out.left_out[why];
    }
    std::ranges::sort(out.operations, {}, &traced_operation::begin);
    return out;
}

} // namespace cmm::tool
