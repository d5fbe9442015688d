// SPDX-License-Identifier: Apache-2.0
// Values that operations answer with.
%{
static std::int32_t cmm_report_strategy_get(cmm::report* r) { return static_cast<std::int32_t>(r->strategy); }
%}
%immutable;
namespace cmm {

%rename(Report) report;
%nodefaultctor report;
struct report {
    std::size_t ranges_in;
    std::size_t ranges_out;
    std::size_t calls;
    std::size_t bytes;
    std::string_view entry;
    std::string_view reason;
    std::size_t ignored;
};

%rename(ArenaStatistics) arena_statistics;
%nodefaultctor arena_statistics;
struct arena_statistics {
    std::size_t slabs;
    std::size_t slab_bytes;
    std::size_t pieces;
    std::size_t piece_bytes;
    std::size_t free_stretches;
    std::size_t largest_free;
};

%rename(MemoryInformation) memory_information;
%nodefaultctor memory_information;
struct memory_information {
    std::size_t free_bytes;
    std::size_t total_bytes;
};

%rename(AccessorSet) accessor_set;
%nodefaultctor accessor_set;
struct accessor_set {
    std::uint64_t devices;
    bool host;
};

}
%extend cmm::report {
    std::int32_t strategy;
}
%mutable;
