// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

namespace sim {
namespace {

using text = std::string_view;

text trimmed(text value) {
    constexpr text blanks = " \t\r";
    const auto first = value.find_first_not_of(blanks);
    if (first == text::npos)
        return {};
    return value.substr(first, value.find_last_not_of(blanks) - first + 1);
}

std::vector<text> split(text value, text separators) {
    std::vector<text> parts;
    while (!value.empty()) {
        const auto end = std::min(value.find_first_of(separators), value.size());
        if (const text part = trimmed(value.substr(0, end)); !part.empty())
            parts.push_back(part);
        value.remove_prefix(std::min(end + 1, value.size()));
    }
    return parts;
}

[[noreturn]] void refuse(text key, text value, text allowed) {
    throw settings_error(fmt::format("{}={}: allowed is {}", key, value, allowed));
}

std::uint64_t number(text key, text value, std::uint64_t least, std::uint64_t most) {
    std::uint64_t parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc{} || end != value.data() + value.size() || parsed < least ||
        parsed > most)
        refuse(key, value, fmt::format("a number from {} to {}", least, most));
    return parsed;
}

constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

int small(text key, text value, int least, int most) {
    return static_cast<int>(
        number(key, value, static_cast<unsigned>(least), static_cast<unsigned>(most)));
}

std::vector<int> switches(text key, text value) {
    std::vector<int> values;
    for (const text part : split(value, ","))
        values.push_back(small(key, part, 0, 1));
    if (values.empty())
        refuse(key, value, "0 or 1, once or for each device");
    return values;
}

std::size_t page_size(text key, text value) {
    const auto bytes =
        number(key, value, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), 1U << 30);
    if (!std::has_single_bit(bytes))
        refuse(key, value, "a power of two, not below the system's page");
    return bytes;
}

std::vector<hidden_entry> hidden(text key, text value) {
    std::vector<hidden_entry> entries;
    for (const text part : split(value, ",")) {
        const auto at = part.find('@');
        const int version = at == text::npos ? 0 : small(key, part.substr(at + 1), 1, 99999);
        entries.push_back({std::string(part.substr(0, at)), version});
    }
    return entries;
}

std::vector<fault_text> faults(text key, text value) {
    std::vector<fault_text> armed;
    for (const text part : split(value, ",")) {
        const auto fields = split(part, ":");
        if (fields.size() != 3)
            refuse(key, part, "ENTRY:NTH:RESULT");
        armed.push_back({std::string(fields[0]), number(key, fields[1], 0, any_number),
                         small(key, fields[2], 1, 999)});
    }
    return armed;
}

struct key_reader {
    text key;
    void (*read)(settings& into, text key, text value);
};

constexpr key_reader keys[] = {
    {"version", [](settings& s, text k, text v) { s.version = small(k, v, 11080, 13999); }},
    {"devices", [](settings& s, text k, text v) { s.devices = small(k, v, 1, 64); }},
    {"numa_nodes", [](settings& s, text k, text v) { s.numa_nodes = small(k, v, 1, 1024); }},
    {"concurrent", [](settings& s, text k, text v) { s.concurrent = switches(k, v); }},
    {"pageable", [](settings& s, text k, text v) { s.pageable = switches(k, v); }},
    {"integrated", [](settings& s, text k, text v) { s.integrated = switches(k, v); }},
    {"managed", [](settings& s, text k, text v) { s.managed = small(k, v, 0, 1) != 0; }},
    {"page_size", [](settings& s, text k, text v) { s.page_size = page_size(k, v); }},
    {"device_memory",
     [](settings& s, text k, text v) { s.device_memory = number(k, v, 1, any_number); }},
    {"managed_limit",
     [](settings& s, text k, text v) { s.managed_limit = number(k, v, 0, any_number); }},
    {"seed", [](settings& s, text k, text v) { s.seed = number(k, v, 0, any_number); }},
    {"copy_delay",
     [](settings& s, text k, text v) { s.copy_delay = number(k, v, 0, 60'000'000'000); }},
    {"hide", [](settings& s, text k, text v) { s.hide = hidden(k, v); }},
    {"faults", [](settings& s, text k, text v) { s.faults = faults(k, v); }},
    {"explain", [](settings& s, text k, text v) { s.explain = small(k, v, 0, 1) != 0; }},
};

void read_environment(settings& into) {
    for (const auto& [key, read] : keys) {
        std::string name = "CMM_SIM_";
        std::transform(key.begin(), key.end(), std::back_inserter(name),
                       [](char c) { return c == '_' ? '_' : static_cast<char>(c - 'a' + 'A'); });
        if (const char* value = std::getenv(name.c_str()); value != nullptr && *value != '\0')
            read(into, key, trimmed(value));
    }
}

void read_pair(settings& into, text pair) {
    const auto equals = pair.find('=');
    const text key = trimmed(pair.substr(0, equals));
    const auto* known = std::find_if(std::begin(keys), std::end(keys),
                                     [key](const key_reader& k) { return k.key == key; });
    if (known == std::end(keys) || equals == text::npos)
        throw settings_error(
            fmt::format("'{}' is no key=value pair that the simulated driver knows", pair));
    known->read(into, key, trimmed(pair.substr(equals + 1)));
}

void check_per_device(const settings& read, text key, const std::vector<int>& values) {
    if (values.size() != 1 && values.size() != static_cast<std::size_t>(read.devices))
        refuse(key, fmt::format("({} values)", values.size()),
               fmt::format("one value, or one for each of the {} devices", read.devices));
}

} // namespace

settings read_settings(text given) {
    settings read;
    read.page_size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    read_environment(read);
    for (const text pair : split(given, ";\n"))
        read_pair(read, pair);
    check_per_device(read, "concurrent", read.concurrent);
    check_per_device(read, "pageable", read.pageable);
    check_per_device(read, "integrated", read.integrated);
    return read;
}

int per_device(const std::vector<int>& values, int device) {
    return values.size() == 1 ? values.front() : values.at(static_cast<std::size_t>(device));
}

} // namespace sim
