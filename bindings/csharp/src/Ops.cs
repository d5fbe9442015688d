// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;

namespace Cmm
{
    // Arguments on their way in, refused here where C# alone can tell what is wrong.
    internal static class Arguments
    {
        internal static ulong[] One(MemoryBuffer target, string operation, string argument, bool second = false)
        {
            Errors.RequireNotNull(target, operation, argument);
            var numbers = second ? Numbers.Second(1) : Numbers.First(1);
            numbers[1] = target.Id;
            return numbers;
        }

        internal static ulong[] Targets<T>(IReadOnlyList<T> targets, string operation, string argument, bool second = false) where T : MemoryBuffer
        {
            Errors.RequireNotNull(targets, operation, argument);
            var numbers = second ? Numbers.Second(targets.Count) : Numbers.First(targets.Count);
            for (var i = 0; i < targets.Count; ++i)
            {
                var target = targets[i];
                if (target == null)
                    Errors.RequireNotNull(null, operation, argument, i);
                numbers[i + 1] = target.Id;
            }
            return numbers;
        }

        internal static ulong[] Locations(IReadOnlyList<Location> where)
        {
            Errors.RequireNotNull(where, "operation", "locations");
            var numbers = Numbers.Second(where.Count);
            for (var i = 0; i < where.Count; ++i)
                numbers[i + 1] = (ulong)where[i].Code;
            return numbers;
        }

        internal static ulong[] Location(Location where)
        {
            var numbers = Numbers.Second(1);
            numbers[1] = (ulong)where.Code;
            return numbers;
        }

        internal static ulong[] Options(CopyOptions options)
        {
            if (options == null)
                return Numbers.None;
            var numbers = Numbers.Third(1, 3);
            options.Write(numbers, 1);
            return numbers;
        }

        internal static ulong[] Options(IReadOnlyList<CopyOptions> options)
        {
            Errors.RequireNotNull(options, "copy_batch", "options");
            var numbers = Numbers.Third(options.Count, 3);
            for (var i = 0; i < options.Count; ++i)
            {
                Errors.RequireNotNull(options[i], "copy_batch", "options", i);
                options[i].Write(numbers, 1 + 3 * i);
            }
            return numbers;
        }
    }

    /// <summary>
    /// Operations on managed memory, for one buffer or many. One location serves all; a list pairs by index. Everything
    /// is checked before the driver is called: what throws ArgumentException, NotSupportedException or
    /// ObjectDisposedException has changed nothing.
    /// </summary>
    public static class Ops
    {
        /// <summary>Gives the driver advice about a buffer. Driver call: cuMemAdvise.</summary>
        public static Report Advise(MemoryBuffer target, Advice advice, Location? where = null, OpOptions options = default(OpOptions)) =>
            Advised(target, Arguments.One(target, "advise", "targets"), advice, where, options);
        /// <summary>Gives the driver advice about buffers.</summary>
        public static Report Advise<T>(IReadOnlyList<T> targets, Advice advice, Location? where = null, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            Advised(targets, Arguments.Targets(targets, "advise", "targets"), advice, where, options);
        /// <summary>Gives the driver advice about buffers, with a location each.</summary>
        public static Report Advise<T>(IReadOnlyList<T> targets, Advice advice, IReadOnlyList<Location> where, OpOptions options = default(OpOptions)) where T : MemoryBuffer
        {
            var r = Report.From(cmm.Advise(Arguments.Targets(targets, "advise", "targets"), (int)advice, Arguments.Locations(where), true, options.Code));
            GC.KeepAlive(targets);
            return r;
        }
        private static Report Advised(object alive, ulong[] targets, Advice advice, Location? where, OpOptions options)
        {
            var location = where.HasValue ? Arguments.Location(where.Value) : Numbers.None;
            var r = Report.From(cmm.Advise(targets, (int)advice, location, false, options.Code));
            GC.KeepAlive(alive);
            return r;
        }

        /// <summary>Moves a buffer to where it will be needed, in stream order.</summary>
        public static Report Prefetch(MemoryBuffer target, Location where, StreamRef stream, OpOptions options = default(OpOptions)) =>
            Prefetched(target, Arguments.One(target, "prefetch", "targets"), Arguments.Location(where), false, stream, options);
        /// <summary>Moves buffers to one place. Neighbours reach the driver as one range.</summary>
        public static Report Prefetch<T>(IReadOnlyList<T> targets, Location where, StreamRef stream, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            Prefetched(targets, Arguments.Targets(targets, "prefetch", "targets"), Arguments.Location(where), false, stream, options);
        /// <summary>Moves each buffer to a place of its own.</summary>
        public static Report Prefetch<T>(IReadOnlyList<T> targets, IReadOnlyList<Location> where, StreamRef stream, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            Prefetched(targets, Arguments.Targets(targets, "prefetch", "targets"), Arguments.Locations(where), true, stream, options);
        /// <summary>Moves buffers to one place.</summary>
        public static Report Prefetch(Location where, StreamRef stream, params MemoryBuffer[] targets) => Prefetch(targets, where, stream);
        private static Report Prefetched(object alive, ulong[] targets, ulong[] where, bool paired, StreamRef stream, OpOptions options)
        {
            var r = Report.From(cmm.Prefetch(targets, where, paired, stream.Code, options.Code));
            GC.KeepAlive(alive);
            GC.KeepAlive(stream.Own);
            return r;
        }

        /// <summary>Says that a buffer's contents are no longer needed: afterwards they are indeterminate. CUDA 13.0.</summary>
        public static Report Discard(MemoryBuffer target, StreamRef stream, OpOptions options = default(OpOptions)) =>
            Discarded(target, Arguments.One(target, "discard", "targets"), stream, options);
        /// <summary>The same for buffers.</summary>
        public static Report Discard<T>(IReadOnlyList<T> targets, StreamRef stream, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            Discarded(targets, Arguments.Targets(targets, "discard", "targets"), stream, options);
        private static Report Discarded(object alive, ulong[] targets, StreamRef stream, OpOptions options)
        {
            var r = Report.From(cmm.Discard(targets, stream.Code, options.Code));
            GC.KeepAlive(alive);
            GC.KeepAlive(stream.Own);
            return r;
        }

        /// <summary>Discards a buffer and places it without moving its contents. CUDA 13.0.</summary>
        public static Report DiscardPrefetch(MemoryBuffer target, Location where, StreamRef stream, OpOptions options = default(OpOptions)) =>
            Placed(target, Arguments.One(target, "discard_prefetch", "targets"), Arguments.Location(where), false, stream, options);
        /// <summary>The same for buffers.</summary>
        public static Report DiscardPrefetch<T>(IReadOnlyList<T> targets, Location where, StreamRef stream, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            Placed(targets, Arguments.Targets(targets, "discard_prefetch", "targets"), Arguments.Location(where), false, stream, options);
        /// <summary>The same with a place for each buffer.</summary>
        public static Report DiscardPrefetch<T>(IReadOnlyList<T> targets, IReadOnlyList<Location> where, StreamRef stream, OpOptions options = default(OpOptions)) where T : MemoryBuffer =>
            Placed(targets, Arguments.Targets(targets, "discard_prefetch", "targets"), Arguments.Locations(where), true, stream, options);
        private static Report Placed(object alive, ulong[] targets, ulong[] where, bool paired, StreamRef stream, OpOptions options)
        {
            var r = Report.From(cmm.DiscardPrefetch(targets, where, paired, stream.Code, options.Code));
            GC.KeepAlive(alive);
            GC.KeepAlive(stream.Own);
            return r;
        }

        /// <summary>The process-wide hint policy.</summary>
        public static HintPolicy HintPolicy
        {
            get => (HintPolicy)cmm.GetHintPolicy();
            set => cmm.SetHintPolicy((int)value);
        }
        /// <summary>Frees what was closed and whose work has finished; how many buffers still wait.</summary>
        public static ulong Collect() => cmm.CollectRetired();
        /// <summary>Waits for the work that closed buffers wait for, and frees them all.</summary>
        public static void Drain() => cmm.DrainRetired();
    }

    /// <summary>Copies of many buffers at once, in stream order.</summary>
    public static class Copies
    {
        internal static Report One(MemoryBuffer source, MemoryBuffer destination, StreamRef stream, CopyOptions options) =>
            Copied(source, destination, Arguments.One(source, "copy_batch", "srcs"), Arguments.One(destination, "copy_batch", "dsts", true),
                   Arguments.Options(options), false, stream, default(OpOptions));
        /// <summary>Copies each source to the destination of the same index. The sizes match pairwise.</summary>
        public static Report CopyBatch<S, D>(StreamRef stream, IReadOnlyList<S> sources, IReadOnlyList<D> destinations, CopyOptions options = null, OpOptions how = default(OpOptions))
            where S : MemoryBuffer where D : MemoryBuffer =>
            Copied(sources, destinations, Arguments.Targets(sources, "copy_batch", "srcs"), Arguments.Targets(destinations, "copy_batch", "dsts", true),
                   Arguments.Options(options), false, stream, how);
        /// <summary>The same with options for each copy.</summary>
        public static Report CopyBatch<S, D>(StreamRef stream, IReadOnlyList<S> sources, IReadOnlyList<D> destinations, IReadOnlyList<CopyOptions> options, OpOptions how = default(OpOptions))
            where S : MemoryBuffer where D : MemoryBuffer =>
            Copied(sources, destinations, Arguments.Targets(sources, "copy_batch", "srcs"), Arguments.Targets(destinations, "copy_batch", "dsts", true),
                   Arguments.Options(options), true, stream, how);
        private static Report Copied(object from, object to, ulong[] srcs, ulong[] dsts, ulong[] options, bool perCopy, StreamRef stream, OpOptions how)
        {
            var r = Report.From(cmm.CopyBatch(stream.Code, srcs, dsts, options, perCopy, how.Code));
            GC.KeepAlive(from);
            GC.KeepAlive(to);
            GC.KeepAlive(stream.Own);
            return r;
        }
    }
}
