// SPDX-License-Identifier: Apache-2.0
// Slabs: which pages of which slab are free. Pure bookkeeping of addresses: the memory behind them
// is the owner's business, and so is locking.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>
export module cmm.slabs;
import cmm.error;
import cmm.range;

export namespace cmm {

// Pieces are whole pages; the lowest address that fits is taken first, so that consecutive pieces
// touch and free space stays together. Freed neighbours become one free stretch at once. Taking and
// giving back cost the logarithm of the number of pages, to the base of eight, and never
// allocate: a slab brings its bookkeeping, about nine bytes a page. Not thread-safe.
class CMM_API slab_space {
public:
    explicit slab_space(page_size page);
    ~slab_space();
    slab_space(slab_space&&) noexcept;
    slab_space& operator=(slab_space&&) noexcept;

    // Adds a slab of whole pages; slabs never merge with each other, even where they touch. Throws
    // invalid_argument where it is empty, does not begin and end on a page, has 2^31 pages or more,
    // or overlaps another slab.
    void add_slab(const range& slab);
    // A piece for `bytes` (rounded up to pages, at least one); nothing where no slab has room for
    // it.
    std::optional<range> take(std::size_t bytes);
    // Pieces that touch in the order given, all in one slab; all or nothing. Each piece begins on a
    // page, and is given back by itself. Throws invalid_argument unless `out` has the length of
    // `sizes`.
    bool take_batch(std::span<const std::size_t> sizes, std::span<range> out);
    // Gives a piece back, exactly as it was handed out. Throws invalid_argument, and changes
    // nothing, where no such piece is out.
    void give_back(const range& piece);
    // The slabs that are wholly free, which leave the space.
    std::vector<range> release_empty();

    struct statistics {
        std::size_t slabs, slab_bytes, pieces, piece_bytes, free_stretches, largest_free;
    };
    statistics stats() const noexcept;
    page_size page() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace cmm
