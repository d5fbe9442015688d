// SPDX-License-Identifier: Apache-2.0
// Nanoseconds per call. Over a do-nothing driver (CMM_DRIVER=libcmm_null.so) this is what the binding itself costs.
using System;
using System.Diagnostics;
using Cmm;

internal static class Bench
{
    private static double Nanoseconds(int calls, Action call)
    {
        var best = double.MaxValue;
        for (var round = 0; round < 9; ++round)
        {
            var clock = Stopwatch.StartNew();
            for (var i = 0; i < calls; ++i)
                call();
            best = Math.Min(best, clock.Elapsed.TotalMilliseconds * 1e6 / calls);
        }
        return best;
    }

    private static void Row(string name, int calls, Action call) =>
        Console.WriteLine("{0,-34} {1,12:F0} ns", name, Nanoseconds(calls, call));

    private static ManagedBuffer[] Many(ManagedMemoryResource mr, int count)
    {
        var sizes = new ulong[count];
        for (var i = 0; i < count; ++i)
            sizes[i] = 65536;
        return mr.AllocateBatch(sizes);
    }

    private static void Main()
    {
        Console.WriteLine("{0}, {1}", Driver.Library, Driver.IsSimulated ? "simulated: no GPU figures" : "API level " + Driver.ApiLevel);
        using (var mr = ManagedMemoryResource.Arena())
        using (var s = new Stream())
        {
            Location there = new Device(0);
            var some = Many(mr, 64);
            var many = Many(mr, 256);
            var plan = Plan.Prefetch(many, there);
            Ops.Prefetch(some, there, s);
            Ops.Prefetch(many, there, s);
            s.Synchronize();
            Row("property ReadMostly", 20000, () => { var unused = some[0].ReadMostly; });
            Row("prefetch of one, already there", 2000, () => some[0].Prefetch(there, s));
            Row("prefetch of 64 neighbours", 500, () => Ops.Prefetch(some, there, s));
            Row("prefetch of 256 neighbours", 200, () => Ops.Prefetch(many, there, s));
            Row("plan of 256 neighbours", 500, () => plan.Run(s));
            s.Synchronize();
        }
    }
}
