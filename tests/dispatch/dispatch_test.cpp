// SPDX-License-Identifier: Apache-2.0
// Which entry point serves which operation on which driver: a rule times a row of the table.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "support/machine.hpp"

using namespace cmm;
using namespace cmm::test;
namespace data = boost::unit_test::data;

namespace {

// What each generation of drivers serves an operation with; empty: not supported there.
struct row {
    int level;
    std::string advise, prefetch, prefetches, discards, discard_prefetches, copies;
    bool numa;
};

const std::string advise_by_ordinal = "cuMemAdvise@8000", advise_by_location = "cuMemAdvise@12020",
                  prefetch_by_ordinal = "cuMemPrefetchAsync@8000",
                  prefetch_by_location = "cuMemPrefetchAsync@12020";

std::string twice(const std::string& name) { return name + ' ' + name; }

const row rows[] = {
    {11080, advise_by_ordinal, prefetch_by_ordinal, twice(prefetch_by_ordinal), "", "",
     twice("cuMemcpyAsync"), false},
    {12020, advise_by_location, prefetch_by_location, twice(prefetch_by_location), "", "",
     twice("cuMemcpyAsync"), true},
    {12080, advise_by_location, prefetch_by_location, twice(prefetch_by_location), "", "",
     "cuMemcpyBatchAsync@12080", true},
    {13000, advise_by_location, prefetch_by_location, "cuMemPrefetchBatchAsync@13000",
     "cuMemDiscardBatchAsync@13000", "cuMemDiscardAndPrefetchBatchAsync@13000",
     "cuMemcpyBatchAsync@13000", true},
};

// A row may be had by a ceiling on a new driver, or by an old driver.
enum class way { ceiling, old_driver };

std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.level; }
std::ostream& operator<<(std::ostream& out, way w) {
    return out << (w == way::ceiling ? "ceiling" : "old driver");
}

std::string config_of(const row& r, way w) {
    return w == way::ceiling ? "devices=2;numa_nodes=2"
                             : fmt::format("devices=2;numa_nodes=2;version={}", r.level);
}

struct world {
    machine here;
    managed_memory_resource mr;
    stream s;
    managed_buffer a = mr.allocate(64 * kib), b = mr.allocate(64 * kib), c = mr.allocate(64 * kib),
                   d = mr.allocate(64 * kib);

    // The level is named on an old driver too: the environment must not lower it further.
    world(const row& r, way w) : here(config_of(r, w), r.level) {}

    template <class Body> std::string sent_by(Body body) {
        cmm_sim_record_clear();
        body();
        s.sync();
        return without_zero(sent_names());
    }

private:
    // An entry point that has had one form only is recorded without a version.
    static std::string without_zero(std::string names) {
        for (std::size_t at; (at = names.find("@0")) != names.npos;)
            names.erase(at, 2);
        return names;
    }
};

constexpr way both_ways[] = {way::ceiling, way::old_driver};
const auto table = data::make(rows) * data::make(both_ways);

} // namespace

BOOST_AUTO_TEST_SUITE(dispatch)

BOOST_DATA_TEST_CASE(the_level_is_what_was_asked_for, table, r, w) {
    const world here(r, w);
    BOOST_TEST(driver::get_facts().level == r.level);
    BOOST_TEST(driver::get_facts().version == (w == way::ceiling ? 13000 : r.level));
    BOOST_TEST(driver::get_facts().simulated);
}

BOOST_DATA_TEST_CASE(one_advice, table, r, w) {
    world here(r, w);
    BOOST_TEST(here.sent_by([&] {
        advise(here.a, advice::set_preferred_location, device{1});
    }) == r.advise);
    BOOST_TEST((page_of(here.a).preferred_type == 1 && page_of(here.a).preferred_id == 1));
    here.sent_by([&] { advise(here.a, advice::set_preferred_location, host{}); });
    BOOST_TEST(page_of(here.a).preferred_type == 2);
    here.a.accessed_by() = {device{1}, host{}};
    BOOST_TEST(page_of(here.a).accessed_by_devices == 2U);
    BOOST_TEST(page_of(here.a).accessed_by_host == 1);
}

BOOST_DATA_TEST_CASE(one_prefetch, table, r, w) {
    world here(r, w);
    BOOST_TEST(here.sent_by([&] { prefetch(here.a, device{1}, here.s); }) == r.prefetch);
    BOOST_TEST((page_of(here.a).resident_type == 1 && page_of(here.a).resident_id == 1));
    BOOST_TEST(here.sent_by([&] { prefetch(here.a, host{}, here.s); }) == r.prefetch);
    BOOST_TEST(page_of(here.a).resident_type == 2);
}

BOOST_DATA_TEST_CASE(several_prefetches, table, r, w) {
    world here(r, w);
    BOOST_TEST(here.sent_by([&] {
        prefetch({here.a, here.b}, device{0}, here.s, {.strategy = strategy::driver_batch});
    }) == r.prefetches);
    BOOST_TEST(page_of(here.b).resident_type == 1);
}

BOOST_DATA_TEST_CASE(discards, table, r, w) {
    world here(r, w);
    const auto discarding = [&] { discard({here.a, here.b}, here.s); };
    if (r.discards.empty())
        refuses<not_supported>(discarding, {{}, {}, {fmt::format("CUDA {}.{}", r.level / 1000,
                                                                 r.level % 1000 / 10)}});
    else
        BOOST_TEST(here.sent_by(discarding) == r.discards);
}

BOOST_DATA_TEST_CASE(discards_with_prefetch, table, r, w) {
    world here(r, w);
    const auto discarding = [&] { discard_prefetch(here.a, device{0}, here.s); };
    if (r.discard_prefetches.empty())
        refuses<not_supported>(discarding, {{}});
    else
        BOOST_TEST(here.sent_by(discarding) == r.discard_prefetches);
}

BOOST_DATA_TEST_CASE(copies, table, r, w) {
    world here(r, w);
    fill(here.a, 1);
    fill(here.b, 2);
    BOOST_TEST(here.sent_by([&] {
        copy_batch(here.s, {here.a, here.b}, {here.c, here.d});
    }) == r.copies);
    BOOST_TEST(all_bytes(here.c, 1));
    BOOST_TEST(all_bytes(here.d, 2));
}

BOOST_DATA_TEST_CASE(numa_locations, table, r, w) {
    world here(r, w);
    const auto preferring = [&] { here.a.preferred_location(host::numa(1)); };
    const auto moving = [&] { here.a.prefetch(host::numa(1), here.s); };
    BOOST_TEST(supports(device{0}, operation::numa_locations) == r.numa);
    if (!r.numa) {
        refuses<not_supported>(preferring, {"locations", {}, {"CUDA 12.2"}});
        refuses<not_supported>(moving, {"locations", {}, {"CUDA 12.2"}});
        return;
    }
    BOOST_TEST(here.sent_by(preferring) == r.advise);
    BOOST_TEST((here.a.preferred_location() == host::numa(1)));
    BOOST_TEST(here.sent_by(moving) == r.prefetch);
    BOOST_TEST((here.a.last_prefetch_location() == host::numa(1)));
}

BOOST_DATA_TEST_CASE(properties_tell_the_same_on_every_row, table, r, w) {
    world here(r, w);
    auto& a = here.a;
    BOOST_TEST(!a.preferred_location().has_value());
    a.preferred_location(host{});
    BOOST_TEST((a.preferred_location() == location(host{})));
    a.preferred_location(device{1});
    BOOST_TEST((a.preferred_location() == location(device{1})));
    BOOST_TEST(!a.last_prefetch_location().has_value());
    a.prefetch(device{1}, here.s);
    BOOST_TEST((a.last_prefetch_location() == location(device{1})));
    a.prefetch(host{}, here.s);
    BOOST_TEST((a.last_prefetch_location() == location(host{})));
    BOOST_TEST(!a.read_mostly());
    here.s.sync();
}

BOOST_DATA_TEST_CASE(a_property_is_asked_in_the_form_of_the_row, table, r, w) {
    world here(r, w);
    set_current(device{0});
    cmm_sim_record_clear();
    here.a.preferred_location();
    BOOST_TEST(cmm_sim_record_count() == 1U);
    BOOST_TEST(cmm_sim_calls(r.numa ? "cuMemRangeGetAttributes" : "cuMemRangeGetAttribute") == 1U);
    driver::pop_context();
}

BOOST_DATA_TEST_CASE(the_legacy_stream_works_on_every_row, table, r, w) {
    world here(r, w);
    set_current(device{0});
    fill(here.a, 5);
    copy_batch(stream_ref::legacy(), {here.a, here.b}, {here.c, here.d});
    prefetch({here.a, here.b}, device{0}, stream_ref::legacy());
    synchronize(stream_ref::legacy());
    BOOST_TEST(all_bytes(here.c, 5));
    BOOST_TEST(page_of(here.a).resident_type == 1);
    driver::pop_context();
}

BOOST_DATA_TEST_CASE(what_can_be_asked_agrees_with_the_row, table, r, w) {
    const world here(r, w);
    const auto& can = driver::get_features();
    BOOST_TEST(can.locations == r.numa);
    BOOST_TEST(can.discard_batch == !r.discards.empty());
    BOOST_TEST(can.discard_prefetch_batch == !r.discard_prefetches.empty());
    BOOST_TEST(can.prefetch_batch == (r.level >= 13000));
    BOOST_TEST(can.copy_batch == (r.level >= 12080));
    BOOST_TEST(supports(device{0}, operation::discard) == can.discard_batch);
    BOOST_TEST(supports(device{0}, operation::batches) == can.prefetch_batch);
    BOOST_TEST(supports(device{0}, operation::copy_batch));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gates)

// Versions promise, pointers are what counts: each operation falls back to the row below. Names are
// hidden in all their forms: where only the newest is missing, a look-up answers with the one before.
struct gap {
    std::string hidden;
    std::string prefetches, copies;
};
const gap gaps[] = {
    {"cuMemPrefetchBatchAsync", "cuMemPrefetchAsync@12020 cuMemPrefetchAsync@12020",
     "cuMemcpyBatchAsync@13000"},
    {"cuMemcpyBatchAsync", "cuMemPrefetchBatchAsync@13000", "cuMemcpyAsync@0 cuMemcpyAsync@0"},
};
std::ostream& operator<<(std::ostream& out, const gap& g) { return out << g.hidden; }

BOOST_DATA_TEST_CASE(a_missing_symbol_falls_back, data::make(gaps), g) {
    const machine here("hide=" + g.hidden, 13000);
    const managed_memory_resource mr;
    const stream s;
    const auto a = mr.allocate(4096), b = mr.allocate(4096), c = mr.allocate(4096),
               d = mr.allocate(4096);
    cmm_sim_record_clear();
    prefetch({a, b}, device{0}, s, {.strategy = strategy::driver_batch});
    BOOST_TEST(sent_names() == g.prefetches);
    cmm_sim_record_clear();
    copy_batch(s, {a, b}, {c, d});
    BOOST_TEST(sent_names() == g.copies);
    s.sync();
}

BOOST_AUTO_TEST_CASE(a_missing_discard_is_not_supported) {
    const machine here("hide=cuMemDiscardBatchAsync", 13000);
    const stream s;
    const auto a = managed_memory_resource().allocate(4096);
    refuses<not_supported>([&] { discard(a, s); }, {{}});
    BOOST_CHECK_NO_THROW(discard_prefetch(a, device{0}, s));
    s.sync();
}

BOOST_AUTO_TEST_CASE(each_look_up_is_told) {
    const machine here("hide=cuMemDiscardBatchAsync", 12080);
    std::size_t found = 0, above = 0;
    for (const auto& l : driver::get_facts().lookups) {
        BOOST_TEST(l.found == (l.why == "found"));
        found += l.found;
        above += l.why == "above the API level";
        if (l.version > 12080)
            BOOST_TEST(!l.found, l.name);
    }
    BOOST_TEST(found > 40U);
    BOOST_TEST(above >= 4U);
}

BOOST_AUTO_TEST_CASE(a_symbol_is_found_by_name_and_version_under_the_ceiling) {
    const machine here("", 12080);
    BOOST_TEST(driver::symbol("cuMemAdvise", 12020) != driver::symbol("cuMemAdvise", 8000));
    BOOST_TEST(driver::symbol("cuMemcpyBatchAsync", 12080) != nullptr);
    BOOST_TEST(driver::symbol("cuMemcpyBatchAsync", 13000) == nullptr);
    BOOST_TEST(driver::symbol("cuNoSuchCall", 8000) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
