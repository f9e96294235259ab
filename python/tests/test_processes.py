"""Threads, forks, and the memory of many plans."""

import ctypes
import os
import resource
import sys
import threading

import numpy as np

import swirl


def expected(n):
    return np.fft.fft(np.arange(n, dtype=float))


def test_many_threads_plan_and_execute():
    errors = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(60):
            n = int(rng.integers(1, 400))
            x = np.arange(n, dtype=complex)
            try:
                np.testing.assert_allclose(swirl.fft.fft(x), expected(n), atol=1e-9 * n)
                np.testing.assert_allclose(swirl.matmul(x[None, :], x[:, None]), [[(x * x).sum()]])
            except Exception as error:  # seen by the test's thread
                errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_workers_do_not_change_bits():
    x = np.random.default_rng(5).standard_normal((64, 1000))
    one = swirl.fft.fft(x)
    np.testing.assert_array_equal(swirl.fft.fft(x, workers=2), one)
    with swirl.fft.set_workers(-1):
        assert swirl.fft.get_workers() == os.cpu_count()
        np.testing.assert_array_equal(swirl.fft.fft(x), one)
    assert swirl.fft.get_workers() == 1


def test_a_child_plans_while_the_parents_threads_plan():
    stop = threading.Event()

    def plan():
        n = 1000
        while not stop.is_set():
            swirl.plan(f"dft {n}", effort="measure", time_budget=0.01)
            n += 1

    threads = [threading.Thread(target=plan) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for n in range(200, 210):
            child = os.fork()
            if child == 0:
                try:
                    good = np.allclose(swirl.fft.fft(np.arange(n, dtype=complex)), expected(n), atol=1e-6)
                    os._exit(0 if good else 1)
                finally:
                    os._exit(2)
            assert os.waitpid(child, 0)[1] == 0
            np.testing.assert_allclose(swirl.fft.fft(np.arange(n, dtype=complex)), expected(n), atol=1e-9 * n)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_ten_thousand_plans_keep_no_memory():
    """Their problems differ, by the stride of a batch. Beyond the plans that the cache keeps, none stays."""
    memory = np.ones(40000, np.complex64)

    def plan_each(strides):
        for stride in strides:
            swirl.fft.fft(np.lib.stride_tricks.as_strided(memory, (2, 8), (8 * stride, 8)))

    def resident_mebibytes():
        ctypes.CDLL(None).malloc_trim(0)  # what is free goes back to the system
        with open("/proc/self/statm") as pages:
            return int(pages.read().split()[1]) * resource.getpagesize() / 2**20

    plan_each(range(8, 2008))
    after_some = resident_mebibytes()
    plan_each(range(2008, 12008))
    assert resident_mebibytes() - after_some < 8
    swirl.fft.clear_cache()


def test_arguments_and_results_are_freed():
    x, a = np.ones(100, complex), np.ones((10, 10))
    plan = swirl.plan("dft 100")
    out = np.empty(100, complex)
    refused = np.ones(100, np.longdouble)
    before = [sys.getrefcount(value) for value in (x, a, out, refused)]
    for _ in range(1000):
        swirl.fft.fft(x)
        swirl.fft.ifft(x, overwrite_x=True)
        swirl.matmul(a, a)
        plan.execute(x, out=out)
        try:
            swirl.fft.fft(refused)
        except TypeError:
            pass
    assert [sys.getrefcount(value) for value in (x, a, out, refused)] == before
