// SPDX-License-Identifier: Apache-2.0
// Plans: an operation that is checked, sorted and merged once and run again and again. Made for loops: a
// run checks that its buffers live and what its stream is doing, and calls the driver.
//
// Common to all plans: they keep their buffers' memory alive; closing a buffer explicitly breaks the plan,
// and running it then throws closed with the target's index. Runs may go to any stream. A plan may be run by
// several threads at once, but closed or moved by one only. The choice of entry point is made when the plan
// is made.
module;
#include <cmm/export.h>
#include <cstddef>
#include <memory>
#include <string>
export module cmm.prepared;
export import cmm.copy;
export import cmm.ops;
import cmm.driver;

export namespace cmm {

namespace detail {
struct prepared;
}

// What every plan can do.
class CMM_API plan_base {
public:
    plan_base(plan_base&& o) noexcept;
    plan_base& operator=(plan_base&& o) noexcept;
    ~plan_base();

    // How many ranges came in, how many go out, by which entry point, and why.
    std::string describe() const;
    std::size_t ranges_in() const;
    std::size_t ranges_out() const;
    // Lets go of the buffers. Idempotent; runs throw closed afterwards.
    void close() noexcept;
    inline bool is_closed() const noexcept { return !state_; }

protected:
    explicit plan_base(std::unique_ptr<detail::prepared> s) noexcept;
    detail::prepared& live() const;

private:
    std::unique_ptr<detail::prepared> state_;
};

class CMM_API prefetch_plan : public plan_base {
public:
    prefetch_plan(const target_list& targets, const location_list& where, const op_options& o = {});
    // Throws as cmm::prefetch does for its stream.
    report run(stream_ref s);
};

class CMM_API discard_prefetch_plan : public plan_base {
public:
    discard_prefetch_plan(const target_list& targets, const location_list& where, const op_options& o = {});
    report run(stream_ref s);
};

class CMM_API advise_plan : public plan_base {
public:
    advise_plan(const target_list& targets, advice a, const location_list& where = host{}, const op_options& o = {});
    report run();
};

class CMM_API copy_plan : public plan_base {
public:
    copy_plan(const target_list& srcs, const target_list& dsts, const copy_options_list& options = copy_options{},
              const op_options& o = {});
    report run(stream_ref s);
};

} // namespace cmm
