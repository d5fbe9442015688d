# SPDX-License-Identifier: Apache-2.0
"""All tests run on the simulated driver, each on a machine of its own."""

import gc
import os

os.environ["CMM_DRIVER"] = "sim"

import pytest  # noqa: E402
from sim import Simulator  # noqa: E402

import cmm  # noqa: E402


@pytest.fixture
def sim(request):
    """A fresh simulated machine; ``@pytest.mark.machine("devices=2", api_level=12080)`` configures it."""
    mark = request.node.get_closest_marker("machine")
    config = mark.args[0] if mark and mark.args else ""
    cmm.open_simulated(config, mark.kwargs.get("api_level", 0) if mark else 0)
    simulator = Simulator()
    yield simulator
    simulator.release()
    gc.collect()
    cmm.drain()
    cmm.set_hint_policy(None)
    assert simulator.use_after_free_count() == 0, simulator.use_after_free_report()


@pytest.fixture
def mr(sim):
    return cmm.ManagedMemoryResource()


@pytest.fixture
def stream(sim):
    with cmm.Stream() as s:
        yield s


def pytest_configure(config):
    config.addinivalue_line("markers", "machine(config, api_level): the simulated machine of a test")
