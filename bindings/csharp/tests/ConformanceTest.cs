// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Web.Script.Serialization;
using NUnit.Framework;
using Step = System.Collections.Generic.Dictionary<string, object>;

namespace Cmm.Tests
{
    // Plays the table that every language plays.
    [TestFixture]
    public class ConformanceTest
    {
        private static readonly string Table = Path.Combine(AppDomain.CurrentDomain.BaseDirectory, "cases.json");

        public static IEnumerable<TestCaseData> Cases()
        {
            var read = new JavaScriptSerializer { MaxJsonLength = int.MaxValue }.Deserialize<Step>(File.ReadAllText(Table));
            foreach (Step each in (System.Collections.IEnumerable)read["cases"])
                yield return new TestCaseData(each).SetName("conformance_" + each["name"]);
        }

        [TestCaseSource("Cases")]
        public void Case(Step table)
        {
            var steps = ((System.Collections.IEnumerable)table["steps"]).Cast<Step>().ToList();
            Assert.IsNotEmpty(steps);
            using (new Machine(Text(table, "config", ""), Number(table, "api_level", 0)))
            {
                var player = new Player();
                try
                {
                    foreach (var step in steps)
                        player.Play(step);
                }
                finally
                {
                    player.CloseAll();
                }
                Machine.NothingIsLeft();
            }
        }

        internal static string Text(Step s, string key, string otherwise) => s.ContainsKey(key) ? (string)s[key] : otherwise;
        internal static int Number(Step s, string key, int otherwise) => s.ContainsKey(key) ? Convert.ToInt32(s[key]) : otherwise;
    }

    internal sealed class Player
    {
        private readonly Dictionary<string, object> named = new Dictionary<string, object>();
        private readonly List<IDisposable> made = new List<IDisposable>();
        private readonly List<IntPtr> host = new List<IntPtr>();

        internal void CloseAll()
        {
            for (var i = made.Count - 1; i >= 0; --i)
                made[i].Dispose();
            Ops.Drain();
            host.ForEach(Marshal.FreeHGlobal);
        }

        internal void Play(Step s)
        {
            object got;
            try
            {
                got = Do(s);
            }
            catch (Exception e) when (s.ContainsKey("error") && !(e is AssertionException))
            {
                CheckError((Step)s["error"], e, s);
                return;
            }
            if (s.ContainsKey("error"))
                Assert.Fail("no error from " + Show(s));
            if (s.ContainsKey("is"))
                CheckValue(s["is"], got, s);
            if (s.ContainsKey("report"))
                CheckReport((Step)s["report"], (Report)got, s);
        }

        private static string Show(object value) => new JavaScriptSerializer().Serialize(value);

        private object Keep(Step s, IDisposable what)
        {
            made.Add(what);
            if (s.ContainsKey("as"))
                named[(string)s["as"]] = what;
            return what;
        }

        private T Named<T>(Step s, string key = "of") => (T)named[(string)s[key]];
        private MemoryBuffer Buffer(Step s) => Named<MemoryBuffer>(s);
        private ManagedBuffer Managed(Step s) => Named<ManagedBuffer>(s);
        private static ulong Bytes(Step s, string key, ulong otherwise = 0) => s.ContainsKey(key) ? Convert.ToUInt64(s[key]) : otherwise;

        private static Location? Place(object text)
        {
            if (text == null)
                return null;
            var parts = ((string)text).Split(':');
            switch (parts[0])
            {
                case "device": return new Device(int.Parse(parts[1]));
                case "host": return new Host();
                case "host_numa": return Host.Numa(int.Parse(parts[1]));
                case "host_numa_current": return Host.NumaCurrent;
                default: throw new InvalidOperationException("no location: " + text);
            }
        }
        private static List<Location> Places(object list) =>
            ((System.Collections.IEnumerable)list).Cast<object>().Select(each => Place(each).Value).ToList();
        private static bool IsList(object value) => value is System.Collections.IEnumerable && !(value is string) && !(value is Step);
        private static string Snake(object value) =>
            string.Concat(value.ToString().Select((c, i) => char.IsUpper(c) && i > 0 ? "_" + char.ToLower(c) : char.ToLower(c).ToString()));
        private static T Word<T>(string word) where T : struct =>
            Enum.GetValues(typeof(T)).Cast<T>().First(each => Snake(each) == word);

        private StreamRef StreamOf(Step s)
        {
            var name = ConformanceTest.Text(s, "stream", "legacy");
            return name == "legacy" ? StreamRef.Legacy : name == "per_thread" ? StreamRef.PerThread : (StreamRef)(Stream)named[name];
        }

        private MemoryBuffer TargetOf(object each)
        {
            if (each is string)
                return (MemoryBuffer)named[(string)each];
            var plain = (Step)each;
            var of = (MemoryBuffer)named[(string)plain["range"]];
            var borrowed = MemoryBuffer.FromHandle((IntPtr)((long)of.Handle + (long)Bytes(plain, "offset")), Bytes(plain, "bytes"));
            made.Add(borrowed);
            return borrowed;
        }
        private List<MemoryBuffer> Targets(Step s, string key) =>
            IsList(s[key]) ? ((System.Collections.IEnumerable)s[key]).Cast<object>().Select(TargetOf).ToList()
                           : new List<MemoryBuffer> { TargetOf(s[key]) };
        private static OpOptions Options(Step s)
        {
            if (!s.ContainsKey("options"))
                return default(OpOptions);
            var o = (Step)s["options"];
            return new OpOptions(o.ContainsKey("strategy") ? Word<Strategy>((string)o["strategy"]) : Strategy.Automatic,
                                 o.ContainsKey("hints") ? Word<HintPolicy>((string)o["hints"]) : HintPolicy.Default);
        }
        private static CopyOptions Copy(object value)
        {
            var o = (Step)value;
            return new CopyOptions(
                o.ContainsKey("order") ? Word<SrcAccessOrder>((string)o["order"]) : SrcAccessOrder.Stream,
                o.ContainsKey("src_hint") ? Place(o["src_hint"]) : null, o.ContainsKey("dst_hint") ? Place(o["dst_hint"]) : null,
                ConformanceTest.Text(o, "overlap", "standard") == "prefer" ? OverlapMode.PreferOverlapWithCompute : OverlapMode.Standard);
        }

        private object Do(Step s)
        {
            switch ((string)s["do"])
            {
                case "resource": return Keep(s, Resource(s));
                case "allocate": return Keep(s, Allocate(s));
                case "allocate_batch": return AllocateBatch(s);
                case "slice":
                    var parent = Buffer(s);
                    var managed = parent as ManagedBuffer;
                    return Keep(s, managed != null ? managed.Slice(Bytes(s, "offset"), Bytes(s, "bytes")) : parent.Slice(Bytes(s, "offset"), Bytes(s, "bytes")));
                case "borrow": return Keep(s, Borrow(s));
                case "host_memory": return Keep(s, HostMemory(s));
                case "stream": return Keep(s, s.ContainsKey("device") ? new Stream(new Device(Convert.ToInt32(s["device"]))) : new Stream());
                case "plan": return Keep(s, MakePlan(s));
                case "view":
                    var view = Buffer(s).View();
                    Keep(s, view);
                    return view.Length;
                case "close": Named<NativeObject>(s).Dispose(); return null;
                case "is_closed": return Named<NativeObject>(s).IsClosed;
                case "fill": Fill(Buffer(s), Convert.ToByte(s["value"])); return null;
                case "bytes": return ReadBytes(s);
                case "size": return Buffer(s).Size;
                case "kind": return Snake(Buffer(s).Kind);
                case "device": return Buffer(s).Device.Ordinal;
                case "read_mostly": return Managed(s).ReadMostly;
                case "preferred_location": return Managed(s).PreferredLocation;
                case "last_prefetch_location": return Managed(s).LastPrefetchLocation;
                case "accessed_by": return Managed(s).AccessedBy.ToList();
                case "set_read_mostly": Managed(s).ReadMostly = (bool)s["value"]; return null;
                case "set_preferred_location": Managed(s).PreferredLocation = Place(s["where"]); return null;
                case "set_accessed_by": Managed(s).SetAccessedBy(Places(s["where"])); return null;
                case "add_accessed_by": Managed(s).AccessedBy.Add(Place(s["where"]).Value); return null;
                case "discard_accessed_by": Managed(s).AccessedBy.Remove(Place(s["where"]).Value); return null;
                case "sync": Stream.Synchronize(StreamOf(s)); return null;
                case "trim": return Named<ManagedMemoryResource>(s).Trim();
                case "stats": return Named<ManagedMemoryResource>(s).Statistics;
                case "is_arena": return Named<ManagedMemoryResource>(s).IsArena;
                case "run": return Named<Plan>(s, "plan").Run(StreamOf(s));
                case "ranges_in": return Named<Plan>(s, "plan").RangesIn;
                case "ranges_out": return Named<Plan>(s, "plan").RangesOut;
                case "devices": return Device.Count;
                case "api_level": return Driver.ApiLevel;
                case "numa_nodes": return Driver.NumaNodes;
                case "supports": return new Device(Convert.ToInt32(s["device"])).Supports(Word<Operation>((string)s["operation"]));
                case "hint_policy": Ops.HintPolicy = Word<HintPolicy>((string)s["value"]); return null;
                case "fault": Sim.Fault((string)s["entry"], Bytes(s, "nth"), Convert.ToInt32(s["result"])); return null;
                case "record_clear": Sim.ClearRecord(); return null;
                case "calls": return Sim.Calls((string)s["entry"]);
                case "hold": Sim.Hold(); return null;
                case "release": Sim.Release(); return null;
                default: return Operate(s);
            }
        }

        private object Operate(Step s)
        {
            switch ((string)s["do"])
            {
                case "prefetch":
                    return IsList(s["where"]) ? Ops.Prefetch(Targets(s, "targets"), Places(s["where"]), StreamOf(s), Options(s))
                                              : Ops.Prefetch(Targets(s, "targets"), Place(s["where"]).Value, StreamOf(s), Options(s));
                case "discard": return Ops.Discard(Targets(s, "targets"), StreamOf(s), Options(s));
                case "discard_prefetch":
                    return IsList(s["where"]) ? Ops.DiscardPrefetch(Targets(s, "targets"), Places(s["where"]), StreamOf(s), Options(s))
                                              : Ops.DiscardPrefetch(Targets(s, "targets"), Place(s["where"]).Value, StreamOf(s), Options(s));
                case "advise":
                    var advice = Word<Advice>((string)s["advice"]);
                    if (s.ContainsKey("where") && IsList(s["where"]))
                        return Ops.Advise(Targets(s, "targets"), advice, Places(s["where"]), Options(s));
                    return Ops.Advise(Targets(s, "targets"), advice, s.ContainsKey("where") ? Place(s["where"]) : null, Options(s));
                case "copy_batch":
                    var copy = s.ContainsKey("copy") ? s["copy"] : null;
                    return IsList(copy) ? Copies.CopyBatch(StreamOf(s), Targets(s, "srcs"), Targets(s, "dsts"), ((System.Collections.IEnumerable)copy).Cast<object>().Select(Copy).ToList(), Options(s))
                                        : Copies.CopyBatch(StreamOf(s), Targets(s, "srcs"), Targets(s, "dsts"), copy == null ? null : Copy(copy), Options(s));
                default: throw new InvalidOperationException("no such step: " + s["do"]);
            }
        }

        private static IDisposable Resource(Step s)
        {
            var device = s.ContainsKey("device") ? new Device(Convert.ToInt32(s["device"])) : (Device?)null;
            switch (ConformanceTest.Text(s, "kind", "managed"))
            {
                case "arena": return ManagedMemoryResource.Arena(Bytes(s, "slab_bytes", 64UL << 20), Bytes(s, "limit_bytes"), device);
                case "pinned": return new PinnedMemoryResource();
                case "device": return new DeviceMemoryResource(device ?? new Device(0));
                default: return new ManagedMemoryResource(device);
            }
        }

        private IDisposable Allocate(Step s)
        {
            var from = named[(string)s["from"]];
            if (from is PinnedMemoryResource)
                return ((PinnedMemoryResource)from).Allocate(Bytes(s, "bytes"));
            if (from is DeviceMemoryResource)
                return ((DeviceMemoryResource)from).Allocate(Bytes(s, "bytes"));
            return ((ManagedMemoryResource)from).Allocate(Bytes(s, "bytes"));
        }

        private object AllocateBatch(Step s)
        {
            var sizes = ((System.Collections.IEnumerable)s["bytes"]).Cast<object>().Select(Convert.ToUInt64).ToArray();
            var buffers = Named<ManagedMemoryResource>(s, "from").AllocateBatch(sizes);
            var names = s.ContainsKey("as") ? ((System.Collections.IEnumerable)s["as"]).Cast<string>().ToArray() : new string[0];
            for (var i = 0; i < buffers.Length; ++i)
            {
                made.Add(buffers[i]);
                if (i < names.Length)
                    named[names[i]] = buffers[i];
            }
            return null;
        }

        private IDisposable Borrow(Step s)
        {
            var at = (IntPtr)((long)Buffer(s).Handle + (long)Bytes(s, "offset"));
            var managed = !s.ContainsKey("managed") || (bool)s["managed"];
            return managed ? ManagedBuffer.FromHandle(at, Bytes(s, "bytes")) : MemoryBuffer.FromHandle(at, Bytes(s, "bytes"));
        }

        private IDisposable HostMemory(Step s)
        {
            var memory = Marshal.AllocHGlobal((IntPtr)(long)Bytes(s, "bytes"));
            host.Add(memory);
            return MemoryBuffer.FromHandle(memory, Bytes(s, "bytes"));
        }

        private Plan MakePlan(Step s)
        {
            switch ((string)s["op"])
            {
                case "prefetch":
                    return IsList(s["where"]) ? Plan.Prefetch(Targets(s, "targets"), Places(s["where"]), Options(s)) : Plan.Prefetch(Targets(s, "targets"), Place(s["where"]).Value, Options(s));
                case "discard_prefetch":
                    return IsList(s["where"]) ? Plan.DiscardPrefetch(Targets(s, "targets"), Places(s["where"]), Options(s)) : Plan.DiscardPrefetch(Targets(s, "targets"), Place(s["where"]).Value, Options(s));
                case "advise":
                    return Plan.Advise(Targets(s, "targets"), Word<Advice>((string)s["advice"]), s.ContainsKey("where") ? Place(s["where"]) : null, Options(s));
                default:
                    return Plan.Copy(Targets(s, "srcs"), Targets(s, "dsts"), s.ContainsKey("copy") ? Copy(s["copy"]) : null, Options(s));
            }
        }

        private static unsafe void Fill(MemoryBuffer b, byte value)
        {
            using (var view = b.View())
                for (ulong i = 0; i < view.Length; ++i)
                    ((byte*)view.Address)[i] = value;
        }

        private unsafe object ReadBytes(Step s)
        {
            using (var view = Buffer(s).View())
            {
                var from = Bytes(s, "offset");
                var end = s.ContainsKey("bytes") ? from + Bytes(s, "bytes") : view.Length;
                var p = (byte*)view.Address;
                for (var i = from; i < end; ++i)
                    if (p[i] != p[from])
                        return -1;
                return (int)p[from];
            }
        }

        private static void CheckValue(object want, object got, Step s)
        {
            if (got is List<Location>)
                CollectionAssert.AreEquivalent(Places(want), (List<Location>)got, Show(s));
            else if (got is ArenaStatistics)
                foreach (var field in (Step)want)
                    Assert.AreEqual(Convert.ToUInt64(field.Value), Property(got, field.Key), Show(s));
            else if (got is Location || got == null)
                Assert.AreEqual(want, got == null ? null : got.ToString(), Show(s));
            else if (want is bool || want is string)
                Assert.AreEqual(want, got, Show(s));
            else
                Assert.AreEqual(Convert.ToInt64(want), Convert.ToInt64(got), Show(s));
        }

        private static object Property(object of, string snake) =>
            of.GetType().GetProperties().First(p => Snake(p.Name) == snake).GetValue(of);

        private static void CheckReport(Step want, Report got, Step s)
        {
            foreach (var field in want)
            {
                var value = Property(got, field.Key);
                if (field.Value is string)
                    Assert.AreEqual(field.Value, value is Strategy ? Snake(value) : value, Show(s));
                else
                    Assert.AreEqual(Convert.ToUInt64(field.Value), value, Show(s));
            }
        }

        private static string KindOf(Exception e)
        {
            if (e is ArgumentException) return "invalid_argument";
            if (e is NotSupportedException) return "not_supported";
            if (e is ObjectDisposedException) return "closed";
            if (e is DriverMissingException) return "driver_missing";
            if (e is CmmOutOfMemoryException) return "out_of_memory";
            return e is CmmException ? "driver" : "none of cmm's: " + e;
        }

        private static void CheckError(Step want, Exception e, Step s)
        {
            var where = Show(s) + ": " + e.Message;
            Assert.AreEqual(want["kind"], KindOf(e), where);
            var told = e as ICmmException;
            var driver = e as CmmException;
            foreach (var field in want)
                switch (field.Key)
                {
                    case "argument": Assert.AreEqual(field.Value, told.Argument, where); break;
                    case "index": Assert.AreEqual(field.Value == null ? null : (object)Convert.ToInt64(field.Value), told.Index, where); break;
                    case "other_index": Assert.AreEqual(field.Value == null ? null : (object)Convert.ToInt64(field.Value), told.OtherIndex, where); break;
                    case "code": Assert.AreEqual(Convert.ToInt32(field.Value), driver.Code, where); break;
                    case "name": Assert.AreEqual(field.Value, driver.Name, where); break;
                    case "entry": Assert.AreEqual(field.Value, driver.Entry, where); break;
                    case "issued": Assert.AreEqual(Convert.ToUInt64(field.Value), driver.Issued, where); break;
                    case "text": StringAssert.Contains((string)field.Value, e.Message, where); break;
                }
        }
    }
}
