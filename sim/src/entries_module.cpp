// SPDX-License-Identifier: Apache-2.0
// Kernels: the simulated device runs none, and says so.
#include "entry.h"

using namespace sim;

SIM_EXPORT result cuModuleLoadData(handle*, const void*) {
    return entry("cuModuleLoadData").in_context([](locked&, context&) {
        return result::not_supported;
    });
}
SIM_EXPORT result cuModuleUnload(handle) {
    return entry("cuModuleUnload").in_context([](locked&, context&) {
        return result::invalid_handle;
    });
}
SIM_EXPORT result cuModuleGetFunction(handle*, handle, const char*) {
    return entry("cuModuleGetFunction").in_context([](locked&, context&) {
        return result::invalid_handle;
    });
}
SIM_EXPORT result cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, handle given, void**, void**) {
    return entry("cuLaunchKernel").on(given).in_context([](locked&, context&) {
        return result::invalid_handle;
    });
}

static const export_list module_exports{
    row<cuModuleLoadData>("cuModuleLoadData", 2000),
    row<cuModuleUnload>("cuModuleUnload", 2000),
    row<cuModuleGetFunction>("cuModuleGetFunction", 2000),
    stream_row<cuLaunchKernel>("cuLaunchKernel", 4000),
};
