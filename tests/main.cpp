// SPDX-License-Identifier: Apache-2.0
// The main function of every test program.
#define BOOST_TEST_MODULE cmm
#include <boost/test/unit_test.hpp>
