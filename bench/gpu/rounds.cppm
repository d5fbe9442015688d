// SPDX-License-Identifier: Apache-2.0
// Measuring several systems at the same thing: in turn, round by round, so that a change of the
// machine meets them all. And what comes of it: rows, tables, JSON.
module;
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
export module cmm.bench.rounds;
import cmm;
import cmm.bench.raw;

export namespace cmm::bench {

// What is measured: the same for all systems of a case.
struct subject {
    std::string group;  // "prefetch"
    std::string what;   // "to device"
    std::size_t bytes;  // of a range
    std::size_t ranges; // 1 for a single call
};

// Something that can do it. `before` is outside the clock.
struct contender {
    std::string system;    // "raw loop", "cmm"
    std::string placement; // of its memory
    std::function<void()> work;
    std::function<void()> before = {};
};

// Nanoseconds, one sample a round: until the call returned, and until the stream was done.
struct row {
    subject about;
    std::string system;
    std::string placement;
    std::vector<double> returned;
    std::vector<double> done;
};

double median(std::vector<double> samples);

struct facts_of_run {
    std::string device;
    std::string driver; // CUDA version
    bool simulated;
    std::size_t rounds;
};

class results {
public:
    explicit results(facts_of_run f) : facts_(std::move(f)) {}
    inline void add(row r) { rows_.push_back(std::move(r)); }
    inline const std::vector<row>& rows() const noexcept { return rows_; }
    // One table per group: medians in microseconds, and the ratio to the best raw driver call on
    // memory of that placement.
    void print() const;
    void write(const std::string& path) const; // JSON; throws where the file cannot be written

private:
    facts_of_run facts_;
    std::vector<row> rows_;
};

// What every benchmark needs.
struct session {
    raw_driver raw;
    stream queue;
    std::size_t rounds;
    bool quick; // small sizes alone
    results out;

    inline void* stream_handle() const { return queue.handle(); }
    inline void wait() const { raw.synchronize(stream_handle()); }

    // One warm-up, then the rounds. Each round begins with another system.
    void measure(const subject& s, std::vector<contender> contenders);
    // The same for calls that leave nothing in the stream: a sample is the mean of `calls` calls.
    void measure_calls(const subject& s, std::vector<contender> contenders, std::size_t calls);
};

} // namespace cmm::bench
