// SPDX-License-Identifier: Apache-2.0
// Runs of prepared plans: liveness, context, capture state, and the driver call.
#include "host/support/compare.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
import cmm;
import cmm.bench.raw;

namespace {

using namespace cmm::bench;
using cmm::device;

constexpr std::size_t piece_bytes = 64 * 1024;
constexpr std::size_t count = 256;
constexpr limit one_run{100};

struct world {
    raw_driver raw;
    cmm::stream stream;
    cmm::managed_memory_resource direct;
    std::vector<cmm::buffer> srcs = slices();
    std::vector<cmm::buffer> dsts = slices();
    piece some{srcs.front().handle(), piece_bytes};

    std::vector<cmm::buffer> slices() const {
        const auto whole = direct.allocate(count * piece_bytes);
        std::vector<cmm::buffer> out;
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(whole.slice(i * piece_bytes, piece_bytes));
        return out;
    }
};

world& here() {
    static auto* w = new world;
    return *w;
}

template <class Plan, class... Arguments> auto runs(Arguments&&... arguments) {
    return [p = std::make_shared<Plan>(std::forward<Arguments>(arguments)...)] { p->run(here().stream); };
}

void add() {
    auto& w = here();
    auto* const stream = w.stream.handle();
    const auto batch = std::make_shared<batch_arrays>(std::vector{w.some});
    compare("run a prefetch plan of 256 slices", runs<cmm::prefetch_plan>(w.srcs, device{0}),
            [stream] { here().raw.prefetch(here().some, on_device, stream); }, one_run);
    compare("run a discard_prefetch plan of 256 slices", runs<cmm::discard_prefetch_plan>(w.srcs, device{0}),
            [stream, batch] { here().raw.discard_prefetch_batch(*batch, on_device, stream); }, one_run);
    compare("run a copy plan of 256 neighbours", runs<cmm::copy_plan>(w.srcs, w.dsts),
            [stream] { here().raw.copy(here().some.at, here().some.at, piece_bytes, stream); }, one_run);
    compare("run an advise plan of 256 slices",
            [p = std::make_shared<cmm::advise_plan>(w.srcs, cmm::advice::set_read_mostly)] { p->run(); },
            [] { here().raw.advise(here().some, 1, on_device); }, one_run);
}

} // namespace

int main(int argc, char** argv) { return cmm::bench::run(argc, argv, &add); }
