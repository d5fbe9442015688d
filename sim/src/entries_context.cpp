// SPDX-License-Identifier: Apache-2.0
// Contexts: primary and created ones, the stack of the thread, peers.
#include "entry.h"

namespace sim {
namespace {

result create(entry call, handle* out, unsigned flags, int device) {
    return call.initialised([&](locked& w) {
        refuse_if(out == nullptr);
        current_context(*w); // drops a stack from before a reset
        *out = create_context(*w, device, flags)->id;
        this_thread().contexts.push_back(*out);
        return result::success;
    });
}

// The stack of the thread, without looking whether its contexts still live.
std::vector<handle>& stack_of_thread(world& w) {
    thread_state& thread = this_thread();
    if (thread.epoch != w.epoch) {
        thread.contexts.clear();
        thread.epoch = w.epoch;
    }
    return thread.contexts;
}

void wait_for_context(locked& w, const context& of) {
    refuse_unsafe_in_capture(*w);
    std::vector<point> all;
    for (const stream_ref& each : of.streams)
        if (!each->idle())
            all.push_back(each->now());
    wait_for(w, all);
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuDevicePrimaryCtxRetain(handle* out, int device) {
    return entry("cuDevicePrimaryCtxRetain").initialised([&](locked& w) {
        refuse_if(out == nullptr);
        *out = retain_primary(*w, device).id;
        return result::success;
    });
}

SIM_EXPORT result cuDevicePrimaryCtxRelease_v2(int device) {
    return entry("cuDevicePrimaryCtxRelease", 11000).initialised([&](locked& w) {
        release_primary(w, device);
        return result::success;
    });
}

SIM_EXPORT result cuDevicePrimaryCtxReset_v2(int device) {
    return entry("cuDevicePrimaryCtxReset", 11000).initialised([&](locked& w) {
        refuse_if(!w->device_exists(device), result::invalid_device);
        for (const auto& [id, known] : w->contexts)
            if (known->primary && known->device == device) {
                destroy_context(w, *known);
                break;
            }
        return result::success;
    });
}

SIM_EXPORT result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
    return entry("cuDevicePrimaryCtxGetState").initialised([&](locked& w) {
        refuse_if(!w->device_exists(device), result::invalid_device);
        refuse_if(flags == nullptr || active == nullptr);
        *flags = 0, *active = 0;
        for (const auto& [id, known] : w->contexts)
            if (known->primary && known->device == device)
                *flags = known->flags, *active = 1;
        return result::success;
    });
}

SIM_EXPORT result cuCtxCreate_v2(handle* out, unsigned flags, int device) {
    return create(entry("cuCtxCreate", 3020), out, flags, device);
}
SIM_EXPORT result cuCtxCreate_v3(handle* out, void*, int, unsigned flags, int device) {
    return create(entry("cuCtxCreate", 11040), out, flags, device);
}
SIM_EXPORT result cuCtxCreate_v4(handle* out, void*, unsigned flags, int device) {
    return create(entry("cuCtxCreate", 12050), out, flags, device);
}

SIM_EXPORT result cuCtxDestroy_v2(handle id) {
    return entry("cuCtxDestroy", 4000).initialised([&](locked& w) {
        context& gone = find_context(*w, id);
        refuse_if(gone.primary, result::invalid_context);
        destroy_context(w, gone);
        auto& stack = stack_of_thread(*w);
        if (!stack.empty() && stack.back() == id)
            stack.pop_back();
        return result::success;
    });
}

SIM_EXPORT result cuCtxGetCurrent(handle* out) {
    return entry("cuCtxGetCurrent").initialised([&](locked& w) {
        refuse_if(out == nullptr);
        const auto& stack = stack_of_thread(*w);
        *out = stack.empty() ? 0 : stack.back();
        return result::success;
    });
}

SIM_EXPORT result cuCtxSetCurrent(handle id) {
    return entry("cuCtxSetCurrent").initialised([&](locked& w) {
        if (id != 0)
            find_context(*w, id);
        auto& stack = stack_of_thread(*w);
        if (!stack.empty())
            stack.pop_back();
        if (id != 0)
            stack.push_back(id);
        return result::success;
    });
}

SIM_EXPORT result cuCtxPushCurrent_v2(handle id) {
    return entry("cuCtxPushCurrent", 4000).initialised([&](locked& w) {
        find_context(*w, id);
        stack_of_thread(*w).push_back(id);
        return result::success;
    });
}

SIM_EXPORT result cuCtxPopCurrent_v2(handle* out) {
    return entry("cuCtxPopCurrent", 4000).initialised([&](locked& w) {
        auto& stack = stack_of_thread(*w);
        refuse_if(stack.empty(), result::invalid_context);
        if (out != nullptr)
            *out = stack.back();
        stack.pop_back();
        return result::success;
    });
}

SIM_EXPORT result cuCtxGetDevice(int* device) {
    return entry("cuCtxGetDevice").in_context([&](locked&, context& current) {
        refuse_if(device == nullptr);
        *device = current.device;
        return result::success;
    });
}

SIM_EXPORT result cuCtxGetDevice_v2(int* device, handle id) {
    return entry("cuCtxGetDevice", 13000).initialised([&](locked& w) {
        refuse_if(device == nullptr);
        const context* asked = id == 0 ? current_context(*w) : &find_context(*w, id);
        refuse_if(asked == nullptr, result::invalid_context);
        *device = asked->device;
        return result::success;
    });
}

SIM_EXPORT result cuCtxGetFlags(unsigned* flags) {
    return entry("cuCtxGetFlags").in_context([&](locked&, context& current) {
        refuse_if(flags == nullptr);
        *flags = current.flags;
        return result::success;
    });
}

SIM_EXPORT result cuCtxGetId(handle id, std::uint64_t* out) {
    return entry("cuCtxGetId").initialised([&](locked& w) {
        refuse_if(out == nullptr);
        const context* asked = id == 0 ? current_context(*w) : &find_context(*w, id);
        refuse_if(asked == nullptr, result::context_is_destroyed);
        *out = asked->id;
        return result::success;
    });
}

SIM_EXPORT result cuCtxGetApiVersion(handle id, unsigned* version) {
    return entry("cuCtxGetApiVersion").initialised([&](locked& w) {
        refuse_if(version == nullptr);
        refuse_if(id == 0 && current_context(*w) == nullptr, result::invalid_context);
        if (id != 0)
            find_context(*w, id);
        *version = 3020;
        return result::success;
    });
}

SIM_EXPORT result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return entry("cuCtxGetStreamPriorityRange").in_context([&](locked&, context&) {
        if (least != nullptr)
            *least = 0;
        if (greatest != nullptr)
            *greatest = -5;
        return result::success;
    });
}

SIM_EXPORT result cuCtxSynchronize() {
    return entry("cuCtxSynchronize").in_context([&](locked& w, context& current) {
        wait_for_context(w, current);
        return result::success;
    });
}

SIM_EXPORT result cuCtxSynchronize_v2(handle id) {
    return entry("cuCtxSynchronize", 13000).initialised([&](locked& w) {
        const context* asked = id == 0 ? current_context(*w) : &find_context(*w, id);
        refuse_if(asked == nullptr, result::invalid_context);
        refuse_if(asked->sticky != result::success, asked->sticky);
        wait_for_context(w, *asked);
        return result::success;
    });
}

SIM_EXPORT result cuCtxEnablePeerAccess(handle peer, unsigned flags) {
    return entry("cuCtxEnablePeerAccess").in_context([&](locked& w, context& current) {
        refuse_if(flags != 0);
        const context& other = find_context(*w, peer);
        refuse_if(other.device == current.device, result::invalid_device);
        refuse_if(!current.peers.insert(peer).second, result::peer_access_already_enabled);
        return result::success;
    });
}

SIM_EXPORT result cuCtxDisablePeerAccess(handle peer) {
    return entry("cuCtxDisablePeerAccess").in_context([&](locked& w, context& current) {
        find_context(*w, peer);
        refuse_if(current.peers.erase(peer) == 0, result::peer_access_not_enabled);
        return result::success;
    });
}

static const export_list context_exports{
    row<cuDevicePrimaryCtxRetain>("cuDevicePrimaryCtxRetain", 7000),
    row<cuDevicePrimaryCtxRelease_v2>("cuDevicePrimaryCtxRelease", 7000),
    row<cuDevicePrimaryCtxRelease_v2>("cuDevicePrimaryCtxRelease", 11000),
    row<cuDevicePrimaryCtxReset_v2>("cuDevicePrimaryCtxReset", 7000),
    row<cuDevicePrimaryCtxReset_v2>("cuDevicePrimaryCtxReset", 11000),
    row<cuDevicePrimaryCtxGetState>("cuDevicePrimaryCtxGetState", 7000),
    row<cuCtxCreate_v2>("cuCtxCreate", 3020),
    row<cuCtxCreate_v3>("cuCtxCreate", 11040),
    row<cuCtxCreate_v4>("cuCtxCreate", 12050),
    row<cuCtxDestroy_v2>("cuCtxDestroy", 4000),
    row<cuCtxGetCurrent>("cuCtxGetCurrent", 4000),
    row<cuCtxSetCurrent>("cuCtxSetCurrent", 4000),
    row<cuCtxPushCurrent_v2>("cuCtxPushCurrent", 4000),
    row<cuCtxPopCurrent_v2>("cuCtxPopCurrent", 4000),
    row<cuCtxGetDevice>("cuCtxGetDevice", 2000),
    row<cuCtxGetDevice_v2>("cuCtxGetDevice", 13000),
    row<cuCtxGetFlags>("cuCtxGetFlags", 7000),
    row<cuCtxGetId>("cuCtxGetId", 12000),
    row<cuCtxGetApiVersion>("cuCtxGetApiVersion", 3020),
    row<cuCtxGetStreamPriorityRange>("cuCtxGetStreamPriorityRange", 5050),
    row<cuCtxSynchronize>("cuCtxSynchronize", 2000),
    row<cuCtxSynchronize_v2>("cuCtxSynchronize", 13000),
    row<cuCtxEnablePeerAccess>("cuCtxEnablePeerAccess", 4000),
    row<cuCtxDisablePeerAccess>("cuCtxDisablePeerAccess", 4000),
};
