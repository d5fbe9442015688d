// SPDX-License-Identifier: Apache-2.0
// cmm doctor: what is here, what works, and what to do about what does not.
#include "commands.hpp"
#include "driver_text.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
// Imports.
#include "doctor_facts.hpp"

namespace cmm::tool {

namespace {

using json = nlohmann::ordered_json;

// A device that another process has for itself tells nothing about its memory.
std::optional<memory_information> memory_of(device d) {
    try {
        return memory_info(d);
    } catch (const error&) {
        return std::nullopt;
    }
}

std::string memory_text(device d) {
    const auto memory = memory_of(d);
    if (!memory)
        return "memory not told";
    return fmt::format("{}, {} free", bytes_text(memory->total_bytes),
                       bytes_text(memory->free_bytes));
}

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string level_text(const driver::facts& known) {
    if (known.level == known.version)
        return fmt::format("CUDA {} ({})", version_text(known.version), known.version);
    const char* ceiling = std::getenv("CMM_API_LEVEL");
    return fmt::format("CUDA {} ({}), used as CUDA {} because of {}", version_text(known.version),
                       known.version, version_text(known.level),
                       ceiling && *ceiling ? fmt::format("CMM_API_LEVEL={}", ceiling)
                                           : "a ceiling");
}

void print_driver(const driver::facts& known) {
    fmt::print("cmm doctor on {}\n\n", strong(driver_text()));
    fmt::print("library     {}{}\n", known.library, known.simulated ? " (simulated)" : "");
    fmt::print("version     {}\n", level_text(known));
    fmt::print("host nodes  {}\n", known.numa_nodes);
}

void print_device(device d, const driver::device_facts& facts) {
    fmt::print("\n{}    {} ({})\n", strong(to_string(location(d))), facts.name, memory_text(d));
    fmt::print("            managedMemory {}, concurrentManagedAccess {}, pageableMemoryAccess {}, "
               "integrated {}, host node {}\n\n",
               yes_or_no(facts.managed_memory), yes_or_no(facts.concurrent_managed_access),
               yes_or_no(facts.pageable_memory_access), yes_or_no(facts.integrated),
               facts.host_numa_id < 0 ? "not told" : std::to_string(facts.host_numa_id));
    table t({{"operation"}, {"works"}, {"entry point"}, {"why"}});
    for (const auto& row : diagnose(d))
        t.add({std::string(to_string(row.what)), yes_or_no(row.works),
               row.entry.empty() ? "-" : row.entry, row.why});
    fmt::print("{}", t.text());
}

// What depends on the driver's version: names with several shapes, and what was not found.
bool matters(const driver::lookup& l, const std::map<std::string_view, int>& shapes) {
    return !l.found || shapes.at(l.name) > 1 || l.version >= 12000;
}

void print_lookups(const driver::facts& known, bool all) {
    std::map<std::string_view, int> shapes;
    for (const auto& l : known.lookups)
        ++shapes[l.name];
    table t({{"entry point"}, {"looked up"}});
    std::size_t left = 0;
    for (const auto& l : known.lookups) {
        if (all || matters(l, shapes))
            t.add({fmt::format("{}@{}", l.name, l.version), std::string(l.why)});
        else
            ++left;
    }
    fmt::print("\n{}", t.text());
    if (left > 0)
        fmt::print("and {} that every driver has, all found (--all)\n", left);
}

// Each piece of advice once, with what it is for.
void print_remedies(const driver::facts& known) {
    std::map<std::string, std::set<std::string>> remedies;
    for (std::size_t i = 0; i < known.devices.size(); ++i)
        for (const auto& row : diagnose(device{i}))
            if (!row.remedy.empty())
                remedies[row.remedy].insert(std::string(to_string(row.what)));
    fmt::print("\n");
    if (remedies.empty())
        fmt::print("{}\n", good("Everything works here."));
    else
        fmt::print("{}\n", strong("What to do"));
    for (const auto& [remedy, names] : remedies)
        fmt::print("- {}: {}\n", fmt::join(names, ", "), remedy);
    if (known.simulated)
        fmt::print("- No GPU is used: take CMM_DRIVER=sim away where there is one.\n");
}

json device_json(device d, const driver::device_facts& facts) {
    json out{{"ordinal", d.ordinal()},
             {"name", facts.name},
             {"managed_memory", facts.managed_memory},
             {"concurrent_managed_access", facts.concurrent_managed_access},
             {"pageable_memory_access", facts.pageable_memory_access},
             {"integrated", facts.integrated},
             {"host_numa_id", facts.host_numa_id}};
    if (const auto memory = memory_of(d)) {
        out["free_bytes"] = memory->free_bytes;
        out["total_bytes"] = memory->total_bytes;
    }
    for (const auto& row : diagnose(d))
        out["operations"].push_back({{"operation", to_string(row.what)},
                                     {"works", row.works},
                                     {"entry", row.entry},
                                     {"why", row.why},
                                     {"remedy", row.remedy}});
    return out;
}

void print_json(const driver::facts& known) {
    json out{
        {"driver", driver_json()}, {"numa_nodes", known.numa_nodes}, {"devices", json::array()}};
    for (std::size_t i = 0; i < known.devices.size(); ++i)
        out["devices"].push_back(device_json(device{i}, known.devices[i]));
    for (const auto& l : known.lookups)
        out["lookups"].push_back(
            {{"name", l.name}, {"version", l.version}, {"found", l.found}, {"why", l.why}});
    fmt::print("{}\n", json_text(out));
}

} // namespace

int doctor(const doctor_options& o) {
    const auto& known = driver::get_facts();
    if (o.json) {
        print_json(known);
        return 0;
    }
    print_driver(known);
    for (std::size_t i = 0; i < known.devices.size(); ++i)
        print_device(device{i}, known.devices[i]);
    print_lookups(known, o.all);
    print_remedies(known);
    return 0;
}

} // namespace cmm::tool
