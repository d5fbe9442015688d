// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <bit>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>
module cmm.slabs;
import cmm.error;
import cmm.range;
import :tree;

namespace cmm {

namespace {

[[noreturn]] void refuse(std::string_view argument, const range& r, std::string_view why) {
    throw invalid_argument({"slab_space", argument},
                           fmt::format("{:#x} ({} bytes) {}", r.begin(), r.bytes(), why));
}

// One slab. A free stretch is known at both its ends, so that a piece that comes back finds both
// its neighbours at once: its last page holds its length in `free_to_`, its first page in `marks_`.
// Pieces are cut from the front: the last page stays, and one number changes.
class slab {
public:
    slab(const range& where, std::size_t pages)
        : where_(where), pages_(pages), lowest_(pages - 1), free_to_(pages), marks_(pages) {
        put(0, pages);
    }

    const range& where() const noexcept { return where_; }
    bool empty() const noexcept { return free_to_.at(pages_ - 1) == static_cast<int>(pages_); }
    std::int32_t largest_free() const noexcept { return free_to_.largest(); }

    // Takes `count` pages from the first stretch that has them; there is one. Says how many
    // stretches that added.
    int take(std::size_t count, std::size_t& first) noexcept {
        const auto last = first_of(static_cast<std::int32_t>(count));
        const auto length = static_cast<std::size_t>(free_to_.at(last));
        first = last + 1 - length;
        free_to_.set(last, static_cast<std::int32_t>(length - count));
        if (length == count)
            return -1;
        marks_[first + count] = static_cast<std::uint32_t>(length - count);
        return 0;
    }

    void mark_piece(std::size_t first, std::size_t count) noexcept {
        marks_[first] = out | static_cast<std::uint32_t>(count);
    }
    bool is_piece(std::size_t first, std::size_t count) const noexcept {
        return marks_[first] == (out | static_cast<std::uint32_t>(count));
    }

    // Says how many stretches that added.
    int give_back(std::size_t first, std::size_t count) noexcept {
        const auto before = free_before(first);
        const auto after = free_from(first + count);
        marks_[first] = 0;
        put(first - before, before + count + after);
        if (before)
            free_to_.set(first - 1, 0);
        return 1 - (before != 0) - (after != 0);
    }

private:
    // Marks the first page of a piece, so that it is told from the first page of a free stretch.
    static constexpr std::uint32_t out = 1U << 31U;

    void put(std::size_t first, std::size_t count) noexcept {
        const auto last = first + count - 1;
        free_to_.set(last, static_cast<std::int32_t>(count));
        marks_[first] = static_cast<std::uint32_t>(count);
        lowest_ = std::min(lowest_, last);
    }
    // The last page of the first stretch of `count` pages or more: mostly the lowest of all.
    std::size_t first_of(std::int32_t count) noexcept {
        if (free_to_.at(lowest_) == 0)
            lowest_ = free_to_.first_of(1);
        return free_to_.at(lowest_) >= count ? lowest_ : free_to_.first_of(count);
    }
    std::size_t free_before(std::size_t page) const noexcept {
        return page == 0 ? 0 : static_cast<std::size_t>(free_to_.at(page - 1));
    }
    std::size_t free_from(std::size_t page) const noexcept {
        return page == pages_ || (marks_[page] & out) ? 0 : marks_[page];
    }

    range where_;
    std::size_t pages_;
    std::size_t lowest_; // no free stretch ends before this page
    max_tree free_to_;
    std::vector<std::uint32_t> marks_;
};

} // namespace

struct slab_space::state {
    explicit state(page_size page)
        : page(page), shift(static_cast<unsigned>(std::countr_zero(page.bytes()))) {}

    std::size_t pages(std::size_t bytes) const noexcept {
        return (bytes >> shift) + ((bytes & (page.bytes() - 1)) != 0 || bytes == 0);
    }
    range piece(const slab& s, std::size_t first, std::size_t count) const noexcept {
        return {s.where().begin() + (first << shift), count << shift};
    }
    // The last slab that begins at or below an address.
    std::size_t slab_below(std::uintptr_t address) const noexcept {
        const auto above =
            std::upper_bound(slabs.begin(), slabs.end(), address,
                             [](std::uintptr_t a, const slab& s) { return a < s.where().begin(); });
        return static_cast<std::size_t>(above - slabs.begin()) - 1;
    }
    void refuse_slab(const range& r) const;
    void refill(max_tree&& empty_rooms) noexcept;

    // The slab with the first `count` free pages in a row; null where there are none.
    slab* take(std::size_t count, std::size_t& first) noexcept {
        if (count > static_cast<std::size_t>(rooms.largest()))
            return nullptr;
        const auto which = rooms.first_of(static_cast<std::int32_t>(count));
        auto& s = slabs[which];
        stretches += s.take(count, first);
        rooms.set(which, s.largest_free());
        out_pages += count;
        return &s;
    }

    page_size page;
    unsigned shift;
    std::vector<slab> slabs; // by address
    max_tree rooms{0};       // the largest free stretch of each
    std::size_t pieces = 0;
    std::size_t out_pages = 0;
    std::ptrdiff_t stretches = 0;
};

void slab_space::state::refuse_slab(const range& r) const {
    if (r.empty() || page.down(r.begin()) != r.begin() || page.down(r.bytes()) != r.bytes())
        refuse("slab", r, fmt::format("is not whole pages of {} bytes", page.bytes()));
    if (r.bytes() >> shift > INT32_MAX)
        refuse("slab", r, "has more than 2147483647 pages");
    for (const auto& s : slabs)
        if (s.where().overlaps(r))
            refuse("slab", r, "overlaps a slab that is there");
}

void slab_space::state::refill(max_tree&& empty_rooms) noexcept {
    rooms = std::move(empty_rooms);
    for (std::size_t i = 0; i < slabs.size(); ++i)
        rooms.set(i, slabs[i].largest_free());
}

slab_space::slab_space(page_size page) : state_(std::make_unique<state>(page)) {}
slab_space::~slab_space() = default;
slab_space::slab_space(slab_space&&) noexcept = default;
slab_space& slab_space::operator=(slab_space&&) noexcept = default;

void slab_space::add_slab(const range& slab_range) {
    state_->refuse_slab(slab_range);
    auto& slabs = state_->slabs;
    max_tree rooms(slabs.size() + 1); // before anything changes: it may not find the memory
    const auto place = state_->slab_below(slab_range.begin()) + 1;
    slabs.emplace(slabs.begin() + static_cast<std::ptrdiff_t>(place), slab_range,
                  slab_range.bytes() >> state_->shift);
    ++state_->stretches;
    state_->refill(std::move(rooms));
}

std::optional<range> slab_space::take(std::size_t bytes) {
    const auto count = state_->pages(bytes);
    std::size_t first = 0;
    auto* s = state_->take(count, first);
    if (!s)
        return std::nullopt;
    s->mark_piece(first, count);
    ++state_->pieces;
    return state_->piece(*s, first, count);
}

bool slab_space::take_batch(std::span<const std::size_t> sizes, std::span<range> out) {
    if (sizes.size() != out.size())
        throw invalid_argument({"slab_space", "out"},
                               fmt::format("{} places for {} sizes", out.size(), sizes.size()));
    std::size_t total = 0;
    for (const auto bytes : sizes)
        if ((total += state_->pages(bytes)) > INT32_MAX)
            return false;
    if (total == 0)
        return true;
    std::size_t first = 0;
    auto* s = state_->take(total, first);
    if (!s)
        return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto count = state_->pages(sizes[i]);
        s->mark_piece(first, count);
        out[i] = state_->piece(*s, first, count);
        first += count;
    }
    state_->pieces += sizes.size();
    return true;
}

void slab_space::give_back(const range& piece) {
    auto& st = *state_;
    const auto which = st.slab_below(piece.begin());
    if (piece.empty() || which >= st.slabs.size() || !st.slabs[which].where().contains(piece))
        refuse("piece", piece, "is in no slab");
    auto& s = st.slabs[which];
    const auto first = (piece.begin() - s.where().begin()) >> st.shift;
    const auto count = piece.bytes() >> st.shift;
    if (st.piece(s, first, count) != piece || !s.is_piece(first, count))
        refuse("piece", piece, "was not handed out, or was given back before");
    st.stretches += s.give_back(first, count);
    st.rooms.set(which, s.largest_free());
    st.out_pages -= count;
    --st.pieces;
}

std::vector<range> slab_space::release_empty() {
    std::vector<range> released;
    for (const auto& s : state_->slabs)
        if (s.empty())
            released.push_back(s.where());
    max_tree rooms(state_->slabs.size() - released.size());
    std::erase_if(state_->slabs, [](const slab& s) { return s.empty(); });
    state_->stretches -= static_cast<std::ptrdiff_t>(released.size());
    state_->refill(std::move(rooms));
    return released;
}

slab_space::statistics slab_space::stats() const noexcept {
    const auto& st = *state_;
    std::size_t bytes = 0;
    for (const auto& s : st.slabs)
        bytes += s.where().bytes();
    return {st.slabs.size(),
            bytes,
            st.pieces,
            st.out_pages << st.shift,
            static_cast<std::size_t>(st.stretches),
            static_cast<std::size_t>(st.rooms.largest()) << st.shift};
}

page_size slab_space::page() const noexcept { return state_->page; }

} // namespace cmm
