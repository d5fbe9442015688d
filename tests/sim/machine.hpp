// SPDX-License-Identifier: Apache-2.0
// A simulated machine for one test: the driver started afresh, the context of device 0 current.
#pragma once

#include "client.hpp"

#include <boost/test/unit_test.hpp>
#include <cmm/sim.h>
#include <cstddef>
#include <functional>
#include <string>

namespace machine_test {

using driver::opaque;
using driver::pointer;

inline constexpr std::size_t page = 4096, kib = 1024, mib = 1024 * kib;

/// CUresult
enum : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    invalid_device = 101,
    invalid_context = 201,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    context_is_destroyed = 709,
    launch_failed = 719,
    not_permitted = 800,
    not_supported = 801,
    capture_unsupported = 900,
    capture_invalidated = 901,
    capture_merge = 902,
    capture_unmatched = 903,
    capture_unjoined = 904,
    capture_isolation = 905,
    capture_implicit = 906,
    captured_event = 907,
    capture_wrong_thread = 908,
};

class machine {
public:
    explicit machine(const std::string& config = "");
    ~machine();
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    template <class... Arguments>
    int operator()(const char* name, int version, Arguments... given) const {
        return driver_.call(name, version, given...);
    }
    const driver::library& driver() const { return driver_; }

    /// The primary context of a device, retained.
    opaque primary(int device = 0) const;
    void use(opaque context) const;

    pointer managed(std::size_t bytes) const;
    pointer device_memory(std::size_t bytes) const;
    opaque stream(unsigned flags = 0) const;
    opaque event(unsigned flags = 0) const;

    int free(pointer memory) const { return (*this)("cuMemFree", 3020, memory); }
    int sync(opaque stream) const { return (*this)("cuStreamSynchronize", 2000, stream); }
    int query(opaque stream) const { return (*this)("cuStreamQuery", 2000, stream); }
    int copy(pointer to, pointer from, std::size_t bytes, opaque on) const;
    int fill(pointer to, unsigned char value, std::size_t bytes, opaque on) const;
    int advise(pointer memory, std::size_t bytes, int advice, driver::location where) const;
    int prefetch(pointer memory, std::size_t bytes, driver::location where, opaque on) const;
    int discard(pointer memory, std::size_t bytes, opaque on) const;
    int record(opaque event, opaque on) const { return (*this)("cuEventRecord", 2000, event, on); }
    int wait(opaque on, opaque event) const {
        return (*this)("cuStreamWaitEvent", 3020, on, event, 0U);
    }
    /// Runs `body` in stream order. It has to outlive its turn.
    int host_function(opaque on, const std::function<void()>& body) const;
    int attribute(int id, int device = 0) const;

private:
    driver::library driver_;
};

/// Holds all work back while it lives.
struct holding {
    holding() { cmm_sim_hold(); }
    ~holding() { cmm_sim_release(); }
};

unsigned char* bytes_at(pointer memory);
cmm_sim_page page_at(pointer memory);
cmm_sim_live live();

} // namespace machine_test
