# SPDX-License-Identifier: Apache-2.0
"""What `cmm replay` makes of traces: real ones, torn ones, and what is none."""

import json
import unittest

from cli_support import InFolder


def event(name: str, detail: str, **arguments: object) -> dict:
    args = {"detail": detail, "ranges_in": 64, "ranges_out": 1, "calls": 1, "bytes": 64 * 4096}
    args |= {"stream": "0x1000", "address": "0x7f0000000000", "error": ""}
    return {"name": name, "cat": "cmm", "ph": "X", "ts": 1.0, "dur": 2.5, "pid": 1, "tid": 1, "args": args | arguments}


class Replay(InFolder):
    def trace(self, *events: dict) -> str:
        return str(self.file("trace.json", json.dumps(list(events)).encode()))

    def operations(self, *events: dict, **settings: str) -> dict[str, dict]:
        played = self.json_of("replay", self.trace(*events), **settings)
        return {o["operation"]: o for o in played["operations"]}

    def traced_demo(self) -> str:
        path = str(self.folder / "demo.json")
        self.run_tool("demo", CMM_TRACE=path)
        return path

    def test_a_traced_demo_runs_again(self) -> None:
        path = self.traced_demo()
        played = self.json_of("replay", path)
        with open(path, encoding="utf-8") as file:
            traced = [e for e in json.load(file) if e.get("cat") == "cmm"]
        self.assertEqual(sum(o["count"] for o in played["operations"]), len(traced))
        for o in played["operations"]:
            self.assertEqual(o["here"]["ranges_out"], o["traced"]["ranges_out"], o["operation"])
            self.assertEqual(o["here"]["calls"], o["traced"]["calls"], o["operation"])

    def test_a_torn_trace_is_read_as_far_as_it_goes(self) -> None:
        path = self.traced_demo()
        with open(path, "rb") as file:
            whole = file.read()
        torn = self.file("torn.json", whole[: len(whole) * 3 // 4])
        count = sum(o["count"] for o in self.json_of("replay", torn)["operations"])
        self.assertGreater(count, 0)
        self.assertLess(count, sum(o["count"] for o in self.json_of("replay", path)["operations"]))

    def test_what_merged_merges_and_what_did_not_does_not(self) -> None:
        merged = self.operations(event("prefetch", "device:0"))["prefetch"]
        self.assertEqual((merged["here"]["ranges_out"], merged["here"]["calls"]), (1, 1))
        apart = self.operations(event("prefetch", "device:0", ranges_out=64))["prefetch"]
        self.assertEqual(apart["here"]["ranges_out"], 64)

    def test_every_operation_is_known(self) -> None:
        played = self.operations(
            event("advise", "set_read_mostly"),
            event("advise", "set_preferred_location device:0"),
            event("prefetch", "plan host"),
            event("discard", "host"),
            event("discard_prefetch", "device:0"),
            event("copy_batch", "stream"),
        )
        self.assertEqual(set(played), {"advise", "prefetch", "discard", "discard_prefetch", "copy_batch"})
        self.assertEqual(played["advise"]["count"], 2)
        self.assertEqual(played["prefetch"]["traced"]["call_nanoseconds"], 2500)

    def test_an_object_with_trace_events_is_a_trace(self) -> None:
        path = self.file("perfetto.json", json.dumps({"traceEvents": [event("prefetch", "host")]}, indent=1).encode())
        self.assertEqual(len(self.json_of("replay", path)["operations"]), 1)

    def test_what_cannot_be_run_again_is_counted(self) -> None:
        trace = self.trace(
            event("prefetch", "paired"),
            event("prefetch", "device:0", error="prefetch: something"),
            event("prefetch", "device:9"),
            event("discard", "host", ranges_in=0, bytes=0),
            event("free", ""),
            {"name": "sleep", "ph": "X"},
        )
        reasons = self.json_of("replay", trace)["left_out"]
        self.assertEqual(sum(reasons.values()), 6)
        self.assertTrue(any("device:9" in why for why in reasons))
        self.assertEqual(reasons["other events"], 2)

    def test_what_the_driver_lacks_is_counted(self) -> None:
        path = self.trace(event("discard", "host"))
        self.assertEqual(sum(self.json_of("replay", path, CMM_API_LEVEL="12080")["left_out"].values()), 1)

    def test_more_memory_than_is_safe_is_refused(self) -> None:
        trace = self.trace(event("prefetch", "device:0", bytes=64 << 30))
        self.assertIn("the trace needs 64.0 GiB", self.refusal("replay", trace))

    def test_what_is_no_trace_is_refused(self) -> None:
        for name, content in (("text", b"hello\n"), ("empty", b""), ("number", b"3"), ("binary", b"\x00\xff")):
            with self.subTest(name):
                self.assertIn("holds no trace", self.refusal("replay", self.file(name, content)))
        self.assertIn("No such file", self.refusal("replay", "nosuch.json"))
        self.assertIn("is a directory", self.refusal("replay", self.folder))

    def test_fields_of_a_wrong_type_are_an_error_and_no_crash(self) -> None:
        self.refusal("replay", self.trace(event("prefetch", "host", bytes="many")))


if __name__ == "__main__":
    unittest.main()
