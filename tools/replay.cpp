// SPDX-License-Identifier: Apache-2.0
// cmm replay: the operations of a trace, run again on this machine.
#include "commands.hpp"
#include "driver_text.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>
// Imports.
#include "replay_layout.hpp"

namespace cmm::tool {

namespace {

using json = nlohmann::ordered_json;
using clock = std::chrono::steady_clock;

constexpr op_options lenient{.hints = hint_policy::ignore};
constexpr std::size_t between_waits = 1024; // operations; their events are kept until then

double since(clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(clock::now() - begin).count();
}

// One kind of operation, there (as traced) and here.
struct cost {
    std::size_t count = 0, ranges_in = 0, bytes = 0;
    std::size_t ranges_there = 0, calls_there = 0;
    std::size_t ranges_here = 0, calls_here = 0;
    double call_there = 0, call_here = 0; // nanoseconds of the caller's thread
    double stream_here = 0;               // nanoseconds in the stream
    std::set<std::string> entries;
};

class player {
public:
    player(const trace_content& trace, const replay_layout& memory)
        : trace_(trace), memory_(memory) {}
    void play(progress& shown);

    std::map<traced_kind, cost> costs;
    std::map<std::string, std::size_t> left_out; // why, and how many
    double nanoseconds = 0;                      // of all, until the streams are done

private:
    void play_one(const traced_operation& o);
    report call(const traced_operation& o, const std::vector<managed_buffer>& targets,
                const std::vector<buffer>& sources, stream_ref s);
    stream_ref stream_for(std::uint64_t there);
    void wait();

    const trace_content& trace_;
    const replay_layout& memory_;
    std::map<std::uint64_t, stream> streams_;
    std::vector<std::tuple<traced_kind, event, event>> timed_;
};

void player::play(progress& shown) {
    const auto begin = clock::now();
    for (const auto& o : trace_.operations) {
        check_interrupt();
        play_one(o);
        shown.advance(o.bytes);
        if (timed_.size() >= between_waits)
            wait();
    }
    wait();
    nanoseconds = since(begin);
}

// The legacy and the per-thread stream are what they were; each other stream of the trace has one
// here.
stream_ref player::stream_for(std::uint64_t there) {
    if (there <= 2)
        return stream_ref::from_handle(there);
    return streams_.try_emplace(there, stream_options{.device = device{0}}).first->second;
}

report player::call(const traced_operation& o, const std::vector<managed_buffer>& targets,
                    const std::vector<buffer>& sources, stream_ref s) {
    switch (o.kind) {
    case traced_kind::advise: return advise(targets, o.advice, o.where, lenient);
    case traced_kind::prefetch: return prefetch(targets, o.where, s, lenient);
    case traced_kind::discard: return discard(targets, s, lenient);
    case traced_kind::discard_prefetch: return discard_prefetch(targets, o.where, s, lenient);
    case traced_kind::copy_batch:
        return copy_batch(s, sources, targets, copy_options{.src_access_order = o.order}, lenient);
    }
    return {};
}

void player::play_one(const traced_operation& o) try {
    const auto targets = memory_.targets(o);
    const auto sources =
        o.kind == traced_kind::copy_batch ? memory_.sources(o) : std::vector<buffer>();
    const auto s = stream_for(o.stream);
    event before(s, true);
    const auto begin = clock::now();
    const auto r = call(o, targets, sources, s);
    const auto took = since(begin);
    timed_.emplace_back(o.kind, std::move(before), event(s, true));
    auto& c = costs[o.kind];
    ++c.count;
    c.ranges_in += o.ranges_in;
    c.bytes += o.bytes;
    c.ranges_there += o.ranges_out;
    c.calls_there += o.calls;
    c.ranges_here += r.ranges_out;
    c.calls_here += r.calls;
    c.call_there += o.nanoseconds;
    c.call_here += took;
    if (!r.entry.empty())
        c.entries.insert(std::string(r.entry));
} catch (const not_supported& e) {
    ++left_out[e.what()];
} catch (const invalid_argument& e) { // a device that is not here
    ++left_out[e.what()];
}

void player::wait() {
    for (const auto& [kind, before, after] : timed_) {
        after.sync();
        costs[kind].stream_here += after.nanoseconds_since(before);
    }
    timed_.clear();
}

std::string there_and_here(std::size_t there, std::size_t here) {
    return fmt::format("{} / {}", count_text(there), count_text(here));
}

void print_costs(const player& done) {
    const char* in_stream =
        driver::get_facts().simulated ? "in the stream (simulated)" : "in the stream";
    table t({{"operation"},
             {"times", align::right},
             {"ranges", align::right},
             {"merged to", align::right},
             {"driver calls", align::right},
             {"bytes", align::right},
             {"time of the calls", align::right},
             {in_stream, align::right},
             {"entry points here"}});
    for (const auto& [kind, c] : done.costs)
        t.add({to_string(kind), count_text(c.count), count_text(c.ranges_in),
               there_and_here(c.ranges_there, c.ranges_here),
               there_and_here(c.calls_there, c.calls_here), bytes_text(c.bytes),
               fmt::format("{} / {}", time_text(c.call_there), time_text(c.call_here)),
               kind == traced_kind::advise ? "-" : time_text(c.stream_here),
               c.entries.empty() ? "-" : fmt::format("{}", fmt::join(c.entries, ", "))});
    fmt::print("\n{}\nTwo figures are the trace's and this machine's.\n", t.text());
}

void print_left_out(const std::map<std::string, std::size_t>& reasons) {
    for (const auto& [why, count] : reasons)
        fmt::print("left out: {} ({})\n", printable(why), count);
}

json cost_json(traced_kind kind, const cost& c) {
    return {{"operation", to_string(kind)},
            {"count", c.count},
            {"ranges_in", c.ranges_in},
            {"bytes", c.bytes},
            {"traced",
             {{"ranges_out", c.ranges_there},
              {"calls", c.calls_there},
              {"call_nanoseconds", c.call_there}}},
            {"here",
             {{"ranges_out", c.ranges_here},
              {"calls", c.calls_here},
              {"call_nanoseconds", c.call_here},
              {"stream_nanoseconds", c.stream_here},
              {"entries", c.entries}}}};
}

void print_json(const player& done, const replay_layout& memory) {
    json out{{"driver", driver_json()},     {"bytes", memory.bytes()},
             {"areas", memory.areas()},     {"nanoseconds", done.nanoseconds},
             {"operations", json::array()}, {"left_out", done.left_out}};
    for (const auto& [kind, c] : done.costs)
        out["operations"].push_back(cost_json(kind, c));
    fmt::print("{}\n", json_text(out));
}

std::uint64_t bytes_of(const trace_content& trace) {
    std::uint64_t bytes = 0;
    for (const auto& o : trace.operations)
        bytes += o.bytes;
    return bytes;
}

} // namespace

int replay(const replay_options& o) {
    const auto trace = read_trace(o.file);
    const auto name = driver_text();
    const replay_layout memory(trace.operations, managed_budget());
    set_current(device{0});
    player done(trace, memory);
    done.left_out = trace.left_out;
    {
        const interrupts_noted noted;
        progress shown("replaying", bytes_of(trace), !o.json);
        done.play(shown);
    }
    if (o.json) {
        print_json(done, memory);
        return 0;
    }
    fmt::print("cmm replay of {} on {}\n", printable(o.file), strong(name));
    print_costs(done);
    print_left_out(done.left_out);
    fmt::print("{} in {} allocations; everything was done after {}.\n", bytes_text(memory.bytes()),
               memory.areas(), time_text(done.nanoseconds));
    return 0;
}

} // namespace cmm::tool
