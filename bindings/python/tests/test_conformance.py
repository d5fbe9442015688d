# SPDX-License-Identifier: Apache-2.0
"""The conformance table that all languages run."""

import ctypes
import gc
import json
import os
from pathlib import Path

import pytest
from sim import Simulator

import cmm
from cmm import Device, Host

CASES = os.environ.get("CMM_CONFORMANCE") or Path(__file__).parents[3] / "tests" / "conformance" / "cases.json"
TABLE = json.loads(Path(CASES).read_text())
TABLE = TABLE["cases"] if isinstance(TABLE, dict) else TABLE
KINDS = {
    "invalid_argument": (cmm.InvalidArgumentError, ValueError, TypeError, OverflowError),
    "not_supported": cmm.NotSupportedError,
    "closed": cmm.ClosedError,
    "driver_missing": cmm.DriverMissingError,
    "driver": cmm.DriverError,
    "out_of_memory": cmm.OutOfMemoryError,
    "internal": cmm.InternalError,
}
OVERLAP = {"standard": "default", "prefer": "prefer_overlap_with_compute"}
OPERATIONS = ("advise", "prefetch", "discard", "discard_prefetch", "copy_batch")


def location(text):
    if text is None:
        return None
    name, _, number = text.partition(":")
    if name == "host_numa_current":
        return Host.numa_current()
    if name == "host":
        return Host()
    return Host(numa_id=int(number)) if name == "host_numa" else Device(int(number))


def text_of(where):
    if where is None:
        return None
    if isinstance(where, Device):
        return f"device:{where.device_id}"
    if where.is_numa_current:
        return "host_numa_current"
    return "host" if where.numa_id is None else f"host_numa:{where.numa_id}"


class Case:
    def __init__(self):
        self.objects = {}
        self.memory = []

    def locations(self, where):
        return [location(w) for w in where] if isinstance(where, list) else location(where)

    def target(self, t):
        if isinstance(t, str):
            return self.objects[t]
        return cmm.Buffer.from_handle(self.objects[t["range"]].handle + t.get("offset", 0), t["bytes"])

    def targets(self, t):
        return [self.target(each) for each in t] if isinstance(t, list) else self.target(t)

    def stream(self, step):
        name = step.get("stream", "legacy")
        known = {"legacy": cmm.LEGACY_DEFAULT_STREAM, "per_thread": cmm.PER_THREAD_DEFAULT_STREAM}
        return known.get(name) or self.objects[name]

    def copy(self, c):
        if c is None:
            return None
        if isinstance(c, list):
            return [self.copy(each) for each in c]
        return cmm.CopyOptions(
            src_access_order=c.get("order", "stream"),
            src_location_hint=location(c.get("src_hint")),
            dst_location_hint=location(c.get("dst_hint")),
            overlap_mode=OVERLAP.get(c.get("overlap", "standard"), c.get("overlap")),
        )

    # -- operations, at once or as plans

    def operate(self, step, plan=False):
        name = step["op"] if plan else step["do"]
        options = step.get("options", {})
        where = (cmm.Plan if plan else cmm)
        call = getattr(where, name)
        keywords = {"hints": options.get("hints")}
        if name in ("prefetch", "copy_batch"):
            keywords["strategy"] = options.get("strategy")
        if name == "copy_batch":
            first = [] if plan else [self.stream(step)]
            copies = self.copy(step.get("copy"))
            return call(*first, self.targets(step["srcs"]), self.targets(step["dsts"]), options=copies, **keywords)
        targets = self.targets(step["targets"])
        if name == "advise":
            return call(targets, step["advice"], self.locations(step.get("where")), **keywords)
        if not plan:
            keywords["stream"] = self.stream(step)
        if name == "discard":
            return call(targets, **keywords)
        return call(targets, self.locations(step["where"]), **keywords)

    # -- steps that make objects

    def do_resource(self, step):
        device = step.get("device")
        kind = step.get("kind", "managed")
        if kind == "arena":
            sizes = {k: step[k] for k in ("slab_bytes", "limit_bytes") if k in step}
            return cmm.ManagedMemoryResource(device, arena=True, **sizes)
        made = {
            "managed": lambda: cmm.ManagedMemoryResource(device),
            "pinned": cmm.PinnedMemoryResource,
            "device": lambda: cmm.DeviceMemoryResource(device),
        }
        return made[kind]()

    def do_allocate(self, step):
        return self.objects[step["from"]].allocate(step["bytes"])

    def do_allocate_batch(self, step):
        made = self.objects[step["from"]].allocate_batch(step["bytes"])
        self.objects.update(zip(step["as"], made, strict=True))

    def do_slice(self, step):
        return self.objects[step["of"]].slice(step["offset"], step["bytes"])

    def do_borrow(self, step):
        of = self.objects[step["of"]]
        kind = cmm.ManagedBuffer if step.get("managed", True) else cmm.Buffer
        return kind.from_handle(of.handle + step.get("offset", 0), step.get("bytes", of.size))

    def do_host_memory(self, step):
        memory = ctypes.create_string_buffer(step["bytes"])
        self.memory.append(memory)
        return cmm.Buffer.from_handle(ctypes.addressof(memory), step["bytes"], memory)

    def do_stream(self, step):
        return cmm.Stream(device=step.get("device"))

    def do_plan(self, step):
        return self.operate(step, plan=True)

    def do_view(self, step):
        try:
            return memoryview(self.objects[step["of"]])
        except BufferError as error:
            raise error.__cause__ or error from None

    # -- questions and changes

    def do_close(self, step):
        o = self.objects[step["of"]]
        try:
            o.release() if isinstance(o, memoryview) else o.close()
        except BufferError:  # Python's rule for memory that has views: here it is lost, not closed
            del self.objects[step["of"]]

    def do_is_closed(self, step):
        return self.objects[step["of"]].is_closed

    def do_fill(self, step):
        of = self.objects[step["of"]]
        memoryview(of)[:] = bytes([step["value"]]) * of.size

    def do_bytes(self, step):
        data = bytes(self.objects[step["of"]])[step.get("offset", 0) :]
        data = set(data[: step.get("bytes", len(data))])
        return data.pop() if len(data) == 1 else -1

    def do_kind(self, step):
        return str(self.objects[step["of"]].kind)

    def do_device(self, step):
        return self.objects[step["of"]].device_id

    def do_run(self, step):
        return self.objects[step["plan"]].run(self.stream(step))

    def do_ranges_in(self, step):
        return self.objects[step["plan"]].ranges_in

    def do_ranges_out(self, step):
        return self.objects[step["plan"]].ranges_out

    def do_set_read_mostly(self, step):
        self.objects[step["of"]].read_mostly = step["value"]

    def do_set_preferred_location(self, step):
        self.objects[step["of"]].preferred_location = location(step["where"])

    def do_set_accessed_by(self, step):
        self.objects[step["of"]].accessed_by = self.locations(step["where"])

    def do_add_accessed_by(self, step):
        self.objects[step["of"]].accessed_by.add(location(step["where"]))

    def do_discard_accessed_by(self, step):
        self.objects[step["of"]].accessed_by.discard(location(step["where"]))

    def do_accessed_by(self, step):
        return sorted(text_of(w) for w in self.objects[step["of"]].accessed_by)

    def do_preferred_location(self, step):
        return text_of(self.objects[step["of"]].preferred_location)

    def do_last_prefetch_location(self, step):
        return text_of(self.objects[step["of"]].last_prefetch_location)

    def do_sync(self, step):
        self.stream(step).sync()

    def do_trim(self, step):
        return self.objects[step["of"]].trim()

    def do_stats(self, step):
        return self.objects[step["of"]].stats

    def do_supports(self, step):
        return Device(step["device"]).supports(step["operation"])

    def do_hint_policy(self, step):
        cmm.set_hint_policy(None if step["value"] == "default" else step["value"])

    # -- the simulated driver

    def do_fault(self, step):
        Simulator().fault(step["entry"], step["nth"], step["result"])

    def do_calls(self, step):
        return Simulator().calls(step["entry"])

    def do_record_clear(self, step):
        Simulator().record_clear()

    def do_hold(self, step):
        Simulator().hold()

    def do_release(self, step):
        Simulator().release()

    def run(self, step):
        name = step["do"]
        if name in OPERATIONS:
            return self.operate(step)
        if name in ("size", "read_mostly", "is_arena"):
            return getattr(self.objects[step["of"]], name)
        if name in ("devices", "api_level", "numa_nodes"):
            return getattr(cmm.driver_info(), name)
        return getattr(self, "do_" + name)(step)


def check_error(error, expected):
    assert isinstance(error, KINDS[expected["kind"]]), f"{type(error).__name__}: {error}"
    for name in ("argument", "index", "other_index", "code", "name", "entry", "issued"):
        if name in expected and isinstance(error, cmm.Error):
            assert getattr(error, name) == expected[name], f"{name} of {error}"
    assert expected.get("text", "") in str(error)


def check_result(result, step):
    for name, value in step.get("report", {}).items():
        got = getattr(result, name)
        assert (str(cmm.Strategy(got)) if name == "strategy" else got) == value, f"{name}: {result.reason}"
    if "is" in step:
        wanted = step["is"]
        if isinstance(wanted, dict):
            assert {name: getattr(result, name) for name in wanted} == wanted
        elif isinstance(result, memoryview):
            assert result.nbytes == wanted
        else:
            assert result == (sorted(wanted) if isinstance(wanted, list) else wanted)


def check_step(case, step):
    if "error" not in step:
        result = case.run(step)
        check_result(result, step)
        if isinstance(step.get("as"), str):
            case.objects[step["as"]] = result
        return
    try:
        case.run(step)
    except Exception as error:
        check_error(error, step["error"])
        return
    pytest.fail("nothing was raised")


def close_all(case):
    for o in reversed(case.objects.values()):
        o.release() if isinstance(o, memoryview) else o.close()


def test_the_table_has_cases():
    assert len(TABLE) >= 20 and all(case["steps"] for case in TABLE)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", TABLE, ids=[row["name"] for row in TABLE])
def test_conformance(row):
    cmm.open_simulated(row.get("config", ""), row.get("api_level", 0))
    simulator = Simulator()
    case = Case()
    try:
        for number, step in enumerate(row["steps"]):
            try:
                check_step(case, step)
            except Exception as error:
                raise AssertionError(f"step {number}: {json.dumps(step)}: {error}") from error
    finally:
        simulator.release()
        close_all(case)
        case.objects.clear()
        gc.collect()
        cmm.drain()
        cmm.set_hint_policy(None)
    assert simulator.use_after_free_count() == 0, simulator.use_after_free_report()
    assert simulator.live().managed_allocations == 0
