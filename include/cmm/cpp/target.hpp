// SPDX-License-Identifier: Apache-2.0
// Targets: what an operation works on. Views of buffers and of plain ranges, one or many: they live
// for one call.
#ifndef CMM_CPP_TARGET_HPP
#define CMM_CPP_TARGET_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/buffer.hpp>
#include <cmm/cpp/location.hpp>
#include <cmm/cpp/range.hpp>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace cmm {
inline namespace over_c {

// A buffer, or a plain range of memory that cmm did not allocate. Does not keep a buffer alive.
class target {
public:
    target(const buffer& b) noexcept : c_(cmm_of(b.c_handle())) {}
    target(const range& r) noexcept
        : c_(cmm_range(reinterpret_cast<void*>(r.begin()), r.bytes())) {}
    target(void* address, std::size_t bytes) : target(range(address, bytes)) {}
    const cmm_target& c_value() const noexcept { return c_; }

private:
    cmm_target c_; // alone, so that an array of targets is one of the C ABI's
};
static_assert(sizeof(target) == sizeof(cmm_target) && std::is_standard_layout_v<target>);

namespace detail {

// What a contiguous, sized sequence holds; nothing for anything else.
template <class R>
using element_of =
    std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const R&>()))>>;
template <class R, class = void> struct sequence : std::false_type {};
template <class R>
struct sequence<R, std::void_t<element_of<R>, decltype(std::size(std::declval<const R&>()))>>
    : std::true_type {};

template <class R, class = void> struct targets_in : std::false_type {};
template <class R>
struct targets_in<R,
                  std::enable_if_t<sequence<R>::value && !std::is_convertible_v<const R&, target>>>
    : std::is_convertible<const element_of<R>&, target> {};
template <class R, class = void> struct locations_in : std::false_type {};
template <class R>
struct locations_in<R, std::enable_if_t<sequence<R>::value>>
    : std::is_same<element_of<R>, location> {};

} // namespace detail

// One target or a sequence of them: a buffer, `{a, b}`, a vector of buffers or of ranges.
class target_list {
public:
    template <class T, std::enable_if_t<std::is_convertible_v<const T&, target>, int> = 0>
    target_list(const T& one) : count_(1), single_(true) {
        few_[0] = target(one).c_value();
    }
    target_list(std::initializer_list<target> many) noexcept
        : data_(reinterpret_cast<const cmm_target*>(many.begin())), count_(many.size()) {}
    template <class R, std::enable_if_t<detail::targets_in<R>::value, long> = 0>
    target_list(const R& many) : count_(std::size(many)) {
        cmm_target* out = few_;
        if (count_ > most_on_stack) {
            heap_.reset(new cmm_target[count_]);
            data_ = out = heap_.get();
        }
        const auto* items = std::data(many);
        for (std::size_t i = 0; i < count_; ++i)
            out[i] = target(items[i]).c_value();
    }
    target_list(const target_list&) = delete;
    target_list& operator=(const target_list&) = delete;

    std::size_t size() const noexcept { return count_; }
    bool single() const noexcept { return single_; }
    const cmm_target* c_data() const noexcept { return data_ ? data_ : few_; }

private:
    static constexpr std::size_t most_on_stack = 64;
    const cmm_target* data_ = nullptr; // null: few_
    std::size_t count_;
    bool single_ = false;
    std::unique_ptr<cmm_target[]> heap_;
    cmm_target few_[most_on_stack]; // written as far as count_ says
};

// One location, which broadcasts, or a sequence, which pairs by index.
class location_list {
public:
    template <class L, std::enable_if_t<std::is_convertible_v<const L&, location>, int> = 0>
    location_list(const L& one) : one_(one), count_(1) {}
    location_list(std::initializer_list<location> many) noexcept
        : count_(many.size()), paired_(true) {
        data_ = many.begin(); // lives as long as the call's expression
    }
    template <class R, std::enable_if_t<detail::locations_in<R>::value, long> = 0>
    location_list(const R& many) : data_(std::data(many)), count_(std::size(many)), paired_(true) {}

    std::size_t size() const noexcept { return count_; }
    bool paired() const noexcept { return paired_; }
    const location& operator[](std::size_t i) const noexcept { return paired_ ? data_[i] : one_; }
    const cmm_location* c_data() const noexcept {
        return reinterpret_cast<const cmm_location*>(paired_ ? data_ : &one_);
    }
    std::size_t c_count() const noexcept { return paired_ ? count_ : CMM_FOR_ALL; }

private:
    location one_{host{}};
    const location* data_ = nullptr;
    std::size_t count_;
    bool paired_ = false;
};

} // namespace over_c
} // namespace cmm

#endif
