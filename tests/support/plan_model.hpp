// SPDX-License-Identifier: Apache-2.0
// What a plan has to be, said in the slowest and most obvious way: every pair is looked at. This
// header imports, so that it is included last.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

import cmm.error;
import cmm.location;
import cmm.plan;
import cmm.range;

namespace cmm::test {

using plan::copy_element;
using plan::copy_run;
using plan::element;
using plan::merging;
using plan::run;
using index_pair = std::pair<std::size_t, std::size_t>;
using ranges = std::vector<element>;
using copies = std::vector<copy_element>;

inline bool meet(std::uintptr_t a, std::size_t a_bytes, std::uintptr_t b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

inline std::string text(const run& r) {
    return fmt::format("[{:#x}+{} {} first {} count {}]", r.address, r.bytes, to_string(r.where),
                       r.first, r.count);
}

inline std::string text(const copy_run& r) {
    return fmt::format("[{:#x}<-{:#x}+{} options {} first {} count {}]", r.dst, r.src, r.bytes,
                       r.options, r.first, r.count);
}

template <class Runs> std::string text_of(const Runs& runs) {
    std::string out;
    for (const auto& r : runs)
        out += text(r);
    return out;
}

// Ranges.

inline page_size grain_of(merging rule, page_size page) {
    return rule == merging::bytes ? page_size{1} : page;
}

inline bool overlap(const element& a, const element& b, page_size grain) {
    const auto ra = pages_of({a.address, a.bytes}, grain);
    const auto rb = pages_of({b.address, b.bytes}, grain);
    return ra.overlaps(rb);
}

inline bool touch(const element& a, const element& b, page_size grain) {
    const auto ra = pages_of({a.address, a.bytes}, grain);
    const auto rb = pages_of({b.address, b.bytes}, grain);
    return ra.begin() <= rb.end() && rb.begin() <= ra.end();
}

inline std::set<index_pair> contradictions(const ranges& in, page_size grain) {
    std::set<index_pair> out;
    for (const auto& a : in)
        for (const auto& b : in)
            if (a.index < b.index && a.where != b.where && overlap(a, b, grain))
                out.insert({a.index, b.index});
    return out;
}

inline void join(run& r, const element& e) {
    const auto end = std::max(r.address + r.bytes, e.address + e.bytes);
    r.address = std::min(r.address, e.address);
    r.bytes = end - r.address;
    r.first = std::min(r.first, e.index);
    ++r.count;
}

// Elements of one group are one run; groups are joined until nothing changes.
inline std::vector<run> expected_runs(ranges in, merging rule, page_size page) {
    std::ranges::sort(in, {}, [](const element& e) { return std::pair(e.address, e.index); });
    std::vector<std::size_t> group(in.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (bool changed = rule != merging::none; changed;) {
        changed = false;
        for (std::size_t i = 0; i < in.size(); ++i)
            for (std::size_t j = 0; j < in.size(); ++j)
                if (group[i] < group[j] && in[i].of == in[j].of && in[i].where == in[j].where &&
                    touch(in[i], in[j], grain_of(rule, page))) {
                    group[j] = group[i];
                    changed = true;
                }
    }
    std::vector<run> out;
    for (std::size_t g = 0; g < in.size(); ++g) {
        if (group[g] != g)
            continue;
        out.push_back({in[g].address, in[g].bytes, in[g].where, in[g].index, 1});
        for (std::size_t i = g + 1; i < in.size(); ++i)
            if (group[i] == g)
                join(out.back(), in[i]);
    }
    return out;
}

// Plans, and says what is wrong with the plan or the refusal: nothing if nothing is.
inline std::string fault_of_plan(plan::range_planner& planner, const ranges& in, merging rule,
                                 page_size page) {
    const auto refusals = contradictions(in, grain_of(rule, page));
    planner.clear();
    for (const auto& e : in)
        planner.add(e);
    try {
        const auto got = text_of(planner.plan("prefetch", rule, page));
        if (!refusals.empty())
            return "planned what contradicts itself: " + got;
        const auto wanted = text_of(expected_runs(in, rule, page));
        return got == wanted ? "" : "got " + got + ", not " + wanted;
    } catch (const invalid_argument& e) {
        const bool right = e.argument() == "targets" && e.index() && e.other_index() &&
                           refusals.contains({*e.index(), *e.other_index()});
        return right ? "" : std::string("refused wrongly: ") + e.what();
    }
}

// Copies.

inline bool moves(const copy_element& e) { return e.dst != e.src; }

struct copy_refusals {
    std::set<std::size_t> own;
    std::set<index_pair> writers;
    std::set<index_pair> chains; // reader, writer

    bool empty() const { return own.empty() && writers.empty() && chains.empty(); }
    bool contain(const invalid_argument& e) const {
        if (!e.index())
            return false;
        if (!e.other_index())
            return e.argument() == "srcs" && own.contains(*e.index());
        const index_pair both{*e.index(), *e.other_index()};
        return e.argument() == "dsts" ? writers.contains(both)
                                      : e.argument() == "srcs" && chains.contains(both);
    }
};

inline copy_refusals refusals_of(const copies& in) {
    copy_refusals out;
    for (const auto& a : in) {
        if (!moves(a))
            continue;
        if (meet(a.dst, a.bytes, a.src, a.bytes))
            out.own.insert(a.index);
        for (const auto& b : in) {
            if (!moves(b) || a.index == b.index)
                continue;
            if (a.index < b.index && meet(a.dst, a.bytes, b.dst, b.bytes))
                out.writers.insert({a.index, b.index});
            if (meet(a.src, a.bytes, b.dst, b.bytes))
                out.chains.insert({a.index, b.index});
        }
    }
    return out;
}

inline bool continued_by(const copy_element& a, const copy_element& b) {
    const auto sides = [](const copy_element& e) {
        return std::tuple(e.options, e.dst_of, e.src_of, e.dst_kind, e.src_kind);
    };
    return a.dst + a.bytes == b.dst && a.src + a.bytes == b.src && sides(a) == sides(b);
}

inline std::vector<copy_run> expected_runs(copies in, bool merge) {
    std::erase_if(in, [](const copy_element& e) { return !moves(e); });
    std::ranges::sort(in, {}, [](const copy_element& e) { return std::pair(e.options, e.dst); });
    std::vector<copy_run> out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto& e = in[i];
        if (!merge || i == 0 || !continued_by(in[i - 1], e)) {
            out.push_back({e.dst, e.src, e.bytes, e.options, e.index, 1});
            continue;
        }
        out.back().bytes += e.bytes;
        out.back().first = std::min(out.back().first, e.index);
        ++out.back().count;
    }
    return out;
}

inline std::string fault_of_plan(plan::copy_planner& planner, const copies& in, bool merge) {
    const auto refusals = refusals_of(in);
    planner.clear();
    for (const auto& e : in)
        planner.add(e);
    try {
        const auto got = text_of(planner.plan("copy_batch", merge));
        if (!refusals.empty())
            return "planned what contradicts itself: " + got;
        const auto wanted = text_of(expected_runs(in, merge));
        return got == wanted ? "" : "got " + got + ", not " + wanted;
    } catch (const invalid_argument& e) {
        return refusals.contain(e) ? "" : std::string("refused wrongly: ") + e.what();
    }
}

} // namespace cmm::test
