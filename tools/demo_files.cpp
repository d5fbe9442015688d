// SPDX-License-Identifier: Apache-2.0
#include "demo_files.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace cmm::tool {

namespace {

// Pipes and the files of /proc do not say how long they are: each piece of one is as long as all
// before it.
constexpr std::uint64_t first_unsized = std::uint64_t{64} << 10;
constexpr std::uint64_t most_unsized = std::uint64_t{64} << 20;
constexpr std::size_t read_at_once = std::size_t{1} << 20;

// Why nobody would want to read it; nothing for files and pipes.
std::string objection(const struct stat& what) {
    if (S_ISDIR(what.st_mode))
        return "is a directory; name the files in it";
    if (S_ISCHR(what.st_mode) || S_ISBLK(what.st_mode))
        return "is a device, not a file";
    return {};
}

} // namespace

source::source(std::string path) : path_(path == "-" ? "/dev/stdin" : std::move(path)) {
    struct stat what{};
    if (::stat(path_.c_str(), &what) != 0)
        fail(std::strerror(errno));
    else if (auto why = objection(what); !why.empty())
        fail(std::move(why));
    size_ = static_cast<std::uint64_t>(what.st_size);
    sized_ = S_ISREG(what.st_mode) && size_ > 0;
}

source::source(source&& o) noexcept
    : bytes(o.bytes), expected(o.expected), prefetched(o.prefetched), copied(o.copied),
      device_nanoseconds(o.device_nanoseconds), pieces(o.pieces), path_(std::move(o.path_)),
      error_(std::move(o.error_)), descriptor_(std::exchange(o.descriptor_, -1)), size_(o.size_),
      sized_(o.sized_), finished_(o.finished_) {}

source::~source() { finish(); }

void source::finish() noexcept {
    if (descriptor_ >= 0)
        ::close(descriptor_);
    descriptor_ = -1;
    finished_ = true;
}

void source::fail(std::string why) {
    error_ = std::move(why);
    finish();
}

std::size_t source::next_bytes() const noexcept {
    const auto guess = std::clamp(bytes, first_unsized, most_unsized);
    return static_cast<std::size_t>(sized_ ? size_ - bytes : guess);
}

bool source::open() {
    if (descriptor_ >= 0)
        return true;
    do { // a pipe waits here for its writer
        check_interrupt();
        descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0)
        fail(std::strerror(errno));
    return descriptor_ >= 0;
}

// 0 at the end of the file, and where reading fails.
std::size_t source::read_some(std::span<std::byte> into) {
    for (;;) {
        check_interrupt();
        const auto got = ::read(descriptor_, into.data(), std::min(into.size(), read_at_once));
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR) {
            fail(std::strerror(errno));
            return 0;
        }
    }
}

std::size_t source::read(std::span<std::byte> into, progress& shown) {
    if (!open())
        return 0;
    std::size_t filled = 0;
    while (filled < into.size()) {
        const auto got = read_some(into.subspan(filled));
        if (got == 0)
            break;
        add(expected, into.subspan(filled, got));
        filled += got;
        shown.advance(got);
    }
    bytes += filled;
    ++pieces;
    // A file that grows is taken as long as it was, one that shrinks as short as it is.
    if (filled < into.size() || (sized_ && bytes == size_))
        finish();
    return filled;
}

std::vector<std::string> default_files() {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const char* path : {"/etc/passwd", "/bin/ls", "/bin/sh", "/lib/x86_64-linux-gnu/libc.so.6",
                             "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6"})
        if (std::filesystem::is_regular_file(path, ignored))
            found.emplace_back(path);
    if (auto self = std::filesystem::read_symlink("/proc/self/exe", ignored); !ignored)
        found.push_back(self.string());
    return found;
}

} // namespace cmm::tool
