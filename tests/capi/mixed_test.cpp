// SPDX-License-Identifier: Apache-2.0
// A program that imports cmm, holds a part that includes cmm.hpp and, where nvcc is, a CUDA object:
// they share libcmm, its driver and buffers, and each catches its own classes of errors.
#include "mixed.h"
#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
import cmm;

#ifdef CMM_WITH_CUDA
const void* kernel_of_mixed_cuda();
#endif

BOOST_AUTO_TEST_SUITE(mixed)

BOOST_AUTO_TEST_CASE(a_buffer_goes_from_the_modules_to_the_headers_and_to_cuda) {
    const cmm::managed_memory_resource resource;
    auto buffer = resource.allocate(65536);
    cmm::stream stream;
    cmm::prefetch(buffer, cmm::device{0}, stream);
    stream.sync();

    const shared_memory memory{buffer.data(), buffer.size(), stream.handle()};
    const auto by_headers = look_with_headers(memory);
    BOOST_TEST(by_headers.location == std::string("device:0"));
    BOOST_TEST(by_headers.caught_closed);
    BOOST_TEST((buffer.last_prefetch_location() == cmm::location(cmm::host{})));
#ifdef CMM_WITH_CUDA
    const auto by_cuda = look_with_cuda(memory);
    BOOST_TEST(by_cuda.location == std::string("host"));
    BOOST_TEST(by_cuda.caught_closed);
    BOOST_TEST((buffer.last_prefetch_location() == cmm::location(cmm::device{0})));
    BOOST_TEST(kernel_of_mixed_cuda() != nullptr);
#endif
    buffer.close();
    BOOST_CHECK_THROW(buffer.prefetch(cmm::device{0}, stream), cmm::closed);
}

BOOST_AUTO_TEST_SUITE_END()
