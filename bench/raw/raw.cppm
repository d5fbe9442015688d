// SPDX-License-Identifier: Apache-2.0
// The driver as a careful program calls it by hand: what cmm is measured against.
module;
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
export module cmm.bench.raw;
import cmm;

export namespace cmm::bench {

using address = std::uintptr_t;

// The driver's CUmemLocation.
struct place {
    int type;
    int id;
};
inline constexpr place on_device{1, 0};
inline constexpr place on_host{2, 0};
inline location as_location(place p) {
    return p.type == 1 ? location(device{p.id}) : location(host{});
}

struct piece {
    address at;
    std::size_t bytes;
};

// The arrays that a batch call takes, laid out before the clock starts.
struct batch_arrays {
    std::vector<unsigned long long> first, second;
    std::vector<std::size_t> bytes;

    explicit batch_arrays(std::span<const piece> pieces);
    // For copies: destinations, then sources.
    batch_arrays(std::span<const piece> to, std::span<const piece> from);
};

// Throws where the driver lacks an entry point, or answers an error.
class raw_driver {
public:
    raw_driver();

    inline void prefetch(const piece& p, place to, void* stream) const {
        check(prefetch_(p.at, p.bytes, to, 0, stream), "cuMemPrefetchAsync");
    }
    void prefetch_batch(batch_arrays& a, place to, void* stream) const;
    void discard_prefetch_batch(batch_arrays& a, place to, void* stream) const;
    inline void copy(address to, address from, std::size_t bytes, void* stream) const {
        check(copy_(to, from, bytes, stream), "cuMemcpyAsync");
    }
    void copy_batch(batch_arrays& a, void* stream) const;
    inline void synchronize(void* stream) const {
        check(synchronize_(stream), "cuStreamSynchronize");
    }

    inline void advise(const piece& p, int advice, place where) const {
        check(advise_(p.at, p.bytes, advice, where), "cuMemAdvise");
    }
    inline void range_attribute(void* out, std::size_t bytes, int attribute, const piece& p) const {
        check(attribute_(out, bytes, attribute, p.at, p.bytes), "cuMemRangeGetAttribute");
    }
    void preferred_location(const piece& p) const; // type and id in one query
    inline address allocate_managed(std::size_t bytes) const {
        unsigned long long out = 0;
        check(allocate_(&out, bytes, 1), "cuMemAllocManaged");
        return out;
    }
    inline void free(address at) const { check(free_(at), "cuMemFree"); }
    inline void pointer_attribute(void* out, int attribute, address at) const {
        check(pointer_(out, attribute, at), "cuPointerGetAttribute");
    }

private:
    static void refuse(int result, const char* entry);
    static inline void check(int result, const char* entry) {
        if (result != 0) [[unlikely]]
            refuse(result, entry);
    }

    using u64 = unsigned long long;
    int (*prefetch_)(u64, std::size_t, place, unsigned, void*);
    int (*prefetch_batch_)(u64*, std::size_t*, std::size_t, place*, std::size_t*, std::size_t, u64,
                           void*);
    int (*discard_prefetch_batch_)(u64*, std::size_t*, std::size_t, place*, std::size_t*,
                                   std::size_t, u64, void*);
    int (*copy_)(u64, u64, std::size_t, void*);
    int (*copy_batch_)(u64*, u64*, std::size_t*, std::size_t, void*, std::size_t*, std::size_t,
                       void*);
    int (*synchronize_)(void*);
    int (*advise_)(u64, std::size_t, int, place);
    int (*attribute_)(void*, std::size_t, int, u64, std::size_t);
    int (*attributes_)(void**, std::size_t*, int*, std::size_t, u64, std::size_t);
    int (*allocate_)(u64*, std::size_t, unsigned);
    int (*free_)(u64);
    int (*pointer_)(void*, int, u64);
};

} // namespace cmm::bench
