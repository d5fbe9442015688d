// SPDX-License-Identifier: Apache-2.0
namespace cmm::boundary {

plan_handle plan_prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                          options_code o);
plan_handle plan_discard_prefetch(std::span<const target_code> targets, std::span<const location_code> where,
                                  bool paired, options_code o);
plan_handle plan_advise(std::span<const target_code> targets, std::int32_t advice, std::span<const location_code> where,
                        bool paired, options_code o);
plan_handle plan_copy(std::span<const target_code> srcs, std::span<const target_code> dsts,
                      std::span<const copy_options_code> options, bool per_copy, options_code o);
cmm::report plan_run(plan_handle p, stream_code s);
std::string plan_describe(plan_handle p);
std::uint64_t plan_ranges_in(plan_handle p);
std::uint64_t plan_ranges_out(plan_handle p);

}
