"""swirl.distributed on ranks that are threads; test_mpi.py and test_torch_distributed.py run the cases on processes."""

import numpy as np
import pytest

import swirl
import swirl.distributed as sd
from distributed_cases import draw_array, run_cases


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_cases_on_threads(ranks):
    sd.run_ranks(ranks, lambda communicator: run_cases(communicator, seed=20261127 + ranks, count=12))


def test_boxes_hold_each_element_once():
    for boxes in (sd.slabs((7, 5, 6), 4, 1), sd.pencils((7, 5, 6), 6, 2), sd.bricks((7, 5, 6), 5), sd.divide((7, 5, 6), (2, 1, 3), 7),
                  sd.fftw_blocks((7, 5, 6), 5)):
        count = np.zeros((7, 5, 6), int)
        for box in boxes:
            if box.lower:
                count[box.slices] += 1
                assert count[box.slices].shape == box.shape
        assert (count == 1).all()
    with pytest.raises(ValueError, match="axis is 3"):
        sd.slabs((4, 4, 4), 2, 3)


def test_output_boxes_are_chosen_and_schedules_are_taken_back():
    x = draw_array(np.random.default_rng(1), (16, 12, 10), "complex128")

    def body(ranks):
        mine = sd.slabs((16, 12, 10), ranks.size)[ranks.rank]
        plan = sd.plan("dft 16x12x10", ranks, mine)
        y = plan.execute(x[mine.slices])
        assert y.shape == plan.output_box.shape
        np.testing.assert_allclose(y, np.fft.fftn(x)[plan.output_box.slices], atol=1e-10)
        again = sd.plan("dft 16x12x10", ranks, mine, schedule=plan.schedule)
        assert again.schedule == plan.schedule
        assert plan.exchanges == 1 and plan.bytes_sent > 0 and plan.messages_sent > 0 and plan.seconds > 0
        assert "schedule" in plan.description and plan.derivation
        np.testing.assert_array_equal(again.execute(x[mine.slices], out=np.empty_like(y)), y)

    sd.run_ranks(4, body)


def test_planning_fails_on_all_ranks_with_one_message():
    messages = []

    def body(ranks):
        box = sd.slabs((6, 5), 3)[ranks.rank]
        with pytest.raises(ValueError) as raised:
            sd.plan("dft 6x5", ranks, sd.Box() if ranks.rank == 1 else box, box)
        messages.append(str(raised.value))
        with pytest.raises(ValueError, match="rank 2: its problem or options"):
            sd.plan("dft 6x5" if ranks.rank < 2 else "dft 5x6", ranks, box, box)
        with pytest.raises(swirl.Unsupported, match="convolutions"):
            sd.plan("convolution 30", ranks, sd.slabs((30,), 3)[ranks.rank])
        ranks.barrier()

    sd.run_ranks(3, body)
    assert len(set(messages)) == 1 and "hold 20 of 30 elements" in messages[0]


def test_a_wrong_array_of_one_rank_ends_the_calls_of_the_others():
    raised = {}

    def body(ranks):
        box = sd.slabs((8, 8), 2)[ranks.rank]
        plan = sd.plan("dft 8x8", ranks, box, box)
        try:
            plan.execute(np.zeros((3, 3) if ranks.rank == 1 else box.shape))
        except (ValueError, OSError) as error:
            raised[ranks.rank] = error

    sd.run_ranks(2, body)
    assert isinstance(raised[1], ValueError) and "has shape (3, 3)" in str(raised[1])
    assert isinstance(raised[0], OSError) and "rank 1 failed: x has shape (3, 3)" in str(raised[0])


def test_arguments_are_checked():
    (one,) = sd.on_threads(1)
    box = sd.Box((0, 0), (4, 6))
    plan = sd.plan("dft 4x6", one, box, box)
    for out in (np.empty((4, 6)), np.empty((6, 4), complex), np.empty((6, 4), complex).T, [0]):
        with pytest.raises(ValueError, match="out must be"):
            sd.plan("dft 4x6", sd.on_threads(1)[0], box, box).execute(np.ones((4, 6)), out=out)
    with pytest.raises(ValueError, match="machine has no figure 'speed'"):
        sd.plan("dft 4x6", one, box, box, machine={"speed": 1})
    with pytest.raises(TypeError, match="communicator is a int"):
        sd.plan("dft 4x6", 3, box)
    np.testing.assert_allclose(plan.execute(np.ones((4, 6), np.float32)), np.fft.fft2(np.ones((4, 6))), atol=1e-12)
    reals = sd.plan("rdft 4x6", sd.on_threads(1)[0], box, sd.Box((0, 0), (4, 4)))
    assert reals.input_dtype == np.float64 and reals.output_dtype == np.complex128
    with pytest.raises(TypeError, match="x is complex128"):
        reals.execute(np.ones((4, 6), complex))


def test_in_place():
    (one,) = sd.on_threads(1)
    box = sd.Box((0, 0), (4, 6))
    x = draw_array(np.random.default_rng(2), (4, 6), "complex64")
    expected = np.fft.fft2(x)
    plan = sd.plan("dft 4x6 float32", one, box, box)
    assert plan.execute(x, out=x) is x
    np.testing.assert_allclose(x, expected, atol=1e-5)


def test_matmul_takes_any_boxes_and_integers():
    a, b = np.arange(35).reshape(7, 5), np.arange(45).reshape(5, 9)

    def body(ranks):
        a_box, b_box = sd.slabs(a.shape, ranks.size)[ranks.rank], sd.slabs(b.shape, ranks.size, 1)[ranks.rank]
        c_box = sd.bricks((7, 9), ranks.size)[ranks.rank]
        part = sd.matmul(a[a_box.slices], b[b_box.slices], ranks, a_box=a_box, b_box=b_box)
        np.testing.assert_array_equal(part, (a @ b)[c_box.slices])

    sd.run_ranks(4, body)


def test_splitting():
    def body(ranks):
        part = ranks.split(ranks.rank % 2, -ranks.rank)
        members = part.gather_all(bytes([ranks.rank]))
        assert members == [bytes([rank]) for rank in ((2, 0) if ranks.rank % 2 == 0 else (3, 1))]
        assert ranks.split(-1) is None
        return part.rank

    assert sd.run_ranks(4, body) == [1, 1, 0, 0]
    with pytest.raises(KeyError):
        sd.run_ranks(2, lambda ranks: {}["absent"] if ranks.rank == 0 else ranks.barrier())


def test_nccl_ids():
    try:
        assert len(sd.nccl_id()) == 128
    except (swirl.Unavailable, OSError) as missing:
        pytest.skip(str(missing))


def test_an_engine_in_python_reports_what_fails():
    class Broken:
        rank, size, name = 0, 1, "broken"

        def gather_all(self, mine):
            raise RuntimeError("no cable")

        def abort(self, reason):
            pass

    ranks = swirl._core.distributed.communicator_on_engine(Broken())
    with pytest.raises(OSError, match="no cable"):
        sd.plan("dft 4", ranks, sd.Box((0,), (4,)))
