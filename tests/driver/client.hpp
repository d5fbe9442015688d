// SPDX-License-Identifier: Apache-2.0
// A client of a driver library that knows nothing but its binary interface: it opens the library,
// and finds entry points by name and version, as programs do with libcuda.so.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace driver {

using pointer = unsigned long long; // CUdeviceptr
using opaque = void*;               // CUstream, CUcontext and their like

struct location {
    int type = 0, id = 0;
};
struct copy_attributes {
    int order = 0;
    location source, destination;
    unsigned flags = 0;
};
struct pool_properties {
    int type = 0, handles = 0;
    location where;
    void* security = nullptr;
    std::size_t most = 0;
    unsigned short usage = 0;
    unsigned char reserved[54] = {};
};

inline constexpr location nowhere{0, 0}, host{2, 0};
inline constexpr location device(int id) { return {1, id}; }
inline constexpr location node(int id) { return {3, id}; }

inline const opaque null_stream = nullptr;
inline const opaque legacy = reinterpret_cast<opaque>(1);
inline const opaque per_thread = reinterpret_cast<opaque>(2);

class library {
public:
    /// @throws std::runtime_error where the library cannot be opened or is no driver.
    explicit library(const std::string& path);

    struct found {
        int code;
        int status;
        void* function;
    };
    /// What cuGetProcAddress says of `name` at a CUDA version.
    found find(const std::string& name, int version, std::uint64_t flags = 0) const;
    /// A symbol of the library itself, or null.
    void* symbol(const char* name) const;

    /// Calls an entry point; the arguments have to be of the exact types of its binary interface.
    /// Answers no_entry_point where it is not found.
    template <class... Arguments>
    int call(const std::string& name, int version, Arguments... arguments) const {
        void* function = remembered(name, version);
        if (function == nullptr)
            return no_entry_point;
        return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
    }

    /// The result's name without its prefix, such as INVALID_VALUE.
    std::string name_of(int result) const;
    int version() const;

    static constexpr int no_entry_point = -1;

private:
    void* remembered(const std::string& name, int version) const;

    void* opened_;
    mutable std::mutex mutex_; // threads share what was found
    mutable std::map<std::pair<std::string, int>, void*> known_;
};

} // namespace driver
