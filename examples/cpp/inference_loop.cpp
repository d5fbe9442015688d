// SPDX-License-Identifier: Apache-2.0
// An inference server's loop. Weights stay on the device, read-mostly; each request's inputs go
// there and its outputs come back, by plans that are checked and merged once and run for each
// request.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

import cmm;

namespace {

constexpr std::size_t layers = 8;
constexpr std::size_t width = 4096; // items of a layer, and of a request
constexpr int requests = 100;

// Stands for your kernels: it runs in stream order, behind the prefetch before it, and adds each
// layer's weights to the inputs.
struct model {
    std::array<std::span<const float>, layers> weights;
    std::span<const float> inputs;
    std::span<float> outputs;

    static void run(void* user) {
        const auto& m = *static_cast<const model*>(user);
        for (std::size_t i = 0; i < width; ++i) {
            m.outputs[i] = m.inputs[i];
            for (const auto& layer : m.weights)
                m.outputs[i] += layer[i];
        }
    }
};

std::span<float> items(const cmm::buffer& b) {
    return {static_cast<float*>(b.data()), b.size() / sizeof(float)};
}

void launch(model& m, const cmm::stream& s) {
    cmm::driver::check(cmm::driver::host_function(s.handle(), &model::run, &m), {"launch", {}},
                       "cuLaunchHostFunc");
}

// How many outputs are wrong. The layers' weights are 0, 1, 2, and so on.
std::size_t wrong(std::span<const float> outputs, float input) {
    const float expected = input + layers * (layers - 1) / 2.0F;
    return static_cast<std::size_t>(
        std::ranges::count_if(outputs, [&](float output) { return output != expected; }));
}

} // namespace

int main() try {
    const cmm::device gpu{0};
    cmm::set_current(gpu); // for launches; cmm's own calls find their context
    const cmm::stream stream({.device = gpu});
    // Pieces of one slab lie side by side, so that all layers together are one range to the driver.
    const auto memory = cmm::managed_memory_resource::arena({.device = gpu});
    const auto weights = memory.allocate_batch(std::vector(layers, width * sizeof(float)));
    const auto inputs = memory.allocate(width * sizeof(float));
    const auto outputs = memory.allocate(width * sizeof(float));

    model m{.weights = {}, .inputs = items(inputs), .outputs = items(outputs)};
    for (std::size_t layer = 0; layer < layers; ++layer) {
        std::ranges::fill(items(weights[layer]), static_cast<float>(layer));
        m.weights[layer] = items(weights[layer]);
    }
    cmm::advise(weights, cmm::advice::set_read_mostly);
    const auto staged = cmm::prefetch(weights, gpu, stream);
    std::printf("weights: %zu ranges in %zu driver call(s)\n", staged.ranges_in, staged.calls);

    cmm::prefetch_plan to_device({inputs, outputs}, gpu);
    cmm::prefetch_plan to_host(outputs, cmm::host{});
    std::printf("each request: %s\n", to_device.describe().c_str());
    std::size_t failures = 0;
    for (int request = 0; request < requests; ++request) {
        const auto input = static_cast<float>(request);
        std::ranges::fill(items(inputs), input);
        to_device.run(stream);
        launch(m, stream);
        to_host.run(stream);
        stream.sync();
        failures += wrong(items(outputs), input);
    }
    std::printf("%d requests, %zu wrong outputs\n", requests, failures);
    return failures == 0 ? 0 : 1;
} catch (const cmm::error& e) {
    std::fprintf(stderr, "inference_loop: %s\n", e.what());
    return 1;
}
