// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;

namespace Cmm
{
    /// <summary>
    /// An operation that is checked, sorted and merged once and run again and again. It keeps its buffers' memory
    /// alive; disposing of a buffer breaks it, and running it then throws ObjectDisposedException with the target's index.
    /// </summary>
    public sealed class Plan : NativeObject
    {
        private readonly object alive; // the buffers, so that collecting them does not close what the plan needs

        private Plan(ulong id, object alive) : base(id) { this.alive = alive; }

        /// <summary>A plan of Ops.Prefetch.</summary>
        public static Plan Prefetch<T>(IReadOnlyList<T> targets, Location where, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            new Plan(cmm.PlanPrefetch(Arguments.Targets(targets, "prefetch", "targets"), Arguments.Location(where), false, options.Code), targets);
        /// <summary>The same with a place for each buffer.</summary>
        public static Plan Prefetch<T>(IReadOnlyList<T> targets, IReadOnlyList<Location> where, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            new Plan(cmm.PlanPrefetch(Arguments.Targets(targets, "prefetch", "targets"), Arguments.Locations(where), true, options.Code), targets);
        /// <summary>A plan of Ops.DiscardPrefetch.</summary>
        public static Plan DiscardPrefetch<T>(IReadOnlyList<T> targets, Location where, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            new Plan(cmm.PlanDiscardPrefetch(Arguments.Targets(targets, "discard_prefetch", "targets"), Arguments.Location(where), false, options.Code), targets);
        /// <summary>The same with a place for each buffer.</summary>
        public static Plan DiscardPrefetch<T>(IReadOnlyList<T> targets, IReadOnlyList<Location> where, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            new Plan(cmm.PlanDiscardPrefetch(Arguments.Targets(targets, "discard_prefetch", "targets"), Arguments.Locations(where), true, options.Code), targets);
        /// <summary>A plan of Ops.Advise.</summary>
        public static Plan Advise<T>(IReadOnlyList<T> targets, Advice advice, Location? where = null, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            new Plan(cmm.PlanAdvise(Arguments.Targets(targets, "advise", "targets"), (int)advice,
                                    where.HasValue ? Arguments.Location(where.Value) : Numbers.None, false, options.Code), targets);
        /// <summary>A plan of Copies.CopyBatch.</summary>
        public static Plan Copy<S, D>(IReadOnlyList<S> sources, IReadOnlyList<D> destinations, CopyOptions options = null, OpOptions how = default(OpOptions))
            where S : MemoryBuffer where D : MemoryBuffer =>
            new Plan(cmm.PlanCopy(Arguments.Targets(sources, "copy_batch", "srcs"), Arguments.Targets(destinations, "copy_batch", "dsts", true),
                                  Arguments.Options(options), false, how.Code), new object[] { sources, destinations });
        /// <summary>The same with options for each copy.</summary>
        public static Plan Copy<S, D>(IReadOnlyList<S> sources, IReadOnlyList<D> destinations, IReadOnlyList<CopyOptions> options, OpOptions how = default(OpOptions))
            where S : MemoryBuffer where D : MemoryBuffer =>
            new Plan(cmm.PlanCopy(Arguments.Targets(sources, "copy_batch", "srcs"), Arguments.Targets(destinations, "copy_batch", "dsts", true),
                                  Arguments.Options(options), true, how.Code), new object[] { sources, destinations });

        /// <summary>Runs it. Plans of advice ignore the stream.</summary>
        public Report Run(StreamRef stream = default(StreamRef))
        {
            var r = Report.From(cmm.PlanRun(Id, stream.Code));
            GC.KeepAlive(stream.Own);
            GC.KeepAlive(alive);
            GC.KeepAlive(this);
            return r;
        }
        /// <summary>How many ranges came in, how many go out, by which entry point, and why.</summary>
        public string Describe() { var text = cmm.PlanDescribe(Id); GC.KeepAlive(this); return text; }
        /// <summary>Ranges given, without empty ones.</summary>
        public ulong RangesIn { get { var n = cmm.PlanRangesIn(Id); GC.KeepAlive(this); return n; } }
        /// <summary>Ranges after merging.</summary>
        public ulong RangesOut { get { var n = cmm.PlanRangesOut(Id); GC.KeepAlive(this); return n; } }
    }

    /// <summary>The driver that is open.</summary>
    public static class Driver
    {
        /// <summary>Opens a driver library, or the environment's choice; a ceiling such as 12080, or none.</summary>
        public static void Open(string library = "", int apiLevel = 0) { Errors.RequireNotNull(library, "driver", "library"); cmm.OpenDriver(library, apiLevel); }
        /// <summary>Opens the simulated driver with a configuration such as "devices=2".</summary>
        public static void OpenSimulated(string config = "", int apiLevel = 0) { Errors.RequireNotNull(config, "driver", "config"); cmm.OpenSimulated(config, apiLevel); }
        /// <summary>What was opened.</summary>
        public static string Library => cmm.DriverLibrary();
        /// <summary>The driver's version, such as 13000.</summary>
        public static int Version => cmm.DriverVersion();
        /// <summary>The smaller of version and ceiling.</summary>
        public static int ApiLevel => cmm.ApiLevel();
        /// <summary>Whether it is the simulated one.</summary>
        public static bool IsSimulated => cmm.DriverIsSimulated();
        /// <summary>Host NUMA nodes of the machine.</summary>
        public static int NumaNodes => cmm.NumaNodes();
    }
}
