// SPDX-License-Identifier: Apache-2.0
using System;
using System.Runtime.InteropServices;
using NUnit.Framework;

namespace Cmm.Tests
{
    // What the tests ask and tell the simulated driver.
    internal static class Sim
    {
        private const string Library = "libcmm_sim.so";
        [StructLayout(LayoutKind.Sequential)]
        internal struct Live
        {
            internal ulong ManagedAllocations, ManagedBytes, DeviceAllocations, DeviceBytes, PinnedAllocations, PinnedBytes;
            internal ulong RegisteredRanges, Streams, Events, Graphs, GraphExecs, UserObjects, Pools, Contexts, ContextStack, PendingOperations;
        }
        [DllImport(Library)] private static extern int cmm_sim_fault(string entry, ulong nth, int result);
        [DllImport(Library)] private static extern void cmm_sim_clear_faults();
        [DllImport(Library)] private static extern void cmm_sim_record_clear();
        [DllImport(Library)] private static extern UIntPtr cmm_sim_calls(string entry);
        [DllImport(Library)] private static extern void cmm_sim_live_counts(out Live live);
        [DllImport(Library)] private static extern ulong cmm_sim_use_after_free_count();
        [DllImport(Library)] private static extern void cmm_sim_hold();
        [DllImport(Library)] private static extern void cmm_sim_release();

        internal static void Fault(string entry, ulong nth, int result) => Assert.AreEqual(0, cmm_sim_fault(entry, nth, result));
        internal static void ClearFaults() => cmm_sim_clear_faults();
        internal static void ClearRecord() => cmm_sim_record_clear();
        internal static long Calls(string entry) => (long)cmm_sim_calls(entry);
        internal static Live Now() { Live live; cmm_sim_live_counts(out live); return live; }
        internal static ulong UseAfterFree => cmm_sim_use_after_free_count();
        internal static void Hold() => cmm_sim_hold();
        internal static void Release() => cmm_sim_release();
    }

    // A simulated machine for one test, which has to get everything back.
    internal sealed class Machine : IDisposable
    {
        internal Machine(string config = "", int level = 0)
        {
            Settle();
            Driver.OpenSimulated(config, level);
        }
        internal static void Settle()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Ops.Drain();
        }
        public void Dispose()
        {
            Sim.Release();
            Sim.ClearFaults();
            Ops.HintPolicy = HintPolicy.Default;
            Settle();
            Assert.AreEqual(0UL, Sim.UseAfterFree, "memory was freed under running work");
        }
        // For tests that close what they make.
        internal static void NothingIsLeft() => Assert.AreEqual(0UL, Sim.Now().ManagedAllocations);
    }
}
