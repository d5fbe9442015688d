// SPDX-License-Identifier: Apache-2.0
module;
#include <cmm/export.h>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
module cmm.trace;

namespace cmm {

namespace {

struct warnings {
    std::mutex lock;
    warning_handler handler = nullptr;
    void* user = nullptr;
    std::set<std::string, std::less<>> given;
};

// Never destroyed: a warning may come from another library's last destructor.
warnings& all() {
    static auto& the_only = *new warnings;
    return the_only;
}

void print(std::string_view text) {
    const auto line = fmt::format("cmm: warning: {}\n", text);
    std::fputs(line.c_str(), stderr);
}

} // namespace

void set_warning_handler(warning_handler handler, void* user) noexcept {
    const std::lock_guard alone(all().lock);
    all().handler = handler;
    all().user = user;
}

// The handler runs without the lock: it may take one of its own (an interpreter's), or warn in
// turn.
void warn_once(std::string_view key, std::string_view text) {
    auto& w = all();
    std::unique_lock alone(w.lock);
    if (!w.given.emplace(key).second)
        return;
    const auto handler = w.handler;
    void* const user = w.user;
    alone.unlock();
    if (!handler)
        return print(text);
    try {
        handler(key, text, user);
    } catch (...) {
        alone.lock();
        if (const auto given = w.given.find(key); given != w.given.end())
            w.given.erase(given);
        throw;
    }
}

void reset_warnings() noexcept {
    const std::lock_guard alone(all().lock);
    all().given.clear();
}

} // namespace cmm
