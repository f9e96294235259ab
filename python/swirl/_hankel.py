"""The fast Hankel transform, by Hamilton's algorithm FFTLog (2000): a product with coefficients between two real DFTs."""

import warnings

import numpy as np

from swirl import _core


def fht(a, dln, mu, offset=0.0, bias=0.0):
    """Discrete Hankel transform of a logarithmically spaced periodic sequence, along the last axis.

    Args:
        a: Array (…, n) of reals, at r[j] = r_c·exp((j − (n−1)/2)·dln).
        dln: Logarithmic distance between samples.
        mu: Order of the Hankel transform.
        offset: Logarithmic offset of the result's samples, ln(k_c·r_c).
        bias: Exponent of the power law by which the sequence is biased.

    Returns:
        Array (…, n): A[j] at k[j] = k_c·exp((j − (n−1)/2)·dln).

    Warns:
        RuntimeWarning: The transform is singular for this bias.
    """
    a = _core.floating(a)
    n = a.shape[-1]
    position = np.arange(n) - (n - 1) / 2
    if bias != 0:
        a = a * np.exp(-bias * position * dln)
    coefficients = _coefficients(n, dln, mu, offset, bias)
    if np.isinf(coefficients[0]):
        warnings.warn("singular transform; consider changing the bias", stacklevel=2)
        coefficients[0] = 0
    result = _filtered(a, coefficients)
    if bias != 0:
        result *= np.exp(-bias * (position * dln + offset))
    return result


def ifht(A, dln, mu, offset=0.0, bias=0.0):
    """Inverse of `fht`, with the same arguments."""
    A = _core.floating(A)
    n = A.shape[-1]
    position = np.arange(n) - (n - 1) / 2
    if bias != 0:
        A = A * np.exp(bias * (position * dln + offset))
    coefficients = _coefficients(n, dln, mu, offset, bias)
    if coefficients[0] == 0:
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=2)
        coefficients[0] = np.inf
    result = _filtered(A, 1 / coefficients.conj())
    if bias != 0:
        result *= np.exp(bias * position * dln)
    return result


def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    """The offset nearest to `initial` that meets the low-ringing condition: the last coefficient of `fht` is real.

    Args:
        dln, mu, bias: As for `fht`.
        initial: The offset wanted.

    Returns:
        The offset, a float.
    """
    y = np.pi / (2 * dln)
    phases = _log_gamma(np.array([(mu + 1 + bias) / 2 + 1j * y, (mu + 1 - bias) / 2 + 1j * y])).imag.sum()
    periods = (np.log(2) - initial) / dln + phases / np.pi
    return initial + (periods - np.round(periods)) * dln


def _coefficients(n, dln, mu, offset, bias):
    """u_m = (k_c·r_c)^(−iy)·2^(bias+iy)·Γ((mu+1+bias+iy)/2) / Γ((mu+1−bias−iy)/2) with y = 2πm/(n·dln), for m up to n/2."""
    above, below = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    half = np.pi * np.arange(n // 2 + 1) / (n * dln)
    with np.errstate(all="ignore"):
        ratio = _log_gamma(above + 1j * half) - _log_gamma(below + 1j * half).conj()
        u = np.exp(ratio + np.log(2) * bias + 2j * half * (np.log(2) - offset))
    if n % 2 == 0:
        u.imag[-1] = 0
    if not np.isfinite(u[0]):
        u[0] = 2**bias * _gamma_ratio(below, bias)
    return u


def _filtered(a, coefficients):
    n = a.shape[-1]
    spectrum = _core.transform(_core.RFFT, a, None, -1, None, False, None, None, None)
    spectrum = spectrum * coefficients
    return np.flip(_core.transform(_core.IRFFT, spectrum, n, -1, None, True, None, None, None), -1)


def _log_gamma(z):
    """ln Γ(z) on the branch that is continuous beside the negative real axis: Stirling's series after a shift to Re z ≥ 16."""
    z = np.asarray(z, complex)
    steps = np.maximum(0, np.ceil(16 - z.real)).astype(int)
    shift = np.zeros_like(z)
    for step in range(steps.max(initial=0)):
        shift += np.where(step < steps, np.log(z + step), 0)
    z = z + steps
    # B_2k / (2k·(2k−1)), Bernoulli's numbers
    series = np.zeros_like(z)
    for factor in (-3617 / 122400, 1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12):
        series = series / z**2 + factor
    return (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + series / z - shift


def _gamma_ratio(x, step):
    """Γ(x+step)/Γ(x), where a pole may be in either."""
    def is_pole(value):
        return value <= 0 and value == np.floor(value)

    if is_pole(x) and is_pole(x + step):  # both: the ratio's limit, by reflection
        return (-1)**int(round(step)) * np.exp((_log_gamma(1 - x) - _log_gamma(1 - x - step)).real)
    if is_pole(x):
        return 0.0
    return np.inf
