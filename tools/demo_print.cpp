// SPDX-License-Identifier: Apache-2.0
#include "driver_text.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
// Imports.
#include "demo_print.hpp"

namespace cmm::tool {

namespace {

using json = nlohmann::ordered_json;

// Bytes per nanosecond are GB/s.
double rate(std::uint64_t bytes, double nanoseconds) {
    return nanoseconds > 0 ? static_cast<double>(bytes) / nanoseconds : 0;
}

std::string rate_text(std::uint64_t bytes, double nanoseconds) {
    return bytes > 0 && nanoseconds > 0 ? fmt::format("{:.2f}", rate(bytes, nanoseconds)) : "-";
}

// What ran on the simulated driver is called so wherever a time is told.
std::string timed_head(std::string_view what) {
    return fmt::format("{}{}", driver::get_facts().simulated ? "simulated " : "", what);
}

std::string commonest_text(const source& s) {
    if (s.bytes == 0)
        return "-";
    const auto [byte, count] = commonest(s.copied);
    return fmt::format("{:#04x} {:2.0f}%", byte,
                       100 * static_cast<double>(count) / static_cast<double>(s.bytes));
}

void add_row(table& t, const source& s) {
    if (!s.error().empty())
        return t.add({"-", "-", "not read", "-", "-", "-", "-", printable(s.path())});
    t.add({count_text(s.bytes), fmt::format("{:08x}", s.copied.crc),
           is_right(s) ? "right" : "WRONG", std::to_string(s.pieces), commonest_text(s),
           s.bytes > 0 ? time_text(s.device_nanoseconds) : "-",
           rate_text(s.bytes, s.device_nanoseconds), printable(s.path())});
}

void print_files(const std::vector<source>& sources) {
    table t({{"bytes", align::right},
             {"CRC-32"},
             {"check"},
             {"pieces", align::right},
             {"commonest"},
             {timed_head("kernel time"), align::right},
             {"GB/s", align::right},
             {"file"}});
    for (const auto& s : sources)
        add_row(t, s);
    fmt::print("{}\n", t.text());
}

std::string reason_without_calls(const operation_tally& o) {
    if (o.ignored > 0)
        return "left out: the device has no concurrentManagedAccess";
    return o.reason.empty() ? "nothing to do" : o.reason;
}

std::string why_text(const operation_tally& o) {
    if (o.entry.empty())
        return reason_without_calls(o);
    return fmt::format("{}: {}", o.entry, o.reason);
}

void print_operations(const std::vector<operation_tally>& operations) {
    table t({{"operation"},
             {"ranges in", align::right},
             {"after merging", align::right},
             {"driver calls", align::right},
             {timed_head("time"), align::right},
             {"GB/s", align::right},
             {"how"}});
    for (const auto& o : operations)
        t.add({o.name, count_text(o.targets), count_text(o.ranges), count_text(o.calls),
               o.calls > 0 ? time_text(o.nanoseconds) : "-",
               o.calls > 0 && o.name.starts_with("prefetch") ? rate_text(o.bytes, o.nanoseconds)
                                                             : "-",
               why_text(o)});
    fmt::print("{}\n", t.text());
}

void print_verdict(const std::vector<source>& sources) {
    const auto unread =
        std::ranges::count_if(sources, [](const source& s) { return !s.error().empty(); });
    const auto wrong = std::ranges::count_if(
        sources, [](const source& s) { return s.error().empty() && !is_right(s); });
    for (const auto& s : sources)
        if (!s.error().empty())
            fmt::print(stderr, "cmm: demo: {}: {}\n", printable(s.path()), s.error());
    if (unread == 0 && wrong == 0)
        fmt::print("{}\n",
                   good(fmt::format("{} file{}: every histogram and CRC-32 is what zlib and the "
                                    "host computed.",
                                    sources.size(), sources.size() == 1 ? "" : "s")));
    else
        fmt::print("{}\n",
                   bad(fmt::format("Of {} files {} could not be read and {} came out wrong.",
                                   sources.size(), unread, wrong)));
}

json file_json(const source& s) {
    if (!s.error().empty())
        return {{"path", s.path()}, {"error", s.error()}};
    return {{"path", s.path()},
            {"bytes", s.bytes},
            {"crc32", fmt::format("{:08x}", s.copied.crc)},
            {"right_by_prefetch", s.prefetched == s.expected},
            {"right_by_copy_batch", s.copied == s.expected},
            {"pieces", s.pieces},
            {"kernel_nanoseconds", s.device_nanoseconds}};
}

json operation_json(const operation_tally& o) {
    return {{"operation", o.name}, {"ranges_in", o.targets}, {"ranges_out", o.ranges},
            {"calls", o.calls},    {"bytes", o.bytes},       {"nanoseconds", o.nanoseconds},
            {"entry", o.entry},    {"left_out", o.ignored},  {"reason", o.reason}};
}

} // namespace

bool is_right(const source& s) { return s.prefetched == s.expected && s.copied == s.expected; }

void print_demo(const std::vector<source>& sources, const staging& done) {
    fmt::print("\n");
    print_files(sources);
    print_operations(done.operations());
    fmt::print("{} of managed memory (at most {}), filled {} time{}.\n",
               bytes_text(done.managed_bytes()), bytes_text(done.budget()), done.rounds(),
               done.rounds() == 1 ? "" : "s");
    print_verdict(sources);
}

void print_demo_json(const std::vector<source>& sources, const staging& done,
                     const std::string& fallback) {
    json out{{"driver", driver_json()}};
    if (!fallback.empty())
        out["fallback"] = fallback;
    out["managed_bytes"] = done.managed_bytes();
    out["rounds"] = done.rounds();
    out["files"] = json::array();
    for (const auto& s : sources)
        out["files"].push_back(file_json(s));
    out["operations"] = json::array();
    for (const auto& o : done.operations())
        out["operations"].push_back(operation_json(o));
    out["right"] = std::ranges::all_of(
        sources, [](const source& s) { return s.error().empty() && is_right(s); });
    fmt::print("{}\n", json_text(out));
}

} // namespace cmm::tool
