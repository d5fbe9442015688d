// SPDX-License-Identifier: Apache-2.0
// C#: the boundary as static methods of internal classes, over which the namespace Cmm is written by hand.
%include <std_string.i>
%include <std_string_view.i>

%pragma(csharp) moduleclassmodifiers="internal static class"
%pragma(csharp) imclassclassmodifiers="internal class"
%rename("%(camelcase)s", %$isfunction) "";

// `unsigned long` would be 32 bits wide to SWIG's C#.
%apply unsigned long long {
    unsigned long, uint64_t, std::uint64_t, size_t, std::size_t,
    handle, buffer_handle, resource_handle, stream_handle, event_handle, plan_handle, view_handle
};
%apply int { int32_t, std::int32_t };
%apply unsigned int { uint32_t, std::uint32_t };

// Results of several numbers cross as a pointer to them (location.i); the structs that values.i would name are
// written by hand.
#define Report $ignore
#define ArenaStatistics $ignore
#define MemoryInformation $ignore
#define AccessorSet $ignore
