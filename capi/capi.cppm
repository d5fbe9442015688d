// SPDX-License-Identifier: Apache-2.0
// What the sources of the C ABI share: the one place where errors turn into status codes, and the
// values of cmm/cmm.h as the boundary has them.
module;
#include <algorithm>
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
export module cmm.capi;
export import cmm.boundary;

export namespace cmm::capi {

using boundary::handle;

// The exception that is being handled becomes the thread's last error.
cmm_status fail() noexcept;
// Null before the first one.
const boundary::error_record* last_error() noexcept;

// Every function of the ABI is one of these: no exception leaves it.
template <class Body> inline cmm_status guarded(Body body) noexcept {
    try {
        body();
        return CMM_OK;
    } catch (...) {
        return fail();
    }
}

[[noreturn]] void refuse_null(const char* operation, const char* argument);
[[noreturn]] void refuse_size(const char* operation, const char* argument, std::size_t given,
                              std::size_t needed);

// The place of a result that must be wanted.
template <class T> inline T& wanted(T* out, const char* operation) {
    if (!out)
        refuse_null(operation, "out");
    return *out;
}

// A struct that grows, as this library knows it: fields beyond `size` keep the defaults of `out`.
// Every version has at least the first version's fields, `needed` bytes.
template <class T>
inline void read_struct(const T& given, T& out, const char* operation, const char* argument,
                        std::size_t needed = sizeof(T)) {
    if (given.size < needed) [[unlikely]]
        refuse_size(operation, argument, given.size, needed);
    std::memcpy(static_cast<void*>(&out), &given, std::min(given.size, sizeof(T)));
}
template <class T>
inline void require_struct(const T& out, const char* operation, const char* argument,
                           std::size_t needed = sizeof(T)) {
    if (out.size < needed) [[unlikely]]
        refuse_size(operation, argument, out.size, needed);
}
// As much of `known` as the caller has room for.
template <class T> inline void write_struct(T& out, T known) noexcept {
    known.size = out.size;
    std::memcpy(static_cast<void*>(&out), &known, std::min(out.size, sizeof(T)));
}

// The layouts are the same, so that arrays cross without a copy.
using boundary::location_code;
using boundary::stream_code;
using boundary::target_code;
static_assert(sizeof(cmm_location) == sizeof(location_code) &&
              offsetof(cmm_location, id) == offsetof(location_code, id));
static_assert(sizeof(cmm_target) == sizeof(target_code) &&
              offsetof(cmm_target, address) == offsetof(target_code, address) &&
              offsetof(cmm_target, bytes) == offsetof(target_code, bytes));

std::span<const target_code> as_targets(const cmm_target* targets, std::size_t count,
                                        const char* operation, const char* argument);

// Locations with whether they pair.
struct places {
    std::span<const location_code> codes;
    bool paired;
};
places as_places(const cmm_location* where, std::size_t count, const char* operation);

inline location_code as_code(cmm_location l) noexcept { return {l.kind, l.id}; }
inline cmm_location as_location(location_code l) noexcept { return {l.kind, l.id}; }
inline stream_code as_code(cmm_stream_ref s) noexcept {
    return {s.own.id, reinterpret_cast<std::uintptr_t>(s.raw)};
}
boundary::options_code as_options(const cmm_options* o, const char* operation);

// Copy options with whether there is one for each copy, in scratch of the thread.
struct copy_choice {
    std::span<const boundary::copy_options_code> codes;
    bool per_copy;
};
copy_choice as_copies(const cmm_copy_options* copy, std::size_t count);

void require_report(const cmm_report* out, const char* operation);
void write_report(cmm_report* out, const report& r) noexcept;

// Text that stands until the thread keeps another one in the same place.
enum class text_place { library, device_name, reason, plan };
const char* keep(text_place place, std::string text);

inline std::string_view as_text(const char* text) noexcept {
    return text ? std::string_view(text) : std::string_view();
}

} // namespace cmm::capi
