// SPDX-License-Identifier: Apache-2.0
// cmm for C++17 compilers that cannot import modules (GCC, nvcc): the modules' names and semantics,
// header-only over the C ABI of libcmm. Moving to the modules is to replace this include by `import
// cmm;`.
//
// One translation unit uses the one or the other. A program may hold both kinds: they share libcmm
// and its driver, and a buffer goes from one to the other by its address (from_handle); everything
// here stands in an inline namespace, so that no name is defined twice.
//
// What only cmm.hpp has: pmr_resource, and buffer::c_handle() and its like for calls of cmm/cmm.h.
#ifndef CMM_CMM_HPP
#define CMM_CMM_HPP

#include <cmm/cpp/buffer.hpp>
#include <cmm/cpp/copy.hpp>
#include <cmm/cpp/driver.hpp>
#include <cmm/cpp/error.hpp>
#include <cmm/cpp/location.hpp>
#include <cmm/cpp/managed.hpp>
#include <cmm/cpp/ops.hpp>
#include <cmm/cpp/pmr.hpp>
#include <cmm/cpp/prepared.hpp>
#include <cmm/cpp/range.hpp>
#include <cmm/cpp/stream.hpp>
#include <cmm/cpp/target.hpp>

#endif
