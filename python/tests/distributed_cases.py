"""Random distributed problems that each rank runs, against NumPy's and SciPy's transforms of the whole array."""

import numpy as np
import scipy.fft

import swirl.distributed as sd


def draw_array(draw, shape, dtype):
    values = draw.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * draw.uniform(-1, 1, shape)
    return values.astype(dtype)


def draw_boxes(draw, lengths, ranks):
    lengths = tuple(int(n) for n in lengths)
    way = draw.integers(4 if len(lengths) > 1 else 3)
    boxes = [sd.slabs, sd.fftw_blocks][way](lengths, ranks, int(draw.integers(len(lengths)))) if way < 2 else \
        sd.bricks(lengths, ranks) if way == 2 else sd.pencils(lengths, ranks, int(draw.integers(len(lengths))))
    boxes = [boxes[k] for k in draw.permutation(ranks)]
    order = tuple(int(axis) for axis in draw.permutation(len(lengths))) if draw.integers(2) else ()
    return [box._replace(order=order) if box.lower else box for box in boxes]


def run_transform(ranks, draw):
    lengths = [int(n) for n in draw.integers(1, 13, draw.integers(1, 4))]
    if len(lengths) == 1:
        lengths[0] = int(draw.integers(8, 200))
    kind = draw.choice(["dft", "backward", "rdft", "irdft", "dct2"])
    is_single = bool(draw.integers(2))
    size = "x".join(map(str, lengths))
    reals, complexes = ("float32", "complex64") if is_single else ("float64", "complex128")
    half = [*lengths[:-1], lengths[-1] // 2 + 1]
    if kind == "dft":
        problem, x = f"dft {size}", draw_array(draw, lengths, complexes)
        y = np.fft.fftn(x.astype(complex))
    elif kind == "backward":
        problem, x = f"dft {size} backward", draw_array(draw, lengths, complexes)
        y = np.fft.ifftn(x.astype(complex)) * x.size
    elif kind == "rdft":
        problem, x = f"rdft {size}", draw_array(draw, lengths, reals)
        y = np.fft.rfftn(x.astype(float))
    elif kind == "irdft":
        signal = draw_array(draw, lengths, "float64")
        problem, x, y = f"rdft {size} backward", np.fft.rfftn(signal).astype(complexes), signal * signal.size
        assert list(x.shape) == half
    else:
        problem, x = f"dct2 {size}", draw_array(draw, lengths, reals)
        y = scipy.fft.dctn(x.astype(float), 2)
    inputs, outputs = draw_boxes(draw, x.shape, ranks.size), draw_boxes(draw, y.shape, ranks.size)
    mine, result = inputs[ranks.rank], outputs[ranks.rank]
    plan = sd.plan(problem + (" float32" if is_single else ""), ranks, mine, result)
    part = plan.execute(x[mine.slices] if mine.lower else None)
    assert part.dtype == plan.output_dtype and part.size == np.prod(result.shape)
    if part.size:
        assert part.shape == result.shape
        bound = 30 * np.finfo(reals).eps * np.sqrt(np.mean(np.abs(y)**2)) * np.log2(x.size + 2) + 1e-300
        assert np.abs(part - y[result.slices]).max() <= bound, problem


def run_product(ranks, draw):
    m, n, k = (int(each) for each in draw.integers(1, 30, 3))
    dtype = str(draw.choice(["float32", "float64", "complex64", "complex128"]))
    a, b, c = (draw_array(draw, shape, dtype) for shape in ((m, k), (k, n), (m, n)))
    alpha, beta = 1.5, 0.25
    expected = alpha * (a.astype(complex) @ b) + beta * c
    if draw.integers(2):
        boxes = sd.MatrixBoxes(*(draw_boxes(draw, each.shape, ranks.size)[ranks.rank] for each in (a, b, c)))
        parts = [each[box.slices] if box.lower else None for each, box in zip((a, b, c), boxes, strict=True)]
        product = sd.plan_product(f"gemm {m}x{n}x{k} {dtype}", ranks, boxes)
        own = parts[2]
        if own is not None:
            order = boxes.c.order or (0, 1)
            own = np.ascontiguousarray(own.transpose(order)).transpose(np.argsort(order))
        result = product.execute(parts[0], parts[1], own, alpha, beta)
        wanted = expected[boxes.c.slices] if boxes.c.lower else np.empty(result.shape)
    else:
        boxes = sd.product_boxes(f"gemm {m}x{n}x{k} {dtype}", ranks.size)[ranks.rank]
        flat = [np.concatenate([each[box.slices].ravel() for box in of if box.lower] or [np.empty(0, dtype)])
                for each, of in zip((a, b, c), boxes, strict=True)]
        flat = [part.reshape(of[0].shape) if len(of) == 1 else part for part, of in zip(flat, boxes, strict=True)]
        product = sd.plan_product(f"gemm {m}x{n}x{k} {dtype}", ranks, boxes)
        result = product.execute(flat[0], flat[1], flat[2], alpha, beta).ravel()
        wanted = np.concatenate([expected[box.slices].ravel() for box in boxes.c if box.lower] or [np.empty(0)])
    assert result.size == wanted.size
    if result.size:
        assert np.abs(result - wanted).max() <= 40 * k * np.finfo(np.dtype(dtype)).eps
    assert "grid" in product.description and len(product.grid) == 3


def run_cases(ranks, seed, count):
    """Collective."""
    draw = np.random.default_rng(seed)
    for number in range(count):
        (run_product if number % 3 == 2 else run_transform)(ranks, draw)
