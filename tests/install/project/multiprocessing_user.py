"""Products in processes that Python's multiprocessing forks and spawns, and in its threads. Argument: libswirl_blas.so."""

import ctypes
import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor

N = 300


def product_is_right(library: str) -> bool:
    blas = ctypes.CDLL(library)
    a = (ctypes.c_double * (N * N))(*([2.0] * (N * N)))
    c = (ctypes.c_double * (N * N))()
    n, one, zero = ctypes.c_int(N), ctypes.c_double(1), ctypes.c_double(0)
    by = ctypes.byref
    blas.dgemm_(b"N", b"N", by(n), by(n), by(n), by(one), a, by(n), a, by(n), by(zero), c, by(n))
    return all(value == 4.0 * N for value in c)


if __name__ == "__main__":
    library = sys.argv[1]
    assert product_is_right(library)
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(product_is_right, [library] * 8))
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(3) as processes:
            assert all(processes.map(product_is_right, [library] * 6)), method
    assert product_is_right(library)
