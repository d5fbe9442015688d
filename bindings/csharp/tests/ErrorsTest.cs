// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Linq;
using NUnit.Framework;

namespace Cmm.Tests
{
    // Whatever C# code does, it gets an exception and never a crash.
    [TestFixture]
    public class ErrorsTest
    {
        private Machine machine;
        private ManagedMemoryResource mr;
        private ManagedBuffer buffer;
        private Stream stream;

        [SetUp]
        public void Open()
        {
            machine = new Machine("devices=2");
            mr = new ManagedMemoryResource();
            buffer = mr.Allocate(65536);
            stream = new Stream();
        }

        [TearDown]
        public void Close()
        {
            stream.Dispose();
            buffer.Dispose();
            mr.Dispose();
            machine.Dispose();
            Machine.NothingIsLeft();
        }

        private static T Refused<T>(TestDelegate what, string argument, long? index = null) where T : Exception
        {
            var e = Assert.Catch<T>(what);
            Assert.AreEqual(argument, ((ICmmException)e).Argument, e.Message);
            Assert.AreEqual(index, ((ICmmException)e).Index, e.Message);
            return e;
        }

        [Test]
        public void Nulls_are_named()
        {
            Refused<ArgumentException>(() => Ops.Prefetch((MemoryBuffer)null, new Device(0), stream), "targets");
            Refused<ArgumentException>(() => Ops.Prefetch(new[] { buffer, null }, new Device(0), stream), "targets", 1);
            Refused<ArgumentException>(() => Ops.Prefetch((IReadOnlyList<ManagedBuffer>)null, new Device(0), stream), "targets");
            Refused<ArgumentException>(() => Ops.Prefetch(buffer, new Device(0), (Stream)null), "stream");
            Refused<ArgumentException>(() => Copies.CopyBatch<ManagedBuffer, ManagedBuffer>(stream, null, new[] { buffer }), "srcs");
            Refused<ArgumentException>(() => Copies.CopyBatch(stream, new[] { buffer }, new ManagedBuffer[] { null }), "dsts", 0);
            Refused<ArgumentException>(() => buffer.SetAccessedBy(null), "locations");
            Refused<ArgumentException>(() => mr.AllocateBatch((IReadOnlyList<ulong>)null), "sizes");
            Refused<ArgumentException>(() => stream.Wait((Event)null), "e");
        }

        [Test]
        public void A_default_location_is_none()
        {
            Refused<ArgumentException>(() => Ops.Prefetch(buffer, default(Location), stream), "locations");
            Refused<ArgumentException>(() => Ops.Prefetch(new[] { buffer }, new[] { default(Location) }, stream), "locations", 0);
            Assert.Catch<ArgumentException>(() => new Device(-1));
            Assert.Catch<ArgumentException>(() => Host.Numa(-1));
            Assert.Catch<ArgumentException>(() => Location.Of((LocationKind)9));
        }

        [Test]
        public void Closed_objects_are_named()
        {
            var other = mr.Allocate(4096);
            other.Dispose();
            other.Dispose();
            Assert.IsTrue(other.IsClosed);
            Refused<ObjectDisposedException>(() => Ops.Prefetch(new[] { buffer, other }, new Device(0), stream), "targets", 1);
            Assert.Catch<ObjectDisposedException>(() => { var unused = other.Size; });
            Assert.Catch<ObjectDisposedException>(() => other.ReadMostly = true);
            Assert.Catch<ObjectDisposedException>(() => other.Slice(0, 1));
            Assert.Catch<ObjectDisposedException>(() => other.View());
            Assert.Catch<ObjectDisposedException>(() => { var unused = other.AccessedBy.Count; });
            var closed = new Stream();
            closed.Dispose();
            Refused<ObjectDisposedException>(() => Ops.Prefetch(buffer, new Device(0), closed), "stream");
            Assert.Catch<ObjectDisposedException>(() => closed.Synchronize());
            var plan = Plan.Prefetch(new[] { buffer }, new Device(0));
            plan.Dispose();
            Assert.Catch<ObjectDisposedException>(() => plan.Run(stream));
            var gone = new ManagedMemoryResource();
            gone.Dispose();
            Assert.Catch<ObjectDisposedException>(() => gone.Allocate(1));
        }

        [Test]
        public void A_plan_whose_buffer_was_closed_names_it()
        {
            var other = mr.Allocate(4096);
            using (var plan = Plan.Prefetch(new[] { buffer, other }, new Device(0)))
            {
                plan.Run(stream);
                stream.Synchronize();
                other.Dispose();
                Refused<ObjectDisposedException>(() => plan.Run(stream), "targets", 1);
            }
        }

        [Test]
        public void The_drivers_code_and_entry_point_are_told()
        {
            Sim.Fault("cuMemAdvise", 1, 801);
            var e = Assert.Throws<CmmException>(() => buffer.ReadMostly = true);
            Assert.AreEqual(801, e.Code);
            Assert.AreEqual("CUDA_ERROR_NOT_SUPPORTED", e.Name);
            StringAssert.StartsWith("cuMemAdvise", e.Entry);
        }

        [Test]
        public void Running_out_of_memory_has_a_class_of_its_own()
        {
            Sim.Fault("cuMemAllocManaged", 0, 2);
            Assert.AreEqual(2, Assert.Throws<CmmOutOfMemoryException>(() => mr.Allocate(4096)).Code);
        }

        [Test]
        public void Wrong_sizes_and_places_are_refused()
        {
            Assert.Catch<ArgumentException>(() => buffer.Slice(65536, 1));
            Assert.Catch<ArgumentException>(() => buffer.Slice(ulong.MaxValue, 1));
            Refused<ArgumentException>(() => Ops.Prefetch(buffer, new Device(7), stream), "locations");
            Refused<ArgumentException>(() => Ops.Prefetch(new ManagedBuffer[0], new Device(0), stream), "targets");
            Refused<ArgumentException>(() => Ops.Prefetch(new[] { buffer }, new Location[] { new Host(), new Host() }, stream), "locations");
            Refused<ArgumentException>(() => buffer.SetAccessedBy(new Location[] { new Device(0), Host.Numa(0) }), "locations", 1);
            Assert.IsEmpty(buffer.AccessedBy.ToList());
            using (var small = mr.Allocate(4096))
                Refused<ArgumentException>(() => Copies.CopyBatch(stream, new[] { buffer }, new[] { small }), "dsts", 0);
            Assert.Catch<ArgumentException>(() => ManagedBuffer.FromHandle(new IntPtr(4096), 4096));
            Assert.Catch<ArgumentException>(() => new Stream(new Device(9)));
            Assert.Catch<ArgumentException>(() => new Stream(priority: 1000));
            Assert.Catch<ArgumentException>(() => Ops.Advise(buffer, (Advice)77));
        }

        [Test]
        public void Locations_are_values()
        {
            Assert.AreEqual((Location)new Device(1), Location.Of(LocationKind.Device, 1));
            Assert.AreEqual("device:1", ((Location)new Device(1)).ToString());
            Assert.AreEqual("host", new Host().ToString());
            Assert.AreEqual("host_numa:2", Host.Numa(2).ToString());
            Assert.AreEqual("host_numa_current", Host.NumaCurrent.ToString());
            Assert.AreEqual(((Location)new Device(1)).GetHashCode(), Location.Of(LocationKind.Device, 1).GetHashCode());
            Assert.Less(((Location)new Device(0)).CompareTo(new Device(1)), 0);
        }

        [Test]
        public void Only_the_differences_of_a_set_reach_the_driver()
        {
            buffer.AccessedBy.UnionWith(new Location[] { new Device(0), new Device(1) });
            Sim.ClearRecord();
            buffer.SetAccessedBy(new Location[] { new Device(1), new Host() });
            Assert.AreEqual(2, Sim.Calls("cuMemAdvise"));
            Assert.IsFalse(buffer.AccessedBy.Add(new Host()));
            Assert.AreEqual(2, Sim.Calls("cuMemAdvise"));
            Assert.IsTrue(buffer.AccessedBy.SetEquals(new Location[] { new Host(), new Device(1) }));
            buffer.AccessedBy.Clear();
            Assert.AreEqual(0, buffer.AccessedBy.Count);
        }
    }
}
