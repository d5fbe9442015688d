// SPDX-License-Identifier: Apache-2.0
// Errors: one base with fields that a program can act on, one class per thing a caller can do about
// it.
#ifndef CMM_CPP_ERROR_HPP
#define CMM_CPP_ERROR_HPP

#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace cmm {
inline namespace over_c {

enum class error_kind : std::int32_t {
    invalid_argument = 1,
    not_supported = 2,
    closed = 3,
    driver_missing = 4,
    driver = 5,
    out_of_memory = 6,
    internal = 7,
};

// Exported, so that one library's errors are caught in another one.
class CMM_API error : public std::runtime_error {
public:
    explicit error(const cmm_error& e)
        : std::runtime_error(e.message), kind_(static_cast<error_kind>(e.status)),
          argument_(e.argument), index_(as_index(e.index)), other_(as_index(e.other_index)) {}
    error_kind kind() const noexcept { return kind_; }
    const std::string& argument() const noexcept { return argument_; }
    std::optional<std::size_t> index() const noexcept { return index_; }
    std::optional<std::size_t> other_index() const noexcept { return other_; }

protected:
    // For what this header finds itself, in the library's form.
    error(error_kind kind, const char* operation, const char* argument, const std::string& text)
        : std::runtime_error(std::string(operation) + ": " + argument + ": " + text), kind_(kind),
          argument_(argument) {}

private:
    static std::optional<std::size_t> as_index(std::int64_t i) noexcept {
        return i < 0 ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(i));
    }
    error_kind kind_;
    std::string argument_;
    std::optional<std::size_t> index_;
    std::optional<std::size_t> other_;
};

class CMM_API invalid_argument : public error {
public:
    using error::error;
    invalid_argument(const char* operation, const char* argument, const std::string& text)
        : error(error_kind::invalid_argument, operation, argument, text) {}
};
class CMM_API not_supported : public error {
public:
    using error::error;
};
class CMM_API closed : public error {
public:
    using error::error;
};
class CMM_API driver_missing : public error {
public:
    using error::error;
};
// `issued`: how many runs had reached the driver before; moves stay issued, advice has been taken
// back.
class CMM_API driver_error : public error {
public:
    explicit driver_error(const cmm_error& e)
        : error(e), code_(e.driver_code), name_(e.name), entry_(e.entry),
          issued_(static_cast<std::size_t>(e.issued)) {}
    int code() const noexcept { return code_; }
    const std::string& name() const noexcept { return name_; }
    const std::string& entry() const noexcept { return entry_; }
    std::size_t issued() const noexcept { return issued_; }

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

namespace detail {

// Throws the thread's last error.
[[noreturn]] inline void raise() {
    cmm_error e = CMM_ERROR_INIT;
    switch (cmm_last_error(&e)) {
    case CMM_INVALID_ARGUMENT: throw invalid_argument(e);
    case CMM_NOT_SUPPORTED: throw not_supported(e);
    case CMM_CLOSED: throw closed(e);
    case CMM_DRIVER_MISSING: throw driver_missing(e);
    case CMM_DRIVER_ERROR: throw driver_error(e);
    case CMM_OUT_OF_MEMORY: throw out_of_memory(e);
    default: throw error(e);
    }
}

inline void check(cmm_status s) {
    if (s != CMM_OK)
        raise();
}

// A handle that no object has: what closed and moved-from objects carry, since zero is no handle
// but a plain range or a foreign stream.
constexpr std::uint64_t gone = ~std::uint64_t{0};

} // namespace detail
} // namespace over_c
} // namespace cmm

#endif
