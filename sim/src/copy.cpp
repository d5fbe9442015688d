// SPDX-License-Identifier: Apache-2.0
#include "copy.h"

#include <cstring>

namespace sim {
namespace {

std::vector<block_ref> users(const operand& a, const operand& b) {
    std::vector<block_ref> held;
    for (const block_ref& each : {a.held, b.held})
        if (each != nullptr)
            held.push_back(each);
    return held;
}

} // namespace

operand find_operand(const world& w, device_ptr address, std::size_t bytes) {
    refuse_if(address == 0 || address + bytes < address);
    block_ref held = w.memory.share(address);
    if (held == nullptr)
        return {reinterpret_cast<std::byte*>(address), nullptr};
    refuse_if(!held->contains(address, bytes));
    std::byte* at = held->at(address);
    return {at, std::move(held)};
}

operand find_device_operand(const world& w, device_ptr address, std::size_t bytes) {
    operand found = find_operand(w, address, bytes);
    refuse_if(found.held == nullptr);
    return found;
}

operation copy_work(const operand& to, const operand& from, std::size_t bytes) {
    return {.uses = users(to, from),
            .run = [to = to.at, from = from.at, bytes] { std::memmove(to, from, bytes); },
            .settle = {},
            .after = {}};
}

operation copy_work_of_snapshot(const operand& to, const operand& from, std::size_t bytes) {
    const auto kept = std::make_shared<std::vector<std::byte>>(from.at, from.at + bytes);
    return {.uses = users(to, {}),
            .run = [to = to.at, kept] { std::memcpy(to, kept->data(), kept->size()); },
            .settle = {},
            .after = {}};
}

} // namespace sim
