// SPDX-License-Identifier: Apache-2.0
// Text for people: tables, quantities, names that may hold anything.
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cmm::tool {

// "1.5 MiB"; whole bytes below a KiB.
std::string bytes_text(std::uint64_t bytes);
// "12,345".
std::string count_text(std::uint64_t count);
// "12.3 us", "1.20 ms", "3.45 s".
std::string time_text(double nanoseconds);
// "13.0" for 13000.
std::string version_text(int version);
// Control characters become '?', so that a file's name cannot move the cursor.
std::string printable(std::string_view text);
// JSON on one screen; text that is no UTF-8 is replaced, not refused.
std::string json_text(const nlohmann::ordered_json& object);

enum class align { left, right };

// A table in columns as wide as their widest cell.
class table {
public:
    struct column {
        std::string head;
        align side = align::left;
    };
    explicit table(std::vector<column> columns);
    // As many cells as there are columns.
    void add(std::vector<std::string> cells);
    std::string text() const;

private:
    std::string line(const std::vector<std::string>& cells,
                     const std::vector<std::size_t>& widths) const;

    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace cmm::tool
