// SPDX-License-Identifier: Apache-2.0
// Errors: one base with fields that a program can act on, one class per thing a caller can do about it.
module;
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
export module cmm.error;

export namespace cmm {

// The kinds in the order in which they cross a language border; the values never change.
enum class error_kind : std::int32_t {
    invalid_argument = 1, // a value that no machine accepts
    not_supported = 2,    // this driver, device or mode cannot do it
    closed = 3,           // the object was closed before
    driver_missing = 4,   // no driver could be loaded
    driver = 5,           // the driver refused a call
    out_of_memory = 6,    // the driver is out of memory
    internal = 7,         // a mistake in cmm itself
};

// What a failure is about. `index` counts in the caller's own order, never in cmm's sorted one.
struct error_site {
    std::string_view operation;                 // "prefetch"
    std::string_view argument;                  // "targets"; empty where none is to blame
    std::optional<std::size_t> index = {};      // which element of it
    std::optional<std::size_t> other = {};      // the second element, where two contradict each other
};

class CMM_API error : public std::runtime_error {
public:
    error(error_kind kind, const error_site& site, const std::string& text);

    inline error_kind kind() const noexcept { return kind_; }
    // The name of the argument, and the element of it: empty where the failure has none.
    inline const std::string& argument() const noexcept { return argument_; }
    inline std::optional<std::size_t> index() const noexcept { return index_; }
    inline std::optional<std::size_t> other_index() const noexcept { return other_; }

private:
    error_kind kind_;
    std::string argument_;
    std::optional<std::size_t> index_;
    std::optional<std::size_t> other_;
};

class CMM_API invalid_argument : public error {
public:
    invalid_argument(const error_site& site, const std::string& text)
        : error(error_kind::invalid_argument, site, text) {}
};

class CMM_API not_supported : public error {
public:
    not_supported(const error_site& site, const std::string& text)
        : error(error_kind::not_supported, site, text) {}
};

class CMM_API closed : public error {
public:
    closed(const error_site& site, const std::string& text)
        : error(error_kind::closed, site, text) {}
};

class CMM_API driver_missing : public error {
public:
    explicit driver_missing(const std::string& text)
        : error(error_kind::driver_missing, {"driver", {}}, text) {}
};

// The driver's own refusal. `issued` says how many runs of the operation had reached the driver before
// this one: for moves they stay issued, for advice they have been taken back.
class CMM_API driver_error : public error {
public:
    driver_error(error_kind kind, const error_site& site, const std::string& text, int code,
                 std::string_view name, std::string_view entry, std::size_t issued);

    inline int code() const noexcept { return code_; }                       // CUresult
    inline const std::string& name() const noexcept { return name_; }        // "CUDA_ERROR_INVALID_VALUE"
    inline const std::string& entry() const noexcept { return entry_; }      // "cuMemPrefetchAsync"
    inline std::size_t issued() const noexcept { return issued_; }

private:
    int code_;
    std::string name_;
    std::string entry_;
    std::size_t issued_;
};

class CMM_API out_of_memory : public driver_error {
public:
    using driver_error::driver_error;
};

// The text of a failure: `operation: argument[index]: text`.
CMM_API std::string error_text(const error_site& site, std::string_view text);

} // namespace cmm
