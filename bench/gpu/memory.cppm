// SPDX-License-Identifier: Apache-2.0
// The memory of the benchmark. All of it comes from here, so that a run never takes more of a
// machine than it may: at most 2 GiB of managed memory at a time, and nothing above an eighth of
// what is free.
module;
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>
export module cmm.bench.memory;
import cmm;
import cmm.bench.raw;

export namespace cmm::bench {

enum class kind : std::uint8_t { managed, pinned, device };

// Bytes that are counted as taken as long as this lives.
class lease {
public:
    lease(kind k, std::size_t bytes);
    ~lease();
    lease(lease&& o) noexcept;
    lease& operator=(lease&& o) noexcept;

private:
    kind kind_;
    std::size_t bytes_;
};

// Bytes taken now; zero once everything has been freed.
std::size_t bytes_leased() noexcept;

enum class placement : std::uint8_t {
    neighbours, // slices of one allocation
    arena,      // pieces of an arena, allocated one after another
    scattered,  // an allocation each
};
std::string_view to_string(placement p) noexcept;

// `count` buffers of `bytes` bytes each. Throws where the lease is refused, or where the placement
// is not what it says.
class buffer_set {
public:
    buffer_set(kind k, placement p, std::size_t bytes, std::size_t count);

    inline const std::vector<buffer>& buffers() const noexcept { return buffers_; }
    inline const std::vector<piece>& pieces() const noexcept { return pieces_; }
    // From the first byte to the last; of neighbours and arenas alone.
    inline piece whole() const noexcept {
        return {pieces_.front().at, pieces_.back().at + pieces_.back().bytes - pieces_.front().at};
    }
    inline std::size_t bytes() const noexcept { return pieces_.size() * pieces_.front().bytes; }
    inline placement placed() const noexcept { return placed_; }
    // Writes every byte from the host; not of device memory.
    void fill(unsigned char byte) const;

private:
    lease lease_;
    placement placed_;
    std::vector<buffer> owners_; // of neighbours: the one allocation
    std::vector<buffer> buffers_;
    std::vector<piece> pieces_;
};

} // namespace cmm::bench
