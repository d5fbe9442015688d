// SPDX-License-Identifier: Apache-2.0
// Small values: each crosses as one number; results of several numbers as a pointer to them, which stands
// until the thread's next call.
%{
namespace {

// A location is its kind, in the high half, and its id.
location_code as_location_code(long long code) noexcept {
    return {static_cast<std::int32_t>(code >> 32), static_cast<std::int32_t>(code & 0xffffffff)};
}
long long from_location_code(const location_code& l) noexcept {
    return static_cast<long long>(l.kind) << 32 | static_cast<long long>(static_cast<std::uint32_t>(l.id));
}
// Operations have a strategy, in the low byte, and a hint policy.
options_code as_options_code(int code) noexcept { return {code & 0xff, code >> 8}; }

template <std::size_t N> void* keep_numbers(const std::uint64_t (&numbers)[N]) noexcept {
    thread_local std::uint64_t kept[16];
    static_assert(N <= 16);
    std::copy(numbers, numbers + N, kept);
    return kept;
}

// A report's texts are literals of the library: their addresses and lengths cross.
std::uint64_t address_of(std::string_view text) noexcept { return reinterpret_cast<std::uint64_t>(text.data()); }

} // namespace
%}

%define CMM_CSHARP_NUMBER(TYPE, C_TYPE, CSHARP_TYPE, FROM)
%typemap(ctype) TYPE "C_TYPE"
%typemap(imtype) TYPE "CSHARP_TYPE"
%typemap(cstype) TYPE "CSHARP_TYPE"
%typemap(csin) TYPE "$csinput"
%typemap(csout, excode=SWIGEXCODE) TYPE {
    CSHARP_TYPE ret = $imcall;$excode
    return ret;
  }
%typemap(in) TYPE %{ $1 = FROM($input); %}
%enddef

CMM_CSHARP_NUMBER(location_code, long long, long, as_location_code)
CMM_CSHARP_NUMBER(options_code, int, int, as_options_code)
%typemap(out) location_code %{ $result = from_location_code($1); %}

%define CMM_CSHARP_NUMBERS(TYPE)
%typemap(ctype) TYPE "void*"
%typemap(imtype) TYPE "global::System.IntPtr"
%typemap(cstype) TYPE "global::System.IntPtr"
%typemap(csout, excode=SWIGEXCODE) TYPE {
    global::System.IntPtr ret = $imcall;$excode
    return ret;
  }
%enddef

CMM_CSHARP_NUMBERS(cmm::accessor_set)
%typemap(out) cmm::accessor_set {
    const cmm::accessor_set& set = $1;
    $result = keep_numbers({set.devices, set.host ? std::uint64_t{1} : std::uint64_t{0}});
}
CMM_CSHARP_NUMBERS(cmm::memory_information)
%typemap(out) cmm::memory_information {
    const cmm::memory_information& memory = $1;
    $result = keep_numbers({memory.free_bytes, memory.total_bytes});
}
CMM_CSHARP_NUMBERS(cmm::arena_statistics)
%typemap(out) cmm::arena_statistics {
    const cmm::arena_statistics& of = $1;
    $result = keep_numbers({of.slabs, of.slab_bytes, of.pieces, of.piece_bytes, of.free_stretches, of.largest_free});
}
CMM_CSHARP_NUMBERS(cmm::report)
%typemap(out) cmm::report {
    const cmm::report& did = $1;
    $result = keep_numbers({did.ranges_in, did.ranges_out, did.calls, did.bytes,
                            static_cast<std::uint64_t>(did.strategy), address_of(did.entry), did.entry.size(),
                            address_of(did.reason), did.reason.size(), did.ignored});
}
