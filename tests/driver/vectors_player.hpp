// SPDX-License-Identifier: Apache-2.0
// Plays the steps of one case; what they make lives until the case ends.
#pragma once

#include "vectors_text.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vectors {

using driver::opaque;
using driver::pointer;
using arguments = std::vector<std::string>;

class player {
public:
    explicit player(const driver::library& with) : with_(with) {}
    ~player();
    player(const player&) = delete;
    player& operator=(const player&) = delete;

    std::string play(const arguments& words);

private:
    using verb = std::string (player::*)(const arguments&);
    static const std::map<std::string, verb>& verbs();

    template <class... Arguments>
    std::string call(const char* name, int version, Arguments... given) {
        return with_.name_of(with_.call(name, version, given...));
    }
    range range_at(const std::string& text) const { return range_of(memory_, text); }
    opaque stream_at(const std::string& text) const;
    static std::uint64_t flags_of(const arguments& words, std::size_t place);

    std::string keep(const std::string& name, memory made, int result);
    std::string release(const memory& gone);

    std::string managed(const arguments& words);
    std::string device(const arguments& words);
    std::string pinned(const arguments& words);
    std::string heap(const arguments& words);
    std::string pool(const arguments& words);
    std::string free(const arguments& words);
    std::string free_ordered(const arguments& words);
    std::string stream(const arguments& words);
    std::string sync(const arguments& words);
    std::string capture(const arguments& words);
    std::string end(const arguments& words);
    std::string state(const arguments& words);
    std::string mode(const arguments& words);
    std::string advise(const arguments& words);
    std::string advise_ordinal(const arguments& words);
    std::string prefetch(const arguments& words);
    std::string prefetch_ordinal(const arguments& words);
    std::string located_batch(const char* entry, const arguments& words);
    std::string prefetch_many(const arguments& words);
    std::string discard_prefetch_many(const arguments& words);
    std::string discard_many(const arguments& words);
    std::string copy_one(const arguments& words);
    std::string copy_batch(const arguments& words, int version);
    std::string copy_many(const arguments& words) { return copy_batch(words, 13000); }
    std::string copy_many_12(const arguments& words) { return copy_batch(words, 12080); }
    std::string is(const arguments& words);
    std::string ask(const arguments& words);
    std::string pointer_is(const arguments& words);
    std::string fill(const arguments& words);
    std::string holds(const arguments& words);
    std::string look_up(const arguments& words);

    std::string read_attribute(range of, int attribute, std::vector<int>& values);
    std::string is_location(range of, const std::string& wanted, const int (&attributes)[3]);

    const driver::library& with_;
    memory_table memory_;
    std::map<std::string, opaque> streams_;
    std::vector<opaque> pools_;
    std::vector<std::unique_ptr<std::byte[]>> heap_;
};

} // namespace vectors
