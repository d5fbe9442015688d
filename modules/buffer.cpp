// SPDX-License-Identifier: Apache-2.0
// Buffers as the user holds them.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>
module cmm.buffer;
import cmm.context;
import cmm.driver;

namespace cmm {

namespace {

driver::pointer_facts ask(const error_site& site, const detail::buffer_state& s) {
    driver::pointer_facts facts{};
    driver::check(driver::pointer(s.where.begin(), facts), site, "cuPointerGetAttributes");
    return facts;
}

bool reachable_by_host(memory_kind k) noexcept { return k != memory_kind::device; }

// Without concurrentManagedAccess the host must keep off managed memory while the device may use it.
void require_quiet(const error_site& site, detail::buffer_state& root) {
    const int without = driver::device_without_concurrent_access();
    if (without < 0 || root.attached == attach::host)
        return;
    detail::drop_finished_uses(root);
    const bool quiet = (root.lock.lock(), root.uses.empty());
    root.lock.unlock();
    if (!quiet)
        throw not_supported(site, fmt::format("device:{} has no concurrentManagedAccess, and work on this "
                                              "memory is in flight; synchronize its streams first",
                                              without));
}

} // namespace

buffer buffer::from_handle(void* address, std::size_t bytes, std::shared_ptr<const void> owner) {
    if (!address && bytes)
        throw invalid_argument({"from_handle", "address"},
                               fmt::format("null with {} bytes; give the address of the memory", bytes));
    auto s = std::make_unique<detail::buffer_state>();
    s->where = range(address, bytes);
    s->owner = std::move(owner);
    s->give_back = &detail::drop_owner;
    return buffer(s.release());
}

void buffer::refuse_closed(const char* operation) {
    throw closed({operation, "buffer"}, "the buffer was closed");
}

memory_kind buffer::kind() const {
    const auto& s = live("kind");
    return s.borrowed() && !s.where.empty() ? ask({"kind", "buffer"}, s).kind : s.root->kind;
}

bool buffer::is_managed() const {
    const auto k = kind();
    return k == memory_kind::managed || k == memory_kind::managed_pool;
}

cmm::device buffer::device() const {
    const auto& s = live("device");
    const int ordinal = s.borrowed() && !s.where.empty() ? ask({"device", "buffer"}, s).device : s.root->device;
    return cmm::device{ordinal < 0 ? 0 : ordinal};
}

detail::buffer_state* buffer::make_slice(std::size_t offset, std::size_t bytes) const {
    auto& s = live("slice");
    const auto size = s.where.bytes();
    if (offset > size || bytes > size - offset)
        throw invalid_argument({"slice", offset > size ? "offset" : "bytes"},
                               fmt::format("[{}, {} + {}) is not inside the buffer of {} bytes", offset,
                                           offset, bytes, size));
    auto made = std::make_unique<detail::buffer_state>(s, range(s.where.begin() + offset, bytes));
    if (!detail::try_hold(*s.root))
        refuse_closed("slice");
    return made.release();
}

buffer buffer::slice(std::size_t offset, std::size_t bytes) const { return buffer(make_slice(offset, bytes)); }

detail::buffer_state& buffer::pin_for_host(std::size_t item, std::size_t alignment) const {
    const error_site site{"as_span", "buffer"};
    auto& s = live("as_span");
    const auto k = kind();
    if (!reachable_by_host(k))
        throw not_supported(site, fmt::format("{} cannot be touched by the host; copy it to a managed or "
                                              "pinned buffer first",
                                              to_string(k)));
    if (s.where.bytes() % item != 0 || s.where.begin() % alignment != 0)
        throw invalid_argument(site, fmt::format("{} bytes at {:#x} are no whole number of aligned items of "
                                                 "{} bytes",
                                                 s.where.bytes(), s.where.begin(), item));
    if (k == memory_kind::managed || k == memory_kind::managed_pool)
        require_quiet(site, *s.root);
    if (!detail::try_hold(*s.root))
        refuse_closed("as_span");
    s.root->views.fetch_add(1, std::memory_order_relaxed);
    return s;
}

void buffer::close() noexcept {
    if (auto* s = std::exchange(state_, nullptr))
        detail::close(s, true);
}

void buffer::close(stream_ref s) {
    if (is_closed())
        return;
    if (const auto end = detail::mark_of(s))
        detail::mark_use(*state_->root, end.get());
    close();
}

} // namespace cmm
