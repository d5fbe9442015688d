// SPDX-License-Identifier: Apache-2.0
// Buffers: what they tell, slices, host views, memory of others.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;

static_assert(!std::is_copy_constructible_v<buffer> && std::is_nothrow_move_constructible_v<buffer>);
static_assert(std::is_nothrow_move_constructible_v<managed_buffer>);

namespace {

struct world {
    machine here{"devices=2"};
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib);
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(buffers, world)

BOOST_AUTO_TEST_CASE(a_buffer_tells_of_its_memory) {
    BOOST_TEST(a.size() == 64 * kib);
    BOOST_TEST(a.handle() == reinterpret_cast<std::uintptr_t>(a.data()));
    BOOST_TEST((a.extent() == range(a.data(), a.size())));
    BOOST_TEST((a.kind() == memory_kind::managed));
    BOOST_TEST(a.is_managed());
    const auto on_device = device_memory_resource(device{1}).allocate(10);
    BOOST_TEST((on_device.kind() == memory_kind::device));
    BOOST_TEST(on_device.device().ordinal() == 1);
    BOOST_TEST(on_device.size() == 10U);
    BOOST_TEST(!on_device.is_managed());
    BOOST_TEST((pinned_memory_resource().allocate(10).kind() == memory_kind::pinned));
}

BOOST_AUTO_TEST_CASE(its_own_memory_is_told_without_asking_the_driver) {
    BOOST_TEST(driver_calls_of([&] {
                   (void)a.kind();
                   (void)a.device();
                   (void)a.size();
                   (void)a.extent();
               }) == 0U);
}

BOOST_AUTO_TEST_CASE(a_default_buffer_is_closed) {
    const buffer nothing;
    BOOST_TEST(nothing.is_closed());
    refuses<closed>([&] { (void)nothing.size(); }, {"buffer"});
    refuses<closed>([&] { (void)nothing.data(); }, {"buffer"});
    refuses<closed>([&] { (void)nothing.handle(); }, {"buffer"});
    refuses<closed>([&] { (void)nothing.kind(); }, {"buffer"});
}

BOOST_AUTO_TEST_CASE(closing_is_idempotent_and_final) {
    a.close();
    a.close();
    a.close(s);
    BOOST_TEST(a.is_closed());
    BOOST_TEST(live().managed_allocations == 0U);
    refuses<closed>([&] { (void)a.size(); }, {"buffer", {}, {"the buffer was closed"}});
    refuses<closed>([&] { (void)a.as_span<char>(); }, {"buffer"});
    refuses<closed>([&] { (void)a.slice(0, 1); }, {"buffer"});
    BOOST_TEST(cmm_sim_calls("cuMemFree") == 0U); // the record was cleared behind the only one
}

BOOST_AUTO_TEST_CASE(moving_moves_the_memory) {
    const auto handle = a.handle();
    auto moved = std::move(a);
    BOOST_TEST(a.is_closed());
    BOOST_TEST(moved.handle() == handle);
    auto other = mr.allocate(4096);
    other = std::move(moved);
    BOOST_TEST(other.handle() == handle);
}

BOOST_AUTO_TEST_CASE(zero_bytes_make_an_open_empty_buffer) {
    const auto calls = driver_calls_of([&] {
        const auto nothing = mr.allocate(0);
        BOOST_TEST(!nothing.is_closed());
        BOOST_TEST(nothing.size() == 0U);
        BOOST_TEST(nothing.as_span<int>().size() == 0U);
        BOOST_TEST(nothing.slice(0, 0).size() == 0U);
    });
    BOOST_TEST(calls == 0U);
    BOOST_TEST(device_memory_resource().allocate(0).size() == 0U);
    BOOST_TEST(pinned_memory_resource().allocate(0).size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(slices, world)

BOOST_AUTO_TEST_CASE(a_slice_is_a_part) {
    const auto part = a.slice(100, 50);
    BOOST_TEST(part.handle() == a.handle() + 100);
    BOOST_TEST(part.size() == 50U);
    const auto inner = part.slice(10, 40);
    BOOST_TEST(inner.handle() == a.handle() + 110);
    BOOST_TEST(a.slice(a.size(), 0).size() == 0U);
    BOOST_TEST(a.slice(0, a.size()).size() == a.size());
}

BOOST_AUTO_TEST_CASE(a_part_that_does_not_lie_inside_is_refused) {
    refuses<invalid_argument>([&] { (void)a.slice(64 * kib + 1, 0); }, {"offset"});
    refuses<invalid_argument>([&] { (void)a.slice(1, 64 * kib); },
                              {"bytes", {}, {"[1, 1 + 65536)", "65536 bytes"}});
    refuses<invalid_argument>([&] { (void)a.slice(1, SIZE_MAX); }, {"bytes"});
    refuses<invalid_argument>([&] { (void)a.slice(SIZE_MAX, 1); }, {"offset"});
    const auto part = a.slice(0, 100);
    refuses<invalid_argument>([&] { (void)part.slice(50, 51); }, {"bytes"});
}

BOOST_AUTO_TEST_CASE(a_slice_keeps_its_parents_memory) {
    auto part = a.slice(4096, 4096);
    a.close();
    BOOST_TEST(a.is_closed());
    BOOST_TEST(!part.is_closed());
    fill(part, 1);
    prefetch(part, device{0}, s);
    s.sync();
    const auto inner = part.slice(0, 10);
    part.close();
    BOOST_TEST(live().managed_allocations == 1U);
    BOOST_TEST(int{inner.as_span<unsigned char>()[0]} == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(host_views, world)

BOOST_AUTO_TEST_CASE(a_view_is_a_typed_span) {
    auto ints = a.as_span<std::int32_t>();
    BOOST_TEST(ints.size() == a.size() / 4);
    ints[7] = 42;
    std::span<std::int32_t> plain = ints;
    BOOST_TEST(plain[7] == 42);
    BOOST_TEST(static_cast<void*>(ints.data()) == a.data());
    BOOST_TEST((ints.end() - ints.begin()) == static_cast<std::ptrdiff_t>(ints.size()));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_whole_items_are_refused) {
    refuses<invalid_argument>([&] { (void)a.slice(0, 10).as_span<std::int32_t>(); },
                              {"buffer", {}, {"10 bytes", "items of 4 bytes"}});
    refuses<invalid_argument>([&] { (void)a.slice(1, 8).as_span<std::int32_t>(); }, {"buffer"});
}

BOOST_AUTO_TEST_CASE(device_memory_has_no_view) {
    const auto on_device = device_memory_resource().allocate(4096);
    refuses<not_supported>([&] { (void)on_device.as_span<char>(); },
                           {"buffer", {}, {"device memory", "copy it to a managed or pinned"}});
}

BOOST_AUTO_TEST_CASE(a_view_puts_the_free_off) {
    auto view = a.as_span<unsigned char>();
    a.close();
    view[0] = 9;
    BOOST_TEST(live().managed_allocations == 1U);
    {
        const auto moved = std::move(view);
        BOOST_TEST(int{moved[0]} == 9);
    }
    BOOST_TEST(live().managed_allocations == 0U);
}

BOOST_AUTO_TEST_CASE(the_last_of_several_views_frees) {
    auto first = std::make_unique<host_view<char>>(a.as_span<char>());
    auto second = std::make_unique<host_view<char>>(a.slice(0, 8).as_span<char>());
    a.close();
    first.reset();
    BOOST_TEST(live().managed_allocations == 1U);
    second.reset();
    BOOST_TEST(live().managed_allocations == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(borrowed_buffers, world)

BOOST_AUTO_TEST_CASE(they_free_nothing) {
    { const auto borrowed = buffer::from_handle(a.data(), a.size()); }
    BOOST_TEST(live().managed_allocations == 1U);
    BOOST_TEST(cmm_sim_calls("cuMemFree") == 0U);
}

BOOST_AUTO_TEST_CASE(their_kind_is_asked_each_time) {
    const auto borrowed = buffer::from_handle(a.data(), a.size());
    BOOST_TEST(driver_calls_of([&] { (void)borrowed.kind(); }) == 1U);
    BOOST_TEST((borrowed.kind() == memory_kind::managed));
    std::vector<char> system(10);
    BOOST_TEST((buffer::from_handle(system.data(), 10).kind() == memory_kind::pageable));
}

BOOST_AUTO_TEST_CASE(a_null_address_with_bytes_is_refused) {
    refuses<invalid_argument>([] { buffer::from_handle(nullptr, 1); }, {"address", {}, {"null"}});
    refuses<invalid_argument>([&] { buffer::from_handle(a.data(), SIZE_MAX); }, {"bytes"});
}

BOOST_AUTO_TEST_CASE(the_owner_lives_until_the_work_is_done) {
    auto owner = std::make_shared<int>(1);
    const std::weak_ptr<int> watch = owner;
    {
        const holding back;
        auto borrowed = managed_buffer::from_handle(a.data(), a.size(), std::move(owner));
        prefetch(borrowed, device{0}, s);
        borrowed.close();
        BOOST_TEST(!watch.expired());
    }
    s.sync();
    collect();
    BOOST_TEST(watch.expired());
}

BOOST_AUTO_TEST_CASE(a_range_that_leaves_its_allocation_is_found_at_use) {
    const auto too_long = buffer::from_handle(a.data(), a.size() + 1);
    refuses<invalid_argument>([&] { prefetch(too_long, device{0}, s); }, {"targets", 0U});
}

BOOST_AUTO_TEST_SUITE_END()
