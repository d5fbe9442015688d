// SPDX-License-Identifier: Apache-2.0
// Slabs: where pieces come from, that they never overlap, and that nothing is lost.
#include "support/allocations.hpp"
#include "support/random.hpp"
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

import cmm.error;
import cmm.range;
import cmm.slabs;

using namespace cmm;
using namespace cmm::test;

namespace {

constexpr page_size page{4096};
constexpr std::uintptr_t base = 0x7f0000000000;

range pages(std::size_t first, std::size_t count) { return {base + first * 4096, count * 4096}; }

slab_space space_of(std::initializer_list<range> slabs) {
    slab_space s(page);
    for (const auto& r : slabs)
        s.add_slab(r);
    return s;
}

std::size_t place(const std::optional<range>& piece) {
    return (piece.value().begin() - base) / 4096;
}

// One flag a page and no other idea: the lowest place where enough pages are free in one slab.
class flags {
public:
    explicit flags(std::vector<range> slabs) : slabs_(std::move(slabs)) {
        for (const auto& s : slabs_)
            for (auto a = s.begin(); a < s.end(); a += 4096)
                free_[a] = true;
    }
    std::optional<range> take(std::size_t bytes) {
        const auto wanted = std::max<std::size_t>(1, (bytes + 4095) / 4096) * 4096;
        for (const auto& s : slabs_)
            for (auto a = s.begin(); a + wanted <= s.end(); a += 4096)
                if (all(a, wanted, true)) {
                    put(a, wanted, false);
                    return range(a, wanted);
                }
        return std::nullopt;
    }
    void put(std::uintptr_t at, std::size_t bytes, bool is_free) {
        for (auto a = at; a < at + bytes; a += 4096)
            free_.at(a) = is_free;
    }
    // Stretches of free pages, and the longest.
    std::pair<std::size_t, std::size_t> stretches() const {
        std::size_t count = 0, longest = 0;
        for (const auto& s : slabs_) {
            std::size_t length = 0;
            for (auto a = s.begin(); a < s.end(); a += 4096) {
                length = free_.at(a) ? length + 4096 : 0;
                count += length == 4096;
                longest = std::max(longest, length);
            }
        }
        return {count, longest};
    }

private:
    bool all(std::uintptr_t at, std::size_t bytes, bool is_free) const {
        for (auto a = at; a < at + bytes; a += 4096)
            if (free_.at(a) != is_free)
                return false;
        return true;
    }
    std::vector<range> slabs_;
    std::map<std::uintptr_t, bool> free_;
};

// Pieces that are out, each once: a piece that overlaps another cannot be added.
class pieces_out {
public:
    bool add(const range& piece) {
        const auto next = out_.lower_bound(piece.begin());
        const bool apart = (next == out_.end() || piece.end() <= next->first) &&
                           (next == out_.begin() || std::prev(next)->second <= piece.begin());
        out_.emplace(piece.begin(), piece.end());
        list_.push_back(piece);
        bytes_ += piece.bytes();
        return apart;
    }
    range remove_any(dice& d) {
        std::swap(list_[d.below(list_.size())], list_.back());
        const auto piece = list_.back();
        list_.pop_back();
        out_.erase(piece.begin());
        bytes_ -= piece.bytes();
        return piece;
    }
    std::size_t size() const { return list_.size(); }
    std::size_t bytes() const { return bytes_; }

private:
    std::map<std::uintptr_t, std::uintptr_t> out_;
    std::vector<range> list_;
    std::size_t bytes_ = 0;
};

void check_refused(slab_space& s, const range& piece) {
    const auto before = s.stats();
    BOOST_CHECK_EXCEPTION(s.give_back(piece), invalid_argument,
                          [](const invalid_argument& e) { return e.argument() == "piece"; });
    BOOST_TEST(s.stats().piece_bytes == before.piece_bytes);
    BOOST_TEST(s.stats().free_stretches == before.free_stretches);
}

} // namespace

BOOST_AUTO_TEST_SUITE(slabs)

BOOST_AUTO_TEST_CASE(a_space_without_slabs_has_no_room) {
    slab_space s(page);
    BOOST_TEST(!s.take(1));
    BOOST_TEST(s.release_empty().empty());
}

BOOST_AUTO_TEST_CASE(pieces_are_whole_pages_and_at_least_one) {
    auto s = space_of({pages(0, 8)});
    BOOST_TEST((s.take(1) == pages(0, 1)));
    BOOST_TEST((s.take(4097) == pages(1, 2)));
    BOOST_TEST((s.take(0) == pages(3, 1)));
}

BOOST_AUTO_TEST_CASE(consecutive_pieces_touch) {
    auto s = space_of({pages(0, 100)});
    for (std::size_t i = 0; i < 100; ++i)
        BOOST_TEST(place(s.take(4096)) == i);
    BOOST_TEST(!s.take(1));
}

BOOST_AUTO_TEST_CASE(the_lowest_place_that_fits_is_taken) {
    auto s = space_of({pages(0, 100)});
    std::vector<range> out;
    for (std::size_t i = 0; i < 20; ++i)
        out.push_back(*s.take(4096));
    s.give_back(out[3]);
    s.give_back(out[8]);
    s.give_back(out[9]);
    BOOST_TEST(place(s.take(8192)) == 8U);
    BOOST_TEST(place(s.take(4096)) == 3U);
    BOOST_TEST(place(s.take(4096)) == 20U);
}

BOOST_AUTO_TEST_CASE(a_lower_slab_comes_first_whenever_it_was_added) {
    auto s = space_of({pages(1000, 10), pages(0, 10)});
    BOOST_TEST(place(s.take(10 * 4096)) == 0U);
    BOOST_TEST(place(s.take(4096)) == 1000U);
}

BOOST_AUTO_TEST_CASE(freed_neighbours_become_one_stretch) {
    auto s = space_of({pages(0, 3)});
    const auto a = *s.take(1), b = *s.take(1), c = *s.take(1);
    s.give_back(a);
    s.give_back(c);
    BOOST_TEST(s.stats().free_stretches == 2U);
    s.give_back(b);
    BOOST_TEST(s.stats().free_stretches == 1U);
    BOOST_TEST(place(s.take(3 * 4096)) == 0U);
}

BOOST_AUTO_TEST_CASE(slabs_that_touch_stay_apart) {
    auto s = space_of({pages(0, 4), pages(4, 4)});
    BOOST_TEST(s.stats().free_stretches == 2U);
    BOOST_TEST(!s.take(5 * 4096));
    const auto a = *s.take(4 * 4096), b = *s.take(4 * 4096);
    s.give_back(a);
    s.give_back(b);
    BOOST_TEST(!s.take(5 * 4096));
    BOOST_TEST(s.release_empty().size() == 2U);
}

BOOST_AUTO_TEST_CASE(sizes_that_no_slab_can_hold_find_no_room) {
    auto s = space_of({pages(0, 4)});
    BOOST_TEST(!s.take(4 * 4096 + 1));
    BOOST_TEST(!s.take(SIZE_MAX));
    BOOST_TEST(s.stats().pieces == 0U);
}

BOOST_AUTO_TEST_CASE(a_batch_touches_in_the_order_given) {
    auto s = space_of({pages(0, 100)});
    const std::array<std::size_t, 3> sizes{5000, 1, 0};
    std::array<range, 3> out;
    BOOST_TEST(s.take_batch(sizes, out));
    BOOST_TEST((out[0] == pages(0, 2) && out[1] == pages(2, 1) && out[2] == pages(3, 1)));
    s.give_back(out[1]);
    BOOST_TEST(s.stats().pieces == 2U);
    BOOST_TEST(place(s.take(1)) == 2U);
}

BOOST_AUTO_TEST_CASE(a_batch_that_fits_in_no_slab_takes_nothing) {
    auto s = space_of({pages(0, 4), pages(100, 4)});
    std::array<range, 2> out;
    BOOST_TEST(!s.take_batch(std::array<std::size_t, 2>{3 * 4096, 3 * 4096}, out));
    BOOST_TEST(!s.take_batch(std::array<std::size_t, 2>{SIZE_MAX, SIZE_MAX}, out));
    BOOST_TEST((s.stats().pieces == 0U && s.stats().piece_bytes == 0U));
    BOOST_TEST(s.take_batch({}, {}));
}

BOOST_AUTO_TEST_CASE(a_batch_needs_a_place_for_every_size) {
    auto s = space_of({pages(0, 4)});
    std::array<range, 1> out;
    BOOST_CHECK_THROW(s.take_batch(std::array<std::size_t, 2>{1, 1}, out), invalid_argument);
}

BOOST_AUTO_TEST_CASE(what_was_not_handed_out_is_not_taken_back) {
    auto s = space_of({pages(0, 8)});
    const auto piece = *s.take(2 * 4096);
    s.take(4096);
    check_refused(s, pages(0, 1));                       // a part of a piece
    check_refused(s, pages(1, 1));                       // its second page
    check_refused(s, pages(0, 3));                       // two pieces at once
    check_refused(s, pages(4, 4));                       // free
    check_refused(s, range(piece.begin(), 0));           // nothing
    check_refused(s, range(base + 8 * 4096, 0));         // nothing, at the very end
    check_refused(s, range(piece.begin(), 8191));        // not whole pages
    check_refused(s, range(piece.begin() + 1, 8192));    // not on a page
    check_refused(s, pages(7, 2));                       // over the end
    check_refused(s, pages(50, 1));                      // elsewhere
    check_refused(s, range(std::uintptr_t{4096}, 4096)); // below every slab
    s.give_back(piece);
    check_refused(s, piece); // a second time
}

BOOST_AUTO_TEST_CASE(a_piece_that_went_back_between_free_neighbours_is_out_no_more) {
    auto s = space_of({pages(0, 4)});
    const auto a = *s.take(4096), b = *s.take(4096), c = *s.take(4096);
    s.give_back(a);
    s.give_back(c);
    s.give_back(b);
    for (const auto& piece : {a, b, c})
        check_refused(s, piece);
}

BOOST_AUTO_TEST_CASE(a_slab_that_cannot_be_one_is_refused) {
    auto s = space_of({pages(10, 10)});
    const auto refused = [&](const range& slab) {
        BOOST_CHECK_EXCEPTION(s.add_slab(slab), invalid_argument,
                              [](const invalid_argument& e) { return e.argument() == "slab"; });
    };
    refused({});
    refused(range(base + 1, 4096));
    refused(range(base, 5000));
    refused(pages(19, 2));
    refused(pages(0, 11));
    refused(pages(0, 100));
    refused(range(std::uintptr_t{0}, std::size_t{1} << 43U)); // 2^31 pages
    BOOST_TEST(s.stats().slabs == 1U);
}

BOOST_AUTO_TEST_CASE(only_slabs_that_are_wholly_free_are_released) {
    auto s = space_of({pages(0, 4), pages(100, 4), pages(200, 4)});
    const auto a = *s.take(4 * 4096), b = *s.take(4096);
    BOOST_TEST((s.release_empty() == std::vector{pages(200, 4)}));
    s.give_back(a);
    BOOST_TEST((s.release_empty() == std::vector{pages(0, 4)}));
    BOOST_TEST(place(s.take(1)) == 101U);
    s.give_back(b);
    BOOST_TEST(s.release_empty().empty());
    s.add_slab(pages(0, 4)); // released, so that it can come again
    BOOST_TEST(s.stats().slabs == 2U);
}

BOOST_AUTO_TEST_CASE(the_statistics_count_what_is_there) {
    auto s = space_of({pages(0, 10), pages(100, 20)});
    s.take(3 * 4096);
    s.take(15 * 4096);
    const auto st = s.stats();
    BOOST_TEST(st.slabs == 2U);
    BOOST_TEST(st.slab_bytes == 30U * 4096);
    BOOST_TEST(st.pieces == 2U);
    BOOST_TEST(st.piece_bytes == 18U * 4096);
    BOOST_TEST(st.free_stretches == 2U);
    BOOST_TEST(st.largest_free == 7U * 4096);
}

BOOST_AUTO_TEST_CASE(a_space_moves_with_all_that_is_in_it) {
    auto s = space_of({pages(0, 4)});
    const auto piece = *s.take(4096);
    auto moved = std::move(s);
    moved.give_back(piece);
    BOOST_TEST(moved.stats().pieces == 0U);
}

BOOST_AUTO_TEST_CASE(every_choice_is_that_of_a_search_page_by_page) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        dice d(seed);
        const std::vector<range> slabs{pages(0, d.between(1, 9)), pages(9, d.between(1, 150)),
                                       pages(200, d.between(1, 70))};
        slab_space s(page);
        for (const auto& r : slabs)
            s.add_slab(r);
        flags model(slabs);
        pieces_out out;
        for (int i = 0; i < 400; ++i) {
            if (out.size() > 0 && d.below(100) < 45) {
                const auto piece = out.remove_any(d);
                s.give_back(piece);
                model.put(piece.begin(), piece.bytes(), true);
            } else {
                const auto bytes = d.below(d.below(4) ? 4 * 4096 : 30 * 4096);
                const auto piece = s.take(bytes);
                BOOST_TEST_REQUIRE((piece == model.take(bytes)));
                if (piece)
                    out.add(*piece);
            }
            const auto [stretches, longest] = model.stretches();
            BOOST_TEST_REQUIRE(s.stats().free_stretches == stretches);
            BOOST_TEST_REQUIRE(s.stats().largest_free == longest);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_million_operations_leave_no_overlap_no_leak_and_no_fragment) {
    dice d(2026);
    slab_space s(page);
    for (std::size_t i = 0; i < 5; ++i)
        s.add_slab(pages(i * 20000, 16384));
    pieces_out out;
    std::size_t full = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        if (out.size() > 0 && d.below(100) < 49) {
            s.give_back(out.remove_any(d));
            continue;
        }
        const auto piece = s.take(d.below(d.below(8) ? 8 * 4096 : 400 * 4096));
        full += !piece;
        BOOST_TEST_REQUIRE((!piece || out.add(*piece)));
    }
    BOOST_TEST(full > 0U); // the end of the space was met too
    BOOST_TEST((s.stats().pieces == out.size() && s.stats().piece_bytes == out.bytes()));
    while (out.size() > 0)
        s.give_back(out.remove_any(d));
    BOOST_TEST((s.stats().pieces == 0U && s.stats().piece_bytes == 0U));
    BOOST_TEST(s.stats().free_stretches == 5U);
    BOOST_TEST(s.stats().largest_free == 16384U * 4096);
    BOOST_TEST(s.release_empty().size() == 5U);
}

BOOST_AUTO_TEST_CASE(taking_and_giving_back_allocates_nothing) {
    auto s = space_of({pages(0, 1000), pages(5000, 1000)});
    const std::array<std::size_t, 4> sizes{4096, 100, 8192, 1};
    std::array<range, 4> out;
    const auto round = [&] {
        const auto big = s.take(999 * 4096);
        s.take_batch(sizes, out);
        for (const auto& piece : out)
            s.give_back(piece);
        s.give_back(*big);
    };
    BOOST_TEST(allocations_of(round) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
