// SPDX-License-Identifier: Apache-2.0
// The table through C++: through the modules, and, with CMM_HEADERS, through cmm/cmm.hpp. All that
// differs is the line that brings cmm in.
#include "conformance/table.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>
#ifdef CMM_HEADERS
#include <cmm/cmm.hpp>
#else
import cmm;
#endif

namespace conformance {
namespace {

using any_resource = std::variant<cmm::managed_memory_resource, cmm::pinned_memory_resource,
                                  cmm::device_memory_resource>;
using any_plan =
    std::variant<cmm::prefetch_plan, cmm::discard_prefetch_plan, cmm::advise_plan, cmm::copy_plan>;
using object = std::variant<cmm::managed_buffer, any_resource, cmm::stream, any_plan,
                            std::optional<cmm::host_view<unsigned char>>>;

cmm::location location_of(const json& text) {
    const auto p = place_of(text);
    return cmm::location::from(p.kind, p.id);
}

json as_json(const std::optional<cmm::location>& l) {
    return l ? json(text_of({static_cast<int>(l->kind()), l->id()})) : json();
}

json as_json(const cmm::report& r) {
    return {{"ranges_in", r.ranges_in},
            {"ranges_out", r.ranges_out},
            {"calls", r.calls},
            {"bytes", r.bytes},
            {"ignored", r.ignored},
            {"entry", std::string(r.entry)},
            {"strategy", std::string(cmm::to_string(r.strategy))}};
}

json as_json(const std::optional<std::size_t>& i) { return i ? json(*i) : json(); }

json as_json(const cmm::error& e) {
    json out{{"kind", kind_name(static_cast<int>(e.kind()))},
             {"argument", e.argument()},
             {"text", e.what()},
             {"index", as_json(e.index())},
             {"other_index", as_json(e.other_index())}};
    if (const auto* d = dynamic_cast<const cmm::driver_error*>(&e))
        out.update({{"code", d->code()},
                    {"name", d->name()},
                    {"entry", d->entry()},
                    {"issued", d->issued()}});
    return out;
}

cmm::op_options options_of(const json& s) {
    const auto o = s.value("options", json::object());
    cmm::op_options out;
    if (o.contains("strategy"))
        out.strategy = static_cast<cmm::strategy>(
            index_in({"automatic", "driver_batch", "per_range", "return_early"}, o["strategy"]));
    if (o.contains("hints"))
        out.hints =
            static_cast<cmm::hint_policy>(index_in({"strict", "warn", "ignore"}, o["hints"], 1));
    return out;
}

cmm::copy_options copy_of(const json& o) {
    cmm::copy_options out;
    if (o.contains("order"))
        out.src_access_order = static_cast<cmm::src_access_order>(
            index_in({"stream", "during_api_call", "any"}, o["order"], 1));
    if (o.contains("overlap"))
        out.overlap_mode =
            static_cast<cmm::overlap_mode>(index_in({"standard", "prefer"}, o["overlap"]));
    if (o.contains("src_hint"))
        out.src_location_hint = location_of(o["src_hint"]);
    if (o.contains("dst_hint"))
        out.dst_location_hint = location_of(o["dst_hint"]);
    return out;
}

class cpp_machine : public machine {
public:
    void open(const std::string& config, int api_level) override {
        cmm::driver::open(cmm::driver::simulated{config}, api_level);
    }
    json step(const json& s) override {
        if (const auto answer = simulated_step(s); !answer.is_null())
            return answer;
        try {
            return (this->*steps().at(s.at("do")))(s);
        } catch (const cmm::error& e) {
            throw refused{as_json(e)};
        }
    }
    void finish() override {
        while (!order_.empty()) {
            objects_.erase(order_.back());
            order_.pop_back();
        }
        cmm::drain();
        cmm::set_default_hint_policy(std::nullopt);
    }

private:
    using method = json (cpp_machine::*)(const json&);
    static const std::map<std::string, method>& steps();

    json keep(const std::string& name, object o) {
        objects_.insert_or_assign(name, std::move(o));
        order_.push_back(name);
        return nullptr;
    }
    template <class T> T& get(const json& name) { return std::get<T>(objects_.at(name)); }
    cmm::managed_buffer& buffer(const json& name) { return get<cmm::managed_buffer>(name); }
    const cmm::managed_memory_resource& managed(const json& name) {
        return std::get<cmm::managed_memory_resource>(get<any_resource>(name));
    }
    cmm::stream_ref stream(const json& s) {
        const auto name = s.value("stream", "legacy");
        if (name == "legacy")
            return cmm::stream_ref::legacy();
        return name == "per_thread" ? cmm::stream_ref::per_thread()
                                    : cmm::stream_ref(get<cmm::stream>(name));
    }

    cmm::target target(const json& t) {
        if (t.is_string())
            return buffer(t);
        auto& b = buffer(t.at("range"));
        return cmm::target(static_cast<unsigned char*>(b.data()) +
                               t.at("offset").get<std::size_t>(),
                           t.at("bytes"));
    }
    std::vector<cmm::target> targets(const json& list) {
        std::vector<cmm::target> out;
        for (const auto& t : list.is_array() ? list : json::array({list}))
            out.push_back(target(t));
        return out;
    }
    // Calls `f` with one location or a list of them.
    template <class F> auto where(const json& s, F f) {
        std::vector<cmm::location> many;
        if (!s.at("where").is_array())
            return f(cmm::location_list(location_of(s["where"])));
        for (const auto& l : s["where"])
            many.push_back(location_of(l));
        return f(cmm::location_list(many));
    }
    template <class F> auto copies(const json& s, F f) {
        const auto o = s.value("copy", json::object());
        std::vector<cmm::copy_options> many;
        const auto one = o.is_array() ? cmm::copy_options{} : copy_of(o);
        if (!o.is_array())
            return f(cmm::copy_options_list(one));
        for (const auto& each : o)
            many.push_back(copy_of(each));
        return f(cmm::copy_options_list(many));
    }
    static cmm::advice advice(const json& s) {
        return static_cast<cmm::advice>(
            index_in({"set_read_mostly", "unset_read_mostly", "set_preferred_location",
                      "unset_preferred_location", "set_accessed_by", "unset_accessed_by"},
                     s.at("advice"), 1));
    }

    json make_resource(const json& s) {
        const auto kind = s.value("kind", "managed");
        std::optional<cmm::device> device;
        if (s.contains("device"))
            device = cmm::device{s["device"].get<int>()};
        if (kind == "pinned")
            return keep(s.at("as"), any_resource(cmm::pinned_memory_resource()));
        if (kind == "device")
            return keep(s.at("as"),
                        any_resource(cmm::device_memory_resource(device.value_or(cmm::device{0}))));
        if (kind == "managed")
            return keep(s.at("as"),
                        any_resource(cmm::managed_memory_resource(cmm::resource_options{device})));
        cmm::arena_options o;
        o.device = device;
        o.slab_bytes = s.value("slab_bytes", o.slab_bytes);
        o.limit_bytes = s.value("limit_bytes", o.limit_bytes);
        return keep(s.at("as"), any_resource(cmm::managed_memory_resource::arena(o)));
    }
    json allocate(const json& s) {
        auto b = std::visit(
            [&](const auto& r) {
                return r.allocate(s.at("bytes").template get<std::size_t>()).let_go();
            },
            get<any_resource>(s.at("from")));
        return keep(s.at("as"), cmm::managed_buffer(b));
    }
    json allocate_batch(const json& s) {
        auto made =
            managed(s.at("from")).allocate_batch(s.at("bytes").get<std::vector<std::size_t>>());
        for (std::size_t i = 0; i < made.size(); ++i)
            keep(s.at("as")[i], std::move(made[i]));
        return nullptr;
    }
    json slice(const json& s) {
        return keep(s.at("as"), buffer(s.at("of")).slice(s.at("offset"), s.at("bytes")));
    }
    json borrow(const json& s) {
        void* at = static_cast<unsigned char*>(buffer(s.at("of")).data()) +
                   s.at("offset").get<std::size_t>();
        if (s.value("managed", true))
            return keep(s.at("as"), cmm::managed_buffer::from_handle(at, s.at("bytes")));
        return keep(s.at("as"),
                    cmm::managed_buffer(cmm::buffer::from_handle(at, s.at("bytes")).let_go()));
    }
    json host_memory(const json& s) {
        const auto memory =
            std::make_shared<std::vector<unsigned char>>(s.at("bytes").get<std::size_t>());
        return keep(s.at("as"),
                    cmm::managed_buffer(
                        cmm::buffer::from_handle(memory->data(), memory->size(), memory).let_go()));
    }
    json make_stream(const json& s) {
        cmm::stream_options o;
        if (s.contains("device"))
            o.device = cmm::device{s["device"].get<int>()};
        return keep(s.at("as"), cmm::stream(o));
    }
    json plan(const json& s) {
        const auto op = s.at("op").get<std::string>();
        const auto o = options_of(s);
        if (op == "copy_batch")
            return copies(s, [&](const auto& copy) {
                return keep(s.at("as"), any_plan(cmm::copy_plan(targets(s.at("srcs")),
                                                                targets(s.at("dsts")), copy, o)));
            });
        const auto list = targets(s.at("targets"));
        if (op == "advise" && !s.contains("where"))
            return keep(s.at("as"), any_plan(cmm::advise_plan(list, advice(s), cmm::host{}, o)));
        return where(s, [&](const auto& locations) {
            if (op == "advise")
                return keep(s.at("as"), any_plan(cmm::advise_plan(list, advice(s), locations, o)));
            if (op == "prefetch")
                return keep(s.at("as"), any_plan(cmm::prefetch_plan(list, locations, o)));
            return keep(s.at("as"), any_plan(cmm::discard_prefetch_plan(list, locations, o)));
        });
    }
    json view(const json& s) {
        auto v = buffer(s.at("of")).as_span<unsigned char>();
        const auto size = v.size();
        keep(s.at("as"), std::optional(std::move(v)));
        return size;
    }
    json close(const json& s) {
        auto& o = objects_.at(s.at("of"));
        if (auto* p = std::get_if<any_plan>(&o))
            std::visit([](auto& each) { each.close(); }, *p);
        else if (auto* v = std::get_if<std::optional<cmm::host_view<unsigned char>>>(&o))
            v->reset();
        else if (auto* st = std::get_if<cmm::stream>(&o))
            st->close();
        else
            std::get<cmm::managed_buffer>(o).close();
        return nullptr;
    }
    json is_closed(const json& s) {
        auto& o = objects_.at(s.at("of"));
        if (auto* p = std::get_if<any_plan>(&o))
            return std::visit([](auto& each) { return each.is_closed(); }, *p);
        if (auto* st = std::get_if<cmm::stream>(&o))
            return st->is_closed();
        return std::get<cmm::managed_buffer>(o).is_closed();
    }
    json fill(const json& s) {
        const auto v = buffer(s.at("of")).as_span<unsigned char>();
        std::fill(v.begin(), v.end(), s.at("value").get<unsigned char>());
        return nullptr;
    }
    json bytes(const json& s) {
        const auto v = buffer(s.at("of")).as_span<unsigned char>();
        const auto from = s.value("offset", std::size_t{0});
        const auto count = s.value("bytes", v.size() - from);
        const bool same = std::all_of(v.begin() + from, v.begin() + from + count,
                                      [&](auto c) { return c == v[from]; });
        return same ? v[from] : -1;
    }
    json size(const json& s) { return buffer(s.at("of")).size(); }
    json kind(const json& s) {
        static constexpr const char* names[] = {"unknown", "managed", "managed_pool",
                                                "device",  "pinned",  "pageable"};
        return names[static_cast<int>(buffer(s.at("of")).kind())];
    }
    json device(const json& s) { return buffer(s.at("of")).device().ordinal(); }

    json advise(const json& s) {
        const auto list = targets(s.at("targets"));
        if (!s.contains("where"))
            return as_json(cmm::advise(list, advice(s), cmm::host{}, options_of(s)));
        return where(s, [&](const auto& l) {
            return as_json(cmm::advise(list, advice(s), l, options_of(s)));
        });
    }
    json prefetch(const json& s) {
        const auto list = targets(s.at("targets"));
        return where(s, [&](const auto& l) {
            return as_json(cmm::prefetch(list, l, stream(s), options_of(s)));
        });
    }
    json discard(const json& s) {
        return as_json(cmm::discard(targets(s.at("targets")), stream(s), options_of(s)));
    }
    json discard_prefetch(const json& s) {
        const auto list = targets(s.at("targets"));
        return where(s, [&](const auto& l) {
            return as_json(cmm::discard_prefetch(list, l, stream(s), options_of(s)));
        });
    }
    json copy_batch(const json& s) {
        return copies(s, [&](const auto& copy) {
            return as_json(cmm::copy_batch(stream(s), targets(s.at("srcs")), targets(s.at("dsts")),
                                           copy, options_of(s)));
        });
    }
    json run(const json& s) {
        auto& p = get<any_plan>(s.at("plan"));
        if (auto* advising = std::get_if<cmm::advise_plan>(&p))
            return as_json(advising->run());
        if (auto* prefetching = std::get_if<cmm::prefetch_plan>(&p))
            return as_json(prefetching->run(stream(s)));
        if (auto* copying = std::get_if<cmm::copy_plan>(&p))
            return as_json(copying->run(stream(s)));
        return as_json(std::get<cmm::discard_prefetch_plan>(p).run(stream(s)));
    }
    json ranges_in(const json& s) {
        return std::visit([](auto& p) { return p.ranges_in(); }, get<any_plan>(s.at("plan")));
    }
    json ranges_out(const json& s) {
        return std::visit([](auto& p) { return p.ranges_out(); }, get<any_plan>(s.at("plan")));
    }

    json read_mostly(const json& s) { return buffer(s.at("of")).read_mostly(); }
    json preferred_location(const json& s) {
        return as_json(buffer(s.at("of")).preferred_location());
    }
    json last_prefetch_location(const json& s) {
        return as_json(buffer(s.at("of")).last_prefetch_location());
    }
    json accessed_by(const json& s) {
        auto out = json::array();
        for (const auto l : buffer(s.at("of")).accessed_by())
            out.push_back(as_json(l));
        return out;
    }
    json set_read_mostly(const json& s) {
        return buffer(s.at("of")).read_mostly(s.at("value").get<bool>()), nullptr;
    }
    json set_preferred_location(const json& s) {
        std::optional<cmm::location> wanted;
        if (!s.at("where").is_null())
            wanted = location_of(s["where"]);
        return buffer(s.at("of")).preferred_location(wanted), nullptr;
    }
    json set_accessed_by(const json& s) {
        return where(
            s, [&](const auto& l) { return buffer(s.at("of")).accessed_by().assign(l), nullptr; });
    }
    json add_accessed_by(const json& s) {
        return buffer(s.at("of")).accessed_by().add(location_of(s.at("where"))), nullptr;
    }
    json discard_accessed_by(const json& s) {
        return buffer(s.at("of")).accessed_by().discard(location_of(s.at("where"))), nullptr;
    }

    json sync(const json& s) { return cmm::synchronize(stream(s)), nullptr; }
    json trim(const json& s) { return managed(s.at("of")).trim(); }
    json stats(const json& s) {
        const auto n = managed(s.at("of")).stats();
        return {{"slabs", n.slabs},
                {"slab_bytes", n.slab_bytes},
                {"pieces", n.pieces},
                {"piece_bytes", n.piece_bytes},
                {"free_stretches", n.free_stretches},
                {"largest_free", n.largest_free}};
    }
    json is_arena(const json& s) { return managed(s.at("of")).is_arena(); }
    json devices(const json&) { return cmm::device_count(); }
    json api_level(const json&) { return cmm::driver::get_facts().level; }
    json numa_nodes(const json&) { return cmm::driver::get_facts().numa_nodes; }
    json supports(const json& s) {
        const int op = index_in({"advise", "prefetch", "discard", "discard_prefetch", "copy_batch",
                                 "numa_locations", "managed_memory", "batches", "pageable_memory"},
                                s.at("operation"), 1);
        return cmm::supports(cmm::device{s.at("device").get<int>()},
                             static_cast<cmm::operation>(op));
    }
    json hint_policy(const json& s) {
        const int p = index_in({"default", "strict", "warn", "ignore"}, s.at("value"));
        cmm::set_default_hint_policy(p ? std::optional(static_cast<cmm::hint_policy>(p))
                                       : std::nullopt);
        return nullptr;
    }

    std::map<std::string, object> objects_;
    std::vector<std::string> order_;
};

const std::map<std::string, cpp_machine::method>& cpp_machine::steps() {
#define CMM_STEP(name) {#name, &cpp_machine::name}
    static const std::map<std::string, method> all{{"resource", &cpp_machine::make_resource},
                                                   {"stream", &cpp_machine::make_stream},
                                                   CMM_STEP(allocate),
                                                   CMM_STEP(allocate_batch),
                                                   CMM_STEP(slice),
                                                   CMM_STEP(borrow),
                                                   CMM_STEP(host_memory),
                                                   CMM_STEP(plan),
                                                   CMM_STEP(view),
                                                   CMM_STEP(close),
                                                   CMM_STEP(is_closed),
                                                   CMM_STEP(fill),
                                                   CMM_STEP(bytes),
                                                   CMM_STEP(size),
                                                   CMM_STEP(kind),
                                                   CMM_STEP(device),
                                                   CMM_STEP(advise),
                                                   CMM_STEP(prefetch),
                                                   CMM_STEP(discard),
                                                   CMM_STEP(discard_prefetch),
                                                   CMM_STEP(copy_batch),
                                                   CMM_STEP(run),
                                                   CMM_STEP(ranges_in),
                                                   CMM_STEP(ranges_out),
                                                   CMM_STEP(read_mostly),
                                                   CMM_STEP(preferred_location),
                                                   CMM_STEP(last_prefetch_location),
                                                   CMM_STEP(accessed_by),
                                                   CMM_STEP(set_read_mostly),
                                                   CMM_STEP(set_preferred_location),
                                                   CMM_STEP(set_accessed_by),
                                                   CMM_STEP(add_accessed_by),
                                                   CMM_STEP(discard_accessed_by),
                                                   CMM_STEP(sync),
                                                   CMM_STEP(trim),
                                                   CMM_STEP(stats),
                                                   CMM_STEP(is_arena),
                                                   CMM_STEP(devices),
                                                   CMM_STEP(api_level),
                                                   CMM_STEP(numa_nodes),
                                                   CMM_STEP(supports),
                                                   CMM_STEP(hint_policy)};
#undef CMM_STEP
    return all;
}

} // namespace

std::unique_ptr<machine> make_machine() { return std::make_unique<cpp_machine>(); }

} // namespace conformance
