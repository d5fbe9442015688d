// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using NUnit.Framework;

namespace Cmm.Tests
{
    [TestFixture]
    public class LifetimeTest
    {
        private Machine machine;
        [SetUp] public void Open() { machine = new Machine(); }
        [TearDown] public void Close() { machine.Dispose(); }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void DropMany(ManagedMemoryResource mr, int count)
        {
            for (var i = 0; i < count; ++i)
                mr.Allocate(4096);
        }

        [Test]
        public void A_hundred_thousand_unclosed_buffers_are_collected()
        {
            var mr = ManagedMemoryResource.Arena();
            for (var i = 0; i < 100; ++i)
            {
                DropMany(mr, 1000);
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            Ops.Drain();
            Assert.Less(mr.Statistics.Pieces, 5000UL); // mono's collector is conservative about the stack
            mr.Dispose();
        }

        [Test]
        public void A_buffer_closed_under_queued_work_goes_when_the_work_is_done()
        {
            var mr = new ManagedMemoryResource();
            var b = mr.Allocate(65536);
            using (var s = new Stream())
            {
                Sim.Hold();
                Ops.Prefetch(b, new Device(0), s);
                b.Dispose();
                Assert.AreEqual(1UL, Sim.Now().ManagedAllocations);
                Sim.Release();
                s.Synchronize();
                Ops.Drain();
                Assert.AreEqual(0UL, Sim.Now().ManagedAllocations);
            }
        }

        [Test]
        public unsafe void Views_put_the_free_off()
        {
            var b = new ManagedMemoryResource().Allocate(4096);
            var view = b.View();
            var memory = b.View().AsMemoryManager();
            var stream = b.AsStream();
            b.Dispose();
            ((byte*)view.Address)[0] = 7;
            Assert.AreEqual(7, memory.GetSpan()[0]);
            Assert.AreEqual(7, stream.ReadByte());
            view.Dispose();
            stream.Dispose();
            Assert.AreEqual(1UL, Sim.Now().ManagedAllocations);
            ((IDisposable)memory).Dispose();
            Ops.Drain();
            Assert.AreEqual(0UL, Sim.Now().ManagedAllocations);
            Assert.Catch<ObjectDisposedException>(() => memory.GetSpan());
        }

        [Test]
        public void A_slice_keeps_its_parent_and_a_span_shows_the_bytes()
        {
            var parent = new ManagedMemoryResource().Allocate(8192);
            parent.AsSpan().Fill(3);
            using (var slice = parent.Slice(4096, 4096))
            {
                parent.Dispose();
                Assert.AreEqual(3, slice.AsSpan()[4095]);
            }
            Ops.Drain();
            Assert.AreEqual(0UL, Sim.Now().ManagedAllocations);
        }

        private sealed class Owner { }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static WeakReference BorrowAndClose(IntPtr memory)
        {
            var owner = new Owner();
            MemoryBuffer.FromHandle(memory, 4096, owner).Dispose();
            return new WeakReference(owner);
        }

        [Test]
        public void An_owner_is_let_go_with_its_buffer()
        {
            var memory = Marshal.AllocHGlobal(4096);
            var gone = 0;
            for (var i = 0; i < 100; ++i)
            {
                var owner = BorrowAndClose(memory);
                Ops.Drain();
                MemoryBuffer.FromHandle(memory, 4096).Dispose(); // asks which owners are done with
                GC.Collect();
                gone += owner.IsAlive ? 0 : 1;
            }
            Marshal.FreeHGlobal(memory);
            Assert.Greater(gone, 50);
        }

        [Test]
        public void Closing_during_use_is_an_exception_at_most()
        {
            var mr = ManagedMemoryResource.Arena();
            var failures = new List<Exception>();
            for (var round = 0; round < 50; ++round)
            {
                var b = mr.Allocate(65536);
                var users = new Thread[3];
                for (var t = 0; t < users.Length; ++t)
                {
                    users[t] = new Thread(() =>
                    {
                        using (var s = new Stream())
                            try
                            {
                                for (var i = 0; i < 1000; ++i)
                                {
                                    b.Prefetch(new Device(0), s);
                                    b.ReadMostly = i % 2 == 0;
                                }
                            }
                            catch (ObjectDisposedException) { }
                            catch (Exception e)
                            {
                                lock (failures)
                                    failures.Add(e);
                            }
                    });
                    users[t].Start();
                }
                Thread.Sleep(1);
                b.Dispose();
                foreach (var each in users)
                    each.Join();
            }
            mr.Dispose();
            Assert.IsEmpty(failures);
        }

        // Allocate, slice, drop, collect in four threads: a minute with CMM_STRESS_SECONDS=60, else two seconds.
        [Test]
        public void The_collector_may_run_at_any_time()
        {
            var wanted = Environment.GetEnvironmentVariable("CMM_STRESS_SECONDS");
            var end = DateTime.UtcNow.AddSeconds(wanted == null ? 2 : double.Parse(wanted));
            var mr = ManagedMemoryResource.Arena();
            Exception failure = null;
            var threads = new Thread[4];
            for (var t = 0; t < threads.Length; ++t)
            {
                threads[t] = new Thread(() =>
                {
                    try
                    {
                        using (var s = new Stream())
                            for (var i = 0; DateTime.UtcNow < end; ++i)
                            {
                                var slice = mr.Allocate(65536).Slice(4096, 8192);
                                slice.Prefetch(new Device(0), s);
                                slice.AsSpan().Fill(1);
                                if (i % 3 == 0)
                                    slice.Dispose();
                                if (i % 100 == 0)
                                    GC.Collect();
                            }
                    }
                    catch (Exception e)
                    {
                        failure = e;
                    }
                });
                threads[t].Start();
            }
            foreach (var each in threads)
                each.Join();
            Assert.IsNull(failure);
            mr.Dispose();
        }
    }
}
