// SPDX-License-Identifier: Apache-2.0
// Sequences: each crosses once, as a blittable ulong[] that is pinned for the call; its first element is the
// number of items.
%{
namespace {

// The items of one argument, made of the numbers behind the count, for the length of a call.
template <class T, std::size_t Numbers> class crossed {
public:
    template <class Make> std::span<const T> take(const std::uint64_t* from, Make make) {
        const auto count = static_cast<std::size_t>(from[0]);
        T* to = few_;
        if (count > few) {
            many_.resize(count);
            to = many_.data();
        }
        for (std::size_t i = 0; i < count; ++i)
            to[i] = make(from + 1 + i * Numbers);
        return {to, count};
    }

private:
    static constexpr std::size_t few = 64;
    T few_[few];
    std::vector<T> many_;
};

// Zero would mean a plain range; no handle is all ones.
target_code as_target(const std::uint64_t* n) noexcept { return {n[0] ? n[0] : ~handle{0}, 0, 0}; }
location_code as_location_item(const std::uint64_t* n) noexcept {
    return as_location_code(static_cast<long long>(n[0]));
}
std::uint64_t as_size(const std::uint64_t* n) noexcept { return n[0]; }
// A copy's options are its order and overlap, and its two hints.
copy_options_code as_copy_options(const std::uint64_t* n) noexcept {
    return {static_cast<std::int32_t>(n[0] & 0xffffffff), as_location_item(n + 1), as_location_item(n + 2),
            static_cast<std::int32_t>(n[0] >> 32)};
}

using crossed_targets = crossed<target_code, 1>;
using crossed_locations = crossed<location_code, 1>;
using crossed_sizes = crossed<std::uint64_t, 1>;
using crossed_copy_options = crossed<copy_options_code, 3>;

// Handles on their way out: the count, then the handles.
void* keep_handles(const std::vector<handle>& made) {
    thread_local std::vector<handle> kept;
    kept.assign(1, made.size());
    kept.insert(kept.end(), made.begin(), made.end());
    return kept.data();
}

} // namespace
%}

%define CMM_CSHARP_SPAN(TYPE, CROSSED, MAKE)
%typemap(ctype) std::span<const TYPE> "unsigned long long*"
%typemap(imtype, inattributes="[global::System.Runtime.InteropServices.In]") std::span<const TYPE> "ulong[]"
%typemap(cstype) std::span<const TYPE> "ulong[]"
%typemap(csin) std::span<const TYPE> "$csinput"
%typemap(in, canthrow=1) std::span<const TYPE> (CROSSED room) %{
    try {
        $1 = room.take(reinterpret_cast<const std::uint64_t*>($input), MAKE);
    } catch (...) {
        raise_current();
        return $null;
    }
%}
%enddef

CMM_CSHARP_SPAN(target_code, crossed_targets, as_target)
CMM_CSHARP_SPAN(location_code, crossed_locations, as_location_item)
CMM_CSHARP_SPAN(copy_options_code, crossed_copy_options, as_copy_options)
CMM_CSHARP_SPAN(std::uint64_t, crossed_sizes, as_size)

CMM_CSHARP_NUMBERS(std::vector<handle>)
%typemap(out) std::vector<handle> {
    const std::vector<handle>& made = $1;
    $result = keep_handles(made);
}

// Declared here, behind the typemaps that they need.
buffer_handle borrow(std::uint64_t address, std::uint64_t bytes, bool managed, std::uint64_t owner);
std::vector<handle> released_owners();
