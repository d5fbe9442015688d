// SPDX-License-Identifier: Apache-2.0
// The demo's files, read in pieces. A file that cannot be read has an error and no more pieces; the
// others go on.
#pragma once
#include "demo_digest.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cmm::tool {

class progress;

class source {
public:
    explicit source(std::string path);
    source(source&& o) noexcept;
    source& operator=(source&&) = delete;
    ~source();

    const std::string& path() const noexcept { return path_; }
    const std::string& error() const noexcept { return error_; }
    bool finished() const noexcept { return finished_; }
    // The bytes that are left, where the file says so; else what to try at once.
    std::size_t next_bytes() const noexcept;
    bool sized() const noexcept { return sized_; }

    // Reads until `into` is full or the file ends, digesting on the host what it read; returns how
    // much that was.
    std::size_t read(std::span<std::byte> into, progress& shown);
    // Nothing more comes after what was read.
    void finish() noexcept;
    void fail(std::string why);

    std::uint64_t bytes = 0;       // read so far
    digest expected;               // by zlib, of what was read
    digest prefetched;             // by the device, brought back by prefetch
    digest copied;                 // by the device, brought back by copy_batch
    double device_nanoseconds = 0; // of the kernels
    std::size_t pieces = 0;

private:
    bool open();
    std::size_t read_some(std::span<std::byte> into);

    std::string path_;
    std::string error_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    bool sized_ = false;
    bool finished_ = false;
};

// A few files that every Linux machine has.
std::vector<std::string> default_files();

} // namespace cmm::tool
