// SPDX-License-Identifier: Apache-2.0
// Copies into a graph: what must be kept for it.
module;
#include <atomic>
#include <cmm/export.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>
module cmm.copy;
import cmm.context;
import cmm.driver;

namespace cmm::detail {

namespace {

// Holds on the operands' memory, dropped when the graph and its executables are gone. The driver destroys
// it in a callback, where nothing of the driver may be called.
struct kept_operands {
    std::vector<buffer_state*> roots;

    explicit kept_operands(std::span<buffer_state* const> operands) {
        roots.reserve(operands.size());
        for (auto* s : operands)
            if (try_hold(*s->root))
                roots.push_back(s->root);
    }
    ~kept_operands() {
        for (auto* r : roots)
            drop_hold_later(*r);
    }
    kept_operands(const kept_operands&) = delete;
    kept_operands& operator=(const kept_operands&) = delete;
};

void refuse_during_api_call(std::span<const copy_options> table) {
    for (const auto& o : table)
        if (o.src_access_order == src_access_order::during_api_call)
            throw not_supported({"copy_batch", "options"},
                                "src_access_order during_api_call cannot be kept on a capturing stream, whose "
                                "copies run when the graph is launched; use stream order and keep the source");
}

} // namespace

copy_way capture_copies(std::span<const copy_options> table, std::span<buffer_state* const> operands,
                        const stream_call& call) {
    refuse_during_api_call(table);
    if (!operands.empty()) {
        auto kept = std::make_unique<kept_operands>(operands);
        const auto r = driver::capture_keeps(call.handle(), kept.release(),
                                             [](void* p) { delete static_cast<kept_operands*>(p); });
        driver::check(r, {"copy_batch", "srcs"}, "cuGraphRetainUserObject");
    }
    return {false, "cuMemcpyAsync@4000", "the stream is capturing"};
}

} // namespace cmm::detail
