# SPDX-License-Identifier: Apache-2.0
import copy
import pickle

import pytest

from cmm import Device, Host

ALL = [Device(0), Device(3), Host(), Host(numa_id=1), Host.numa_current()]


@pytest.mark.parametrize("where", ALL, ids=repr)
def test_copies_pickles_and_reprs_are_the_same_object(where):
    assert pickle.loads(pickle.dumps(where)) is where
    assert copy.copy(where) is where and copy.deepcopy(where) is where
    assert eval(repr(where)) is where


def test_equal_arguments_give_the_same_object():
    assert Device(5) is Device(5) and Host() is Host() and Host(numa_id=2) is Host(numa_id=2)
    assert Host(is_numa_current=True) is Host.numa_current()
    assert len({*ALL, *ALL}) == len(ALL)
    assert len(set(ALL)) == len(ALL) == len({hash(where) for where in ALL})


def test_they_are_ordered():
    assert sorted([Host(), Device(1), Device(0)]) == [Device(0), Device(1), Host()]


@pytest.mark.parametrize("bad", [True, 1.5, "0", None, [0]])
def test_what_is_no_int_is_a_type_error(bad):
    with pytest.raises(TypeError, match="device_id"):
        Device(bad)
    if bad is not None:
        with pytest.raises(TypeError, match="numa_id"):
            Host(numa_id=bad)


@pytest.mark.parametrize("bad", [-1, 2**31, 10**30])
def test_impossible_ordinals_are_value_errors(bad):
    with pytest.raises(ValueError, match=str(bad)):
        Device(bad)
    with pytest.raises(ValueError, match=str(bad)):
        Host(numa_id=bad)


def test_a_node_and_the_current_one_exclude_each_other():
    with pytest.raises(ValueError, match="only one"):
        Host(numa_id=0, is_numa_current=True)


def test_anything_with_an_index_is_an_ordinal():
    numpy = pytest.importorskip("numpy")
    assert Device(numpy.int64(2)) is Device(2)
