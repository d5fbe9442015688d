// SPDX-License-Identifier: Apache-2.0
using System;
using System.Runtime.InteropServices;

namespace Cmm
{
    // Closes its object when nothing refers to it any more. The number is an index and a generation of the
    // core's table: using a stale one is an error there, never a crash.
    internal sealed class ObjectHandle : SafeHandle
    {
        internal ObjectHandle(ulong id) : base(IntPtr.Zero, true) { SetHandle(unchecked((IntPtr)(long)id)); }
        public override bool IsInvalid => handle == IntPtr.Zero;
        protected override bool ReleaseHandle()
        {
            cmm.Close(unchecked((ulong)(long)handle));
            return true;
        }
    }

    /// <summary>Something of the library that can be closed. Closing twice does nothing.</summary>
    public abstract class NativeObject : IDisposable
    {
        private readonly ObjectHandle handle;
        internal readonly ulong Id;

        internal NativeObject(ulong id)
        {
            Id = id;
            handle = new ObjectHandle(id);
        }

        /// <summary>Whether it was closed.</summary>
        public bool IsClosed => !cmm.IsOpen(Id);

        /// <summary>Closes it. Calls that use it in other threads finish first; later ones throw ObjectDisposedException.</summary>
        public virtual void Dispose() => handle.Dispose();
    }

    // Sequences on their way in: the count, then the numbers. A thread keeps its arrays, so that a call in a loop
    // makes no garbage; they only grow, so the count says what is meant.
    internal static class Numbers
    {
        [ThreadStatic] private static ulong[] first, second, third;
        internal static readonly ulong[] None = new ulong[1];

        private static ulong[] Room(ref ulong[] kept, int count)
        {
            if (kept == null || kept.Length < count + 1)
                kept = new ulong[Math.Max(count + 1, 65)];
            kept[0] = (ulong)count;
            return kept;
        }
        internal static ulong[] First(int count) => Room(ref first, count);
        internal static ulong[] Second(int count) => Room(ref second, count);
        internal static ulong[] Third(int items, int each)
        {
            var room = Room(ref third, items * each);
            room[0] = (ulong)items;
            return room;
        }
    }
}
