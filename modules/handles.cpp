// SPDX-License-Identifier: Apache-2.0
module;
#include <array>
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
module cmm.handles;
import cmm.error;

namespace cmm::boundary {

namespace {

constexpr std::uint32_t per_chunk = 1024;
constexpr std::uint32_t most_chunks = 1U << 16U;

struct table {
    std::array<std::atomic<slot*>, most_chunks> chunks{};
    std::mutex lock; // of what follows
    std::uint32_t used = 1;       // index 0 stays empty: its handle could be zero
    std::uint32_t first_free = 0; // 0: none
    std::array<std::atomic<std::size_t>, 8> open{};
};

// Outlives static destructors: languages close objects late.
table& all() noexcept {
    static auto* t = new table;
    return *t;
}

slot* find(std::uint32_t index) noexcept {
    slot* chunk = all().chunks[index / per_chunk].load(std::memory_order_acquire);
    return chunk ? chunk + index % per_chunk : nullptr;
}

// Under the lock.
slot& fresh(table& t) {
    if (t.first_free != 0) {
        slot& s = *find(t.first_free);
        t.first_free = s.next_free;
        return s;
    }
    auto& chunk = t.chunks[t.used / per_chunk];
    if (!chunk.load(std::memory_order_relaxed))
        chunk.store(new slot[per_chunk], std::memory_order_release);
    slot& s = *find(t.used);
    s.index = t.used++;
    return s;
}

void destroy(slot& s) noexcept {
    const auto kind = s.kind;
    s.destroy(s.object);
    auto& t = all();
    const std::lock_guard guard(t.lock);
    s.object = nullptr;
    s.kind = object_kind::none;
    s.next_free = t.first_free;
    t.first_free = s.index;
    t.open[static_cast<std::size_t>(kind)].fetch_sub(1, std::memory_order_relaxed);
}

constexpr std::uint32_t index_of(handle h) noexcept { return static_cast<std::uint32_t>(h); }

const char* name_of(object_kind k) noexcept {
    constexpr std::array names{"object", "buffer", "resource", "stream", "event", "plan", "view"};
    return names[static_cast<std::size_t>(k)];
}

} // namespace

handle insert(object_kind kind, void* object, void (*destroy)(void*) noexcept) {
    auto& t = all();
    const std::lock_guard guard(t.lock);
    slot& s = fresh(t);
    s.object = object;
    s.destroy = destroy;
    s.kind = kind;
    t.open[static_cast<std::size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    const auto generation = (slot::generation_of(s.word.load(std::memory_order_relaxed)) + 1) & 0xffffffffU;
    const auto used = generation == 0 ? 1 : generation;
    s.word.store(used << 32U | slot::open_bit, std::memory_order_release);
    return used << 32U | s.index;
}

slot* try_hold(handle h, object_kind kind) noexcept {
    slot* s = find(index_of(h) % (per_chunk * most_chunks));
    if (!s)
        return nullptr;
    auto word = s->word.load(std::memory_order_acquire);
    do {
        if (slot::generation_of(word) != h >> 32U || !(word & slot::open_bit))
            return nullptr;
    } while (!s->word.compare_exchange_weak(word, word + 1, std::memory_order_acquire));
    if (s->kind == kind || kind == object_kind::none)
        return s;
    let_go(*s);
    return nullptr;
}

void let_go(slot& s) noexcept {
    const auto before = s.word.fetch_sub(1, std::memory_order_acq_rel);
    const bool last = (before & (slot::open_bit - 1)) == 1;
    if (last && !(before & slot::open_bit))
        destroy(s);
}

void close(handle h) noexcept {
    slot* s = find(index_of(h) % (per_chunk * most_chunks));
    if (!s)
        return;
    auto word = s->word.load(std::memory_order_acquire);
    do {
        if (slot::generation_of(word) != h >> 32U || !(word & slot::open_bit))
            return;
    } while (!s->word.compare_exchange_weak(word, word & ~slot::open_bit, std::memory_order_acq_rel));
    if ((word & (slot::open_bit - 1)) == 0)
        destroy(*s);
}

bool is_open(handle h) noexcept { return kind_of(h) != object_kind::none; }

object_kind kind_of(handle h) noexcept {
    slot* s = try_hold(h, object_kind::none);
    if (!s)
        return object_kind::none;
    const auto kind = s->kind;
    let_go(*s);
    return kind;
}

void refuse_handle(handle h, object_kind wanted, const error_site& site) {
    const auto kind = kind_of(h);
    if (kind != object_kind::none)
        throw invalid_argument(site, std::string("a ") + name_of(kind) + " was given; a " + name_of(wanted) +
                                         " is needed");
    if (h == 0)
        throw invalid_argument(site, std::string("no ") + name_of(wanted) + " was given");
    throw closed(site, std::string("the ") + name_of(wanted) + " was closed");
}

std::size_t open_objects(object_kind kind) noexcept {
    auto& t = all();
    if (kind != object_kind::none)
        return t.open[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
    std::size_t sum = 0;
    for (const auto& n : t.open)
        sum += n.load(std::memory_order_relaxed);
    return sum;
}

} // namespace cmm::boundary
