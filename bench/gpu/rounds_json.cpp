// SPDX-License-Identifier: Apache-2.0
module;
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
module cmm.bench.rounds;
import cmm;
import cmm.bench.raw;

namespace cmm::bench {

namespace {

nlohmann::ordered_json as_json(const row& r) {
    return {{"group", r.about.group},   {"what", r.about.what},     {"bytes", r.about.bytes},
            {"ranges", r.about.ranges}, {"placement", r.placement}, {"system", r.system},
            {"done_ns", r.done},        {"returned_ns", r.returned}};
}

} // namespace

void results::write(const std::string& path) const {
    nlohmann::ordered_json all{{"device", facts_.device},
                               {"cuda", facts_.driver},
                               {"simulated", facts_.simulated},
                               {"rows", nlohmann::ordered_json::array()}};
    for (const auto& r : rows_)
        all["rows"].push_back(as_json(r));
    std::ofstream file(path);
    file << all.dump(1) << '\n';
    if (!file.flush())
        throw std::runtime_error(path + " cannot be written");
}

} // namespace cmm::bench
