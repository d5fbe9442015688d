// SPDX-License-Identifier: Apache-2.0
// What the driver knows about every page of managed memory: advice, last prefetch, where it is.
#pragma once

#include "abi.h"

#include <boost/icl/interval_map.hpp>
#include <boost/icl/interval_set.hpp>
#include <cmm/sim.h>
#include <cstdint>

namespace sim {

/// Pages [first, last), by number.
struct page_span {
    std::uint64_t first, last;
    /// The pages that [address, address + bytes) touches.
    static page_span touching(device_ptr address, std::size_t bytes, std::size_t page_size);
    /// The pages that it covers wholly; may be empty.
    static page_span within(device_ptr address, std::size_t bytes, std::size_t page_size);
    bool empty() const { return first >= last; }
};

struct accessors {
    std::uint64_t devices = 0; // a bit each
    bool host = false;
};

class page_map {
public:
    void read_mostly(page_span pages, bool on);
    void preferred(page_span pages, location where);
    void accessed_by_device(page_span pages, int device, bool on);
    void accessed_by_host(page_span pages, bool on);
    void prefetched(page_span pages, location where);
    void resident(page_span pages, location where);
    void discarded(page_span pages);
    /// Memory was freed: its pages start afresh when they are handed out again.
    void forget(page_span pages);
    void clear() { *this = page_map(); }

    // What all of the pages share; none where they differ.
    bool read_mostly(page_span pages) const;
    location preferred(page_span pages) const;
    location prefetched(page_span pages) const;
    accessors accessed_by(page_span pages) const;

    cmm_sim_page at(std::uint64_t page) const;

private:
    template <class Value>
    using map_of =
        boost::icl::interval_map<std::uint64_t, Value, boost::icl::partial_absorber, std::less,
                                 boost::icl::inplace_plus, boost::icl::inter_section,
                                 boost::icl::right_open_interval<std::uint64_t>>;
    using set_of = boost::icl::interval_set<std::uint64_t, std::less,
                                            boost::icl::right_open_interval<std::uint64_t>>;
    using locations = map_of<std::uint64_t>; // type and id in one number: 0 is none, and absorbed

    static location common(const locations& map, page_span pages);
    static void assign(locations& map, page_span pages, location where);

    set_of read_mostly_, host_access_;
    locations preferred_, prefetched_, resident_;
    boost::icl::interval_map<std::uint64_t, std::uint64_t, boost::icl::partial_absorber, std::less,
                             boost::icl::inplace_bit_add, boost::icl::inter_section,
                             boost::icl::right_open_interval<std::uint64_t>>
        device_access_;
    map_of<std::uint64_t> prefetches_, discards_;
};

} // namespace sim
