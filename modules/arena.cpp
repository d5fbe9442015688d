// SPDX-License-Identifier: Apache-2.0
// The arena: pieces of slabs whose advice is clean and whose work has finished.
module;
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>
module cmm.managed;
import :allocate;
import cmm.context;
import cmm.driver;
import cmm.trace;

namespace cmm::detail {

namespace {

constexpr page_size large_page{std::size_t{2} << 20};

// The driver's advice for a piece, all of it, taken back. False where the driver refuses.
bool reset_advice(const range& piece) noexcept {
    int found[65];
    const std::span<int> accessors(found, std::min<std::size_t>(driver::get_facts().devices.size() + 1, 65));
    bool clean = driver::ok(driver::advise(piece, advice::unset_read_mostly, host{})) &&
                 driver::ok(driver::advise(piece, advice::unset_preferred_location, host{}));
    // Pages may differ, and the query tells only what they share: every accessor is taken out.
    for (std::size_t i = 0; i + 1 < accessors.size(); ++i)
        clean = clean && driver::ok(driver::advise(piece, advice::unset_accessed_by, device{i}));
    return clean && driver::ok(driver::advise(piece, advice::unset_accessed_by, host{}));
}

bool clean_for_reuse(const buffer_state& root) noexcept {
    if (!root.advised.load(std::memory_order_relaxed) && !plain_ranges_were_advised()) [[likely]]
        return true;
    try {
        const current_context in(root.context);
        const relaxed_capture relaxed;
        return reset_advice(root.where);
    } catch (const error&) {
        return false;
    }
}

void give_piece_back(buffer_state& root) noexcept {
    const auto arena = std::static_pointer_cast<const arena_state>(root.owner);
    std::const_pointer_cast<arena_state>(arena)->give_back(root);
    root.owner.reset();
}

// At least `bytes` from a large page on; the driver aligns so by habit, not by promise.
std::uintptr_t aligned_slab(const place& p, std::size_t bytes) {
    const auto at = allocate_managed(p, bytes);
    if (large_page.down(at) == at) [[likely]]
        return at;
    {
        const current_context in(primary_context(p.device));
        const relaxed_capture relaxed;
        driver::free_memory(at);
    }
    return allocate_managed(p, bytes + large_page.bytes());
}

[[noreturn]] void refuse_limit(std::size_t asked, std::size_t total, std::size_t limit) {
    throw out_of_memory(error_kind::out_of_memory, {"allocate", "bytes"},
                        fmt::format("the arena has {} of at most {} bytes and needs a slab of {} more; close "
                                    "buffers, trim other arenas or raise limit_bytes",
                                    total, limit, asked),
                        static_cast<int>(driver::result::out_of_memory), "CUDA_ERROR_OUT_OF_MEMORY", "arena", 0);
}

} // namespace

arena_state::arena_state(const place& p, std::size_t slab_bytes, std::size_t limit_bytes)
    : place_(p), slab_bytes_(large_page.up(slab_bytes)), limit_(limit_bytes), space_(page_size::of_system()) {}

// The last buffer is gone, so every piece is back.
arena_state::~arena_state() {
    try {
        const current_context in(primary_context(place_.device));
        const relaxed_capture relaxed;
        for (const auto& s : slabs_)
            driver::free_memory(s.allocated);
    } catch (const error&) { // no context is left, and no memory with it
    }
}

// Not under the lock: running out of memory collects, and what is collected comes back to this arena.
void arena_state::grow(std::size_t bytes) {
    const auto wanted = std::max(slab_bytes_, large_page.up(bytes));
    {
        const std::lock_guard guard(lock_);
        if (wanted < bytes || (limit_ != 0 && wanted > limit_ - std::min(limit_, total_)))
            refuse_limit(wanted, total_, limit_);
        total_ += wanted;
    }
    try {
        const auto at = aligned_slab(place_, wanted);
        const std::lock_guard guard(lock_);
        const slab made{range(large_page.up(at), wanted), at};
        const auto begin = [](const slab& s) { return s.usable.begin(); };
        slabs_.insert(std::ranges::upper_bound(slabs_, made.usable.begin(), {}, begin), made);
        space_.add_slab(made.usable);
    } catch (...) {
        const std::lock_guard guard(lock_);
        total_ -= wanted;
        throw;
    }
}

const arena_state::slab& arena_state::slab_of(std::uintptr_t address) const {
    const auto behind =
        std::ranges::upper_bound(slabs_, address, {}, [](const slab& s) { return s.usable.begin(); });
    return *std::prev(behind);
}

// Under the lock. The piece goes back where the host has no memory for its root.
buffer_state* arena_state::as_root(const range& piece, std::size_t bytes) try {
    const auto& s = slab_of(piece.begin()).usable;
    return make_root({range(piece.begin(), bytes), memory_kind::managed, place_, s.begin(), s.bytes(),
                      piece.bytes() - bytes, &give_piece_back},
                     shared_from_this());
} catch (...) {
    space_.give_back(piece);
    throw;
}

buffer_state* arena_state::allocate(std::size_t bytes) {
    collect();
    for (;;) {
        {
            const std::lock_guard guard(lock_);
            if (const auto piece = space_.take(bytes)) [[likely]]
                return as_root(*piece, bytes);
        }
        grow(bytes);
    }
}

void arena_state::allocate_batch(std::span<const std::size_t> sizes, std::vector<buffer_state*>& out) {
    collect();
    const auto total = batch_bytes(sizes, 1);
    std::vector<range> pieces(sizes.size());
    for (;;) {
        {
            const std::lock_guard guard(lock_);
            if (space_.take_batch(sizes, pieces)) {
                for (std::size_t i = 0; i < sizes.size(); ++i)
                    out.push_back(as_root(pieces[i], sizes[i]));
                return;
            }
        }
        grow(total);
    }
}

void arena_state::give_back(buffer_state& root) noexcept {
    const bool clean = clean_for_reuse(root);
    const std::lock_guard guard(lock_);
    if (clean) // else the piece stays out: nobody gets memory with another's advice
        space_.give_back(range(root.where.begin(), root.where.bytes() + root.padding));
}

std::size_t arena_state::trim() {
    const std::lock_guard guard(lock_);
    const current_context in(primary_context(place_.device));
    const relaxed_capture relaxed;
    std::size_t freed = 0;
    for (const auto& empty : space_.release_empty()) {
        const auto at = std::ranges::find(slabs_, empty.begin(), [](const slab& s) { return s.usable.begin(); });
        driver::free_memory(at->allocated);
        freed += empty.bytes();
        slabs_.erase(at);
    }
    total_ -= freed;
    return freed;
}

slab_space::statistics arena_state::stats() const {
    const std::lock_guard guard(lock_);
    return space_.stats();
}

} // namespace cmm::detail
