// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Concurrent;
using System.Text;

namespace Cmm
{
    /// <summary>The driver's advice.</summary>
    public enum Advice
    {
        /// <summary>Read often and written rarely.</summary>
        SetReadMostly = 1,
        /// <summary>Takes SetReadMostly back.</summary>
        UnsetReadMostly = 2,
        /// <summary>Where the pages should live.</summary>
        SetPreferredLocation = 3,
        /// <summary>Takes SetPreferredLocation back.</summary>
        UnsetPreferredLocation = 4,
        /// <summary>Who keeps the pages mapped.</summary>
        SetAccessedBy = 5,
        /// <summary>Takes SetAccessedBy back.</summary>
        UnsetAccessedBy = 6
    }

    /// <summary>What can be asked of a device.</summary>
    public enum Operation
    {
        /// <summary>Advice.</summary>
        Advise = 1,
        /// <summary>Prefetches.</summary>
        Prefetch = 2,
        /// <summary>Discards. CUDA 13.0.</summary>
        Discard = 3,
        /// <summary>Discards that place. CUDA 13.0.</summary>
        DiscardPrefetch = 4,
        /// <summary>Batched copies.</summary>
        CopyBatch = 5,
        /// <summary>Host NUMA nodes as locations. CUDA 12.2.</summary>
        NumaLocations = 6,
        /// <summary>Managed memory at all.</summary>
        ManagedMemory = 7,
        /// <summary>Prefetches of many ranges by one driver call. CUDA 13.0.</summary>
        Batches = 8,
        /// <summary>Operations on memory of malloc and mmap.</summary>
        PageableMemory = 9
    }

    /// <summary>What kind of memory an address is in.</summary>
    public enum MemoryKind
    {
        /// <summary>Not known.</summary>
        Unknown = 0,
        /// <summary>Managed memory.</summary>
        Managed = 1,
        /// <summary>Managed memory of a driver's pool, which declines advice.</summary>
        ManagedPool = 2,
        /// <summary>Device memory.</summary>
        Device = 3,
        /// <summary>Pinned host memory.</summary>
        Pinned = 4,
        /// <summary>Pageable host memory.</summary>
        Pageable = 5
    }

    /// <summary>Who may touch new managed memory first.</summary>
    public enum Attach
    {
        /// <summary>Every stream.</summary>
        Global = 1,
        /// <summary>The host.</summary>
        Host = 2,
        /// <summary>One stream.</summary>
        Single = 4
    }

    /// <summary>How what is left after merging reaches the driver.</summary>
    public enum Strategy
    {
        /// <summary>By the table of measured crossovers.</summary>
        Automatic = 0,
        /// <summary>The batch entry point.</summary>
        DriverBatch = 1,
        /// <summary>One call per range.</summary>
        PerRange = 2,
        /// <summary>What gives the calling thread back first.</summary>
        ReturnEarly = 3
    }

    /// <summary>What a hint that this machine cannot honour does.</summary>
    public enum HintPolicy
    {
        /// <summary>The process-wide policy.</summary>
        Default = 0,
        /// <summary>Throws.</summary>
        Strict = 1,
        /// <summary>Warns once.</summary>
        Warn = 2,
        /// <summary>Says nothing.</summary>
        Ignore = 3
    }

    /// <summary>When a batched copy may read its source.</summary>
    public enum SrcAccessOrder
    {
        /// <summary>In the order of the stream.</summary>
        Stream = 1,
        /// <summary>Before the call returns.</summary>
        DuringApiCall = 2,
        /// <summary>At any time.</summary>
        Any = 3
    }

    /// <summary>Whether a copy would rather run beside kernels (on integrated GPUs).</summary>
    public enum OverlapMode
    {
        /// <summary>As the driver likes.</summary>
        Standard = 0,
        /// <summary>Beside kernels.</summary>
        PreferOverlapWithCompute = 1
    }

    /// <summary>Options of one operation.</summary>
    public readonly struct OpOptions
    {
        /// <summary>Both have defaults.</summary>
        public OpOptions(Strategy strategy = Strategy.Automatic, HintPolicy hints = HintPolicy.Default)
        {
            Strategy = strategy;
            Hints = hints;
        }
        /// <summary>How ranges reach the driver.</summary>
        public Strategy Strategy { get; }
        /// <summary>What a hint that cannot be honoured does.</summary>
        public HintPolicy Hints { get; }
        internal int Code => ((int)Strategy & 0xff) | ((int)Hints << 8);
    }

    /// <summary>Options of one copy. <c>new CopyOptions()</c> and <c>null</c> are the defaults: stream order, no hints.</summary>
    public sealed class CopyOptions : IEquatable<CopyOptions>
    {
        /// <summary>All have defaults.</summary>
        public CopyOptions(SrcAccessOrder srcAccessOrder = SrcAccessOrder.Stream, Location? srcLocationHint = null,
                           Location? dstLocationHint = null, OverlapMode overlapMode = OverlapMode.Standard)
        {
            SrcAccessOrder = srcAccessOrder;
            SrcLocationHint = srcLocationHint;
            DstLocationHint = dstLocationHint;
            OverlapMode = overlapMode;
        }
        /// <summary>When the source may be read.</summary>
        public SrcAccessOrder SrcAccessOrder { get; }
        /// <summary>Where a managed source is.</summary>
        public Location? SrcLocationHint { get; }
        /// <summary>Where a managed destination is.</summary>
        public Location? DstLocationHint { get; }
        /// <summary>Whether to run beside kernels.</summary>
        public OverlapMode OverlapMode { get; }

        /// <inheritdoc/>
        public bool Equals(CopyOptions other) =>
            other != null && SrcAccessOrder == other.SrcAccessOrder && OverlapMode == other.OverlapMode &&
            Nullable.Equals(SrcLocationHint, other.SrcLocationHint) && Nullable.Equals(DstLocationHint, other.DstLocationHint);
        /// <inheritdoc/>
        public override bool Equals(object obj) => Equals(obj as CopyOptions);
        /// <inheritdoc/>
        public override int GetHashCode() =>
            (int)SrcAccessOrder ^ ((int)OverlapMode << 4) ^ SrcLocationHint.GetHashCode() ^ (DstLocationHint.GetHashCode() << 8);

        internal void Write(ulong[] to, int at)
        {
            to[at] = ((ulong)(uint)(int)OverlapMode << 32) | (uint)(int)SrcAccessOrder;
            to[at + 1] = SrcLocationHint.HasValue ? (ulong)SrcLocationHint.Value.Code : 0;
            to[at + 2] = DstLocationHint.HasValue ? (ulong)DstLocationHint.Value.Code : 0;
        }
    }

    /// <summary>What an operation became.</summary>
    public readonly struct Report
    {
        private static readonly ConcurrentDictionary<ulong, string> Texts = new ConcurrentDictionary<ulong, string>();

        private unsafe Report(ulong* n)
        {
            RangesIn = n[0];
            RangesOut = n[1];
            Calls = n[2];
            Bytes = n[3];
            Strategy = (Strategy)n[4];
            Entry = Text(n[5], (int)n[6]);
            Reason = Text(n[7], (int)n[8]);
            Ignored = n[9];
        }
        internal static unsafe Report From(IntPtr numbers) => new Report((ulong*)numbers);

        // A text of the library's own, which stands for ever.
        private static unsafe string Text(ulong address, int length)
        {
            if (length == 0)
                return "";
            string known;
            if (!Texts.TryGetValue(address, out known) || known.Length != length)
                Texts[address] = known = Encoding.UTF8.GetString((byte*)address, length);
            return known;
        }

        /// <summary>Ranges given, without empty ones.</summary>
        public ulong RangesIn { get; }
        /// <summary>Ranges after merging.</summary>
        public ulong RangesOut { get; }
        /// <summary>Driver calls for them.</summary>
        public ulong Calls { get; }
        /// <summary>Bytes of the ranges given.</summary>
        public ulong Bytes { get; }
        /// <summary>What was used.</summary>
        public Strategy Strategy { get; }
        /// <summary>The entry point and its version.</summary>
        public string Entry { get; }
        /// <summary>Why that one.</summary>
        public string Reason { get; }
        /// <summary>Targets left out because of the hint policy.</summary>
        public ulong Ignored { get; }
    }

    /// <summary>Bytes of a device.</summary>
    public readonly struct MemoryInformation
    {
        private MemoryInformation(ulong free, ulong total)
        {
            FreeBytes = free;
            TotalBytes = total;
        }
        internal static unsafe MemoryInformation From(IntPtr numbers) => new MemoryInformation(((ulong*)numbers)[0], ((ulong*)numbers)[1]);
        /// <summary>Free bytes.</summary>
        public ulong FreeBytes { get; }
        /// <summary>All bytes.</summary>
        public ulong TotalBytes { get; }
    }

    /// <summary>What an arena holds.</summary>
    public readonly struct ArenaStatistics
    {
        private unsafe ArenaStatistics(ulong* n)
        {
            Slabs = n[0];
            SlabBytes = n[1];
            Pieces = n[2];
            PieceBytes = n[3];
            FreeStretches = n[4];
            LargestFree = n[5];
        }
        internal static unsafe ArenaStatistics From(IntPtr numbers) => new ArenaStatistics((ulong*)numbers);
        /// <summary>Slabs taken from the driver.</summary>
        public ulong Slabs { get; }
        /// <summary>Bytes of them.</summary>
        public ulong SlabBytes { get; }
        /// <summary>Pieces handed out.</summary>
        public ulong Pieces { get; }
        /// <summary>Bytes of them, in whole pages.</summary>
        public ulong PieceBytes { get; }
        /// <summary>Stretches of free pages.</summary>
        public ulong FreeStretches { get; }
        /// <summary>Bytes of the largest one.</summary>
        public ulong LargestFree { get; }
    }
}
