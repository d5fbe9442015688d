// SPDX-License-Identifier: Apache-2.0
module;
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <stdexcept>
#include <vector>
module cmm.bench.raw;
import cmm;

namespace cmm::bench {

namespace {

// CUmemcpyAttributes: the order of the stream, no hints, no flags.
struct copy_attributes {
    int src_access_order = 1;
    place src_hint{0, 0};
    place dst_hint{0, 0};
    unsigned flags = 0;
};

template <class Function> void find(Function& out, const char* name, int version) {
    out = reinterpret_cast<Function>(driver::symbol(name, version));
    if (!out)
        throw std::runtime_error(
            fmt::format("this driver has no {} of version {}; the benchmark compares "
                        "with the entry points of CUDA 13.0",
                        name, version));
}

constexpr int preferred_location_type = 5;
constexpr int preferred_location_id = 6;

} // namespace

batch_arrays::batch_arrays(std::span<const piece> pieces) {
    for (const auto& p : pieces) {
        first.push_back(p.at);
        bytes.push_back(p.bytes);
    }
}

batch_arrays::batch_arrays(std::span<const piece> to, std::span<const piece> from)
    : batch_arrays(to) {
    for (const auto& p : from)
        second.push_back(p.at);
}

raw_driver::raw_driver() {
    find(prefetch_, "cuMemPrefetchAsync", 12020);
    find(prefetch_batch_, "cuMemPrefetchBatchAsync", 13000);
    find(discard_prefetch_batch_, "cuMemDiscardAndPrefetchBatchAsync", 13000);
    find(copy_, "cuMemcpyAsync", 4000);
    find(copy_batch_, "cuMemcpyBatchAsync", 13000);
    find(synchronize_, "cuStreamSynchronize", 2000);
    find(advise_, "cuMemAdvise", 12020);
    find(attribute_, "cuMemRangeGetAttribute", 8000);
    find(attributes_, "cuMemRangeGetAttributes", 8000);
    find(allocate_, "cuMemAllocManaged", 6000);
    find(free_, "cuMemFree", 3020);
    find(pointer_, "cuPointerGetAttribute", 4000);
}

void raw_driver::refuse(int result, const char* entry) {
    throw std::runtime_error(
        fmt::format("{} answered {}", entry, driver::name_of(static_cast<driver::result>(result))));
}

void raw_driver::prefetch_batch(batch_arrays& a, place to, void* stream) const {
    std::size_t first = 0;
    check(
        prefetch_batch_(a.first.data(), a.bytes.data(), a.first.size(), &to, &first, 1, 0, stream),
        "cuMemPrefetchBatchAsync");
}

void raw_driver::discard_prefetch_batch(batch_arrays& a, place to, void* stream) const {
    std::size_t first = 0;
    check(discard_prefetch_batch_(a.first.data(), a.bytes.data(), a.first.size(), &to, &first, 1, 0,
                                  stream),
          "cuMemDiscardAndPrefetchBatchAsync");
}

void raw_driver::copy_batch(batch_arrays& a, void* stream) const {
    std::size_t first = 0;
    copy_attributes each;
    check(copy_batch_(a.first.data(), a.second.data(), a.bytes.data(), a.first.size(), &each,
                      &first, 1, stream),
          "cuMemcpyBatchAsync");
}

void raw_driver::preferred_location(const piece& p) const {
    int type = 0;
    int id = 0;
    void* values[] = {&type, &id};
    std::size_t sizes[] = {sizeof type, sizeof id};
    int attributes[] = {preferred_location_type, preferred_location_id};
    check(attributes_(values, sizes, attributes, 2, p.at, p.bytes), "cuMemRangeGetAttributes");
}

} // namespace cmm::bench
