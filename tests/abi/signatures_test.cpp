// SPDX-License-Identifier: Apache-2.0
// Every row of the table of entry points has the type that the driver's own header gives to its
// name and pinned version.
#include "same_abi.hpp"
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <cudaTypedefs.h>

namespace cmm::abi {

using code = error_code;
using count = std::size_t;

#define ROW(theirs, ...) static_assert(same_function<__VA_ARGS__, theirs>::value, #theirs);
#define NEWER(name, version)
#include "table_rows.inc"
#undef ROW
#undef NEWER

// The two forms of the look-up itself.
using lookup_11030 = code(const char*, void**, int, std::uint64_t);
using lookup_12000 = code(const char*, void**, int, std::uint64_t, int*);
static_assert(same_function<lookup_11030, PFN_cuGetProcAddress_v11030>::value);
static_assert(same_function<lookup_12000, PFN_cuGetProcAddress_v12000>::value);

// The comparison itself can say no.
static_assert(!same_function<code(int), CUresult (*)(CUdevice, int)>::value);
static_assert(!same_function<code(unsigned), CUresult (*)(CUdevice)>::value);
static_assert(!same_function<code(device_ptr), CUresult (*)(int)>::value);
static_assert(!same_function<code(device_ptr*), CUresult (*)(CUmemLocation*)>::value);
static_assert(!same_function<code(mem_location), CUresult (*)(CUmemcpyAttributes)>::value);
static_assert(!same_function<code(device_ptr), CUresult (*)(CUdeviceptr*)>::value);

namespace {

constexpr int compared = 0
#define ROW(...) +1
#define NEWER(name, version)
#include "table_rows.inc"
#undef ROW
#undef NEWER
    ;

constexpr bool newer_is_newer = true
#define ROW(...)
#define NEWER(name, version) &&(version > CUDA_VERSION)
#include "table_rows.inc"
#undef ROW
#undef NEWER
    ;

} // namespace

BOOST_AUTO_TEST_SUITE(signatures)

BOOST_AUTO_TEST_CASE(every_row_that_these_headers_know_is_compared) {
    BOOST_TEST_MESSAGE(compared << " rows compared with CUDA " << CUDA_VERSION);
    BOOST_TEST(compared > 40);
    BOOST_TEST(newer_is_newer);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace cmm::abi
