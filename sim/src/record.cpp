// SPDX-License-Identifier: Apache-2.0
#include "record.h"

namespace sim {

void call_record::clear() {
    first_ = count_ = 0;
    ring_ = {};
}

void call_record::add(const cmm_sim_call& call, std::unique_ptr<batch_elements> elements) {
    const std::size_t place = (first_ + count_) % capacity;
    auto& holder = ring_[place / chunk_size];
    if (!holder)
        holder = std::make_unique<chunk>();
    (*holder)[place % chunk_size] = {call, std::move(elements)};
    if (count_ < capacity)
        ++count_;
    else
        first_ = (first_ + 1) % capacity;
}

const call_record::slot& call_record::at(std::size_t index) const {
    const std::size_t place = (first_ + index) % capacity;
    return (*ring_[place / chunk_size])[place % chunk_size];
}

const cmm_sim_call* call_record::get(std::size_t index) const {
    return index < count_ ? &at(index).call : nullptr;
}

const batch_elements* call_record::elements(std::size_t index) const {
    return index < count_ ? at(index).elements.get() : nullptr;
}

std::size_t call_record::calls(std::string_view entry) const {
    std::size_t found = 0;
    for (std::size_t index = 0; index < count_; ++index)
        found += entry == at(index).call.entry ? 1 : 0;
    return found;
}

} // namespace sim
