// SPDX-License-Identifier: Apache-2.0
// What sim.h declares: the side of the tests.
#include "world.h"

#include <cmm/sim.h>

namespace {

using namespace sim;

std::string& message() {
    thread_local std::string text;
    return text;
}

int refused(std::string why) {
    message() = std::move(why);
    return -1;
}

template <class Value>
void copy_out(const std::vector<std::uint64_t>& from, std::size_t capacity, Value* to) {
    if (to != nullptr)
        std::copy_n(from.begin(), std::min(capacity, from.size()), to);
}

void copy_locations(const std::vector<location>& from, std::size_t capacity, int* to) {
    for (std::size_t index = 0; to != nullptr && index < std::min(capacity, from.size()); ++index) {
        to[2 * index] = static_cast<int>(from[index].type);
        to[2 * index + 1] = from[index].id;
    }
}

std::uint64_t stack_depth(const world& w) {
    const thread_state& thread = this_thread();
    return thread.epoch == w.epoch ? thread.contexts.size() : 0;
}

} // namespace

int cmm_sim_reset(const char* config) {
    if (the_world().forked)
        return refused("a forked child cannot use the simulated driver");
    if (this_thread().in_callback)
        return refused("a host function cannot reset the driver that runs it");
    try {
        reset(config != nullptr ? config : "");
        return 0;
    } catch (const settings_error& error) {
        return refused(error.what());
    }
}

const char* cmm_sim_message(void) { return message().c_str(); }

int cmm_sim_numa_nodes(void) { return locked()->config.numa_nodes; }

int cmm_sim_fault(const char* entry, uint64_t nth, int code) {
    if (entry == nullptr || *entry == '\0')
        return refused("a fault needs the name of an entry point");
    if (code < 1 || code > 999)
        return refused("a fault needs a CUresult from 1 to 999");
    locked()->faults.arm(entry, nth, static_cast<result>(code));
    return 0;
}

void cmm_sim_clear_faults(void) { locked()->faults.clear(); }

uint64_t cmm_sim_faults_played(void) { return locked()->faults.played(); }

void cmm_sim_record_enable(int on) { locked()->record.enable(on != 0); }
void cmm_sim_record_clear(void) { locked()->record.clear(); }
size_t cmm_sim_record_count(void) { return locked()->record.count(); }

int cmm_sim_record_get(size_t index, cmm_sim_call* out) {
    const locked w;
    const cmm_sim_call* call = w->record.get(index);
    if (call == nullptr || out == nullptr)
        return refused("there is no such call in the record");
    *out = *call;
    return 0;
}

size_t cmm_sim_calls(const char* entry) {
    return entry == nullptr ? 0 : locked()->record.calls(entry);
}

size_t cmm_sim_record_ranges(size_t index, size_t capacity, uint64_t* addresses, uint64_t* bytes,
                             uint64_t* sources, int* locations) {
    const locked w;
    const batch_elements* of = w->record.elements(index);
    if (of == nullptr)
        return 0;
    copy_out(of->addresses, capacity, addresses);
    copy_out(of->bytes, capacity, bytes);
    copy_out(of->sources, capacity, sources);
    copy_locations(of->locations, capacity, locations);
    return of->addresses.size();
}

void cmm_sim_live_counts(cmm_sim_live* out) {
    const locked w;
    const auto managed = w->memory.all_of(memory_kind::managed),
               device = w->memory.all_of(memory_kind::device);
    const auto pinned = w->memory.all_of(memory_kind::pinned);
    *out = {.managed_allocations = managed.count,
            .managed_bytes = managed.bytes,
            .device_allocations = device.count,
            .device_bytes = device.bytes,
            .pinned_allocations = pinned.count,
            .pinned_bytes = pinned.bytes,
            .registered_ranges = w->memory.all_of(memory_kind::registered).count,
            .streams = w->streams.size(),
            .events = w->events.size(),
            .graphs = w->graphs.size(),
            .graph_execs = w->execs.size(),
            .user_objects = w->user_objects.size(),
            .pools = static_cast<uint64_t>(std::ranges::count_if(
                w->pools, [](const auto& p) { return p.second->owned_by_client; })),
            .contexts = w->contexts.size(),
            .context_stack = stack_depth(*w),
            .pending_operations = w->pending};
}

uint64_t cmm_sim_use_after_free_count(void) { return locked()->use_after_free; }

const char* cmm_sim_use_after_free_report(void) {
    thread_local std::string report;
    report = locked()->use_after_free_report;
    return report.c_str();
}

int cmm_sim_page_state(uint64_t address, cmm_sim_page* out) {
    const locked w;
    const block* held = w->memory.find(address);
    if (out == nullptr || held == nullptr || held->kind != memory_kind::managed)
        return refused("there is no managed memory at this address");
    *out = w->pages.at(address / w->config.page_size);
    return 0;
}

void cmm_sim_hold(void) { locked()->held = true; }

void cmm_sim_release(void) {
    locked w;
    w->held = false;
    wake_workers(*w);
}
