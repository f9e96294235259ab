"""Calls of torch.fft's functions drawn at random, for tests on CPUs and GPUs. The seed is printed; SEED=N draws the same."""

import os
import random

import torch

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def seed():
    given = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32)))
    print("SEED =", given)
    return given


def values(rng, shape, dtype, device):
    """Normally distributed values, the same on each device."""
    generator = torch.Generator().manual_seed(rng.randrange(2**40))
    wide = torch.complex128 if dtype.is_complex else torch.float64
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=wide).to(device).to(dtype)
    return torch.randint(0, 100, shape, generator=generator, dtype=dtype).to(device)


def draw(rng, device="cpu", dtypes=(torch.float32, torch.float64, torch.complex64, torch.complex128, torch.int32, torch.uint8)):
    """A function's name, a tensor of any layout, keyword arguments."""
    name = rng.choice(ONE)
    kind = rng.choice(["", "", "n", "n", "2"])
    dimensions = rng.randint(2 if kind == "2" else 1, 4)
    shape = [rng.randint(1, [0, 300, 25, 10, 7][dimensions]) for _ in range(dimensions)]
    dtype = rng.choice(dtypes)
    if name in ("rfft", "ihfft") and dtype.is_complex:
        dtype = rng.choice([d for d in dtypes if not d.is_complex])
    x = values(rng, [2 * n + 1 for n in shape], dtype, device)
    steps = [rng.choice((slice(n), slice(1, n + 1), slice(0, 2 * n, 2))) for n in shape]
    x = x[tuple(steps)].permute(rng.sample(range(dimensions), dimensions))
    if rng.random() < 0.1:
        x = x[:1].expand(rng.randint(1, 5), *x.shape[1:])
    if rng.random() < 0.15 and dtype.is_complex:
        x = x.conj()
    options = {}
    if rng.random() < 0.5:
        options["norm"] = rng.choice(["ortho", "backward", "forward"])
    count = {"": 1, "2": 2, "n": rng.randint(1, dimensions)}[kind]
    axes = [axis - dimensions * rng.randint(0, 1) for axis in rng.sample(range(dimensions), count)]
    lengths = [rng.randint(2, 14) if rng.random() < 0.8 else rng.randint(2, 70) for _ in range(count)]
    if kind == "":
        axes, lengths = axes[0], lengths[0]
    if rng.random() < 0.5:
        options["dim"] = axes
    if rng.random() < 0.5:
        options["n" if kind == "" else "s"] = lengths
    return name + kind, x, options


def of_torch(name, x, options):
    """The result of torch.fft in double precision, or the error."""
    if x.dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = x.double()
    elif x.dtype in (torch.complex32, torch.complex64):
        x = x.to(torch.complex128)
    elif not (x.is_floating_point() or x.is_complex()):
        x = x.double()
    try:
        return getattr(torch.fft, name)(x, **options)
    except (RuntimeError, IndexError) as error:
        return error


def error_of(result, expected):
    """Largest difference, relative to the largest element."""
    if expected.numel() == 0:
        return 0.0
    wide = torch.complex128 if expected.is_complex() else torch.float64
    if result.dtype == torch.complex32:
        result = torch.view_as_real(result.resolve_conj()).double()
        expected = torch.view_as_real(expected.resolve_conj().contiguous())
    else:
        result = result.to(wide)
    return ((result - expected).abs().max() / expected.abs().max().clamp_min(1e-30)).item()


#: Largest relative error of a result with components of this type.
TOLERANCE = {torch.float64: 1e-12, torch.complex128: 1e-12, torch.float32: 2e-5, torch.complex64: 2e-5,
             torch.float16: 1e-2, torch.complex32: 1e-2, torch.bfloat16: 5e-2}
