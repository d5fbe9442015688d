// SPDX-License-Identifier: Apache-2.0
module;
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmm/export.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>
module cmm.trace;
import cmm.error;

namespace cmm::trace::detail {

namespace {

using json = nlohmann::ordered_json;

// Text that is no UTF-8 (a path, a driver's message) must not make the line unreadable.
std::string dump(const json& object) {
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

json arguments_of(const event& e) {
    return {{"detail", e.detail},     {"ranges_in", e.ranges_in}, {"ranges_out", e.ranges_out},
            {"calls", e.calls},       {"bytes", e.bytes},         {"entry", e.entry},
            {"strategy", e.strategy}, {"reason", e.reason},       {"ignored", e.ignored},
            {"error", e.error},       {"stream", hex(e.stream)},  {"address", hex(e.address)}};
}

// The first object of the file: it names the process, and makes every later line begin with a
// comma.
std::string header() {
    return "[\n" + dump({{"name", "process_name"},
                         {"ph", "M"},
                         {"pid", ::getpid()},
                         {"args", {{"name", "cmm " + std::to_string(::getpid())}}}});
}

bool write_all(int descriptor, std::string_view text) noexcept {
    while (!text.empty()) {
        const auto written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            return false;
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return true;
}

[[noreturn]] void refuse(const std::string& path, int descriptor, const std::string& why) {
    if (descriptor >= 0)
        ::close(descriptor);
    throw invalid_argument({"trace", "path"}, path + ' ' + why);
}

std::string failed(std::string_view what) {
    return fmt::format("cannot be {}: {}", what, std::strerror(errno));
}

} // namespace

std::string line_of(const event& e) {
    const auto begin = e.begin_ns ? e.begin_ns : now_ns();
    const auto end = e.begin_ns ? e.end_ns : begin;
    return ",\n" +
           dump({{"name", e.operation},
                 {"cat", "cmm"},
                 {"ph", "X"},
                 {"ts", static_cast<double>(begin) / 1000},
                 {"dur", static_cast<double>(std::max<std::int64_t>(end - begin, 0)) / 1000},
                 {"pid", ::getpid()},
                 {"tid", ::gettid()},
                 {"args", arguments_of(e)}});
}

// The lock is the kernel's, on the open file: a child shares it, another process that would write
// over this one's events does not get it.
void json_file::open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        refuse(path, fd, failed("opened for writing"));
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        refuse(path, fd,
               "is being written by another process; %p in a path becomes the process id");
    if (::ftruncate(fd, 0) != 0 && errno != EINVAL) // EINVAL: a pipe or a terminal
        refuse(path, fd, failed("emptied"));
    if (!write_all(fd, header()))
        refuse(path, fd, failed("written"));
    descriptor_ = fd;
    owner_ = ::getpid();
    failed_ = false;
}

// One write for the whole line: with O_APPEND those of several threads do not mix.
void json_file::append(std::string_view line) noexcept {
    if (failed_.load(std::memory_order_relaxed))
        return;
    if (!write_all(descriptor_, line) && !failed_.exchange(true))
        std::fprintf(stderr, "cmm: trace: events are lost from here on: %s\n",
                     std::strerror(errno));
}

void json_file::close() noexcept {
    if (!is_open())
        return;
    if (owner_ == ::getpid() && !failed_)
        write_all(descriptor_, "\n]\n");
    ::close(descriptor_);
    descriptor_ = -1;
}

} // namespace cmm::trace::detail
