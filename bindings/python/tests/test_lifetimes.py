# SPDX-License-Identifier: Apache-2.0
"""What outlives what: temporaries, many buffers, threads, forks, the interpreter's end."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy
import pytest

import cmm
from cmm import Device, Host

KIB = 1024


def run_in_a_process(code, **environment):
    """Runs `code` on the simulated driver; its exit status must be 0 and its standard error empty."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "CMM_DRIVER": "sim", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def test_a_source_dropped_right_after_the_call_lives_until_the_copy_is_done(mr, sim, stream):
    target = mr.allocate(64 * KIB)
    sim.hold()

    def copy():
        source = mr.allocate(64 * KIB)
        numpy.asarray(source)[:] = 42
        cmm.copy_batch(stream, [source], [target])

    copy()
    gc.collect()
    assert sim.live().managed_allocations == 2
    sim.release()
    stream.sync()
    cmm.drain()
    assert set(bytes(target)) == {42} and sim.live().managed_allocations == 1


def test_close_names_work_that_cmm_does_not_know(mr, sim, stream):
    other = mr.allocate(KIB)
    buffer = mr.allocate(KIB)
    sim.hold()
    cmm.copy_batch(stream, [other], [mr.allocate(KIB)])
    buffer.close(stream)
    assert buffer.is_closed and sim.live().managed_allocations >= 2
    before = sim.live().managed_allocations
    sim.release()
    stream.sync()
    cmm.drain()
    assert sim.live().managed_allocations < before


def test_a_hundred_thousand_buffers_do_not_pile_up(sim):
    mr = cmm.ManagedMemoryResource(arena=True)
    most = 0
    for i in range(100_000):
        mr.allocate(4 * KIB)
        if i % 10_000 == 0:
            most = max(most, mr.stats.pieces)
    assert most <= 2 and sim.live().managed_bytes <= 128 << 20


def test_direct_buffers_do_not_pile_up(mr, sim, stream):
    for _ in range(2_000):
        mr.allocate(4 * KIB).prefetch(Device(0), stream=stream)
    stream.sync()
    gc.collect()
    cmm.drain()
    assert sim.live().managed_allocations == 0


def test_memory_of_lost_buffers_is_there_again(stream, sim):
    cmm.open_simulated("managed_limit=1048576")
    mr = cmm.ManagedMemoryResource()

    class Cycle:
        pass

    for _ in range(8):  # each holds the whole limit, in a cycle that only the collector can undo
        cycle = Cycle()
        cycle.itself, cycle.buffer = cycle, mr.allocate(1 << 20)
        del cycle
    with mr.allocate(0) as nothing:
        assert nothing.size == 0


def test_other_threads_run_while_one_waits(mr, sim):
    with cmm.Stream() as stream:
        sim.hold()
        cmm.copy_batch(stream, [mr.allocate(KIB)], [mr.allocate(KIB)])
        done = threading.Event()

        def release():
            time.sleep(0.05)
            done.set()
            sim.release()

        thread = threading.Thread(target=release)
        thread.start()
        stream.sync()
        assert done.is_set()
        thread.join()


def test_threads_share_buffers(mr, sim):
    shared = [mr.allocate(64 * KIB) for _ in range(8)]
    failures = []

    def work(number):
        try:
            with cmm.Stream() as stream:
                for i in range(50):
                    cmm.prefetch(shared, Device(0) if (i + number) % 2 else Host(), stream=stream)
                    shared[number].read_mostly = bool(i % 2)
                    cmm.copy_batch(stream, [mr.allocate(KIB)], [mr.allocate(KIB)])
                stream.sync()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_closing_in_one_thread_while_another_uses_it(mr):
    with cmm.Stream() as stream:
        for _ in range(100):
            buffer = mr.allocate(4 * KIB)
            thread = threading.Thread(target=buffer.close)
            thread.start()
            try:
                buffer.prefetch(Device(0), stream=stream)
            except cmm.ClosedError:
                pass
            thread.join()
        stream.sync()


def test_exit_with_everything_alive_is_silent():
    out = run_in_a_process("""
        import numpy, cmm
        mr = cmm.ManagedMemoryResource()
        stream = cmm.Stream()
        buffers = [mr.allocate(4096) for _ in range(100)]
        view, array = memoryview(buffers[0]), numpy.asarray(buffers[1])
        owned = cmm.Buffer.from_handle(numpy.zeros(4096, numpy.uint8))
        plan = cmm.Plan.prefetch(buffers, cmm.Device(0))
        plan.run(stream)
        cmm.copy_batch(stream, [cmm.Buffer.from_handle(numpy.ones(4096, numpy.uint8))], buffers[:1])
        class Last:
            def __del__(self, buffer=buffers[2]):
                buffer.close()
        last = Last()
        print("alive")
    """, CMM_SIM_COPY_DELAY="1000000")
    assert out == "alive\n"


def test_a_forked_child_gets_an_error_and_frees_nothing():
    out = run_in_a_process("""
        import os, cmm
        mr = cmm.ManagedMemoryResource()
        buffer = mr.allocate(4096)
        pid = os.fork()
        if pid == 0:
            try:
                buffer.read_mostly
            except cmm.Error as error:
                print(type(error).__name__, flush=True)
            del buffer
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        print(buffer.read_mostly, flush=True)
    """)
    kind, parents = out.split()
    assert kind.endswith("Error") and parents == "False"


def test_import_works_without_a_driver():
    out = run_in_a_process(
        """
        import cmm
        print(cmm.__version__ != "", cmm.Device(0))
        try:
            cmm.ManagedMemoryResource().allocate(1)
        except cmm.DriverMissingError as error:
            print("CMM_DRIVER" in str(error) and "no-such-driver" in str(error))
    """,
        CMM_DRIVER="/no-such-driver.so",
    )
    assert out == "True Device(0)\nTrue\n"


def test_the_report_of_the_module_says_that_it_is_simulated(capsys):
    cmm.open_simulated("devices=2")
    from cmm.__main__ import main

    assert main() == 0
    out = capsys.readouterr().out
    assert "SIMULATED" in out.splitlines()[0] and "device 1:" in out and "prefetch" in out


def test_32_threads_open_the_driver_at_once():
    out = run_in_a_process("""
        import threading, cmm
        gate, made = threading.Barrier(32), []
        def first():
            gate.wait()
            made.append(cmm.ManagedMemoryResource().allocate(4096).read_mostly)
        threads = [threading.Thread(target=first) for _ in range(32)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print(len(made))
    """)
    assert out == "32\n"


def test_an_error_leaves_no_reference_behind(mr, stream):
    buffer = mr.allocate(KIB)
    before = sys.getrefcount(buffer)
    for _ in range(50):
        with pytest.raises(TypeError):
            cmm.prefetch([buffer, 0], Device(0), stream=stream)
        with pytest.raises(ValueError):
            cmm.prefetch([buffer], [], stream=stream)
        cmm.prefetch([buffer], [Device(0)], stream=stream)
        cmm.prefetch(buffer, Device(0), stream=stream)
        memoryview(buffer).release()
    assert sys.getrefcount(buffer) == before
