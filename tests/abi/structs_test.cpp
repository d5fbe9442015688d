// SPDX-License-Identifier: Apache-2.0
// The driver's structs and plain types have cmm's sizes, offsets and alignments.
#include "same_abi.hpp"
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstring>

namespace cmm::abi {

static_assert(same_type<device_ptr, CUdeviceptr>());
static_assert(same_type<device_id, CUdevice>());
static_assert(same_type<context, CUcontext>());
static_assert(same_type<stream, CUstream>());
static_assert(same_type<event, CUevent>());
static_assert(same_type<graph, CUgraph>());
static_assert(same_type<graph_node, CUgraphNode>());
static_assert(same_type<user_object, CUuserObject>());
static_assert(same_type<host_function, CUhostFn>());
static_assert(same_type<error_code, CUresult>());

static_assert(sizeof(mem_location) == sizeof(CUmemLocation));
static_assert(alignof(mem_location) == alignof(CUmemLocation));
static_assert(offsetof(mem_location, type) == offsetof(CUmemLocation, type));
static_assert(offsetof(mem_location, id) == offsetof(CUmemLocation, id));
static_assert(sizeof(CUmemLocation::type) == sizeof(mem_location::type));
static_assert(sizeof(CUmemLocation::id) == sizeof(mem_location::id));

static_assert(sizeof(memcpy_attributes) == sizeof(CUmemcpyAttributes));
static_assert(alignof(memcpy_attributes) == alignof(CUmemcpyAttributes));
static_assert(offsetof(memcpy_attributes, src_access_order) ==
              offsetof(CUmemcpyAttributes, srcAccessOrder));
static_assert(offsetof(memcpy_attributes, src_location_hint) ==
              offsetof(CUmemcpyAttributes, srcLocHint));
static_assert(offsetof(memcpy_attributes, dst_location_hint) ==
              offsetof(CUmemcpyAttributes, dstLocHint));
static_assert(offsetof(memcpy_attributes, flags) == offsetof(CUmemcpyAttributes, flags));
static_assert(sizeof(CUmemcpyAttributes::srcAccessOrder) ==
              sizeof(memcpy_attributes::src_access_order));
static_assert(sizeof(CUmemcpyAttributes::flags) == sizeof(memcpy_attributes::flags));

BOOST_AUTO_TEST_SUITE(structs)

BOOST_AUTO_TEST_CASE(the_driver_reads_the_attributes_that_cmm_wrote) {
    const memcpy_attributes ours{1, {2, 3}, {4, 5}, 6};
    CUmemcpyAttributes theirs;
    std::memcpy(&theirs, &ours, sizeof theirs);
    BOOST_TEST(static_cast<int>(theirs.srcAccessOrder) == 1);
    BOOST_TEST(static_cast<int>(theirs.srcLocHint.type) == 2);
    BOOST_TEST(theirs.srcLocHint.id == 3);
    BOOST_TEST(static_cast<int>(theirs.dstLocHint.type) == 4);
    BOOST_TEST(theirs.dstLocHint.id == 5);
    BOOST_TEST(theirs.flags == 6u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace cmm::abi
