// SPDX-License-Identifier: Apache-2.0
// What only a terminal gets: colours on standard output, a progress bar on standard error.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace cmm::tool {

// Plain text where standard output is no terminal, or NO_COLOR is set.
std::string good(std::string_view text);
std::string bad(std::string_view text);
std::string strong(std::string_view text);

// A bar that goes away when it ends. Draws nothing where standard error is no terminal, or `wanted`
// is false. A total of 0: only what is done so far is shown.
class progress {
public:
    progress(std::string title, std::uint64_t total_bytes, bool wanted);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    void advance(std::uint64_t bytes);
    // For a line that something else is about to write.
    void clear() noexcept;

private:
    void draw();

    std::string title_;
    std::uint64_t total_;
    std::uint64_t done_ = 0;
    bool shown_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point next_{};
};

} // namespace cmm::tool
