// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module cmm.plan;
import cmm.error;

namespace cmm::plan {

namespace {

std::string bytes_at(std::uintptr_t address, std::size_t bytes) {
    return fmt::format("{:#x} ({} bytes)", address, bytes);
}

[[noreturn]] void refuse_own_overlap(std::string_view operation, const copy_element& e) {
    throw invalid_argument(
        {operation, "srcs", e.index},
        fmt::format("{} overlaps its own destination {:#x}; a batch copies in no "
                    "order, so copy through a buffer that is apart",
                    bytes_at(e.src, e.bytes), e.dst));
}

[[noreturn]] void refuse_two_writers(std::string_view operation, const copy_element& a,
                                     const copy_element& b) {
    const auto& low = a.index < b.index ? a : b;
    const auto& high = a.index < b.index ? b : a;
    throw invalid_argument({operation, "dsts", low.index, high.index},
                           fmt::format("{} overlaps dsts[{}], {}; a batch copies in no order, so "
                                       "destinations must be apart",
                                       bytes_at(low.dst, low.bytes), high.index,
                                       bytes_at(high.dst, high.bytes)));
}

[[noreturn]] void refuse_chain(std::string_view operation, const copy_element& reader,
                               const copy_element& writer) {
    throw invalid_argument({operation, "srcs", reader.index, writer.index},
                           fmt::format("{} is written by dsts[{}], {}; a batch copies in no order, "
                                       "so make two calls",
                                       bytes_at(reader.src, reader.bytes), writer.index,
                                       bytes_at(writer.dst, writer.bytes)));
}

bool continues(const copy_element& before, const copy_element& e) noexcept {
    return before.dst + before.bytes == e.dst && before.src + before.bytes == e.src &&
           before.options == e.options && before.dst_of == e.dst_of && before.src_of == e.src_of &&
           before.dst_kind == e.dst_kind && before.src_kind == e.src_kind;
}

inline std::uintptr_t written_to(const copy_element& e) noexcept { return e.dst + e.bytes; }

// Refuses what one copy shows by itself; says whether there is anything to copy.
inline bool moves(std::string_view operation, const copy_element& e) {
    if (e.dst == e.src)
        return false;
    if (std::max(e.dst, e.src) - std::min(e.dst, e.src) < e.bytes)
        refuse_own_overlap(operation, e);
    return true;
}

// The bytes from the first to the last of all sources, or of all destinations.
struct extent {
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;

    inline void add(std::uintptr_t address, std::size_t bytes) noexcept {
        begin = std::min(begin, address);
        end = std::max(end, address + bytes);
    }
    bool overlaps(const extent& other) const noexcept {
        return begin < other.end && other.begin < end;
    }
};

} // namespace

std::span<const copy_run> copy_planner::plan(std::string_view operation, bool merge) {
    const auto order = detail::room(by_destination_, elements_.size(), {});
    extent written, read;
    std::size_t copies = 0;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
        const auto& e = elements_[i];
        if (!moves(operation, e))
            continue;
        order[copies++] = detail::key::of(e.dst, e.index, i);
        written.add(e.dst, e.bytes);
        read.add(e.src, e.bytes);
    }
    detail::sort(order.first(copies));
    const auto runs = join(operation, order.first(copies), merge);
    if (written.overlaps(read))
        refuse_chains(operation, order.first(copies));
    return runs;
}

// One pass by destination. Copies with different options never overlap, so that each run's
// destination still tells its place among those of its options.
std::span<const copy_run> copy_planner::join(std::string_view operation,
                                             std::span<const detail::key> order, bool merge) {
    const auto runs = detail::room(runs_, order.size(), {});
    copy_run* next = runs.data();
    const copy_element* before = nullptr;
    bool options_in_order = true;
    for (const auto& k : order) {
        const auto& e = elements_[k.position()];
        if (before && e.dst < written_to(*before))
            refuse_two_writers(operation, *before, e);
        if (merge && before && continues(*before, e)) {
            next[-1].bytes += e.bytes;
            next[-1].first = std::min(next[-1].first, e.index);
            ++next[-1].count;
        } else {
            *next++ = {e.dst, e.src, e.bytes, e.options, e.index, 1};
        }
        options_in_order &= !before || before->options <= e.options;
        before = &e;
    }
    if (!options_in_order)
        std::sort(runs.data(), next, [](const copy_run& a, const copy_run& b) {
            return a.options != b.options ? a.options < b.options : a.dst < b.dst;
        });
    return {runs.data(), next};
}

// Destinations are in order and apart, so that both lists are walked once.
void copy_planner::refuse_chains(std::string_view operation, std::span<const detail::key> order) {
    const auto sources = detail::room(by_source_, order.size(), {});
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& e = elements_[order[i].position()];
        sources[i] = detail::key::of(e.src, e.index, order[i].position());
    }
    detail::sort(sources);
    auto writer = order.begin();
    for (const auto& k : sources) {
        const auto& reader = elements_[k.position()];
        while (writer != order.end() && written_to(elements_[writer->position()]) <= reader.src)
            ++writer;
        if (writer == order.end())
            return;
        const auto& w = elements_[writer->position()];
        if (w.dst < reader.src + reader.bytes)
            refuse_chain(operation, reader, w);
    }
}

} // namespace cmm::plan
