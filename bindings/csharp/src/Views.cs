// SPDX-License-Identifier: Apache-2.0
using System;
using System.Buffers;
using System.Collections.Concurrent;
using System.IO;
using System.Threading;

namespace Cmm
{
    /// <summary>A buffer's bytes on the host, kept alive until it is disposed of or collected.</summary>
    public sealed class HostView : NativeObject
    {
        internal HostView(ulong id) : base(id)
        {
            Address = unchecked((IntPtr)(long)cmm.ViewAddress(id));
            Length = cmm.ViewBytes(id);
        }

        /// <summary>The first byte.</summary>
        public IntPtr Address { get; }
        /// <summary>Bytes.</summary>
        public ulong Length { get; }

        internal int CheckedLength()
        {
            if (Length > int.MaxValue)
                throw new CmmArgumentException("as_span: buffer: " + Length + " bytes; a span has at most " + int.MaxValue + "; slice the buffer", "buffer", null, null);
            return (int)Length;
        }

        /// <summary>The bytes as memory that keeps the view's memory alive: a MemoryManager, whose Dispose ends the view.</summary>
        public MemoryManager<byte> AsMemoryManager() => new ViewMemory(this);
    }

    internal sealed unsafe class ViewMemory : MemoryManager<byte>
    {
        private readonly HostView view;
        private readonly int length;
        private int disposed;

        internal ViewMemory(HostView view)
        {
            this.view = view;
            length = view.CheckedLength();
        }
        private void RequireOpen()
        {
            if (disposed != 0 || view.IsClosed)
                throw new CmmClosedException("memory: view: the view was closed", "view", null, null);
        }
        public override Span<byte> GetSpan()
        {
            RequireOpen();
            return new Span<byte>((void*)view.Address, length);
        }
        public override MemoryHandle Pin(int elementIndex = 0)
        {
            RequireOpen();
            if (elementIndex < 0 || elementIndex > length)
                throw new CmmArgumentException("pin: elementIndex: " + elementIndex + " is not in 0 to " + length, "elementIndex", null, null);
            return new MemoryHandle((byte*)view.Address + elementIndex, default(System.Runtime.InteropServices.GCHandle), this);
        }
        public override void Unpin() { }
        protected override void Dispose(bool disposing)
        {
            if (Interlocked.Exchange(ref disposed, 1) == 0)
                view.Dispose();
        }
    }

    internal sealed unsafe class ViewStream : UnmanagedMemoryStream
    {
        private readonly HostView view;
        internal ViewStream(HostView view, FileAccess access)
            : base((byte*)view.Address, (long)view.Length, (long)view.Length, access) { this.view = view; }
        protected override void Dispose(bool disposing)
        {
            base.Dispose(disposing);
            if (disposing)
                view.Dispose();
        }
    }

    // Owners of borrowed memory, by the number under which the core knows them.
    internal static class Owners
    {
        private static readonly ConcurrentDictionary<ulong, object> Kept = new ConcurrentDictionary<ulong, object>();
        private static long last;

        internal static ulong Borrow(IntPtr address, ulong bytes, bool managed, object owner)
        {
            LetGo();
            ulong number = 0;
            if (owner != null)
            {
                number = (ulong)Interlocked.Increment(ref last);
                Kept[number] = owner;
            }
            return cmm.Borrow(unchecked((ulong)address.ToInt64()), bytes, managed, number);
        }

        internal static unsafe void LetGo()
        {
            if (Kept.IsEmpty)
                return;
            var numbers = (ulong*)cmm.ReleasedOwners();
            for (ulong i = 1; i <= numbers[0]; ++i)
            {
                object ignored;
                Kept.TryRemove(numbers[i], out ignored);
            }
        }
    }
}
