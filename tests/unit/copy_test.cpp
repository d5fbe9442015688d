// SPDX-License-Identifier: Apache-2.0
// copy_batch and copy_to: what they copy, what they refuse, which copies become one.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;
using boost::unit_test::precondition;

// One buffer is no batch.
template <class Src, class Dst>
concept batch_copyable = requires(const Src& src, const Dst& dst, const stream& s) {
    copy_batch(s, src, dst);
};
static_assert(!batch_copyable<buffer, buffer>);
static_assert(!batch_copyable<managed_buffer, managed_buffer>);
static_assert(!batch_copyable<buffer, std::vector<buffer>>);
static_assert(!batch_copyable<std::vector<buffer>, managed_buffer>);
static_assert(batch_copyable<std::vector<managed_buffer>, std::vector<managed_buffer>>);
static_assert(batch_copyable<std::vector<buffer>, std::vector<managed_buffer>>);

namespace {

struct world {
    machine here{"devices=2"};
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib),
                   d = mr.allocate(64 * kib);
    range part(const buffer& of, std::size_t offset, std::size_t bytes) const {
        return {of.handle() + offset, bytes};
    }
};

std::string batch_name() { return std::string(driver::copy_batch_entry()); }

} // namespace

BOOST_FIXTURE_TEST_SUITE(copying, world)

BOOST_AUTO_TEST_CASE(many_buffers_are_copied_pairwise) {
    fill(a, 1);
    fill(b, 2);
    const auto r = copy_batch(s, {a, b}, {c, d});
    s.sync();
    BOOST_TEST(all_bytes(c, 1));
    BOOST_TEST(all_bytes(d, 2));
    BOOST_TEST(r.ranges_in == 2U);
    BOOST_TEST(r.ranges_out == 2U);
    BOOST_TEST(r.bytes == 128 * kib);
}

BOOST_AUTO_TEST_CASE(one_buffer_is_copied_by_copy_to_and_copy_from) {
    fill(a, 3);
    copy_to(a, b, s);
    copy_from(c, b, s);
    c.copy_to(d, s);
    s.sync();
    BOOST_TEST(all_bytes(d, 3));
    a.copy_from(d, s);
    s.sync();
}

BOOST_AUTO_TEST_CASE(one_copy_is_a_single_call_on_every_driver) {
    cmm_sim_record_clear();
    const auto r = copy_to(a, b, s);
    BOOST_TEST(sent().size() == 1U);
    BOOST_TEST(cmm_sim_calls("cuMemcpyAsync") == 1U);
    BOOST_TEST(r.entry == "cuMemcpyAsync@4000");
    s.sync();
}

BOOST_AUTO_TEST_CASE(copies_go_in_stream_order) {
    fill(a, 8);
    const holding back;
    copy_batch(s, {a, a}, {b, c});
    BOOST_TEST(!s.done());
    BOOST_TEST(!all_bytes(b, 8));
    cmm_sim_release();
    s.sync();
    BOOST_TEST(all_bytes(b, 8));
    BOOST_TEST(all_bytes(c, 8));
}

BOOST_AUTO_TEST_CASE(every_kind_of_memory_is_copied) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    const auto on_device = device_memory_resource().allocate(4096);
    std::vector<unsigned char> pageable(4096, 6), back(4096);
    const auto managed = a.slice(0, 4096);
    copy_to(range(pageable.data(), 4096), pinned, s);
    copy_to(pinned, on_device, s);
    copy_to(on_device, managed, s);
    copy_to(managed, range(back.data(), 4096), s);
    s.sync();
    BOOST_TEST(back == pageable, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(zero_size_pairs_are_skipped) {
    const auto nothing = mr.allocate(0);
    cmm_sim_record_clear();
    BOOST_TEST(copy_batch(s, {nothing}, {nothing}).ranges_in == 0U);
    BOOST_TEST(sent_names() == "");
    BOOST_TEST(copy_batch(s, {nothing, a}, {nothing, b}).ranges_in == 1U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_range_onto_itself_is_left_out) {
    cmm_sim_record_clear();
    BOOST_TEST(copy_batch(s, {a}, {a}).calls == 0U);
    BOOST_TEST(sent_names() == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(copies_refused, world)

BOOST_AUTO_TEST_CASE(no_sources) {
    refuses<invalid_argument>(
        [&] { copy_batch(s, std::vector<managed_buffer>(), std::vector<managed_buffer>()); },
        {"srcs", {}, {"no sources"}});
}

BOOST_AUTO_TEST_CASE(lists_of_different_lengths) {
    refuses<invalid_argument>([&] { copy_batch(s, {a, b}, {c}); },
                              {"dsts", {}, {"1 destinations for 2 sources"}});
    refuses<invalid_argument>(
        [&] { copy_batch(s, {a, b}, {c, d}, {copy_options{}, copy_options{}, copy_options{}}); },
        {"options", {}, {"3 options for 2 copies"}});
}

BOOST_AUTO_TEST_CASE(sizes_that_differ) {
    refuses<invalid_argument>(
        [&] { copy_batch(s, {a, part(b, 0, 100)}, {c, part(d, 0, 101)}); },
        {"dsts", 1U, {"101 bytes", "100 bytes of srcs[1]", "sizes must match"}});
    refuses<invalid_argument>([&] { copy_to(part(a, 0, 1), b, s); }, {"dsts", 0U});
}

BOOST_AUTO_TEST_CASE(closed_buffers) {
    b.close();
    refuses<closed>([&] { copy_batch(s, {a, b}, {c, d}); }, {"srcs", 1U});
    refuses<closed>([&] { copy_batch(s, {a, c}, {d, b}); }, {"dsts", 1U});
}

BOOST_AUTO_TEST_CASE(a_closed_stream) {
    s.close();
    refuses<closed>([&] { copy_batch(s, {a}, {b}); }, {"stream"});
}

BOOST_AUTO_TEST_CASE(ranges_beyond_their_allocation) {
    refuses<invalid_argument>([&] { copy_batch(s, {part(a, 1, 64 * kib)}, {part(b, 0, 64 * kib)}); },
                              {"srcs", 0U, {"leave their allocation"}});
    refuses<invalid_argument>(
        [&] { copy_batch(s, {c, part(b, 0, 64 * kib)}, {d, part(a, 1, 64 * kib)}); }, {"dsts", 1U});
}

BOOST_AUTO_TEST_CASE(copies_that_overlap_within_themselves) {
    refuses<invalid_argument>([&] { copy_batch(s, {part(a, 0, 200)}, {part(a, 100, 200)}); },
                              {"srcs", 0U});
}

BOOST_AUTO_TEST_CASE(two_copies_to_one_place) {
    try {
        copy_batch(s, {part(a, 0, 200), b, part(a, 400, 200)}, {part(c, 0, 200), d, part(c, 100, 200)});
        BOOST_TEST(false);
    } catch (const invalid_argument& e) {
        BOOST_TEST(e.argument() == "dsts");
        BOOST_TEST((e.index() == 0U));
        BOOST_TEST((e.other_index() == 2U));
    }
    BOOST_TEST(cmm_sim_calls("cuMemcpyAsync") == 0U);
}

BOOST_AUTO_TEST_CASE(a_copy_that_reads_what_another_writes) {
    try {
        copy_batch(s, {a, b}, {b, c});
        BOOST_TEST(false);
    } catch (const invalid_argument& e) {
        BOOST_TEST(e.argument() == "srcs");
        BOOST_TEST((e.index() == 1U));
        BOOST_TEST((e.other_index() == 0U));
    }
    BOOST_TEST(sent_names().find("cuMemcpy") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_that_are_none) {
    // What a zero-initialised struct of another language holds.
    copy_options zero;
    zero.src_access_order = static_cast<src_access_order>(0);
    refuses<invalid_argument>([&] { copy_batch(s, {a}, {b}, zero); },
                              {"options", {}, {"0 is no src_access_order", "1 (stream)"}});
    copy_options odd;
    odd.overlap_mode = static_cast<overlap_mode>(2);
    refuses<invalid_argument>([&] { copy_batch(s, {a, b}, {c, d}, {copy_options{}, odd}); },
                              {"options", 1U, {"2 is no overlap_mode"}});
    refuses<invalid_argument>(
        [&] { copy_batch(s, {a}, {b}, copy_options{.src_location_hint = device{5}}); },
        {"options", {}, {"device:5 is not there"}});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(copies_merged, world)

BOOST_AUTO_TEST_CASE(neighbours_on_both_sides_are_one_copy) {
    fill(a, 9);
    std::vector<range> from, to;
    for (std::size_t i = 0; i < 16; ++i) {
        from.push_back(part(a, i * 4096, 4096));
        to.push_back(part(b, i * 4096, 4096));
    }
    std::swap(from[3], from[12]);
    std::swap(to[3], to[12]);
    cmm_sim_record_clear();
    const auto r = copy_batch(s, from, to);
    BOOST_TEST(r.ranges_out == 1U);
    BOOST_REQUIRE(sent().size() == 1U);
    BOOST_TEST(sent()[0].bytes == 64 * kib);
    BOOST_TEST(sent()[0].address == b.handle());
    BOOST_TEST(sent()[0].source == a.handle());
    s.sync();
    BOOST_TEST(all_bytes(b, 9));
}

BOOST_AUTO_TEST_CASE(one_side_alone_does_not_merge) {
    const auto r = copy_batch(s, {part(a, 0, 100), part(a, 100, 100)},
                              {part(b, 0, 100), part(b, 200, 100)});
    BOOST_TEST(r.ranges_out == 2U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_gap_of_one_byte_keeps_copies_apart) {
    const auto r = copy_batch(s, {part(a, 0, 100), part(a, 101, 100)},
                              {part(b, 0, 100), part(b, 101, 100)});
    BOOST_TEST(r.ranges_out == 2U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(allocations_do_not_merge) {
    const auto left = mr.allocate(2 * mib), right = mr.allocate(2 * mib), to = mr.allocate(4 * mib);
    const auto r = copy_batch(s, {left, right}, {part(to, 0, 2 * mib), part(to, 2 * mib, 2 * mib)});
    BOOST_TEST(r.ranges_out == 2U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(other_options_do_not_merge) {
    const copy_options any{.src_access_order = src_access_order::any};
    const auto r = copy_batch(s, {part(a, 0, 100), part(a, 100, 100)},
                              {part(b, 0, 100), part(b, 100, 100)}, {copy_options{}, any});
    BOOST_TEST(r.ranges_out == 2U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(pageable_neighbours_merge_by_address) {
    std::vector<unsigned char> host_side(8192, 5);
    const auto at = reinterpret_cast<std::uintptr_t>(host_side.data());
    const auto r = copy_batch(s, {range(at, 4096), range(at + 4096, 4096)},
                              {part(a, 0, 4096), part(a, 4096, 4096)});
    BOOST_TEST(r.ranges_out == 1U);
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(copies_by_the_batch, world)

BOOST_AUTO_TEST_CASE(scattered_copies_are_one_call, *precondition(since{12080})) {
    cmm_sim_record_clear();
    const auto r = copy_batch(s, {a, b}, {c, d});
    BOOST_TEST(sent_names() == batch_name());
    BOOST_TEST(r.calls == 1U);
    BOOST_TEST((r.strategy == strategy::driver_batch));
    BOOST_TEST(r.entry == batch_name());
    s.sync();
}

BOOST_AUTO_TEST_CASE(copy_by_copy_can_be_asked_for) {
    cmm_sim_record_clear();
    const auto r = copy_batch(s, {a, b}, {c, d}, {}, {.strategy = strategy::per_range});
    BOOST_TEST(sent_names() == "cuMemcpyAsync@0 cuMemcpyAsync@0");
    BOOST_TEST((r.strategy == strategy::per_range));
    s.sync();
}

BOOST_AUTO_TEST_CASE(below_12_8_copies_go_one_by_one, *precondition(below{12080})) {
    const auto r = copy_batch(s, {a, b}, {c, d});
    BOOST_TEST(r.calls == 2U);
    BOOST_TEST(r.reason == "this driver has no batch entry point");
    s.sync();
}

BOOST_AUTO_TEST_CASE(equal_options_are_one_attribute, *precondition(since{12080})) {
    const copy_options any{.src_access_order = src_access_order::any};
    cmm_sim_record_clear();
    copy_batch(s, {part(a, 0, 64), part(a, 128, 64), part(a, 256, 64), part(a, 384, 64)},
               {part(b, 0, 64), part(b, 128, 64), part(b, 256, 64), part(b, 384, 64)},
               {any, copy_options{}, any, copy_options{}});
    BOOST_REQUIRE(sent().size() == 1U);
    BOOST_TEST(sent()[0].count == 4U);
    BOOST_TEST(sent()[0].attributes == 2U);
    s.sync();
}

BOOST_AUTO_TEST_CASE(one_option_struct_serves_all, *precondition(since{12080})) {
    const copy_options hinted{.src_location_hint = host{}, .dst_location_hint = device{1}};
    cmm_sim_record_clear();
    const auto r = copy_batch(s, {a, b}, {c, d}, hinted);
    BOOST_REQUIRE(sent().size() == 1U);
    BOOST_TEST(sent()[0].attributes == 1U);
    BOOST_TEST(r.reason == "options need the batch entry point");
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_single_copy_with_options_goes_by_the_batch, *precondition(since{12080})) {
    cmm_sim_record_clear();
    copy_to(a, b, s, {.src_access_order = src_access_order::any});
    BOOST_TEST(sent_names() == batch_name());
    s.sync();
}

BOOST_AUTO_TEST_CASE(huge_batches_go_in_chunks, *precondition(since{12080})) {
    constexpr std::size_t many = 4096 + 10;
    const auto from = mr.allocate(2 * many * 16), to = mr.allocate(2 * many * 16);
    std::vector<range> srcs, dsts;
    for (std::size_t i = 0; i < many; ++i) {
        srcs.push_back(part(from, 2 * i * 16, 16));
        dsts.push_back(part(to, 2 * i * 16, 16));
    }
    fill(from, 4);
    cmm_sim_record_clear();
    const auto r = copy_batch(s, srcs, dsts);
    BOOST_TEST(r.calls == 2U);
    BOOST_REQUIRE(sent().size() == 2U);
    BOOST_TEST(sent()[0].count == 4096U);
    BOOST_TEST(sent()[1].count == 10U);
    s.sync();
    BOOST_TEST(int{to.as_span<unsigned char>()[2 * (many - 1) * 16]} == 4);
    cmm_sim_fault(batch_name().substr(0, batch_name().find('@')).c_str(), 2, 1);
    BOOST_CHECK_EXCEPTION(copy_batch(s, srcs, dsts), driver_error, [](const driver_error& e) {
        return e.issued() == 4096U &&
               std::string(e.what()).find("10 copies, behind 4096") != std::string::npos;
    });
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_failing_single_copy_shows_addresses_and_size) {
    cmm_sim_fault("cuMemcpyAsync", 1, 1);
    try {
        copy_to(a, b, s);
        BOOST_TEST(false);
    } catch (const driver_error& e) {
        char source[32];
        std::snprintf(source, sizeof source, "%p", a.data());
        BOOST_TEST((e.index() == 0U));
        BOOST_TEST(e.argument() == "srcs");
        for (const char* word : {"cuMemcpyAsync", "65536 bytes", static_cast<const char*>(source)})
            BOOST_TEST(std::string(e.what()).find(word) != std::string::npos, e.what());
    }
}

BOOST_AUTO_TEST_CASE(copies_issued_before_a_failure_keep_their_buffers) {
    {
        const holding back;
        cmm_sim_fault("cuMemcpyAsync", 2, 1);
        BOOST_CHECK_THROW(copy_batch(s, {a, b}, {c, d}, {}, {.strategy = strategy::per_range}),
                          driver_error);
        for (auto* each : {&a, &b, &c, &d})
            each->close();
        BOOST_TEST(cmm_sim_use_after_free_count() == 0U);
    }
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(during_the_call, world)

namespace {
constexpr copy_options during{.src_access_order = src_access_order::during_api_call};
} // namespace

BOOST_AUTO_TEST_CASE(a_temporary_host_source_may_go_at_once) {
    const holding back;
    {
        std::vector<unsigned char> temporary(4096, 11);
        copy_to(range(temporary.data(), 4096), part(b, 0, 4096), s, during);
        std::ranges::fill(temporary, 99);
    }
    cmm_sim_release();
    s.sync();
    BOOST_TEST(int{b.as_span<unsigned char>()[4095]} == 11);
}

BOOST_AUTO_TEST_CASE(a_pinned_source_may_be_written_at_once) {
    const auto pinned = pinned_memory_resource().allocate(4096);
    fill(pinned, 12);
    const holding back;
    copy_to(pinned, part(b, 0, 4096), s, during);
    fill(pinned, 99);
    cmm_sim_release();
    s.sync();
    BOOST_TEST(int{b.as_span<unsigned char>()[0]} == 12);
}

BOOST_AUTO_TEST_CASE(below_12_8_small_host_sources_are_staged_in_pinned_memory,
                     *precondition(below{12080})) {
    std::vector<unsigned char> temporary(4096, 11);
    cmm_sim_record_clear();
    {
        const holding back;
        copy_to(range(temporary.data(), 4096), part(b, 0, 4096), s, during);
        BOOST_TEST(cmm_sim_calls("cuMemHostAlloc") == 1U);
        BOOST_TEST(cmm_sim_calls("cuStreamSynchronize") == 0U);
        BOOST_TEST(live().pinned_allocations == 1U);
    }
    s.sync();
    collect();
    BOOST_TEST(live().pinned_allocations == 0U);
}

BOOST_AUTO_TEST_CASE(below_12_8_larger_sources_are_waited_for, *precondition(below{12080})) {
    std::vector<unsigned char> temporary(128 * kib, 11);
    const auto to = mr.allocate(128 * kib);
    cmm_sim_record_clear();
    copy_to(range(temporary.data(), temporary.size()), to, s, during);
    BOOST_TEST(cmm_sim_calls("cuMemHostAlloc") == 0U);
    BOOST_TEST(cmm_sim_calls("cuStreamSynchronize") == 1U);
    BOOST_TEST(s.done());
    BOOST_TEST(all_bytes(to, 11));
}

BOOST_AUTO_TEST_CASE(from_12_8_on_the_driver_keeps_it, *precondition(since{12080})) {
    std::vector<unsigned char> temporary(4096, 11);
    cmm_sim_record_clear();
    copy_to(range(temporary.data(), 4096), part(b, 0, 4096), s, during);
    BOOST_TEST(sent_names() == batch_name());
    s.sync();
}

BOOST_AUTO_TEST_SUITE_END()
