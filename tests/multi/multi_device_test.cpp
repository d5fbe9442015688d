// SPDX-License-Identifier: Apache-2.0
// Several devices of one host. The same program runs on the simulated driver and on real devices; where
// there is only one it says so and skips. It never holds more than 64 MiB of managed memory.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmm/sim.h>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

import cmm;

namespace {

using namespace cmm;

constexpr std::size_t kib = 1024;
constexpr std::size_t piece = 64 * kib;

boost::test_tools::assertion_result several_devices(boost::unit_test::test_unit_id) {
    return driver::available() && device_count() >= 2;
}
boost::test_tools::assertion_result simulated(boost::unit_test::test_unit_id) {
    return driver::available() && driver::get_facts().simulated && device_count() >= 2;
}

std::vector<location> everyone() {
    std::vector<location> out;
    for (int i = 0; i < device_count(); ++i)
        out.emplace_back(device{i});
    out.emplace_back(host{});
    return out;
}

stream stream_on(int ordinal) { return stream({.device = device{ordinal}}); }

bool all_bytes(const buffer& b, unsigned char value) {
    const auto view = b.as_span<unsigned char>();
    return std::all_of(view.begin(), view.end(), [&](unsigned char c) { return c == value; });
}

// A machine of its own for cases that need one that is not uniform; the environment's again afterwards.
struct odd_machine {
    explicit odd_machine(const std::string& config) {
        drain();
        driver::open(driver::simulated{config});
    }
    ~odd_machine() {
        drain();
        driver::open(driver::simulated{""});
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(multi_device, *boost::unit_test::precondition(several_devices))

BOOST_AUTO_TEST_CASE(accessed_by_takes_every_device_and_the_host) {
    auto b = managed_memory_resource().allocate(piece);
    const auto all = everyone();
    b.accessed_by().assign(all);
    BOOST_TEST((b.accessed_by().items() == all));
    b.accessed_by().clear();
    BOOST_TEST(b.accessed_by().empty());
}

BOOST_AUTO_TEST_CASE(only_the_differences_of_accessed_by_reach_the_driver, *boost::unit_test::precondition(simulated)) {
    auto b = managed_memory_resource().allocate(piece);
    const auto all = everyone();
    b.accessed_by().assign(all);
    cmm_sim_record_clear();
    b.accessed_by().assign(all);
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 0U);
    b.accessed_by() = {device{1}};
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == all.size() - 1);
    cmm_sim_record_clear();
    b.accessed_by() = {device{0}, host{}};
    BOOST_TEST(cmm_sim_calls("cuMemAdvise") == 3U);
}

BOOST_AUTO_TEST_CASE(a_prefetch_goes_from_device_to_device_and_keeps_the_bytes) {
    auto b = managed_memory_resource().allocate(16 * piece);
    std::memset(b.data(), 0x5a, b.size());
    for (int i = 0; i < device_count(); ++i) {
        const auto s = stream_on(i);
        prefetch(b, device{i}, s);
        s.sync();
        BOOST_TEST((b.last_prefetch_location() == location(device{i})));
    }
    BOOST_TEST(all_bytes(b, 0x5a));
}

BOOST_AUTO_TEST_CASE(one_batch_pairs_targets_with_devices) {
    const auto all = everyone();
    auto arena = managed_memory_resource::arena({.slab_bytes = 2048 * kib});
    std::vector<managed_buffer> buffers;
    for (std::size_t i = 0; i < all.size(); ++i)
        buffers.push_back(arena.allocate(piece));
    const stream s;
    const auto r = prefetch(buffers, all, s);
    s.sync();
    BOOST_TEST(r.ranges_out == all.size()); // neighbours, but to different places
    for (std::size_t i = 0; i < all.size(); ++i)
        BOOST_TEST((buffers[i].last_prefetch_location() == all[i]));
}

BOOST_AUTO_TEST_CASE(a_stream_of_another_device_than_the_current_one_serves_and_the_current_one_stays) {
    set_current(device{0});
    const auto before = detail::any_context(0);
    const auto s = stream_on(1);
    auto b = managed_memory_resource().allocate(piece);
    prefetch(b, device{1}, s);
    BOOST_CHECK_THROW(prefetch(b, device{device_count()}, s), invalid_argument);
    s.sync();
    BOOST_TEST((s.device() == device{1}));
    BOOST_TEST(detail::any_context(0) == before);
    BOOST_TEST((b.last_prefetch_location() == location(device{1})));
}

BOOST_AUTO_TEST_CASE(a_discard_prefetch_names_the_device_without_concurrent_access,
                     *boost::unit_test::precondition(simulated)) {
    const odd_machine m("devices=2;concurrent=1,0");
    auto b = managed_memory_resource().allocate(piece);
    const stream s({.device = device{0}});
    BOOST_CHECK_EXCEPTION(discard_prefetch(b, device{0}, s), not_supported, [](const not_supported& e) {
        return std::string(e.what()).find("device:1") != std::string::npos;
    });
    const auto r = prefetch({b, b.slice(0, 0)}, device{0}, s); // single calls need it on the target alone
    s.sync();
    BOOST_TEST(r.calls == 1U);
}

BOOST_AUTO_TEST_CASE(copies_between_devices_carry_hints) {
    device_memory_resource first(device{0});
    device_memory_resource second(device{1});
    auto source = managed_memory_resource().allocate(piece);
    auto back = managed_memory_resource().allocate(piece);
    std::memset(source.data(), 0x33, source.size());
    const auto a = first.allocate(piece);
    const auto b = second.allocate(piece);
    const stream s;
    copy_to(source, a, s);
    copy_batch(s, std::array{target(a)}, std::array{target(b)},
               copy_options{.src_location_hint = device{0}, .dst_location_hint = device{1}});
    copy_to(b, back, s);
    s.sync();
    BOOST_TEST(all_bytes(back, 0x33));
}

BOOST_AUTO_TEST_CASE(an_arena_serves_threads_of_several_devices) {
    auto arena = managed_memory_resource::arena({.slab_bytes = 4096 * kib, .limit_bytes = 65536 * kib});
    std::atomic<int> wrong{0};
    const auto work = [&](int ordinal) {
        const auto s = stream_on(ordinal);
        for (int round = 0; round < 50; ++round) {
            auto b = arena.allocate(piece);
            std::memset(b.data(), ordinal + 1, b.size());
            prefetch(b, device{ordinal}, s);
            prefetch(b, host{}, s);
            s.sync();
            wrong += !all_bytes(b, static_cast<unsigned char>(ordinal + 1));
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < std::min(device_count(), 4); ++i)
        threads.emplace_back(work, i);
    for (auto& t : threads)
        t.join();
    drain();
    BOOST_TEST(wrong == 0);
    BOOST_TEST(arena.stats().pieces == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
