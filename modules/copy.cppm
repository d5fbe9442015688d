// SPDX-License-Identifier: Apache-2.0
// Copies: many buffers at once, in stream order.
module;
#include <cmm/export.h>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>
export module cmm.copy;
export import cmm.error;
export import cmm.location;
export import cmm.buffer;
export import cmm.stream;
export import cmm.target;
export import cmm.ops;
import cmm.driver;
import cmm.plan;

export namespace cmm {

// One copy_options for all copies, or one per copy.
class copy_options_list {
public:
    inline copy_options_list(const copy_options& one) noexcept : data_(&one), count_(1) {}
    // `{}` means the defaults for all.
    inline copy_options_list(std::initializer_list<copy_options> many) noexcept
        : data_(many.size() ? many.begin() : &defaults), count_(many.size() ? many.size() : 1),
          per_copy_(many.size() != 0) {}
    template <std::ranges::contiguous_range R>
        requires std::same_as<std::ranges::range_value_t<R>, copy_options>
    copy_options_list(const R& many)
        : data_(std::ranges::data(many)), count_(std::ranges::size(many)), per_copy_(true) {}

    inline std::size_t size() const noexcept { return count_; }
    inline bool per_copy() const noexcept { return per_copy_; }
    inline const copy_options& operator[](std::size_t i) const noexcept { return data_[per_copy_ ? i : 0]; }
    inline std::span<const copy_options> all() const noexcept { return {data_, count_}; }

private:
    static constexpr copy_options defaults{};
    const copy_options* data_;
    std::size_t count_;
    bool per_copy_ = false;
};

// Copies srcs[i] to dsts[i] for all i, in the order of the stream and in no order among themselves. The
// memory may be managed, device, pinned or pageable. Copies that continue each other on both sides, with
// equal options, are one copy to the driver.
//
// On a capturing stream the copies become nodes of the graph, which keeps their buffers; there
// src_access_order::during_api_call throws not_supported. Below CUDA 12.8 copies are issued one by one;
// location hints are ignored there (hint_policy), and during_api_call is kept: small host sources are
// staged, for others the call waits for the stream, and so for earlier work too.
//
// Throws invalid_argument for lists of different lengths, sizes that differ pairwise, and copies that
// overlap or read what another writes, with both indices; closed for a closed buffer.
// Driver calls: cuMemcpyBatchAsync (CUDA 12.8 with nine arguments, 13.0 with eight), or cuMemcpyAsync for
// a single run with default options.
CMM_API report copy_batch(stream_ref s, const target_list& srcs, const target_list& dsts,
                          const copy_options_list& options = copy_options{}, const op_options& o = {});
// One buffer is no batch: say copy_to or copy_from. `{a}` is a list of one.
template <std::derived_from<buffer> Src, std::derived_from<buffer> Dst>
report copy_batch(stream_ref s, const Src& src, const Dst& dst, const copy_options_list& options = copy_options{},
                  const op_options& o = {}) = delete;
template <std::derived_from<buffer> Src>
report copy_batch(stream_ref s, const Src& src, const target_list& dsts,
                  const copy_options_list& options = copy_options{}, const op_options& o = {}) = delete;
template <std::derived_from<buffer> Dst>
report copy_batch(stream_ref s, const target_list& srcs, const Dst& dst,
                  const copy_options_list& options = copy_options{}, const op_options& o = {}) = delete;

// One copy of a whole buffer, with the same rules.
CMM_API report copy_to(const target& src, const target& dst, stream_ref s, const copy_options& options = {});
inline report copy_from(const target& dst, const target& src, stream_ref s, const copy_options& options = {}) {
    return copy_to(src, dst, s, options);
}

} // namespace cmm

export namespace cmm::detail {

// The distinct options of some copies, each with an id: the planner compares ids. Few in practice.
class CMM_API option_table {
public:
    inline void clear() noexcept { entries_.clear(); }
    std::uint32_t id_of(const copy_options& o);
    inline std::span<const copy_options> entries() const noexcept { return entries_; }

private:
    std::vector<copy_options> entries_;
};

struct copies_gathered {
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::uintptr_t address = 0;
    int device_hint = 0;
    bool pageable_source = false;
    std::string_view ignored_hint = {};
};

// Every check of a copy_batch; fills planner and table.
CMM_API copies_gathered gather_copies(std::string_view operation, const target_list& srcs,
                                      const target_list& dsts, const copy_options_list& options,
                                      const op_options& o, plan::copy_planner& planner, option_table& table);

struct copy_way {
    bool batch;
    std::string_view entry;
    std::string_view reason;
};
CMM_API copy_way choose_copy_way(std::span<const plan::copy_run> runs, std::span<const copy_options> table,
                                 const op_options& o);

// Prepares a capturing stream for copies: refuses during_api_call, and makes the graph keep the operands'
// memory. Null states are plain ranges, which nobody can keep.
CMM_API copy_way capture_copies(std::span<const copy_options> table, std::span<buffer_state* const> operands,
                                const stream_call& call);

// How many driver calls it took.
CMM_API std::size_t issue_copies(std::span<const plan::copy_run> runs, std::span<const copy_options> table,
                                 const copy_way& w, const error_site& site, stream_call& call);

} // namespace cmm::detail
