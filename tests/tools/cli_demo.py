# SPDX-License-Identifier: Apache-2.0
"""What `cmm demo` does with files of every kind, and on drivers of every kind."""

import os
import random
import signal
import subprocess
import time
import unittest
import zlib

from cli_support import LEVELS, TOOL, InFolder, environment

MIB = 1 << 20


def crc(content: bytes) -> str:
    return f"{zlib.crc32(content):08x}"


def by_name(outcome: dict) -> dict[str, dict]:
    return {o["operation"]: o for o in outcome["operations"]}


class Files(InFolder):
    def test_default_files_come_out_right(self) -> None:
        outcome = self.json_of("demo")
        self.assertTrue(outcome["right"])
        self.assertGreaterEqual(len(outcome["files"]), 3)

    def test_crcs_are_those_of_the_files(self) -> None:
        contents = [random.Random(i).randbytes(i) for i in (1, 3, 1023, 1024, 1025, 4096, 70_001, 3 * MIB + 5)]
        paths = [self.file(f"{i}.bin", content) for i, content in enumerate(contents)]
        outcome = self.json_of("demo", *paths)
        self.assertEqual([f["crc32"] for f in outcome["files"]], [crc(c) for c in contents])
        self.assertEqual([f["bytes"] for f in outcome["files"]], [len(c) for c in contents])

    def test_neighbours_are_one_driver_call(self) -> None:
        outcome = self.json_of("demo", *(self.file(f"{i}", b"x" * 5000) for i in range(20)))
        prefetch = by_name(outcome)["prefetch to the device"]
        self.assertEqual((prefetch["ranges_in"], prefetch["ranges_out"], prefetch["calls"]), (60, 1, 1))
        copies = by_name(outcome)["copy_batch of results"]
        self.assertEqual((copies["ranges_in"], copies["calls"]), (20, 1))

    def test_an_empty_file_is_a_file(self) -> None:
        outcome = self.json_of("demo", self.file("empty"))
        self.assertEqual(outcome["files"][0]["crc32"], "00000000")
        self.assertEqual(outcome["files"][0]["bytes"], 0)

    def test_a_name_that_is_none_is_told_and_the_others_go_on(self) -> None:
        done = self.run_tool("demo", self.file("good", b"good"), "nosuch", status=1)
        self.assertIn("cmm: demo: nosuch: No such file or directory\n", done.stderr)
        self.assertIn(crc(b"good"), done.stdout)
        self.assertIn("Of 2 files 1 could not be read and 0 came out wrong.", done.stdout)

    def test_a_directory_is_refused(self) -> None:
        self.assertIn("is a directory; name the files in it", self.run_tool("demo", self.folder, status=1).stderr)

    def test_an_endless_device_is_refused(self) -> None:
        self.assertIn("is a device, not a file", self.run_tool("demo", "/dev/zero", status=1).stderr)

    def test_a_file_that_cannot_be_read_is_told(self) -> None:
        outcome = self.json_of("demo", "/proc/self/mem", status=1)
        self.assertEqual(outcome["files"][0]["error"], os.strerror(5))
        self.assertFalse(outcome["right"])

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_file_without_permission_is_told(self) -> None:
        path = self.file("secret", b"secret")
        path.chmod(0)
        self.assertIn("Permission denied", self.run_tool("demo", path, status=1).stderr)

    def test_a_file_of_proc_that_tells_no_length_is_read_whole(self) -> None:
        outcome = self.json_of("demo", "/proc/version")
        with open("/proc/version", "rb") as file:
            self.assertEqual(outcome["files"][0]["crc32"], crc(file.read()))

    def test_a_pipe_is_read_to_its_end(self) -> None:
        content = random.Random(1).randbytes(MIB)
        done = subprocess.run(
            [TOOL, "demo", "-"], input=content, env=environment(), capture_output=True, timeout=60, check=True
        )
        self.assertIn(crc(content).encode(), done.stdout)

    def test_a_name_cannot_write_to_the_terminal(self) -> None:
        done = self.run_tool("demo", self.file("a\x1b[31mb\nc", b"x"))
        self.assertNotIn("\x1b", done.stdout)
        self.assertIn("a?[31mb?c", done.stdout)

    def test_a_name_that_is_no_utf8_is_json(self) -> None:
        path = os.fsencode(self.folder) + b"/\xff"
        with open(path, "wb") as file:
            file.write(b"x")
        done = subprocess.run([TOOL, "demo", "--json", path], env=environment(), capture_output=True, check=True)
        self.assertIn("\N{REPLACEMENT CHARACTER}", done.stdout.decode())


class Memory(InFolder):
    def test_a_large_file_goes_in_windows(self) -> None:
        content = random.Random(2).randbytes(9 * MIB + 123)
        outcome = self.json_of("demo", self.file("large", content), CMM_SIM_DEVICE_MEMORY=str(64 * MIB))
        self.assertLessEqual(outcome["managed_bytes"], 8 * MIB)
        self.assertGreater(outcome["rounds"], 1)
        self.assertEqual(outcome["files"][0]["pieces"], outcome["rounds"])
        self.assertEqual(outcome["files"][0]["crc32"], crc(content))

    @unittest.skipIf(os.environ.get("CMM_SANITIZE") == "1", "a sanitizer makes it take minutes")
    def test_never_more_than_a_gib_of_managed_memory(self) -> None:
        path = self.folder / "sparse"
        with open(path, "wb") as file:
            file.truncate(1 << 30)
        outcome = self.json_of("demo", path, CMM_SIM_DEVICE_MEMORY=str(64 << 30))
        self.assertLessEqual(outcome["managed_bytes"], 1 << 30)
        self.assertEqual(outcome["files"][0]["bytes"], 1 << 30)
        zeros = 0
        for _ in range(1024):
            zeros = zlib.crc32(bytes(MIB), zeros)
        self.assertEqual(outcome["files"][0]["crc32"], f"{zeros:08x}")
        self.assertTrue(outcome["right"])

    def test_a_device_with_too_little_is_refused(self) -> None:
        text = self.refusal("demo", self.file("f", b"x"), CMM_SIM_DEVICE_MEMORY=str(16 * MIB))
        self.assertIn("2.0 MiB", text)
        self.assertIn("needs 4.0 MiB", text)

    def test_running_out_of_memory_is_an_error(self) -> None:
        text = self.refusal("demo", self.file("f", b"x"), CMM_SIM_MANAGED_LIMIT="100000")
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", text)

    def test_a_device_without_managed_memory_is_refused(self) -> None:
        self.assertIn("no managed memory", self.refusal("demo", self.file("f", b"x"), CMM_SIM_MANAGED="0"))


class Checks(InFolder):
    """The check fails where the work was not done: one entry point does nothing and answers success."""

    def outcome_without(self, entry: str) -> dict:
        paths = [self.file(f"{i}", bytes([i]) * 5000) for i in (1, 2, 3)]
        settings = {"CMM_DRIVER": os.environ["CMM_IDLE_DRIVER"], "CMM_IDLE": entry}
        done = self.run_tool("demo", *paths, status=1, **settings)
        self.assertEqual(done.stdout.count("WRONG"), 3)
        self.assertIn("0 could not be read and 3 came out wrong", done.stdout)
        return self.json_of("demo", *paths, status=1, **settings)

    def test_the_driver_of_these_tests_works_where_nothing_is_idle(self) -> None:
        self.assertTrue(self.json_of("demo", CMM_DRIVER=os.environ["CMM_IDLE_DRIVER"])["right"])

    def test_copies_that_did_not_run(self) -> None:
        for file in self.outcome_without("cuMemcpyBatchAsync")["files"]:
            self.assertEqual((file["right_by_prefetch"], file["right_by_copy_batch"]), (True, False))

    def test_kernels_that_did_not_run(self) -> None:
        for file in self.outcome_without("cuLaunchHostFunc")["files"]:
            self.assertEqual((file["right_by_prefetch"], file["right_by_copy_batch"]), (False, False))

    def test_a_driver_error_is_told_with_its_entry_point(self) -> None:
        text = self.refusal("demo", self.file("f", b"x"), CMM_SIM_FAULTS="cuMemPrefetchAsync:1:1")
        self.assertIn("cuMemPrefetchAsync", text)
        self.assertIn("CUDA_ERROR_INVALID_VALUE", text)


class Drivers(InFolder):
    def test_each_level_comes_out_right_by_its_own_entry_points(self) -> None:
        entries = {
            "11080": ("cuMemAdvise@8000", "cuMemPrefetchAsync@8000", "cuMemcpyAsync@4000", ""),
            "12020": ("cuMemAdvise@12020", "cuMemPrefetchAsync@12020", "cuMemcpyAsync@4000", ""),
            "12080": ("cuMemAdvise@12020", "cuMemPrefetchAsync@12020", "cuMemcpyBatchAsync@12080", ""),
            "13000": (
                "cuMemAdvise@12020",
                "cuMemPrefetchAsync@12020",
                "cuMemcpyBatchAsync@13000",
                "cuMemDiscardBatchAsync@13000",
            ),
        }
        names = ("advise read_mostly", "prefetch to the device", "copy_batch of results", "discard scratch")
        for level in LEVELS:
            for setting in ("CMM_API_LEVEL", "CMM_SIM_VERSION"):
                with self.subTest(level=level, by=setting):
                    files = [self.file(f"{i}", b"abc" * i) for i in (1, 2, 3)]
                    outcome = self.json_of("demo", *files, **{setting: level})
                    self.assertTrue(outcome["right"])
                    self.assertEqual(outcome["driver"]["level"], int(level))
                    operations = by_name(outcome)
                    self.assertEqual(tuple(operations[n]["entry"] for n in names), entries[level])

    def test_without_discard_it_says_what_is_missing(self) -> None:
        done = self.run_tool("demo", CMM_API_LEVEL="12080")
        self.assertIn("it needs a driver of CUDA 13.0 or newer, and this one offers CUDA 12.8", done.stdout)

    def test_without_concurrent_access_it_comes_out_right_and_says_so(self) -> None:
        for level in LEVELS:
            with self.subTest(level=level):
                done = self.run_tool("demo", CMM_SIM_CONCURRENT="0", CMM_API_LEVEL=level)
                self.assertIn("has no concurrentManagedAccess", done.stdout)

    def test_the_first_line_says_simulated(self) -> None:
        done = self.run_tool("demo")
        self.assertEqual(done.stdout.splitlines()[0], "cmm demo on the simulated driver of CUDA 13.0")
        self.assertIn("simulated kernel time", done.stdout)

    def test_without_a_driver_the_simulated_one_serves_and_it_says_why(self) -> None:
        done = self.run_tool("demo", **self.without_a_driver())
        self.assertIn("simulated driver", done.stdout.splitlines()[0])
        self.assertIn("libcuda.so.1 could not be loaded", done.stdout.splitlines()[1])
        self.assertIn("fallback", self.json_of("demo", **self.without_a_driver()))

    def test_a_driver_that_was_asked_for_is_not_replaced(self) -> None:
        for name in (str(self.file("bad.so", b"no library")), str(self.folder / "missing.so"), "libz.so.1"):
            with self.subTest(driver=name):
                self.assertIn(os.path.basename(name), self.refusal("demo", CMM_DRIVER=name))

    def test_a_failure_is_json_too(self) -> None:
        outcome = self.json_of("demo", status=1, CMM_DRIVER="/nosuch.so")
        self.assertIn("/nosuch.so", outcome["error"])


class Interrupts(InFolder):
    """A pipe without a writer makes the demo wait."""

    def interrupt(self, number: int) -> subprocess.CompletedProcess[str]:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(
            # As in the foreground of a shell, whatever started this test.
            ["env", "--default-signal=INT,TERM", TOOL, "demo", "/etc/passwd", str(pipe)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout and process.stderr
            process.stdout.readline()
            time.sleep(0.5)
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
            return subprocess.CompletedProcess([], process.returncode, out, err)

    def test_control_c_ends_it_as_the_shell_expects(self) -> None:
        done = self.interrupt(signal.SIGINT)
        self.assertEqual(done.returncode, -signal.SIGINT)
        self.assertEqual(done.stderr, "cmm: interrupted\n")

    def test_so_does_the_signal_to_terminate(self) -> None:
        self.assertEqual(self.interrupt(signal.SIGTERM).returncode, -signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
