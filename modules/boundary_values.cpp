// SPDX-License-Identifier: Apache-2.0
// Values on their way through the border, and errors on their way out.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module cmm.boundary;
import :objects;

namespace cmm::boundary {

location as_location(const location_code& l, const error_site& site) {
    if (l.kind < 1 || l.kind > 4)
        throw invalid_argument(site, fmt::format("{} is no kind of location; allowed are 1 (device), 2 (host), 3 "
                                                 "(host_numa) and 4 (host_numa_current)",
                                                 l.kind));
    if (l.id < 0 && (l.kind == 1 || l.kind == 3))
        throw invalid_argument(site, fmt::format("{} is no ordinal; allowed are 0 to 2147483647", l.id));
    return location::from(l.kind, l.id);
}

location_code as_code(const std::optional<location>& l) noexcept {
    return l ? location_code{static_cast<std::int32_t>(l->kind()), l->id()} : location_code{};
}

namespace {

// Scratch that a thread's calls hand round: a nested call (a collector that runs inside an allocation) takes
// fresh vectors.
template <class T> std::vector<T>& spare() {
    thread_local std::vector<T> v;
    return v;
}

template <class T> std::vector<T> take_spare() {
    auto out = std::exchange(spare<T>(), {});
    out.clear();
    return out;
}

} // namespace

held_targets::held_targets(std::string_view operation, std::string_view argument, std::span<const target_code> codes)
    : targets_(take_spare<target>()), slots_(take_spare<slot*>()) {
    try {
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (codes[i].buffer != 0)
                hold(codes[i].buffer, i, operation, argument);
            else
                targets_.emplace_back(range(codes[i].address, codes[i].bytes));
        }
    } catch (...) {
        release();
        throw;
    }
}

held_targets::held_targets(std::string_view operation, std::string_view argument, std::span<const handle> buffers)
    : targets_(take_spare<target>()), slots_(take_spare<slot*>()) {
    try {
        for (std::size_t i = 0; i < buffers.size(); ++i)
            hold(buffers[i], i, operation, argument);
    } catch (...) {
        release();
        throw;
    }
}

void held_targets::hold(handle h, std::size_t index, std::string_view operation, std::string_view argument) {
    slot* s = try_hold(h, object_kind::buffer);
    if (!s) [[unlikely]]
        refuse_handle(h, object_kind::buffer, {operation, argument, index});
    slots_.push_back(s);
    targets_.emplace_back(*static_cast<const managed_buffer*>(s->object));
}

void held_targets::release() noexcept {
    for (auto* s : slots_)
        let_go(*s);
    slots_.clear();
    spare<target>() = std::move(targets_);
    spare<slot*>() = std::move(slots_);
}

held_targets::~held_targets() { release(); }

held_locations::held_locations(std::string_view operation, std::span<const location_code> codes, bool paired)
    : many_(paired ? take_spare<location>() : std::vector<location>()), paired_(paired) {
    if (codes.empty() && !paired)
        throw invalid_argument({operation, "locations"}, "no location was given; give one, or one for each target");
    if (!paired) {
        one_ = as_location(codes[0], {operation, "locations"});
        return;
    }
    for (std::size_t i = 0; i < codes.size(); ++i)
        many_.push_back(as_location(codes[i], {operation, "locations", i}));
}

held_locations::~held_locations() {
    if (paired_)
        spare<location>() = std::move(many_);
}

namespace {

void fill(error_record& out, const error& e) {
    out.kind = e.kind();
    out.message = e.what();
    out.argument = e.argument();
    out.index = e.index() ? static_cast<std::int64_t>(*e.index()) : -1;
    out.other_index = e.other_index() ? static_cast<std::int64_t>(*e.other_index()) : -1;
}

} // namespace

const error_record& current_error() noexcept {
    thread_local error_record record;
    record = {};
    try {
        throw;
    } catch (const driver_error& e) {
        fill(record, e);
        record.code = e.code();
        record.name = e.name();
        record.entry = e.entry();
        record.issued = e.issued();
    } catch (const error& e) {
        fill(record, e);
    } catch (const std::bad_alloc&) {
        record.kind = error_kind::out_of_memory;
        record.message = "the host is out of memory";
    } catch (const std::exception& e) {
        record.message = e.what();
    } catch (...) {
        record.message = "an exception of unknown type";
    }
    return record;
}

} // namespace cmm::boundary
