// SPDX-License-Identifier: Apache-2.0
// The table through cmm/cmm.h itself: every status is looked at, and a failure is read from
// cmm_last_error.
#include "conformance/table.hpp"
#include <algorithm>
#include <cmm/cmm.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {
namespace {

void check(cmm_status s) {
    if (s == CMM_OK)
        return;
    cmm_error e = CMM_ERROR_INIT;
    if (cmm_last_error(&e) != s)
        throw std::runtime_error("the last error is another one");
    const auto index = [](std::int64_t i) { return i < 0 ? json() : json(i); };
    json what{{"kind", cmm_status_name(s)},
              {"argument", e.argument},
              {"text", e.message},
              {"index", index(e.index)},
              {"other_index", index(e.other_index)}};
    if (*e.entry)
        what.update(
            {{"code", e.driver_code}, {"name", e.name}, {"entry", e.entry}, {"issued", e.issued}});
    throw refused{what};
}

cmm_location location_of(const json& text) {
    const auto p = place_of(text);
    return {p.kind, p.id};
}
json as_json(cmm_location l) {
    return l.kind == CMM_NOWHERE ? json() : json(text_of({l.kind, l.id}));
}

json as_json(const cmm_report& r) {
    static constexpr const char* strategies[] = {"automatic", "driver_batch", "per_range",
                                                 "return_early"};
    return {{"ranges_in", r.ranges_in},
            {"ranges_out", r.ranges_out},
            {"calls", r.calls},
            {"bytes", r.bytes},
            {"ignored", r.ignored},
            {"entry", r.entry},
            {"strategy", strategies[r.strategy]}};
}

struct object {
    char kind; // b, r, s, p, v
    std::uint64_t id;
};

// Locations as the ABI takes them.
struct places {
    std::vector<cmm_location> items;
    std::size_t count = CMM_FOR_ALL;
    explicit places(const json& where) {
        if (where.is_array())
            count = where.size();
        for (const auto& l : where.is_array() ? where : json::array({where}))
            items.push_back(location_of(l));
    }
};

struct copies {
    std::vector<cmm_copy_options> items;
    std::size_t count = CMM_FOR_ALL;
    explicit copies(const json& s) {
        const auto o = s.value("copy", json::object());
        if (o.is_array())
            count = o.size();
        for (const auto& each : o.is_array() ? o : json::array({o})) {
            cmm_copy_options c = CMM_COPY_OPTIONS_INIT;
            c.src_access_order =
                index_in({"stream", "during_api_call", "any"}, each.value("order", "stream"), 1);
            c.overlap_mode = index_in({"standard", "prefer"}, each.value("overlap", "standard"));
            c.src_location_hint = location_of(each.value("src_hint", json()));
            c.dst_location_hint = location_of(each.value("dst_hint", json()));
            items.push_back(c);
        }
    }
};

class c_machine : public machine {
public:
    void open(const std::string& config, int api_level) override {
        check(cmm_open_simulated(config.c_str(), api_level));
    }
    void finish() override {
        while (!order_.empty()) {
            close(order_.back(), false);
            order_.pop_back();
        }
        cmm_drain();
        check(cmm_set_hint_policy(CMM_HINTS_DEFAULT));
    }
    json step(const json& s) override {
        if (const auto answer = simulated_step(s); !answer.is_null())
            return answer;
        const auto what = s.at("do").get<std::string>();
        for (const auto part :
             {&c_machine::make, &c_machine::operate, &c_machine::advice, &c_machine::ask}) {
            bool known = true;
            auto out = (this->*part)(what, s, known);
            if (known)
                return out;
        }
        throw std::runtime_error("the runner does not know " + what);
    }

private:
    json keep(const json& name, char kind, std::uint64_t id) {
        objects_[name] = {kind, id};
        order_.push_back({kind, id});
        return nullptr;
    }
    cmm_buffer buffer(const json& name) { return {objects_.at(name).id}; }
    cmm_resource resource(const json& name) { return {objects_.at(name).id}; }
    cmm_plan plan(const json& name) { return {objects_.at(name).id}; }
    cmm_target of(const json& s) { return cmm_of(buffer(s.at("of"))); }
    static void close(const object& o, bool by_name) {
        switch (o.kind) {
        case 'b': return by_name ? cmm_buffer_close({o.id}) : cmm_buffer_drop({o.id});
        case 'r': return cmm_resource_close({o.id});
        case 's': return cmm_stream_close({o.id});
        case 'p': return cmm_plan_close({o.id});
        default: return cmm_view_close({o.id});
        }
    }
    cmm_stream_ref stream(const json& s) {
        const auto name = s.value("stream", "legacy");
        return name == "legacy"       ? cmm_legacy()
               : name == "per_thread" ? cmm_per_thread()
                                      : cmm_on({objects_.at(name).id});
    }
    unsigned char* data(const json& name) {
        void* out = nullptr;
        check(cmm_buffer_data(buffer(name), &out));
        return static_cast<unsigned char*>(out);
    }
    std::vector<cmm_target> targets(const json& list) {
        std::vector<cmm_target> out;
        for (const auto& t : list.is_array() ? list : json::array({list}))
            out.push_back(t.is_string()
                              ? cmm_of(buffer(t))
                              : cmm_range(data(t.at("range")) + t.at("offset").get<std::size_t>(),
                                          t.at("bytes")));
        return out;
    }
    const cmm_options* options(const json& s) {
        const auto o = s.value("options", json::object());
        options_ = CMM_OPTIONS_INIT;
        options_.strategy = index_in({"automatic", "driver_batch", "per_range", "return_early"},
                                     o.value("strategy", "automatic"));
        options_.hints =
            index_in({"default", "strict", "warn", "ignore"}, o.value("hints", "default"));
        return o.empty() ? nullptr : &options_;
    }
    static int advice_of(const json& s) {
        return index_in({"set_read_mostly", "unset_read_mostly", "set_preferred_location",
                         "unset_preferred_location", "set_accessed_by", "unset_accessed_by"},
                        s.at("advice"), 1);
    }

    json make(const std::string& what, const json& s, bool& known) {
        cmm_buffer b{};
        if (what == "resource") {
            cmm_resource_options o = CMM_RESOURCE_OPTIONS_INIT;
            o.kind = index_in({"managed", "arena", "pinned", "device"}, s.value("kind", "managed"));
            o.device = s.value("device", -1);
            o.slab_bytes = s.value("slab_bytes", o.slab_bytes);
            o.limit_bytes = s.value("limit_bytes", o.limit_bytes);
            cmm_resource r{};
            check(cmm_resource_create(&o, &r));
            return keep(s.at("as"), 'r', r.id);
        }
        if (what == "allocate")
            return check(cmm_allocate(resource(s.at("from")), s.at("bytes"), &b)),
                   keep(s.at("as"), 'b', b.id);
        if (what == "allocate_batch") {
            const auto sizes = s.at("bytes").get<std::vector<std::size_t>>();
            std::vector<cmm_buffer> made(sizes.size());
            check(cmm_allocate_batch(resource(s.at("from")), sizes.data(), sizes.size(),
                                     made.data()));
            for (std::size_t i = 0; i < made.size(); ++i)
                keep(s.at("as")[i], 'b', made[i].id);
            return nullptr;
        }
        if (what == "slice")
            return check(cmm_buffer_slice(buffer(s.at("of")), s.at("offset"), s.at("bytes"), &b)),
                   keep(s.at("as"), 'b', b.id);
        if (what == "borrow")
            return check(cmm_buffer_borrow(data(s.at("of")) + s.at("offset").get<std::size_t>(),
                                           s.at("bytes"), s.value("managed", true), nullptr,
                                           nullptr, &b)),
                   keep(s.at("as"), 'b', b.id);
        if (what == "host_memory") {
            auto& memory = memory_.emplace_back(s.at("bytes").get<std::size_t>());
            return check(cmm_buffer_borrow(memory.data(), memory.size(), false, nullptr, nullptr,
                                           &b)),
                   keep(s.at("as"), 'b', b.id);
        }
        if (what == "stream") {
            cmm_stream_options o = CMM_STREAM_OPTIONS_INIT;
            o.device = s.value("device", -1);
            cmm_stream st{};
            return check(cmm_stream_create(&o, &st)), keep(s.at("as"), 's', st.id);
        }
        if (what == "view") {
            cmm_view v{};
            std::size_t bytes = 0;
            check(cmm_view_open(buffer(s.at("of")), &v, nullptr, &bytes));
            return keep(s.at("as"), 'v', v.id), bytes;
        }
        if (what == "plan")
            return make_plan(s);
        return known = false, nullptr;
    }
    json make_plan(const json& s) {
        const auto op = s.at("op").get<std::string>();
        cmm_plan p{};
        if (op == "copy_batch") {
            const auto from = targets(s.at("srcs"));
            const auto to = targets(s.at("dsts"));
            const copies c(s);
            check(cmm_plan_copy(from.data(), from.size(), to.data(), to.size(), c.items.data(),
                                c.count, options(s), &p));
            return keep(s.at("as"), 'p', p.id);
        }
        const auto t = targets(s.at("targets"));
        const places w(s.value("where", json("host")));
        if (op == "advise")
            check(cmm_plan_advise(t.data(), t.size(), advice_of(s), w.items.data(), w.count,
                                  options(s), &p));
        else if (op == "prefetch")
            check(cmm_plan_prefetch(t.data(), t.size(), w.items.data(), w.count, options(s), &p));
        else
            check(cmm_plan_discard_prefetch(t.data(), t.size(), w.items.data(), w.count, options(s),
                                            &p));
        return keep(s.at("as"), 'p', p.id);
    }

    json operate(const std::string& what, const json& s, bool& known) {
        cmm_report r = CMM_REPORT_INIT;
        if (what == "run")
            return check(cmm_plan_run(plan(s.at("plan")), stream(s), &r)), as_json(r);
        if (what == "copy_batch") {
            const auto from = targets(s.at("srcs"));
            const auto to = targets(s.at("dsts"));
            const copies c(s);
            check(cmm_copy_batch(stream(s), from.data(), from.size(), to.data(), to.size(),
                                 c.items.data(), c.count, options(s), &r));
            return as_json(r);
        }
        if (!s.contains("targets"))
            return known = false, nullptr;
        const auto t = targets(s.at("targets"));
        const places w(s.value("where", json("host")));
        if (what == "advise")
            check(cmm_advise(t.data(), t.size(), advice_of(s), w.items.data(), w.count, options(s),
                             &r));
        else if (what == "prefetch")
            check(cmm_prefetch(t.data(), t.size(), w.items.data(), w.count, stream(s), options(s),
                               &r));
        else if (what == "discard")
            check(cmm_discard(t.data(), t.size(), stream(s), options(s), &r));
        else if (what == "discard_prefetch")
            check(cmm_discard_prefetch(t.data(), t.size(), w.items.data(), w.count, stream(s),
                                       options(s), &r));
        else
            return known = false, nullptr;
        return as_json(r);
    }

    json advice(const std::string& what, const json& s, bool& known) {
        bool yes = false;
        cmm_location l{};
        if (what == "read_mostly")
            return check(cmm_read_mostly(of(s), &yes)), yes;
        if (what == "set_read_mostly")
            return check(cmm_set_read_mostly(of(s), s.at("value"))), nullptr;
        if (what == "preferred_location")
            return check(cmm_preferred_location(of(s), &l)), as_json(l);
        if (what == "last_prefetch_location")
            return check(cmm_last_prefetch_location(of(s), &l)), as_json(l);
        if (what == "set_preferred_location")
            return check(cmm_set_preferred_location(of(s), location_of(s.at("where")))), nullptr;
        if (what == "add_accessed_by")
            return check(cmm_add_accessed_by(of(s), location_of(s.at("where")))), nullptr;
        if (what == "discard_accessed_by")
            return check(cmm_discard_accessed_by(of(s), location_of(s.at("where")))), nullptr;
        if (what == "set_accessed_by") {
            const places w(s.at("where"));
            return check(cmm_assign_accessed_by(of(s), w.items.data(), w.items.size())), nullptr;
        }
        if (what == "accessed_by") {
            std::uint64_t devices = 0;
            check(cmm_accessed_by(of(s), &devices, &yes));
            auto out = json::array();
            for (int d = 0; d < 64; ++d)
                if (devices >> d & 1U)
                    out.push_back(as_json(cmm_device(d)));
            if (yes)
                out.push_back("host");
            return out;
        }
        return known = false, nullptr;
    }

    json ask(const std::string& what, const json& s, bool& known) {
        bool yes = false;
        std::int32_t number = 0;
        std::size_t size = 0;
        std::uint64_t in = 0;
        std::uint64_t out = 0;
        cmm_driver_facts facts = CMM_DRIVER_FACTS_INIT;
        if (what == "close")
            return close(objects_.at(s.at("of")), true), nullptr;
        if (what == "is_closed") {
            const auto& o = objects_.at(s.at("of"));
            return !(o.kind == 'b'   ? cmm_buffer_is_open({o.id})
                     : o.kind == 's' ? cmm_stream_is_open({o.id})
                                     : cmm_plan_is_open({o.id}));
        }
        if (what == "fill" || what == "bytes")
            return touch(what, s);
        if (what == "size")
            return check(cmm_buffer_size(buffer(s.at("of")), &size)), size;
        if (what == "device")
            return check(cmm_buffer_device(buffer(s.at("of")), &number)), number;
        if (what == "kind") {
            static constexpr const char* names[] = {"unknown", "managed", "managed_pool",
                                                    "device",  "pinned",  "pageable"};
            return check(cmm_buffer_kind(buffer(s.at("of")), &number)), names[number];
        }
        if (what == "sync")
            return check(cmm_synchronize(stream(s))), nullptr;
        if (what == "ranges_in" || what == "ranges_out")
            return check(cmm_plan_ranges(plan(s.at("plan")), &in, &out)),
                   what == "ranges_in" ? in : out;
        if (what == "trim")
            return check(cmm_resource_trim(resource(s.at("of")), &out)), out;
        if (what == "is_arena")
            return check(cmm_resource_is_arena(resource(s.at("of")), &yes)), yes;
        if (what == "stats") {
            cmm_arena_statistics n = CMM_ARENA_STATISTICS_INIT;
            check(cmm_resource_stats(resource(s.at("of")), &n));
            return {{"slabs", n.slabs},
                    {"slab_bytes", n.slab_bytes},
                    {"pieces", n.pieces},
                    {"piece_bytes", n.piece_bytes},
                    {"free_stretches", n.free_stretches},
                    {"largest_free", n.largest_free}};
        }
        if (what == "supports") {
            const int op =
                index_in({"advise", "prefetch", "discard", "discard_prefetch", "copy_batch",
                          "numa_locations", "managed_memory", "batches", "pageable_memory"},
                         s.at("operation"), 1);
            return check(cmm_supports(s.at("device"), op, &yes, nullptr)), yes;
        }
        if (what == "hint_policy")
            return check(cmm_set_hint_policy(
                       index_in({"default", "strict", "warn", "ignore"}, s.at("value")))),
                   nullptr;
        if (what != "devices" && what != "api_level" && what != "numa_nodes")
            return known = false, nullptr;
        check(cmm_get_driver_facts(&facts));
        return what == "devices"     ? facts.devices
               : what == "api_level" ? facts.api_level
                                     : facts.numa_nodes;
    }
    json touch(const std::string& what, const json& s) {
        cmm_view v{};
        void* at = nullptr;
        std::size_t size = 0;
        check(cmm_view_open(buffer(s.at("of")), &v, &at, &size));
        auto* const bytes = static_cast<unsigned char*>(at);
        const auto from = s.value("offset", std::size_t{0});
        const auto count = s.value("bytes", size - from);
        int found = -1;
        if (what == "fill")
            std::memset(bytes, s.at("value"), size);
        else if (std::all_of(bytes + from, bytes + from + count,
                             [&](unsigned char c) { return c == bytes[from]; }))
            found = bytes[from];
        cmm_view_close(v);
        return found;
    }

    std::map<std::string, object> objects_;
    std::vector<object> order_;
    std::list<std::vector<unsigned char>> memory_;
    cmm_options options_ = CMM_OPTIONS_INIT;
};

} // namespace

std::unique_ptr<machine> make_machine() { return std::make_unique<c_machine>(); }

} // namespace conformance
