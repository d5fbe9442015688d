// SPDX-License-Identifier: Apache-2.0
using System;

namespace Cmm
{
    /// <summary>
    /// A stream for one call: one of this library, or a foreign CUstream by its number, which is not used after
    /// the call. <c>default</c> is the legacy default stream.
    /// </summary>
    public readonly struct StreamRef
    {
        private readonly bool given;
        private readonly long code;
        internal readonly Stream Own;

        private StreamRef(long code, Stream own)
        {
            given = true;
            this.code = code;
            Own = own;
        }
        internal long Code => given ? code : ~0L;

        /// <summary>The legacy default stream.</summary>
        public static StreamRef Legacy => new StreamRef(~0L, null);
        /// <summary>The calling thread's default stream.</summary>
        public static StreamRef PerThread => new StreamRef(~2L, null);
        /// <summary>A stream of this library.</summary>
        public static implicit operator StreamRef(Stream stream)
        {
            Errors.RequireNotNull(stream, "stream", "stream");
            return new StreamRef((long)stream.Id, stream);
        }
        /// <summary>A foreign CUstream or cudaStream_t.</summary>
        public static implicit operator StreamRef(IntPtr raw) => new StreamRef(~raw.ToInt64(), null);
    }

    /// <summary>An owned stream. Closing one with work in it lets the work finish.</summary>
    public sealed class Stream : NativeObject
    {
        /// <param name="device">Default: the current context's device, else device 0.</param>
        /// <param name="priority">Lower is more urgent.</param>
        /// <param name="blocking">Whether it synchronises with the legacy stream.</param>
        public Stream(Device? device = null, int priority = 0, bool blocking = false)
            : base(cmm.StreamCreate(device.HasValue ? device.Value.Ordinal : -1, priority, blocking)) { }

        /// <summary>The driver's CUstream.</summary>
        public IntPtr Handle { get { var raw = cmm.StreamRaw(Id); GC.KeepAlive(this); return unchecked((IntPtr)(long)raw); } }
        /// <summary>Its device.</summary>
        public Device Device { get { var d = cmm.StreamDevice(Id); GC.KeepAlive(this); return new Device(d); } }
        /// <summary>Its priority.</summary>
        public int Priority { get { var p = cmm.StreamPriority(Id); GC.KeepAlive(this); return p; } }
        /// <summary>Whether all work in it has finished.</summary>
        public bool IsDone { get { var done = cmm.StreamDone(Id); GC.KeepAlive(this); return done; } }
        /// <summary>Whether it is being captured into a graph.</summary>
        public bool IsCapturing { get { var c = cmm.StreamCapturing(Id); GC.KeepAlive(this); return c; } }
        /// <summary>Waits for all work in it.</summary>
        public void Synchronize() { cmm.StreamSync((long)Id); GC.KeepAlive(this); }
        /// <summary>Waits for all work in any stream.</summary>
        public static void Synchronize(StreamRef stream) { cmm.StreamSync(stream.Code); GC.KeepAlive(stream.Own); }
        /// <summary>Later work waits for an event.</summary>
        public void Wait(Event e)
        {
            Errors.RequireNotNull(e, "wait", "e");
            cmm.StreamWaitEvent(Id, e.Id);
            GC.KeepAlive(e);
            GC.KeepAlive(this);
        }
        /// <summary>Later work waits for what is in another stream now.</summary>
        public void Wait(StreamRef other)
        {
            cmm.StreamWaitStream(Id, other.Code);
            GC.KeepAlive(other.Own);
            GC.KeepAlive(this);
        }
        /// <summary>A mark behind the work that is in it now.</summary>
        public Event Record(bool timing = false) => new Event(this, timing);
    }

    /// <summary>A mark in a stream.</summary>
    public sealed class Event : NativeObject
    {
        /// <summary>Behind the work that is in the stream now.</summary>
        public Event(StreamRef stream, bool timing = false) : base(cmm.EventRecord(stream.Code, timing)) { GC.KeepAlive(stream.Own); }

        /// <summary>The driver's CUevent.</summary>
        public IntPtr Handle { get { var raw = cmm.EventRaw(Id); GC.KeepAlive(this); return unchecked((IntPtr)(long)raw); } }
        /// <summary>Whether the work before it has finished.</summary>
        public bool IsDone { get { var done = cmm.EventDone(Id); GC.KeepAlive(this); return done; } }
        /// <summary>Waits for it.</summary>
        public void Synchronize() { cmm.EventSync(Id); GC.KeepAlive(this); }
        /// <summary>Nanoseconds from an earlier event; both made with timing.</summary>
        public double NanosecondsSince(Event earlier)
        {
            Errors.RequireNotNull(earlier, "nanoseconds_since", "earlier");
            var ns = cmm.EventNanosecondsSince(Id, earlier.Id);
            GC.KeepAlive(earlier);
            GC.KeepAlive(this);
            return ns;
        }
    }
}
