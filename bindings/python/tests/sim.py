# SPDX-License-Identifier: Apache-2.0
"""The control functions of the simulated driver (cmm/sim.h), through ctypes."""

import ctypes

import cmm

u64 = ctypes.c_uint64


class Live(ctypes.Structure):
    _fields_ = [
        ("managed_allocations", u64),
        ("managed_bytes", u64),
        ("device_allocations", u64),
        ("device_bytes", u64),
        ("pinned_allocations", u64),
        ("pinned_bytes", u64),
        ("registered_ranges", u64),
        ("streams", u64),
        ("events", u64),
        ("graphs", u64),
        ("graph_execs", u64),
        ("user_objects", u64),
        ("pools", u64),
        ("contexts", u64),
        ("context_stack", u64),
        ("pending_operations", u64),
    ]


class Simulator:
    """The library that is open, which must be the simulated one."""

    def __init__(self):
        info = cmm.driver_info()
        assert info.simulated, info
        self._library = ctypes.CDLL(info.library)
        self._library.cmm_sim_calls.restype = ctypes.c_size_t
        self._library.cmm_sim_use_after_free_count.restype = u64
        self._library.cmm_sim_use_after_free_report.restype = ctypes.c_char_p
        self._library.cmm_sim_fault.argtypes = [ctypes.c_char_p, u64, ctypes.c_int]

    def calls(self, entry):
        return self._library.cmm_sim_calls(entry.encode())

    def record_clear(self):
        self._library.cmm_sim_record_clear()

    def fault(self, entry, nth, result):
        assert self._library.cmm_sim_fault(entry.encode(), nth, result) == 0

    def clear_faults(self):
        self._library.cmm_sim_clear_faults()

    def hold(self):
        self._library.cmm_sim_hold()

    def release(self):
        self._library.cmm_sim_release()

    def live(self):
        counts = Live()
        self._library.cmm_sim_live_counts(ctypes.byref(counts))
        return counts

    def use_after_free_count(self):
        return self._library.cmm_sim_use_after_free_count()

    def use_after_free_report(self):
        return self._library.cmm_sim_use_after_free_report().decode()
