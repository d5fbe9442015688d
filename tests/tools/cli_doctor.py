# SPDX-License-Identifier: Apache-2.0
"""What `cmm doctor` says about machines of every kind."""

import unittest

from cli_support import LEVELS, InFolder


class Doctor(InFolder):
    def operations(self, device: int = 0, **settings: str) -> dict[str, dict]:
        found = self.json_of("doctor", **settings)
        return {o["operation"]: o for o in found["devices"][device]["operations"]}

    def test_a_new_driver_does_everything_but_pageable_memory(self) -> None:
        operations = self.operations()
        self.assertEqual([n for n, o in operations.items() if not o["works"]], ["pageable_memory"])
        self.assertTrue(all(o["entry"] for n, o in operations.items() if o["works"]))

    def test_what_works_at_each_level(self) -> None:
        lost = {
            "11080": {"numa_locations", "batches", "discard", "discard_prefetch"},
            "12020": {"batches", "discard", "discard_prefetch"},
            "12080": {"batches", "discard", "discard_prefetch"},
            "13000": set(),
        }
        for level in LEVELS:
            with self.subTest(level=level):
                operations = self.operations(CMM_SIM_VERSION=level, CMM_SIM_PAGEABLE="1")
                self.assertEqual({n for n, o in operations.items() if not o["works"]}, lost[level])
                self.assertTrue(all(operations[n]["remedy"] for n in lost[level]))

    def test_it_names_the_entry_points_that_the_library_uses(self) -> None:
        for level in LEVELS:
            with self.subTest(level=level):
                operations = self.operations(CMM_API_LEVEL=level)
                for_demo = {
                    "advise": "advise read_mostly",
                    "prefetch": "prefetch to the device",
                    "copy_batch": "copy_batch of results",
                    "discard": "discard scratch",
                }
                files = [self.file(f"{i}", b"x") for i in range(3)]
                ran = {
                    o["operation"]: o["entry"] for o in self.json_of("demo", *files, CMM_API_LEVEL=level)["operations"]
                }
                for name, step in for_demo.items():
                    self.assertEqual(operations[name]["entry"], ran[step])

    def test_a_ceiling_is_told_apart_from_an_old_driver(self) -> None:
        self.assertIn("take the ceiling", self.operations(CMM_API_LEVEL="12080")["discard"]["remedy"])
        self.assertIn("CMM_API_LEVEL=12080", self.run_tool("doctor", CMM_API_LEVEL="12080").stdout)
        old = self.operations(CMM_SIM_VERSION="12080")["discard"]["remedy"]
        self.assertIn("install a driver of CUDA 13.0", old)

    def test_a_symbol_that_the_version_promises_and_the_driver_lacks(self) -> None:
        discard = self.operations(CMM_SIM_HIDE="cuMemDiscardBatchAsync")["discard"]
        self.assertFalse(discard["works"])
        self.assertIn("although its version promises it", discard["remedy"])

    def test_one_device_without_concurrent_access_stops_batches_on_both(self) -> None:
        settings = {"CMM_SIM_DEVICES": "2", "CMM_SIM_CONCURRENT": "1,0"}
        first, second = self.operations(0, **settings), self.operations(1, **settings)
        self.assertTrue(first["prefetch"]["works"])
        self.assertFalse(second["prefetch"]["works"])
        self.assertIn("device:1", first["batches"]["why"])
        self.assertIn("hint_policy", second["prefetch"]["remedy"])

    def test_devices_and_nodes_are_told(self) -> None:
        found = self.json_of("doctor", CMM_SIM_DEVICES="3", CMM_SIM_NUMA_NODES="2")
        self.assertEqual([d["ordinal"] for d in found["devices"]], [0, 1, 2])
        self.assertEqual(found["numa_nodes"], 2)
        self.assertTrue(all(0 < d["free_bytes"] <= d["total_bytes"] for d in found["devices"]))

    def test_the_table_of_look_ups_is_whole_on_demand(self) -> None:
        every = {(e["name"], e["version"]) for e in self.json_of("doctor")["lookups"]}
        short, long = self.run_tool("doctor").stdout, self.run_tool("doctor", "--all").stdout
        self.assertGreater(len(every), 40)
        self.assertTrue(all(f"{name}@{version}" in long for name, version in every))
        self.assertIn("cuMemcpyBatchAsync@12080", short)
        self.assertNotIn("cuInit@", short)
        self.assertLess(len(short), len(long))

    def test_a_machine_without_a_driver_is_the_one_failure(self) -> None:
        text = self.refusal("doctor", **self.without_a_driver())
        self.assertIn("set CMM_DRIVER=sim", text)
        self.assertIn("error", self.json_of("doctor", status=1, **self.without_a_driver()))

    def test_a_level_that_is_none_is_refused(self) -> None:
        self.assertIn("'12.8' is no CUDA version", self.refusal("doctor", CMM_API_LEVEL="12.8"))


if __name__ == "__main__":
    unittest.main()
