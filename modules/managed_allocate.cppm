// SPDX-License-Identifier: Apache-2.0
// Getting memory from the driver, and what an arena is; private to cmm.managed.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>
module cmm.managed:allocate;
import cmm.buffer;
import cmm.driver;
import cmm.location;
import cmm.range;
import cmm.slabs;

namespace cmm::detail {

// Where new memory of a resource is made.
struct place {
    int device;
    attach attached;
};

// Managed memory of the driver, in relaxed capture mode, with what is retired freed and the collector asked
// when it runs out. Throws.
std::uintptr_t allocate_managed(const place& p, std::size_t bytes);

// The same for a function that asks the driver: `call(out)`.
using allocation = driver::result (*)(std::size_t bytes, std::uintptr_t& out);
std::uintptr_t allocate_or_collect(const error_site& site, int device, std::size_t bytes, const char* entry,
                                   driver::result (*call)(const place&, std::size_t, std::uintptr_t&),
                                   const place& p);

// The bytes of a batch, each of `sizes` in whole pages and at least `least`. Throws invalid_argument where
// that is more than an address space.
std::size_t batch_bytes(std::span<const std::size_t> sizes, std::size_t least);

// A root for new memory, with one reference and one hold.
struct root_facts {
    range where;
    memory_kind kind;
    place at;
    std::uintptr_t area;
    std::size_t area_bytes;
    std::size_t padding;
    void (*give_back)(buffer_state&) noexcept;
};
buffer_state* make_root(const root_facts& f, std::shared_ptr<const void> owner);

class arena_state : public std::enable_shared_from_this<arena_state> {
public:
    arena_state(const place& p, std::size_t slab_bytes, std::size_t limit_bytes);
    ~arena_state();

    buffer_state* allocate(std::size_t bytes);
    void allocate_batch(std::span<const std::size_t> sizes, std::vector<buffer_state*>& out);
    void give_back(buffer_state& root) noexcept;
    std::size_t trim();
    slab_space::statistics stats() const;
    bool limited() const noexcept { return limit_ != 0; }

private:
    struct slab {
        range usable;
        std::uintptr_t allocated; // what the driver gave, for freeing
    };
    void grow(std::size_t bytes);
    const slab& slab_of(std::uintptr_t address) const;
    buffer_state* as_root(const range& piece, std::size_t bytes);

    place place_;
    std::size_t slab_bytes_;
    std::size_t limit_;
    mutable std::mutex lock_;
    slab_space space_;
    std::vector<slab> slabs_; // by address
    std::size_t total_ = 0;
};

} // namespace cmm::detail
