// SPDX-License-Identifier: Apache-2.0
// What cmm.hpp has beyond the conformance table: lifetimes, lists of every kind, the pmr adaptor,
// conversions.
#include <boost/test/unit_test.hpp>
#include <cmm/cmm.hpp>
#include <cmm/sim.h>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

struct machine {
    machine() { cmm::driver::open(cmm::driver::simulated{"devices=2;numa_nodes=2"}); }
    ~machine() {
        cmm::drain();
        cmm_sim_live left{};
        cmm_sim_live_counts(&left);
        BOOST_TEST(left.managed_allocations == 0U);
        BOOST_TEST(cmm_sim_use_after_free_count() == 0U);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hpp, machine)

BOOST_AUTO_TEST_CASE(locations_are_values) {
    static_assert(cmm::location(cmm::device{1}) == cmm::location(cmm::device{1}));
    static_assert(cmm::location(cmm::host{}) != cmm::location(cmm::device{0}));
    static_assert(!std::is_constructible_v<cmm::device, bool> &&
                  !std::is_constructible_v<cmm::device, double>);
    static_assert(!std::is_convertible_v<int, cmm::location>);
    static_assert(!std::is_constructible_v<cmm::stream_ref, int>);
    const std::unordered_set<cmm::location> set{cmm::host{}, cmm::device{0}, cmm::host::numa(1),
                                                cmm::host{}};
    BOOST_TEST(set.size() == 3U);
    BOOST_TEST(cmm::to_string(cmm::host::numa(1)) == "host_numa:1");
    BOOST_CHECK_THROW(cmm::device{-1}, cmm::invalid_argument);
    BOOST_CHECK_THROW(cmm::location::from(9, 0), cmm::invalid_argument);
    BOOST_CHECK_THROW(cmm::range(reinterpret_cast<void*>(UINTPTR_MAX), 2), cmm::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_moved_from_buffer_is_closed_and_no_plain_range) {
    const cmm::managed_memory_resource resource;
    auto a = resource.allocate(4096);
    const auto b = std::move(a);
    BOOST_TEST(a.is_closed());
    BOOST_CHECK_THROW(cmm::prefetch(a, cmm::device{0}, cmm::stream_ref::legacy()), cmm::closed);
    BOOST_CHECK_THROW(cmm::managed_buffer().size(), cmm::closed);
    BOOST_TEST(b.size() == 4096U);
}

BOOST_AUTO_TEST_CASE(a_closed_stream_is_not_the_legacy_stream) {
    const cmm::managed_memory_resource resource;
    const auto a = resource.allocate(4096);
    cmm::stream s;
    s.close();
    BOOST_TEST(s.is_closed());
    BOOST_CHECK_THROW(cmm::prefetch(a, cmm::device{0}, s), cmm::closed);
}

BOOST_AUTO_TEST_CASE(a_view_outlives_its_buffer) {
    auto view = [] {
        const cmm::managed_memory_resource resource;
        auto b = resource.allocate(4096);
        auto v = b.as_span<int>();
        b.close();
        cmm::collect();
        return v;
    }();
    view[1023] = 7;
    BOOST_TEST(view.size() == 1024U);
    BOOST_TEST(std::accumulate(view.begin() + 1, view.end(), -view[0]) != 0);
}

BOOST_AUTO_TEST_CASE(a_view_of_items_that_do_not_fit_is_refused) {
    const cmm::managed_memory_resource resource;
    const auto b = resource.allocate(10);
    BOOST_CHECK_THROW(b.as_span<int>(), cmm::invalid_argument);
}

BOOST_AUTO_TEST_CASE(lists_longer_than_the_stack_holds_are_taken) {
    const auto arena = cmm::managed_memory_resource::arena();
    const auto buffers = arena.allocate_batch(std::vector<std::size_t>(100, 4096));
    cmm::stream s;
    const auto r = cmm::prefetch(buffers, cmm::device{1}, s);
    BOOST_TEST(r.ranges_in == 100U);
    BOOST_TEST(r.ranges_out == 1U);
    s.sync();
    BOOST_TEST((buffers[99].last_prefetch_location() == cmm::location(cmm::device{1})));
}

BOOST_AUTO_TEST_CASE(accessed_by_reads_as_a_set) {
    const cmm::managed_memory_resource resource;
    auto a = resource.allocate(4096);
    auto b = resource.allocate(4096);
    a.accessed_by() = {cmm::device{1}, cmm::host{}};
    b.accessed_by() = a.accessed_by();
    std::string seen;
    for (const auto l : b.accessed_by())
        seen += cmm::to_string(l) + " ";
    BOOST_TEST(seen == "device:1 host ");
    BOOST_TEST(b.accessed_by().contains(cmm::host{}));
    b.accessed_by().clear();
    BOOST_TEST(b.accessed_by().empty());
    auto set = a.accessed_by();
    a.close();
    BOOST_CHECK_THROW(set.size(), cmm::closed);
}

BOOST_AUTO_TEST_CASE(an_owner_is_kept_until_the_buffer_is_done) {
    const auto owner = std::make_shared<std::vector<unsigned char>>(4096);
    auto b = cmm::buffer::from_handle(owner->data(), owner->size(), owner);
    BOOST_TEST(owner.use_count() == 2);
    b.close();
    BOOST_TEST(owner.use_count() == 1);
    BOOST_CHECK_THROW(cmm::managed_buffer::from_handle(owner->data(), 4096, owner),
                      cmm::invalid_argument);
    BOOST_TEST(owner.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(standard_containers_live_in_managed_memory) {
    cmm::pmr_resource managed;
    std::pmr::vector<int> numbers(&managed);
    for (int i = 0; i < 10000; ++i)
        numbers.push_back(i);
    cmm::stream s;
    const cmm::range bytes(numbers.data(), numbers.size() * sizeof(int));
    cmm::prefetch(bytes, cmm::device{0}, s);
    s.sync();
    BOOST_TEST((cmm::last_prefetch_location(bytes) == cmm::location(cmm::device{0})));
    BOOST_TEST(std::accumulate(numbers.begin(), numbers.end(), 0) == 49995000);
    BOOST_TEST(managed.upstream().is_arena());
    BOOST_CHECK_THROW((void)managed.allocate(1, 1 << 20), std::bad_alloc);
}

BOOST_AUTO_TEST_CASE(warnings_come_once_with_their_key) {
    const cmm::managed_memory_resource resource;
    const auto a = resource.allocate(4096);
    const auto b = resource.allocate(4096);
    std::string keys;
    cmm::set_warning_handler(
        [](std::string_view key, std::string_view, void* user) {
            *static_cast<std::string*>(user) += std::string(key) + " ";
        },
        &keys);
    cmm::copy_options prefer;
    prefer.overlap_mode = cmm::overlap_mode::prefer_overlap_with_compute;
    cmm::stream s;
    cmm::copy_to(a, b, s, prefer);
    cmm::copy_to(a, b, s, prefer);
    cmm::set_warning_handler(nullptr, nullptr);
    BOOST_TEST(keys == "copy_batch.options.overlap_mode ");
}

BOOST_AUTO_TEST_CASE(events_order_streams) {
    cmm::stream a;
    cmm::stream b;
    const auto start = a.record(true);
    b.wait(start);
    b.wait(a);
    const auto end = b.record(true);
    end.sync();
    BOOST_TEST(end.done());
    BOOST_TEST(end.nanoseconds_since(start) >= 0.0);
    BOOST_TEST(a.device().ordinal() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
