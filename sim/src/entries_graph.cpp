// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes, executable graphs, launch, and the user objects that they keep.
#include "copy.h"
#include "entry.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

std::shared_ptr<graph> share_graph(const world& w, handle id) {
    const auto found = w.graphs.find(id);
    refuse_if(found == w.graphs.end());
    return found->second;
}

std::vector<node*> find_nodes(const graph& in, const handle* ids, std::size_t count) {
    refuse_if(ids == nullptr && count != 0);
    std::vector<node*> found;
    for (std::size_t index = 0; index < count; ++index) {
        found.push_back(in.find(ids[index]));
        refuse_if(found.back() == nullptr);
    }
    return found;
}

result instantiate(entry call, handle* out, handle id) {
    return call.initialised([&](locked& w) {
        refuse_if(out == nullptr);
        const auto from = share_graph(*w, id);
        auto made = std::make_shared<graph_exec>();
        made->id = w->new_handle();
        for (const auto& each : from->nodes)
            made->work.push_back(each->work);
        made->objects = from->objects;
        w->execs.emplace(made->id, made);
        *out = made->id;
        return result::success;
    });
}

// One side of a copy of rows and slices, in linear memory only.
struct slab {
    operand base;
    std::size_t pitch, slice;
};

slab find_slab(const world& w, const copy_3d_side& of, const copy_3d& shape) {
    constexpr int host = 1, device = 2, unified = 4;
    refuse_if(of.memory_type != host && of.memory_type != device && of.memory_type != unified,
              result::not_supported);
    const device_ptr base =
        of.memory_type == host ? reinterpret_cast<device_ptr>(of.host) : of.device;
    const std::size_t pitch = of.pitch != 0 ? of.pitch : shape.width;
    const std::size_t slice = pitch * (of.height != 0 ? of.height : shape.height);
    const std::size_t first = of.x + of.y * pitch + of.z * slice;
    const std::size_t reach = (shape.depth - 1) * slice + (shape.height - 1) * pitch + shape.width;
    return {find_operand(w, base + first, reach), pitch, slice};
}

operation slab_copy(const world& w, const copy_3d& shape) {
    refuse_if(shape.width == 0 || shape.height == 0 || shape.depth == 0);
    const slab to = find_slab(w, shape.destination, shape),
               from = find_slab(w, shape.source, shape);
    operation work = copy_work(to.base, from.base, 0);
    work.run = [=, to_at = to.base.at, from_at = from.base.at, to_pitch = to.pitch,
                to_slice = to.slice, from_pitch = from.pitch, from_slice = from.slice] {
        for (std::size_t z = 0; z < shape.depth; ++z)
            for (std::size_t y = 0; y < shape.height; ++y)
                std::memmove(to_at + z * to_slice + y * to_pitch,
                             from_at + z * from_slice + y * from_pitch, shape.width);
    };
    return work;
}

user_hold& find_object(world& w, handle id) {
    const auto found = w.user_objects.find(id);
    refuse_if(found == w.user_objects.end());
    return found->second;
}

void drop_holds(locked& w, std::map<handle, user_hold>& from, handle id, unsigned count) {
    const auto found = from.find(id);
    refuse_if(found == from.end() || found->second.count < count);
    found->second.count -= count;
    if (found->second.count != 0)
        return;
    w.later(std::move(found->second.object));
    from.erase(found);
}

void release_object(locked& w, handle id, unsigned count) {
    user_hold& held = find_object(*w, id);
    refuse_if(count == 0 || count > held.count);
    held.count -= count;
    if (held.count != 0)
        return;
    w.later(std::move(held.object));
    w->user_objects.erase(id);
}

} // namespace
} // namespace sim

using namespace sim;

SIM_EXPORT result cuGraphCreate(handle* out, unsigned flags) {
    return entry("cuGraphCreate").initialised([&](locked& w) {
        refuse_if(out == nullptr || flags != 0);
        *out = make_graph(*w)->id;
        return result::success;
    });
}

SIM_EXPORT result cuGraphDestroy(handle id) {
    return entry("cuGraphDestroy").initialised([&](locked& w) {
        const auto gone = share_graph(*w, id);
        refuse_if(std::ranges::any_of(w->captures, [&](const auto& c) { return c->into == gone; }));
        w.later(gone);
        w->graphs.erase(id);
        return result::success;
    });
}

SIM_EXPORT result cuGraphGetNodes(handle id, handle* out, std::size_t* count) {
    return entry("cuGraphGetNodes").initialised([&](locked& w) {
        refuse_if(count == nullptr);
        const auto of = share_graph(*w, id);
        if (out == nullptr) {
            *count = of->nodes.size();
            return result::success;
        }
        const std::size_t room = *count;
        *count = std::min(room, of->nodes.size());
        for (std::size_t index = 0; index < *count; ++index)
            out[index] = of->nodes[index]->id;
        std::fill(out + *count, out + room, handle{0});
        return result::success;
    });
}

SIM_EXPORT result cuGraphNodeGetType(handle id, int* type) {
    return entry("cuGraphNodeGetType").initialised([&](locked& w) {
        refuse_if(type == nullptr);
        for (const auto& [graph_id, known] : w->graphs)
            if (const node* found = known->find(id)) {
                *type = static_cast<int>(found->type);
                return result::success;
            }
        return result::invalid_value;
    });
}

SIM_EXPORT result cuGraphAddMemcpyNode(handle* out, handle id, const handle* after,
                                       std::size_t count, const copy_3d* shape, handle) {
    return entry("cuGraphAddMemcpyNode").initialised([&](locked& w) {
        refuse_if(out == nullptr || shape == nullptr);
        const auto to = share_graph(*w, id);
        *out = add_node(*w, *to, node_type::memcpy, slab_copy(*w, *shape),
                        find_nodes(*to, after, count))
                   .id;
        return result::success;
    });
}

SIM_EXPORT result cuGraphAddEmptyNode(handle* out, handle id, const handle* after,
                                      std::size_t count) {
    return entry("cuGraphAddEmptyNode").initialised([&](locked& w) {
        refuse_if(out == nullptr);
        const auto to = share_graph(*w, id);
        *out = add_node(*w, *to, node_type::empty, {}, find_nodes(*to, after, count)).id;
        return result::success;
    });
}

SIM_EXPORT result cuGraphInstantiateWithFlags(handle* out, handle id, std::uint64_t) {
    return instantiate(entry("cuGraphInstantiateWithFlags"), out, id);
}
SIM_EXPORT result cuGraphInstantiate_v2(handle* out, handle id, handle* failed, char* log,
                                        std::size_t room) {
    if (failed != nullptr)
        *failed = 0;
    if (log != nullptr && room != 0)
        *log = '\0';
    return instantiate(entry("cuGraphInstantiate", 11000), out, id);
}

SIM_EXPORT result cuGraphInstantiateWithParams(handle* out, handle id,
                                               instantiate_parameters* given) {
    if (given == nullptr)
        return entry("cuGraphInstantiateWithParams").initialised([](locked&) {
            return result::invalid_value;
        });
    given->failed_node = 0;
    const result answered = instantiate(entry("cuGraphInstantiateWithParams"), out, id);
    given->outcome = answered == result::success ? 0 : 1; // CUDA_GRAPH_INSTANTIATE_ERROR
    return answered;
}

SIM_EXPORT result cuGraphUpload(handle exec, handle given) {
    return entry("cuGraphUpload").on(given).in_context([&](locked& w, context& current) {
        working_stream(*w, current, given);
        refuse_if(!w->execs.contains(exec));
        return result::success;
    });
}

SIM_EXPORT result cuGraphLaunch(handle exec, handle given) {
    return entry("cuGraphLaunch").on(given).in_context([&](locked& w, context& current) {
        const auto found = w->execs.find(exec);
        refuse_if(found == w->execs.end());
        launch(*w, working_stream(*w, current, given), found->second);
        return result::success;
    });
}

SIM_EXPORT result cuGraphExecDestroy(handle exec) {
    return entry("cuGraphExecDestroy").initialised([&](locked& w) {
        const auto found = w->execs.find(exec);
        refuse_if(found == w->execs.end());
        w.later(std::move(found->second));
        w->execs.erase(found);
        return result::success;
    });
}

SIM_EXPORT result cuUserObjectCreate(handle* out, void* object, host_function destroy,
                                     unsigned count, unsigned flags) {
    constexpr unsigned no_destructor_sync = 1;
    return entry("cuUserObjectCreate").initialised([&](locked& w) {
        refuse_if(out == nullptr || destroy == nullptr || count == 0 ||
                  flags != no_destructor_sync);
        *out = w->new_handle();
        w->user_objects.emplace(*out,
                                user_hold{std::make_shared<user_object>(object, destroy), count});
        return result::success;
    });
}

SIM_EXPORT result cuUserObjectRetain(handle id, unsigned count) {
    return entry("cuUserObjectRetain").initialised([&](locked& w) {
        refuse_if(count == 0);
        find_object(*w, id).count += count;
        return result::success;
    });
}

SIM_EXPORT result cuUserObjectRelease(handle id, unsigned count) {
    return entry("cuUserObjectRelease").initialised([&](locked& w) {
        release_object(w, id, count);
        return result::success;
    });
}

SIM_EXPORT result cuGraphRetainUserObject(handle graph_id, handle id, unsigned count,
                                          unsigned flags) {
    constexpr unsigned move = 1;
    return entry("cuGraphRetainUserObject").initialised([&](locked& w) {
        refuse_if(count == 0 || flags > move);
        const auto by = share_graph(*w, graph_id);
        const user_hold& held = find_object(*w, id);
        refuse_if(flags == move && held.count < count);
        user_hold& own = by->objects[id];
        own.object = held.object;
        own.count += count;
        if (flags == move)
            release_object(w, id, count);
        return result::success;
    });
}

SIM_EXPORT result cuGraphReleaseUserObject(handle graph_id, handle id, unsigned count) {
    return entry("cuGraphReleaseUserObject").initialised([&](locked& w) {
        refuse_if(count == 0);
        drop_holds(w, share_graph(*w, graph_id)->objects, id, count);
        return result::success;
    });
}

static const export_list graph_exports{
    row<cuGraphCreate>("cuGraphCreate", 10000),
    row<cuGraphDestroy>("cuGraphDestroy", 10000),
    row<cuGraphGetNodes>("cuGraphGetNodes", 10000),
    row<cuGraphNodeGetType>("cuGraphNodeGetType", 10000),
    row<cuGraphAddMemcpyNode>("cuGraphAddMemcpyNode", 10000),
    row<cuGraphAddEmptyNode>("cuGraphAddEmptyNode", 10000),
    row<cuGraphInstantiateWithFlags>("cuGraphInstantiateWithFlags", 11040),
    row<cuGraphInstantiate_v2>("cuGraphInstantiate", 11000),
    row<cuGraphInstantiateWithFlags>("cuGraphInstantiate", 12000),
    row<cuGraphInstantiateWithParams>("cuGraphInstantiateWithParams", 12000),
    stream_row<cuGraphUpload>("cuGraphUpload", 11010),
    stream_row<cuGraphLaunch>("cuGraphLaunch", 10000),
    row<cuGraphExecDestroy>("cuGraphExecDestroy", 10000),
    row<cuUserObjectCreate>("cuUserObjectCreate", 11030),
    row<cuUserObjectRetain>("cuUserObjectRetain", 11030),
    row<cuUserObjectRelease>("cuUserObjectRelease", 11030),
    row<cuGraphRetainUserObject>("cuGraphRetainUserObject", 11030),
    row<cuGraphReleaseUserObject>("cuGraphReleaseUserObject", 11030),
};
