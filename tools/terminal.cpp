// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"
#include "text.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace cmm::tool {

namespace {

bool is_terminal(int descriptor) {
    const char* kind = std::getenv("TERM");
    return ::isatty(descriptor) && kind && std::string_view(kind) != "dumb";
}

bool coloured() {
    static const bool wanted = [] {
        const char* none = std::getenv("NO_COLOR");
        return (!none || !*none) && is_terminal(STDOUT_FILENO);
    }();
    return wanted;
}

std::string in(std::string_view code, std::string_view text) {
    return coloured() ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

constexpr std::size_t bar_width = 30;
constexpr auto between_drawings = std::chrono::milliseconds(50);

} // namespace

std::string good(std::string_view text) { return in("32", text); }
std::string bad(std::string_view text) { return in("31", text); }
std::string strong(std::string_view text) { return in("1", text); }

progress::progress(std::string title, std::uint64_t total_bytes, bool wanted)
    : title_(std::move(title)), total_(total_bytes), shown_(wanted && is_terminal(STDERR_FILENO)) {}

progress::~progress() { clear(); }

void progress::advance(std::uint64_t bytes) {
    done_ += bytes;
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now < next_)
        return;
    next_ = now + between_drawings;
    draw();
}

void progress::clear() noexcept {
    if (drawn_)
        std::fputs("\r\033[K", stderr);
    drawn_ = false;
}

void progress::draw() {
    std::string bar;
    if (total_ > 0) {
        const auto part = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
        const auto full = static_cast<std::size_t>(part * bar_width);
        bar = fmt::format("[{}{}] {:3.0f}% of ", std::string(full, '#'),
                          std::string(bar_width - full, '.'), part * 100);
    }
    fmt::print(stderr, "\r{} {}{}\033[K", title_, bar, bytes_text(total_ > 0 ? total_ : done_));
    std::fflush(stderr);
    drawn_ = true;
}

} // namespace cmm::tool
