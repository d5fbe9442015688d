// SPDX-License-Identifier: Apache-2.0
// The memory that the simulated driver knows: what kind it is, whose it is, and where its bytes
// are.
#pragma once

#include "abi.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace sim {

enum class memory_kind { managed, device, pinned, registered };

struct memory_pool;

/// One allocation or registration. Work in flight shares it, so that its pages outlive a too early
/// free.
class block {
public:
    /// @throws std::bad_alloc when the system has no such memory.
    block(memory_kind kind, std::size_t bytes, std::size_t alignment);
    /// Registers memory that the client owns.
    block(void* host, std::size_t bytes);
    ~block();
    block(const block&) = delete;
    block& operator=(const block&) = delete;

    memory_kind kind;
    device_ptr address; // what the client holds
    std::size_t bytes;
    std::byte* storage; // the bytes: the client's own view, but for device memory a mapping apart
    std::uint64_t id = 0;
    int device = 0;
    handle context = 0;
    unsigned flags = 0;
    std::shared_ptr<memory_pool> pool; // null where it came from no pool
    std::uint64_t pending = 0;         // operations queued or running that need it
    bool freed = false;

    device_ptr end() const { return address + bytes; }
    bool contains(device_ptr first, std::size_t count) const {
        return first >= address && count <= bytes && first - address <= bytes - count;
    }
    std::byte* at(device_ptr wanted) const { return storage + (wanted - address); }

private:
    std::size_t mapped_ = 0;
};

using block_ref = std::shared_ptr<block>;

class memory_map {
public:
    void add(block_ref added) { blocks_.emplace(added->address, std::move(added)); }
    /// Takes it out of the map; the last one who uses it gives its pages back.
    block_ref remove(device_ptr base);
    /// The block that holds `address`, or null.
    block* find(device_ptr address) const;
    block_ref share(device_ptr address) const;
    /// Whether [address, address + bytes) meets any block.
    bool overlaps(device_ptr address, std::size_t bytes) const;

    struct totals {
        std::uint64_t count = 0, bytes = 0;
    };
    totals all_of(memory_kind kind) const;
    std::uint64_t device_bytes(int device) const;

    auto begin() const { return blocks_.begin(); }
    auto end() const { return blocks_.end(); }
    void clear() { blocks_.clear(); }

private:
    std::map<device_ptr, block_ref> blocks_;
};

} // namespace sim
