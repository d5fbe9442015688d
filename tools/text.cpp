// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace cmm::tool {

namespace {

// Bytes that continue a character of UTF-8 take no place of their own.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

} // namespace

std::string bytes_text(std::uint64_t bytes) {
    static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    auto value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
        value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string count_text(std::uint64_t count) {
    auto digits = fmt::format("{}", count);
    for (auto at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, 1, ',');
    return digits;
}

std::string time_text(double nanoseconds) {
    if (nanoseconds < 1e3)
        return fmt::format("{:.0f} ns", nanoseconds);
    if (nanoseconds < 1e6)
        return fmt::format("{:.1f} us", nanoseconds / 1e3);
    if (nanoseconds < 1e9)
        return fmt::format("{:.2f} ms", nanoseconds / 1e6);
    return fmt::format("{:.2f} s", nanoseconds / 1e9);
}

std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string printable(std::string_view text) {
    std::string out(text);
    const auto moves = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    std::ranges::replace_if(out, moves, '?');
    return out;
}

std::string json_text(const nlohmann::ordered_json& object) {
    return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

table::table(std::vector<column> columns) : columns_(std::move(columns)) {}

void table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
    std::string out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto& cell = cells[i];
        const std::string blanks(widths[i] - width_of(cell), ' ');
        out += columns_[i].side == align::right ? blanks + cell : cell + blanks;
        out += "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + '\n';
}

std::string table::text() const {
    std::vector<std::string> heads;
    std::vector<std::size_t> widths;
    for (const auto& c : columns_) {
        heads.push_back(c.head);
        widths.push_back(width_of(c.head));
    }
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    auto out = line(heads, widths);
    for (const auto& row : rows_)
        out += line(row, widths);
    return out;
}

} // namespace cmm::tool
