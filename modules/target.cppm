// SPDX-License-Identifier: Apache-2.0
// Targets: what an operation works on. Views of buffers and of plain ranges, one or many, that copy
// nothing: they live for one call.
module;
#include <atomic>
#include <cmm/export.h>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
export module cmm.target;
export import cmm.buffer;
import cmm.driver;
import cmm.plan;

export namespace cmm {

// A buffer, or a plain range of memory that cmm did not allocate. Does not keep a buffer alive.
class target {
public:
    inline target(const buffer& b) noexcept : state_(b.state()), closed_(b.is_closed()) {
        if (!closed_) {
            address_ = state_->where.begin();
            bytes_ = state_->where.bytes();
        }
    }
    inline explicit target(detail::buffer_state& s) noexcept
        : address_(s.where.begin()), bytes_(s.where.bytes()), state_(&s),
          closed_(s.closed.load(std::memory_order_relaxed)) {}
    inline target(const range& r) noexcept : address_(r.begin()), bytes_(r.bytes()) {}
    // Throws invalid_argument where the range wraps.
    inline target(void* address, std::size_t bytes) : target(range(address, bytes)) {}

    inline std::uintptr_t address() const noexcept { return address_; }
    inline std::size_t bytes() const noexcept { return bytes_; }
    inline bool is_closed() const noexcept { return closed_; }
    // Null for a plain range.
    inline detail::buffer_state* state() const noexcept { return state_; }

private:
    std::uintptr_t address_ = 0;
    std::size_t bytes_ = 0;
    detail::buffer_state* state_ = nullptr;
    bool closed_ = false;
};

template <class R>
concept target_range = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                       std::convertible_to<const std::ranges::range_value_t<R>&, target>;

// One target or a sequence of them: a buffer, `{a, b}`, a vector of buffers, a span of ranges.
class target_list {
public:
    template <class T>
        requires(std::convertible_to<const T&, target> && !target_range<T>)
    target_list(const T& one) : data_(&one), at_(&convert<T>), count_(1), single_(true) {}
    inline target_list(std::initializer_list<target> many) noexcept
        : data_(many.begin()), at_(&convert<target>), count_(many.size()) {}
    template <target_range R>
    target_list(const R& many)
        : data_(std::ranges::data(many)), at_(&convert<std::ranges::range_value_t<R>>),
          count_(std::ranges::size(many)) {}

    inline std::size_t size() const noexcept { return count_; }
    // Whether one target was given, not a sequence of one.
    inline bool single() const noexcept { return single_; }
    inline target operator[](std::size_t i) const { return at_(data_, i); }

private:
    template <class T> static target convert(const void* data, std::size_t i) {
        return static_cast<const T*>(data)[i];
    }
    const void* data_;
    target (*at_)(const void*, std::size_t);
    std::size_t count_;
    bool single_ = false;
};

// One location, which broadcasts, or a sequence, which pairs by index.
class location_list {
public:
    template <class L>
        requires std::convertible_to<const L&, location>
    location_list(const L& one) : one_(one), count_(1) {}
    inline location_list(std::initializer_list<location> many) noexcept : data_(many.begin()), count_(many.size()), paired_(true) {}
    template <std::ranges::contiguous_range R>
        requires std::same_as<std::ranges::range_value_t<R>, location>
    location_list(const R& many) : data_(std::ranges::data(many)), count_(std::ranges::size(many)), paired_(true) {}

    inline std::size_t size() const noexcept { return count_; }
    inline bool paired() const noexcept { return paired_; }
    // For a broadcast location, any index.
    inline const location& operator[](std::size_t i) const noexcept { return paired_ ? data_[i] : one_; }

private:
    location one_{host{}};
    const location* data_ = nullptr;
    std::size_t count_;
    bool paired_ = false;
};

} // namespace cmm

export namespace cmm::detail {

// What a target's memory is, found by the driver's pointer query where cmm does not know it itself.
struct memory_facts {
    memory_kind kind;
    std::uintptr_t area; // what its ranges merge within; plan::by_address for pageable memory
    std::size_t area_bytes;
    int device;             // -1: not known
    std::size_t padding;    // bytes behind the target that belong to it alone
    attach attached;
};

// Remembers the last answer: neighbours in a list are often of one allocation. For one call alone, since
// memory that cmm did not allocate may change between calls.
class CMM_API memory_lookup {
public:
    inline explicit memory_lookup(const error_site& site) : site_(site) {}
    // Throws closed for a closed buffer, invalid_argument where the range leaves its allocation.
    inline memory_facts operator()(const target& t, std::size_t index) {
        if (auto* s = t.state(); s && !t.is_closed() && s->root->kind != memory_kind::unknown) [[likely]] {
            const auto& root = *s->root;
            const bool to_end = t.address() + t.bytes() == root.where.end();
            return {root.kind, root.area, root.area_bytes, root.device, to_end ? root.padding : 0, root.attached};
        }
        return ask(t, index);
    }
    // The same element for an error about argument `name` instead of the site's own.
    inline void about(std::string_view name) noexcept { argument_ = name; }

private:
    memory_facts ask(const target& t, std::size_t index);
    error_site site_;
    std::string_view argument_;
    driver::pointer_facts last_{memory_kind::unknown, {}, -1};
};

// Remembers that advice was given, so that an arena resets it before it hands the memory out again. For
// plain ranges it is remembered that there were any.
CMM_API void remember_advice(const target_list& targets) noexcept;
CMM_API bool plain_ranges_were_advised() noexcept;

// Throws invalid_argument for no targets, and for locations that do not pair.
CMM_API void require_pairs(std::string_view operation, const target_list& targets, const location_list& where);

} // namespace cmm::detail
