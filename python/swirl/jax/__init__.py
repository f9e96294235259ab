"""swirl's transforms for JAX's arrays, on CPUs and GPUs: jax.numpy.fft's functions, with its arguments.

    import swirl.jax

    spectrum = jax.jit(swirl.jax.rfft)(signal)

They work in jit, vmap, grad and jvp of any order. Arrays that are sharded along other axes than the transformed ones stay where
they are."""

from swirl.jax._functions import (fft, fft2, fftn, hfft, ifft, ifft2, ifftn, ihfft, irfft, irfft2, irfftn, rfft, rfft2, rfftn)

__all__ = ["fft", "fft2", "fftn", "hfft", "ifft", "ifft2", "ifftn", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn"]
