// SPDX-License-Identifier: Apache-2.0
#include "vectors.hpp"
#include "vectors_player.hpp"

#include <stdexcept>

namespace vectors {

const std::map<std::string, player::verb>& player::verbs() {
    static const std::map<std::string, verb> all{
        {"managed", &player::managed},
        {"managed_host", &player::managed},
        {"device", &player::device},
        {"pinned", &player::pinned},
        {"heap", &player::heap},
        {"pool", &player::pool},
        {"free", &player::free},
        {"free_ordered", &player::free_ordered},
        {"stream", &player::stream},
        {"sync", &player::sync},
        {"capture", &player::capture},
        {"end", &player::end},
        {"state", &player::state},
        {"mode", &player::mode},
        {"advise", &player::advise},
        {"advise_ordinal", &player::advise_ordinal},
        {"prefetch", &player::prefetch},
        {"prefetch_ordinal", &player::prefetch_ordinal},
        {"prefetch_many", &player::prefetch_many},
        {"discard_many", &player::discard_many},
        {"discard_prefetch_many", &player::discard_prefetch_many},
        {"copy", &player::copy_one},
        {"copy_many", &player::copy_many},
        {"copy_many_12", &player::copy_many_12},
        {"is", &player::is},
        {"ask", &player::ask},
        {"pointer", &player::pointer_is},
        {"fill", &player::fill},
        {"holds", &player::holds},
        {"look_up", &player::look_up},
    };
    return all;
}

std::string player::play(const arguments& words) { return (this->*verbs().at(words.at(0)))(words); }

player::~player() {
    for (const auto& [name, made] : streams_) {
        call("cuStreamSynchronize", 2000, made);
        call("cuStreamDestroy", 4000, made);
    }
    for (const auto& [name, held] : memory_)
        release(held);
    call("cuStreamSynchronize", 2000, driver::null_stream);
    for (const opaque made : pools_)
        call("cuMemPoolDestroy", 11020, made);
}

opaque player::stream_at(const std::string& text) const {
    if (text == "null")
        return driver::null_stream;
    if (text == "legacy")
        return driver::legacy;
    return text == "per_thread" ? driver::per_thread : streams_.at(text);
}

std::uint64_t player::flags_of(const arguments& words, std::size_t place) {
    return words.size() > place ? std::stoull(words[place].substr(words[place].find(':') + 1)) : 0;
}

namespace {

std::string text_of(const step& of) {
    std::string text;
    for (const std::string& word : of.words)
        text += word + " ";
    return text;
}

} // namespace

std::vector<difference> play(const driver::library& with, const vector_case& played) {
    player on(with);
    std::vector<difference> differences;
    for (const step& next : played.steps) {
        std::string got;
        try {
            got = on.play(next.words);
        } catch (const std::logic_error& error) {
            got = std::string("no such step: ") + error.what();
        }
        if (got != next.answer)
            differences.push_back({next.line, text_of(next), next.answer, got});
    }
    return differences;
}

} // namespace vectors
