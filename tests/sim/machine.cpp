// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

namespace machine_test {
namespace {

void run(void* body) { (*static_cast<const std::function<void()>*>(body))(); }

} // namespace

machine::machine(const std::string& config) : driver_(CMM_SIM_LIBRARY) {
    BOOST_TEST_REQUIRE(cmm_sim_reset(config.c_str()) == 0, cmm_sim_message());
    BOOST_TEST_REQUIRE((*this)("cuInit", 2000, 0U) == success);
    use(primary());
}

machine::~machine() { cmm_sim_reset("version=13000"); }

opaque machine::primary(int device) const {
    opaque context = nullptr;
    BOOST_TEST_REQUIRE((*this)("cuDevicePrimaryCtxRetain", 7000, &context, device) == success);
    return context;
}

void machine::use(opaque context) const {
    BOOST_TEST_REQUIRE((*this)("cuCtxSetCurrent", 4000, context) == success);
}

pointer machine::managed(std::size_t bytes) const {
    pointer memory = 0;
    BOOST_TEST_REQUIRE((*this)("cuMemAllocManaged", 6000, &memory, bytes, 1U) == success);
    return memory;
}

pointer machine::device_memory(std::size_t bytes) const {
    pointer memory = 0;
    BOOST_TEST_REQUIRE((*this)("cuMemAlloc", 3020, &memory, bytes) == success);
    return memory;
}

opaque machine::stream(unsigned flags) const {
    opaque made = nullptr;
    BOOST_TEST_REQUIRE((*this)("cuStreamCreate", 2000, &made, flags) == success);
    return made;
}

opaque machine::event(unsigned flags) const {
    opaque made = nullptr;
    BOOST_TEST_REQUIRE((*this)("cuEventCreate", 2000, &made, flags) == success);
    return made;
}

int machine::copy(pointer to, pointer from, std::size_t bytes, opaque on) const {
    return (*this)("cuMemcpyAsync", 4000, to, from, bytes, on);
}

int machine::fill(pointer to, unsigned char value, std::size_t bytes, opaque on) const {
    return (*this)("cuMemsetD8Async", 3020, to, value, bytes, on);
}

int machine::advise(pointer memory, std::size_t bytes, int advice, driver::location where) const {
    return (*this)("cuMemAdvise", 12020, memory, bytes, advice, where);
}

int machine::prefetch(pointer memory, std::size_t bytes, driver::location where, opaque on) const {
    return (*this)("cuMemPrefetchAsync", 12020, memory, bytes, where, 0U, on);
}

int machine::discard(pointer memory, std::size_t bytes, opaque on) const {
    return (*this)("cuMemDiscardBatchAsync", 13000, &memory, &bytes, std::size_t{1},
                   std::uint64_t{0}, on);
}

int machine::host_function(opaque on, const std::function<void()>& body) const {
    return (*this)("cuLaunchHostFunc", 10000, on, &run,
                   static_cast<void*>(const_cast<std::function<void()>*>(&body)));
}

int machine::attribute(int id, int device) const {
    int value = -77;
    BOOST_TEST_REQUIRE((*this)("cuDeviceGetAttribute", 2000, &value, id, device) == success);
    return value;
}

unsigned char* bytes_at(pointer memory) { return reinterpret_cast<unsigned char*>(memory); }

cmm_sim_page page_at(pointer memory) {
    cmm_sim_page state{};
    BOOST_TEST_REQUIRE(cmm_sim_page_state(memory, &state) == 0);
    return state;
}

cmm_sim_live live() {
    cmm_sim_live counts{};
    cmm_sim_live_counts(&counts);
    return counts;
}

} // namespace machine_test
