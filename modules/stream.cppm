// SPDX-License-Identifier: Apache-2.0
// Streams and events, cmm's own and foreign ones.
module;
#include <cmm/export.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
struct CUstream_st; // the driver's and the runtime's stream type
export module cmm.stream;
export import cmm.error;
export import cmm.location;
import cmm.driver;
import cmm.context;

export namespace cmm {

class stream;
class event;

namespace detail {

// A place in the order of work, counted by references: a stream of cmm (then every later use of it counts
// too), the legacy stream of a context, or an event that was recorded in a foreign stream. Work in flight
// is remembered as a list of these.
class timeline;
CMM_API void retain(timeline* t) noexcept;
CMM_API void release(timeline* t) noexcept;

class timeline_ptr {
public:
    timeline_ptr() = default;
    inline explicit timeline_ptr(timeline* adopted) noexcept : t_(adopted) {}
    inline timeline_ptr(const timeline_ptr& o) noexcept : t_(o.t_) {
        if (t_)
            retain(t_);
    }
    inline timeline_ptr(timeline_ptr&& o) noexcept : t_(std::exchange(o.t_, nullptr)) {}
    inline timeline_ptr& operator=(timeline_ptr o) noexcept {
        std::swap(t_, o.t_);
        return *this;
    }
    inline ~timeline_ptr() {
        if (t_)
            release(t_);
    }
    inline timeline* get() const noexcept { return t_; }
    inline explicit operator bool() const noexcept { return t_ != nullptr; }

private:
    timeline* t_ = nullptr;
};

} // namespace detail

// Borrows a stream for one call. Made from cmm's own streams and from foreign handles (a CUstream or
// cudaStream_t). A foreign handle is not used after the call that it came with. Handle 0 means the
// legacy default stream.
class stream_ref {
public:
    inline stream_ref(const stream& s) noexcept;
    inline stream_ref(CUstream_st* raw) noexcept : handle_(raw) {}
    stream_ref(int) = delete;            // a device ordinal is no stream
    stream_ref(std::nullptr_t) = delete; // say stream_ref::legacy()
    static inline stream_ref legacy() noexcept { return stream_ref(static_cast<CUstream_st*>(nullptr)); }
    static inline stream_ref per_thread() noexcept { return from_handle(2); }
    // From a number, as it crosses language borders.
    static inline stream_ref from_handle(std::uintptr_t raw) noexcept {
        return stream_ref(reinterpret_cast<CUstream_st*>(raw));
    }

    inline driver::stream_handle handle() const noexcept { return handle_; }
    inline detail::timeline* own() const noexcept { return own_; }
    inline bool is_legacy() const noexcept { return reinterpret_cast<std::uintptr_t>(handle_) <= 1; }
    inline bool is_per_thread() const noexcept { return reinterpret_cast<std::uintptr_t>(handle_) == 2; }
    inline bool is_closed() const noexcept { return reinterpret_cast<std::uintptr_t>(handle_) == UINTPTR_MAX; }

private:
    driver::stream_handle handle_ = nullptr;
    detail::timeline* own_ = nullptr;
};

struct stream_options {
    std::optional<cmm::device> device = std::nullopt; // default: the current context's, else device 0
    int priority = 0;                                 // lower is more urgent; see priority_range
    bool blocking = false;                            // whether it synchronises with the legacy stream
};

struct priority_bounds {
    int least, greatest;
};

// An owned stream. Closing one with work in it lets the work finish. Thread-safe but for close and move.
class CMM_API stream {
public:
    explicit stream(const stream_options& o = {}); // cuStreamCreateWithPriority
    stream(stream&& o) noexcept;
    stream& operator=(stream&& o) noexcept;
    ~stream();

    // Waits for all work in the stream. Throws driver_error for a failure of that work. cuStreamSynchronize
    void sync() const;
    // Whether all work in it has finished. cuStreamQuery
    bool done() const;
    // Later work of this stream waits for `e`. cuStreamWaitEvent
    void wait(const event& e) const;
    // Later work of this stream waits for what is in `other` now: an event is recorded there.
    void wait(stream_ref other) const;
    // A new event behind the work that is in the stream now. cuEventCreate, cuEventRecord
    event record(bool timing = false) const;
    int priority() const;
    cmm::device device() const;
    bool capturing() const;

    // The driver's CUstream. Throws closed.
    driver::stream_handle handle() const;
    void close() noexcept;
    inline bool is_closed() const noexcept { return !own_; }

    // The priorities that streams of a device can have: the lower number is the more urgent one.
    static priority_bounds priorities(cmm::device d);

private:
    friend class stream_ref;
    detail::timeline& live(const char* operation) const;
    // What a closed stream's references carry: the null handle would mean the legacy stream.
    static inline const driver::stream_handle closed_handle = reinterpret_cast<driver::stream_handle>(-1);
    detail::timeline_ptr own_;
    driver::stream_handle raw_ = closed_handle;
};

inline stream_ref::stream_ref(const stream& s) noexcept : handle_(s.raw_), own_(s.own_.get()) {}

// A mark in a stream.
class CMM_API event {
public:
    // Behind the work that is in `s` now.
    explicit event(stream_ref s, bool timing = false);
    event(event&& o) noexcept;
    event& operator=(event&& o) noexcept;
    ~event();

    void sync() const; // cuEventSynchronize
    bool done() const; // cuEventQuery
    // Nanoseconds from `earlier` to this one; both made with timing. cuEventElapsedTime
    double nanoseconds_since(const event& earlier) const;
    driver::event_handle handle() const; // throws closed
    void close() noexcept;
    inline bool is_closed() const noexcept { return !handle_; }

private:
    driver::event_handle handle_ = nullptr;
    driver::context_handle context_ = nullptr;
    bool timing_ = false;
};

// Waits for all work in a stream, foreign or cmm's own.
CMM_API void synchronize(stream_ref s);

} // namespace cmm

export namespace cmm::detail {

// Everything that an operation needs to know of its stream, for one call: its context is made current,
// and whether it captures is asked. Put back when the call ends.
class CMM_API stream_call {
public:
    // `device_hint`: whose primary context serves where the thread has none and the stream names none.
    // Throws closed for a closed stream of cmm.
    stream_call(const error_site& site, stream_ref s, int device_hint);
    ~stream_call();
    stream_call(const stream_call&) = delete;
    stream_call& operator=(const stream_call&) = delete;

    inline driver::stream_handle handle() const noexcept { return handle_; }
    inline driver::context_handle context() const noexcept { return context_; }
    inline bool capturing() const noexcept { return capturing_; }
    inline bool is_legacy() const noexcept { return reinterpret_cast<std::uintptr_t>(handle_) <= 1; }
    // Throws not_supported where the stream captures, or is the legacy stream while another one does:
    // the driver would invalidate the capture. `what` is "a prefetch".
    void refuse_capture(const char* what) const;

    // Where the work of this call ends, once it has been issued: for what must outlive that work. Not
    // when capturing. Foreign streams: an event is recorded, once per call; where the driver refuses that,
    // the work is waited for, and the answer is null.
    timeline_ptr done_at();

private:
    const error_site& site_;
    driver::stream_handle handle_;
    driver::context_handle context_ = nullptr;
    timeline* own_;
    timeline_ptr foreign_;
    bool pushed_ = false;
    bool capturing_ = false;
    bool implicit_ = false;
};

// An event of the context's pool, for the length of one call.
class CMM_API pooled_event {
public:
    pooled_event() = default;
    ~pooled_event();
    pooled_event(const pooled_event&) = delete;
    pooled_event& operator=(const pooled_event&) = delete;
    void take(const error_site& site, driver::context_handle context);
    inline driver::event_handle handle() const noexcept { return handle_; }

private:
    driver::context_handle context_ = nullptr;
    driver::event_handle handle_ = nullptr;
};

// Runs batch entry points for the legacy stream, which they refuse: on a non-blocking stream of cmm's
// own between two events. For other streams it is the stream itself.
class CMM_API batch_stream {
public:
    batch_stream(const error_site& site, const stream_call& call);
    ~batch_stream(); // where the batch failed half way: what was issued still comes before later work
    batch_stream(const batch_stream&) = delete;
    batch_stream& operator=(const batch_stream&) = delete;
    inline driver::stream_handle handle() const noexcept { return handle_; }
    // Makes the legacy stream wait for the batch. Throws.
    void finish();

private:
    const error_site& site_;
    const stream_call& call_;
    driver::stream_handle handle_;
    bool bridging_ = false;
    pooled_event before_, after_;
};

// The identity that a call's stream has in a list of uses, before anything is recorded: null for
// foreign streams.
CMM_API timeline* identity(const stream_call& call) noexcept;

// Turns "everything in this stream until now" into a mark that can be asked for its end. Null where the
// stream captures at the moment: ask again later. `idle` is set where nothing is left to wait for.
CMM_API timeline_ptr mark(timeline& t, bool& idle) noexcept;
// Whether the work before a mark has finished; a lost context counts as finished.
CMM_API bool finished(timeline& mark) noexcept;
CMM_API bool is_finished_mark(timeline& t) noexcept; // false for what is no mark
CMM_API void wait_if_mark(timeline& t) noexcept;
// A mark behind the work of a foreign or own stream, for close(stream).
CMM_API timeline_ptr mark_of(stream_ref s);

} // namespace cmm::detail
