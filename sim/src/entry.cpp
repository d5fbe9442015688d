// SPDX-License-Identifier: Apache-2.0
#include "entry.h"

#include <algorithm>

namespace sim {
namespace {

std::vector<export_row>& exports() {
    static auto& rows = *new std::vector<export_row>;
    return rows;
}

template <class Value> std::vector<std::uint64_t> copied(const Value* list, std::size_t count) {
    return list == nullptr ? std::vector<std::uint64_t>{}
                           : std::vector<std::uint64_t>(list, list + count);
}

// A wrong count must not make the record read far beyond what was meant.
constexpr std::size_t most_elements = 1U << 20;

} // namespace

export_list::export_list(std::initializer_list<export_row> rows) {
    exports().insert(exports().end(), rows);
}

const std::vector<export_row>& all_exports() { return exports(); }

entry& entry::range(device_ptr address, std::size_t bytes) {
    call_.address = address;
    call_.bytes = bytes;
    call_.count = 1;
    return *this;
}

entry& entry::where(location place) {
    call_.location_type = static_cast<int>(place.type);
    call_.location_id = place.id;
    return *this;
}

entry& entry::batch(const device_ptr* addresses, const device_ptr* sources,
                    const std::size_t* bytes, std::size_t count) {
    addresses_ = addresses, sources_ = sources, bytes_ = bytes;
    count_ = count <= most_elements ? count : 0;
    if (count_ != 0) {
        call_.address = addresses != nullptr ? addresses[0] : 0;
        call_.source = sources != nullptr ? sources[0] : 0;
        call_.bytes = bytes != nullptr ? bytes[0] : 0;
    }
    call_.count = count;
    return *this;
}

entry& entry::places(const location* locations, std::size_t count) {
    call_.attributes = count;
    if (locations == nullptr || count == 0 || count > most_elements)
        return *this;
    locations_ = locations, places_ = count;
    return where(locations[0]);
}

void entry::play_fault(world& w) {
    const auto due = w.faults.play(call_.entry);
    if (!due)
        return;
    if (is_sticky(*due))
        if (context* current = current_context(w))
            current->sticky = *due;
    refuse(*due);
}

void entry::gate(world& w, need needed) {
    if (needed == need::nothing)
        return play_fault(w);
    refuse_if(w.closing, result::deinitialized);
    refuse_if(this_thread().in_callback, result::not_permitted);
    play_fault(w);
    refuse_if(!w.initialised, result::not_initialized);
    if (needed != need::context)
        return;
    current_ = current_context(w);
    refuse_if(current_ == nullptr, result::invalid_context);
    refuse_if(current_->sticky != result::success, current_->sticky);
}

void entry::note(world& w, result answered) {
    call_.result = static_cast<int>(answered);
    call_.thread = this_thread().id;
    std::unique_ptr<batch_elements> elements;
    if (count_ != 0 || places_ != 0)
        elements = std::make_unique<batch_elements>(batch_elements{
            copied(addresses_, count_), copied(bytes_, count_), copied(sources_, count_),
            std::vector<location>(locations_, locations_ + places_)});
    w.record.add(call_, std::move(elements));
}

} // namespace sim
