// SPDX-License-Identifier: Apache-2.0
// Looking entry points up: cuGetProcAddress in either of its forms, under a ceiling.
module;
#include "driver_abi.h"
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>
module cmm.driver:lookups;

namespace cmm::driver {

struct found {
    void* address;
};

// What was asked for and what came of it.
struct lookup_record {
    const char* name;
    int version;
    bool found;
    const char* why;
};

// The 11.3 form has four parameters, the 12.0 form reports a status too.
using get_proc_v1 = abi::error_code (*)(const char*, void**, int, std::uint64_t) noexcept;
using get_proc_v2 = abi::error_code (*)(const char*, void**, int, std::uint64_t, int*) noexcept;

class resolver {
public:
    resolver(get_proc_v1 v1, get_proc_v2 v2, int level) noexcept : v1_(v1), v2_(v2), level_(level) {}
    resolver(resolver&&) noexcept = default;
    resolver(const resolver&) = delete; // one list of records

    found operator()(const char* name, int version) {
        void* address = nullptr;
        const char* why = "above the API level";
        if (version <= level_)
            why = ask(name, version, address) ? "found" : "not in this driver";
        records_.push_back({name, version, address != nullptr, why});
        return {address};
    }
    const std::vector<lookup_record>& records() const noexcept { return records_; }
    int level() const noexcept { return level_; }

    // Without a record.
    bool ask(const char* name, int version, void*& out) const noexcept {
        int status = 0;
        auto r = v2_ ? v2_(name, &out, version, 0, &status) : abi::not_supported;
        if (r == abi::not_supported && v1_) // a library may have the newer form and an older driver's answers
            r = v1_(name, &out, version, 0);
        if (r != abi::success)
            out = nullptr;
        return out != nullptr;
    }

private:
    get_proc_v1 v1_;
    get_proc_v2 v2_;
    int level_;
    std::vector<lookup_record> records_;
};

} // namespace cmm::driver
