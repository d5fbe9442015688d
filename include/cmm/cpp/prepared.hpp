// SPDX-License-Identifier: Apache-2.0
// Plans: an operation that is checked, sorted and merged once and run again and again.
#ifndef CMM_CPP_PREPARED_HPP
#define CMM_CPP_PREPARED_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/copy.hpp>
#include <cmm/cpp/ops.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace cmm {
inline namespace over_c {

// What every plan can do. It keeps its buffers' memory alive; closing a buffer breaks it.
class plan_base {
public:
    plan_base(plan_base&& o) noexcept : c_(std::exchange(o.c_, {detail::gone})) {}
    plan_base& operator=(plan_base&& o) noexcept {
        std::swap(c_, o.c_);
        return *this;
    }
    ~plan_base() { close(); }

    // How many ranges came in, how many go out, by which entry point, and why.
    std::string describe() const {
        const char* text = "";
        detail::check(cmm_plan_describe(c_, &text));
        return text;
    }
    std::size_t ranges_in() const { return ranges().first; }
    std::size_t ranges_out() const { return ranges().second; }
    // Lets go of the buffers. Idempotent; runs throw closed afterwards.
    void close() noexcept { cmm_plan_close(std::exchange(c_, {detail::gone})); }
    bool is_closed() const noexcept { return !cmm_plan_is_open(c_); }
    cmm_plan c_handle() const noexcept { return c_; }

protected:
    template <class Make> explicit plan_base(Make make) { detail::check(make(&c_)); }
    report run_in(cmm_stream_ref s) {
        return detail::reported([&](cmm_report* r) { return cmm_plan_run(c_, s, r); });
    }

private:
    std::pair<std::size_t, std::size_t> ranges() const {
        std::uint64_t in = 0;
        std::uint64_t out = 0;
        detail::check(cmm_plan_ranges(c_, &in, &out));
        return {static_cast<std::size_t>(in), static_cast<std::size_t>(out)};
    }
    cmm_plan c_{detail::gone};
};

class prefetch_plan : public plan_base {
public:
    prefetch_plan(const target_list& targets, const location_list& where, const op_options& o = {})
        : plan_base([&](cmm_plan* out) {
              const auto c = detail::as_c(o);
              return cmm_plan_prefetch(targets.c_data(), targets.size(), where.c_data(),
                                       where.c_count(), &c, out);
          }) {}
    report run(stream_ref s) { return run_in(s.c_value()); }
};

class discard_prefetch_plan : public plan_base {
public:
    discard_prefetch_plan(const target_list& targets, const location_list& where,
                          const op_options& o = {})
        : plan_base([&](cmm_plan* out) {
              const auto c = detail::as_c(o);
              return cmm_plan_discard_prefetch(targets.c_data(), targets.size(), where.c_data(),
                                               where.c_count(), &c, out);
          }) {}
    report run(stream_ref s) { return run_in(s.c_value()); }
};

class advise_plan : public plan_base {
public:
    advise_plan(const target_list& targets, advice a, const location_list& where = host{},
                const op_options& o = {})
        : plan_base([&](cmm_plan* out) {
              const auto c = detail::as_c(o);
              return cmm_plan_advise(targets.c_data(), targets.size(), static_cast<std::int32_t>(a),
                                     where.c_data(), where.c_count(), &c, out);
          }) {}
    report run() { return run_in(cmm_legacy()); }
};

class copy_plan : public plan_base {
public:
    copy_plan(const target_list& srcs, const target_list& dsts,
              const copy_options_list& options = copy_options{}, const op_options& o = {})
        : plan_base([&](cmm_plan* out) {
              const auto c = detail::as_c(o);
              return cmm_plan_copy(srcs.c_data(), srcs.size(), dsts.c_data(), dsts.size(),
                                   options.c_data(), options.c_count(), &c, out);
          }) {}
    report run(stream_ref s) { return run_in(s.c_value()); }
};

} // namespace over_c
} // namespace cmm

#endif
