# SPDX-License-Identifier: Apache-2.0
"""Properties that hold for any batch, found by hypothesis."""

import numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cmm
from cmm import Device, Host

PIECE, PIECES = 4096, 16
pieces = st.lists(st.integers(0, PIECES - 1), min_size=1, max_size=PIECES, unique=True)
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@relaxed
@given(chosen=pieces, to_device=st.integers(0, 2**PIECES - 1))
def test_every_piece_goes_where_it_was_sent_and_touching_ones_merge(mr, stream, chosen, to_device):
    whole = mr.allocate(PIECE * PIECES)
    parts = [whole[i * PIECE : (i + 1) * PIECE] for i in chosen]
    where = [Device(0) if to_device >> i & 1 else Host() for i in chosen]
    report = cmm.prefetch(parts, where, stream=stream)
    stream.sync()
    assert [part.last_prefetch_location for part in parts] == where
    placed = dict(zip(chosen, where, strict=True))
    runs = sum(placed.get(i - 1) is not there for i, there in placed.items())
    assert (report.ranges_in, report.ranges_out, report.bytes) == (len(chosen), runs, PIECE * len(chosen))


@relaxed
@given(order=st.permutations(range(PIECES)), data=st.binary(min_size=PIECES, max_size=PIECES))
def test_copies_put_every_piece_where_it_belongs(mr, stream, order, data):
    source, target = mr.allocate(PIECE * PIECES), mr.allocate(PIECE * PIECES)
    numpy.asarray(source).reshape(PIECES, PIECE)[:] = numpy.frombuffer(data, numpy.uint8)[:, None]
    srcs = [source[i * PIECE : (i + 1) * PIECE] for i in range(PIECES)]
    dsts = [target[i * PIECE : (i + 1) * PIECE] for i in order]
    cmm.copy_batch(stream, srcs, dsts)
    stream.sync()
    got = numpy.asarray(target).reshape(PIECES, PIECE)
    assert all((got[there] == data[i]).all() for i, there in enumerate(order))


@relaxed
@given(first=st.sets(st.sampled_from([Device(0), Host()])), second=st.sets(st.sampled_from([Device(0), Host()])))
def test_the_live_set_is_a_set(mr, first, second):
    buffer = mr.allocate(PIECE)
    buffer.accessed_by = first
    live = buffer.accessed_by
    assert live == first and len(live) == len(first) and live | second == first | second
    live |= second
    assert buffer.accessed_by == first | second
    live -= first
    assert buffer.accessed_by == second - first
    buffer.accessed_by = second
    assert set(live) == second
    live.clear()
    assert not buffer.accessed_by
