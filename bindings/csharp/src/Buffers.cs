// SPDX-License-Identifier: Apache-2.0
using System;
using System.IO;

namespace Cmm
{
    /// <summary>
    /// A range of memory and the right to it: from a resource, borrowed, or a slice of another. It may be used by
    /// many threads at once. Dispose() lets work in flight, slices and views finish with the memory first.
    /// </summary>
    public class MemoryBuffer : NativeObject
    {
        internal MemoryBuffer(ulong id) : base(id) { }

        /// <summary>
        /// Borrows memory that something else owns; <paramref name="owner"/> is kept until the buffer and all work
        /// on it are done.
        /// </summary>
        public static MemoryBuffer FromHandle(IntPtr address, ulong bytes, object owner = null) =>
            new MemoryBuffer(Owners.Borrow(address, bytes, false, owner));

        /// <summary>The address. Nothing keeps the memory alive but the buffer.</summary>
        public IntPtr Handle { get { var a = cmm.BufferAddress(Id); GC.KeepAlive(this); return unchecked((IntPtr)(long)a); } }
        /// <summary>The address, for unsafe code. The same holds.</summary>
        public unsafe byte* Pointer => (byte*)Handle;
        /// <summary>Bytes.</summary>
        public ulong Size { get { var n = cmm.BufferBytes(Id); GC.KeepAlive(this); return n; } }
        /// <summary>What memory it is; one driver query for borrowed memory.</summary>
        public MemoryKind Kind { get { var k = cmm.BufferKind(Id); GC.KeepAlive(this); return (MemoryKind)k; } }
        /// <summary>Whether it is managed memory.</summary>
        public bool IsManaged { get { var k = Kind; return k == MemoryKind.Managed || k == MemoryKind.ManagedPool; } }
        /// <summary>Its device.</summary>
        public Device Device { get { var d = cmm.BufferDevice(Id); GC.KeepAlive(this); return new Device(d); } }

        /// <summary>The bytes [offset, offset + bytes), which keep the memory alive.</summary>
        public MemoryBuffer Slice(ulong offset, ulong bytes) => new MemoryBuffer(SliceId(offset, bytes));
        internal ulong SliceId(ulong offset, ulong bytes) { var s = cmm.BufferSlice(Id, offset, bytes); GC.KeepAlive(this); return s; }

        /// <summary>The bytes on the host. The view keeps the memory alive until it is disposed of.</summary>
        public HostView View() { var v = cmm.ViewOpen(Id); GC.KeepAlive(this); return new HostView(v); }

        /// <summary>
        /// The bytes on the host. A Span keeps nothing alive: use it while the buffer is open and reachable, or take
        /// a View() or Memory() instead. At most 2 GiB: slice the buffer beyond.
        /// </summary>
        public unsafe Span<byte> AsSpan()
        {
            using (var view = View())
                return new Span<byte>((void*)view.Address, view.CheckedLength());
        }

        /// <summary>A stream over the bytes, which keeps the memory alive until it is disposed of.</summary>
        public UnmanagedMemoryStream AsStream(FileAccess access = FileAccess.ReadWrite) => new ViewStream(View(), access);

        /// <summary>Copies the whole buffer to one of the same size, in stream order.</summary>
        public Report CopyTo(MemoryBuffer destination, StreamRef stream, CopyOptions options = null) =>
            Copies.One(this, destination, stream, options);
        /// <summary>Copies a buffer of the same size into this one, in stream order.</summary>
        public Report CopyFrom(MemoryBuffer source, StreamRef stream, CopyOptions options = null) =>
            Copies.One(source, this, stream, options);

        /// <summary>Closes it; plans made with it can run no more.</summary>
        public override void Dispose()
        {
            cmm.BufferClose(Id);
            base.Dispose();
            Owners.LetGo();
        }
        /// <summary>Closes it behind work of the stream that this library did not issue.</summary>
        public void Dispose(StreamRef behind)
        {
            cmm.BufferCloseAfter(Id, behind.Code);
            GC.KeepAlive(behind.Own);
            Dispose();
        }
    }

    /// <summary>Managed memory: the host and every device see it at one address. Getters ask the driver.</summary>
    public sealed class ManagedBuffer : MemoryBuffer
    {
        internal ManagedBuffer(ulong id) : base(id) { }

        /// <summary>Borrows managed memory of another allocator.</summary>
        /// <exception cref="ArgumentException">The driver says that it is no managed memory.</exception>
        public static new ManagedBuffer FromHandle(IntPtr address, ulong bytes, object owner = null) =>
            new ManagedBuffer(Owners.Borrow(address, bytes, true, owner));

        /// <summary>Read often and written rarely.</summary>
        public bool ReadMostly
        {
            get { var r = cmm.GetReadMostly(Id); GC.KeepAlive(this); return r; }
            set { cmm.SetReadMostly(Id, value); GC.KeepAlive(this); }
        }
        /// <summary>Where its pages should live; null: nowhere in particular, or their advice differs.</summary>
        public Location? PreferredLocation
        {
            get { var l = cmm.GetPreferredLocation(Id); GC.KeepAlive(this); return Location.FromCode(l); }
            set { cmm.SetPreferredLocation(Id, value.HasValue ? value.Value.Code : 0); GC.KeepAlive(this); }
        }
        /// <summary>Where it was last prefetched to.</summary>
        public Location? LastPrefetchLocation
        {
            get { var l = cmm.GetLastPrefetchLocation(Id); GC.KeepAlive(this); return Location.FromCode(l); }
        }
        /// <summary>Who has it mapped: a live set. Assigning sends only the differences to the driver.</summary>
        public AccessedBySet AccessedBy
        {
            get => new AccessedBySet(this);
            set { Errors.RequireNotNull(value, "accessed_by", "value"); SetAccessedBy(value); }
        }
        /// <summary>Makes the set of accessors exactly this; checked first, put back when the driver refuses one.</summary>
        public void SetAccessedBy(System.Collections.Generic.IEnumerable<Location> wanted) => new AccessedBySet(this).Assign(wanted);

        /// <summary>The bytes [offset, offset + bytes), which keep the memory alive.</summary>
        public new ManagedBuffer Slice(ulong offset, ulong bytes) => new ManagedBuffer(SliceId(offset, bytes));

        /// <summary>As Ops.Advise.</summary>
        public Report Advise(Advice advice, Location? where = null) => Ops.Advise(this, advice, where);
        /// <summary>As Ops.Prefetch.</summary>
        public Report Prefetch(Location where, StreamRef stream) => Ops.Prefetch(this, where, stream);
        /// <summary>As Ops.Discard.</summary>
        public Report Discard(StreamRef stream) => Ops.Discard(this, stream);
        /// <summary>As Ops.DiscardPrefetch.</summary>
        public Report DiscardPrefetch(Location where, StreamRef stream) => Ops.DiscardPrefetch(this, where, stream);
    }
}
