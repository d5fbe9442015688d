// SPDX-License-Identifier: Apache-2.0
// Streams and events, cmm's own and foreign ones.
#ifndef CMM_CPP_STREAM_HPP
#define CMM_CPP_STREAM_HPP

#include <cmm/cmm.h>
#include <cmm/cpp/error.hpp>
#include <cmm/cpp/location.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

struct CUstream_st; // the driver's and the runtime's stream type

namespace cmm {
inline namespace over_c {

class event;
class stream;

namespace driver {
using stream_handle = void*;
using event_handle = void*;
} // namespace driver

// Borrows a stream for one call. A foreign handle is not used after the call that it came with.
// Handle 0 means the legacy default stream.
class stream_ref {
public:
    inline stream_ref(const stream& s) noexcept;
    stream_ref(CUstream_st* raw) noexcept : c_(cmm_raw(raw)) {}
    stream_ref(int) = delete;            // a device ordinal is no stream
    stream_ref(std::nullptr_t) = delete; // say stream_ref::legacy()
    static stream_ref legacy() noexcept { return stream_ref(static_cast<CUstream_st*>(nullptr)); }
    static stream_ref per_thread() noexcept { return from_handle(2); }
    static stream_ref from_handle(std::uintptr_t raw) noexcept {
        return stream_ref(reinterpret_cast<CUstream_st*>(raw));
    }
    cmm_stream_ref c_value() const noexcept { return c_; }

private:
    cmm_stream_ref c_;
};

struct stream_options {
    std::optional<cmm::device> device =
        std::nullopt;      // default: the current context's, else device 0
    int priority = 0;      // lower is more urgent
    bool blocking = false; // whether it synchronises with the legacy stream
};

struct priority_bounds {
    int least, greatest;
};

// A mark in a stream.
class event {
public:
    explicit event(stream_ref s, bool timing = false) {
        detail::check(cmm_event_record(s.c_value(), timing, &c_));
    }
    event(event&& o) noexcept : c_(std::exchange(o.c_, {detail::gone})) {}
    event& operator=(event&& o) noexcept {
        std::swap(c_, o.c_);
        return *this;
    }
    ~event() { close(); }

    void sync() const { detail::check(cmm_event_sync(c_)); }
    bool done() const {
        bool out = false;
        detail::check(cmm_event_done(c_, &out));
        return out;
    }
    // From `earlier` to this one; both made with timing.
    double nanoseconds_since(const event& earlier) const {
        double out = 0;
        detail::check(cmm_event_nanoseconds(c_, earlier.c_, &out));
        return out;
    }
    driver::event_handle handle() const {
        void* out = nullptr;
        detail::check(cmm_event_handle(c_, &out));
        return out;
    }
    void close() noexcept { cmm_event_close(std::exchange(c_, {detail::gone})); }
    bool is_closed() const noexcept { return !cmm_event_is_open(c_); }
    cmm_event c_handle() const noexcept { return c_; }

private:
    cmm_event c_{detail::gone};
};

// An owned stream. Closing one with work in it lets the work finish. Thread-safe but for close and
// move.
class stream {
public:
    explicit stream(const stream_options& o = {}) {
        cmm_stream_options c = CMM_STREAM_OPTIONS_INIT;
        c.device = o.device ? o.device->ordinal() : -1;
        c.priority = o.priority;
        c.blocking = o.blocking ? 1 : 0;
        detail::check(cmm_stream_create(&c, &c_));
    }
    stream(stream&& o) noexcept : c_(std::exchange(o.c_, {detail::gone})) {}
    stream& operator=(stream&& o) noexcept {
        std::swap(c_, o.c_);
        return *this;
    }
    ~stream() { close(); }

    void sync() const { detail::check(cmm_synchronize(cmm_on(c_))); }
    bool done() const { return ask(&cmm_stream_done); }
    void wait(const event& e) const { detail::check(cmm_stream_wait_event(c_, e.c_handle())); }
    void wait(stream_ref other) const {
        detail::check(cmm_stream_wait_stream(c_, other.c_value()));
    }
    event record(bool timing = false) const { return event(*this, timing); }
    int priority() const {
        std::int32_t out = 0;
        detail::check(cmm_stream_priority(c_, &out));
        return out;
    }
    cmm::device device() const {
        std::int32_t out = 0;
        detail::check(cmm_stream_device(c_, &out));
        return cmm::device{out};
    }
    bool capturing() const { return ask(&cmm_stream_capturing); }
    driver::stream_handle handle() const {
        void* out = nullptr;
        detail::check(cmm_stream_handle(c_, &out));
        return out;
    }
    void close() noexcept { cmm_stream_close(std::exchange(c_, {detail::gone})); }
    bool is_closed() const noexcept { return !cmm_stream_is_open(c_); }
    cmm_stream c_handle() const noexcept { return c_; }

    // The priorities that streams of a device can have: the lower number is the more urgent one.
    static priority_bounds priorities(cmm::device d) {
        priority_bounds out{};
        detail::check(cmm_stream_priorities(d.ordinal(), &out.least, &out.greatest));
        return out;
    }

private:
    bool ask(cmm_status (*question)(cmm_stream, bool*)) const {
        bool out = false;
        detail::check(question(c_, &out));
        return out;
    }
    cmm_stream c_{detail::gone};
};

inline stream_ref::stream_ref(const stream& s) noexcept : c_(cmm_on(s.c_handle())) {}

inline void synchronize(stream_ref s) { detail::check(cmm_synchronize(s.c_value())); }

} // namespace over_c
} // namespace cmm

#endif
