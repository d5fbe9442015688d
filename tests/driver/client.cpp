// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <dlfcn.h>
#include <stdexcept>

namespace driver {
namespace {

std::string without_prefix(const std::string& text) {
    for (const std::string prefix : {"CUDA_ERROR_", "CUDA_"})
        if (text.starts_with(prefix))
            return text.substr(prefix.size());
    return text;
}

} // namespace

library::library(const std::string& path) : opened_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (opened_ == nullptr)
        throw std::runtime_error(dlerror());
    if (symbol("cuGetProcAddress") == nullptr)
        throw std::runtime_error(path + " is no CUDA driver");
}

void* library::symbol(const char* name) const { return dlsym(opened_, name); }

library::found library::find(const std::string& name, int version, std::uint64_t flags) const {
    using newer = int (*)(const char*, void**, int, std::uint64_t, int*);
    using older = int (*)(const char*, void**, int, std::uint64_t);
    constexpr int not_supported = 801, not_found = 500;
    found got{not_supported, 0, nullptr};
    if (void* look_up = symbol("cuGetProcAddress_v2"))
        got.code = reinterpret_cast<newer>(look_up)(name.c_str(), &got.function, version, flags,
                                                    &got.status);
    if (got.code != not_supported)
        return got;
    got.code = reinterpret_cast<older>(symbol("cuGetProcAddress"))(name.c_str(), &got.function,
                                                                   version, flags);
    got.status = got.code == not_found ? 1 : 0;
    return got;
}

void* library::remembered(const std::string& name, int version) const {
    const std::lock_guard guard(mutex_);
    const auto [place, fresh] = known_.try_emplace({name, version}, nullptr);
    if (fresh)
        place->second = find(name, version).function;
    return place->second;
}

std::string library::name_of(int result) const {
    const char* text = nullptr;
    if (result == no_entry_point)
        return "NO_ENTRY_POINT";
    if (call("cuGetErrorName", 6000, result, &text) != 0 || text == nullptr)
        return std::to_string(result);
    return without_prefix(text);
}

int library::version() const {
    int version = 0;
    call("cuDriverGetVersion", 2020, &version);
    return version;
}

} // namespace driver
