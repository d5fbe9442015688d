// SPDX-License-Identifier: Apache-2.0
#include "driver_text.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
// Imports.
#include "demo_rounds.hpp"

namespace cmm::tool {

namespace {

const device gpu{0};
constexpr std::size_t least_budget = std::size_t{4} << 20;
constexpr std::size_t slab_grain = std::size_t{2} << 20;
// A machine without concurrentManagedAccess runs the demo too: it leaves out what cannot be
// honoured there, and the table says so.
constexpr op_options lenient{.hints = hint_policy::ignore};

std::size_t in_pages(std::size_t bytes) { return page_size::of_system().up(bytes); }
std::size_t scratch_bytes(std::size_t bytes) { return chunks_of(bytes) * sizeof(std::uint32_t); }

// The managed memory that a piece of so many bytes takes: itself, scratch, a result.
std::size_t cost(std::size_t bytes) {
    return in_pages(bytes) + in_pages(scratch_bytes(bytes)) + in_pages(sizeof(digest));
}

// The longest piece that costs at most that, in whole chunks; 0 where none does.
std::size_t longest_piece(std::size_t room) {
    const auto overhead = 3 * in_pages(1);
    if (room <= overhead)
        return 0;
    return (room - overhead) / (chunk_bytes + sizeof(std::uint32_t)) * chunk_bytes;
}

// Two large pages stay in reserve: a slab may have to be aligned.
std::size_t capacity_for(const std::vector<source>& sources, std::size_t budget) {
    const auto most = page_size(slab_grain).down(budget) - slab_grain;
    std::size_t wanted = 0;
    for (const auto& s : sources) {
        if (!s.finished())
            wanted += s.sized() ? cost(std::min(s.next_bytes(), most)) : most;
        if (wanted >= most)
            return most;
    }
    return std::max(page_size(slab_grain).up(wanted), slab_grain);
}

std::size_t checked_budget() {
    const auto budget = managed_budget();
    if (budget < least_budget)
        throw not_supported({"demo", {}}, "an eighth of the device's free memory is " +
                                              bytes_text(budget) + ", and the demo needs " +
                                              bytes_text(least_budget));
    return budget;
}

} // namespace

void operation_tally::add(const report& r) {
    targets += r.ranges_in;
    ranges += r.ranges_out;
    calls += r.calls;
    bytes += r.bytes;
    ignored += r.ignored;
    if (!r.entry.empty()) {
        entry = r.entry;
        reason = r.reason;
    }
}

// Everything of one round, freed when it ends. What was queued is waited for first, also after a
// failure.
struct staging::round {
    const stream& in;
    device_side& device;
    std::vector<piece> pieces;
    std::vector<managed_buffer> data, scratch, results;
    buffer pinned;
    std::vector<buffer> copies; // of the results
    std::vector<std::pair<event, event>> computed;
    std::vector<std::pair<operation_tally*, std::pair<event, event>>> timed;

    ~round() {
        driver::synchronize_stream(in.handle()); // a failure has been told by whoever is unwinding
        device.done();
    }

    // Runs an operation between two events, which are compared once they have passed.
    template <class Operation> void time(operation_tally& tally, Operation operation) {
        auto before = in.record(true);
        tally.add(operation());
        timed.emplace_back(&tally, std::pair(std::move(before), in.record(true)));
    }

    // The same where the device can do it; else the tally says why not.
    template <class Operation>
    void time_if(operation needed, operation_tally& tally, Operation run) {
        if (supports(gpu, needed, &tally.reason))
            time(tally, run);
    }
};

staging::staging(std::vector<source>& sources)
    : sources_(sources), budget_(checked_budget()), capacity_(capacity_for(sources, budget_)),
      stream_({.device = gpu}),
      arena_(managed_memory_resource::arena(
          {.device = gpu, .slab_bytes = capacity_, .limit_bytes = budget_})) {
    set_current(gpu);
    device_ = driver::get_facts().simulated ? make_simulated_kernels() : make_kernels();
}

std::vector<operation_tally> staging::operations() const {
    return {read_mostly_, preferred_, in_, discard_, copy_, out_};
}

void staging::run(progress& shown) {
    for (auto pieces = next_pieces(); !pieces.empty(); pieces = next_pieces()) {
        run_round(std::move(pieces), shown);
        ++rounds_;
    }
}

std::vector<piece> staging::next_pieces() {
    std::vector<piece> pieces;
    auto room = capacity_;
    for (auto& s : sources_) {
        const auto longest = longest_piece(room);
        if (longest == 0)
            break;
        if (s.finished())
            continue;
        pieces.push_back({&s, std::min(s.next_bytes(), longest), 0});
        room -= cost(pieces.back().wanted);
    }
    return pieces;
}

// Data first, then scratch, then results: what goes to the device is one stretch of the arena.
void staging::run_round(std::vector<piece> pieces, progress& shown) {
    std::vector<std::size_t> data, scratch;
    for (const auto& p : pieces) {
        data.push_back(p.wanted);
        scratch.push_back(scratch_bytes(p.wanted));
    }
    const std::vector results(pieces.size(), sizeof(digest));
    round r{.in = stream_,
            .device = *device_,
            .pieces = std::move(pieces),
            .data = arena_.allocate_batch(data),
            .scratch = arena_.allocate_batch(scratch),
            .results = arena_.allocate_batch(results),
            .pinned = pinned_memory_resource().allocate(results.size() * sizeof(digest)),
            .copies = {},
            .computed = {},
            .timed = {}};
    read(r, shown);
    advise(r);
    move_in(r);
    compute(r);
    move_out(r);
    compare(r);
}

void staging::read(round& r, progress& shown) {
    for (std::size_t i = 0; i < r.pieces.size(); ++i) {
        auto& p = r.pieces[i];
        if (p.wanted > 0)
            p.bytes = p.from->read(r.data[i].as_span<std::byte>(), shown);
        r.data[i] = r.data[i].slice(0, p.bytes);
        r.copies.push_back(r.pinned.slice(i * sizeof(digest), sizeof(digest)));
        std::memset(r.results[i].as_span<std::byte>().data(), 0, sizeof(digest));
    }
}

// The data is only read on the device: with read_mostly the host keeps its copy, and nothing has to
// come back.
void staging::advise(const round& r) {
    const auto timed = [](operation_tally& tally, auto operation) {
        const auto before = std::chrono::steady_clock::now();
        tally.add(operation());
        tally.nanoseconds +=
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before)
                .count();
    };
    timed(read_mostly_,
          [&] { return cmm::advise(r.data, advice::set_read_mostly, host{}, lenient); });
    timed(preferred_,
          [&] { return cmm::advise(r.results, advice::set_preferred_location, gpu, lenient); });
}

void staging::move_in(round& r) {
    std::vector<target> all;
    for (const auto* buffers : {&r.data, &r.scratch, &r.results})
        all.insert(all.end(), buffers->begin(), buffers->end());
    r.time_if(operation::prefetch, in_, [&] { return prefetch(all, gpu, stream_, lenient); });
}

void staging::compute(round& r) {
    for (std::size_t i = 0; i < r.pieces.size(); ++i) {
        check_interrupt();
        auto before = stream_.record(true);
        device_->digest({.data = static_cast<const std::byte*>(r.data[i].data()),
                         .bytes = r.pieces[i].bytes,
                         .scratch = static_cast<std::uint32_t*>(r.scratch[i].data()),
                         .result = static_cast<std::byte*>(r.results[i].data())},
                        stream_);
        r.computed.emplace_back(std::move(before), stream_.record(true));
    }
}

// Each result comes back twice: copied to pinned memory, and moved to the host where it is.
void staging::move_out(round& r) {
    r.time_if(operation::discard, discard_, [&] { return discard(r.scratch, stream_, lenient); });
    r.time(copy_, [&] { return copy_batch(stream_, r.results, r.copies); });
    r.time_if(operation::prefetch, out_,
              [&] { return prefetch(r.results, host{}, stream_, lenient); });
    stream_.sync();
}

void staging::compare(round& r) {
    for (std::size_t i = 0; i < r.pieces.size(); ++i) {
        const auto& p = r.pieces[i];
        append(p.from->prefetched, r.results[i].as_span<digest>()[0], p.bytes);
        append(p.from->copied, r.copies[i].as_span<digest>()[0], p.bytes);
        p.from->device_nanoseconds += r.computed[i].second.nanoseconds_since(r.computed[i].first);
    }
    for (auto& [tally, events] : r.timed)
        tally->nanoseconds += events.second.nanoseconds_since(events.first);
}

} // namespace cmm::tool
