// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;

namespace Cmm
{
    /// <summary>Makes managed buffers: direct, one cuMemAllocManaged each, or from an arena. Thread-safe.</summary>
    public sealed class ManagedMemoryResource : NativeObject
    {
        private ManagedMemoryResource(ulong id) : base(id) { }

        /// <summary>A direct resource.</summary>
        public ManagedMemoryResource(Device? device = null, Attach attached = Attach.Global)
            : base(cmm.ResourceManaged(device.HasValue ? device.Value.Ordinal : -1, (int)attached)) { }

        /// <summary>
        /// Page-aligned pieces of large slabs: consecutive allocations touch, so that operations on them merge.
        /// </summary>
        public static ManagedMemoryResource Arena(ulong slabBytes = 64UL << 20, ulong limitBytes = 0, Device? device = null, Attach attached = Attach.Global) =>
            new ManagedMemoryResource(cmm.ResourceArena(device.HasValue ? device.Value.Ordinal : -1, (int)attached, slabBytes, limitBytes));

        /// <summary>A new buffer; zero bytes make an empty one.</summary>
        public ManagedBuffer Allocate(ulong bytes)
        {
            Owners.LetGo();
            var b = cmm.ResourceAllocate(Id, bytes);
            GC.KeepAlive(this);
            return new ManagedBuffer(b);
        }
        /// <summary>The same: managed memory is not allocated in stream order.</summary>
        public ManagedBuffer Allocate(ulong bytes, StreamRef stream) => Allocate(bytes);

        /// <summary>Buffers that touch in the order given; all or none.</summary>
        public unsafe ManagedBuffer[] AllocateBatch(IReadOnlyList<ulong> sizes)
        {
            Errors.RequireNotNull(sizes, "allocate_batch", "sizes");
            var numbers = Numbers.First(sizes.Count);
            for (var i = 0; i < sizes.Count; ++i)
                numbers[i + 1] = sizes[i];
            var made = (ulong*)cmm.ResourceAllocateBatch(Id, numbers);
            GC.KeepAlive(this);
            var ids = new ulong[made[0]];
            for (var i = 0; i < ids.Length; ++i)
                ids[i] = made[i + 1];
            return Array.ConvertAll(ids, id => new ManagedBuffer(id));
        }
        /// <summary>Buffers that touch in the order given; all or none.</summary>
        public ManagedBuffer[] AllocateBatch(params ulong[] sizes) => AllocateBatch((IReadOnlyList<ulong>)sizes);

        /// <summary>Whether it is an arena.</summary>
        public bool IsArena { get { var a = cmm.ResourceIsArena(Id); GC.KeepAlive(this); return a; } }
        /// <summary>Its device.</summary>
        public Device Device { get { var d = cmm.ResourceDeviceOrdinal(Id); GC.KeepAlive(this); return new Device(d); } }
        /// <summary>What the arena holds; zeros for a direct resource.</summary>
        public ArenaStatistics Statistics { get { var s = ArenaStatistics.From(cmm.ResourceStats(Id)); GC.KeepAlive(this); return s; } }
        /// <summary>Gives wholly free slabs back to the driver; bytes given back.</summary>
        public ulong Trim() { var n = cmm.ResourceTrim(Id); GC.KeepAlive(this); return n; }
    }

    /// <summary>Pinned host memory: the fast end of copies.</summary>
    public sealed class PinnedMemoryResource : NativeObject
    {
        /// <summary>For the current context's device.</summary>
        public PinnedMemoryResource() : base(cmm.ResourcePinned()) { }
        /// <summary>A new buffer.</summary>
        public MemoryBuffer Allocate(ulong bytes) { var b = cmm.ResourceAllocate(Id, bytes); GC.KeepAlive(this); return new MemoryBuffer(b); }
    }

    /// <summary>Device memory.</summary>
    public sealed class DeviceMemoryResource : NativeObject
    {
        /// <summary>Of a device.</summary>
        public DeviceMemoryResource(Device device = default(Device)) : base(cmm.ResourceDevice(device.Ordinal)) { }
        /// <summary>A new buffer.</summary>
        public MemoryBuffer Allocate(ulong bytes) { var b = cmm.ResourceAllocate(Id, bytes); GC.KeepAlive(this); return new MemoryBuffer(b); }
    }
}
