// SPDX-License-Identifier: Apache-2.0
namespace cmm::boundary {

cmm::report advise(std::span<const target_code> targets, std::int32_t advice, std::span<const location_code> where,
                   bool paired, options_code o);
cmm::report prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                     stream_code s, options_code o);
cmm::report discard(std::span<const target_code> targets, stream_code s, options_code o);
cmm::report discard_prefetch(std::span<const target_code> targets, std::span<const location_code> where, bool paired,
                             stream_code s, options_code o);
cmm::report copy_batch(stream_code s, std::span<const target_code> srcs, std::span<const target_code> dsts,
                       std::span<const copy_options_code> options, bool per_copy, options_code o);

}
