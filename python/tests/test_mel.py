"""swirl.mel against the definition, and librosa's filters."""

import numpy as np
import pytest

import swirl


def hz_to_mel(f, htk):
    f = np.asarray(f, float)
    if htk:
        return 2595 * np.log10(1 + f / 700)
    return np.where(f < 1000, 3 * f / 200, 15 + np.log(np.maximum(f, 1e-9) / 1000) / (np.log(6.4) / 27))


def mel_to_hz(m, htk):
    m = np.asarray(m, float)
    if htk:
        return 700 * (10**(m / 2595) - 1)
    return np.where(m < 15, 200 * m / 3, 1000 * np.exp(np.log(6.4) / 27 * (m - 15)))


def filters(rate, n_fft, mels, lowest, highest, htk, area):
    edges = mel_to_hz(np.linspace(hz_to_mel(lowest, htk), hz_to_mel(highest, htk), mels + 2), htk)
    f = np.fft.rfftfreq(n_fft, 1 / rate)
    rising = (f - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - f) / np.diff(edges)[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return triangles * (2 / (edges[2:] - edges[:-2]))[:, None] if area else triangles


def by_definition(x, rate, n_fft, hop, window, center, bank):
    if center != "none":
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)], mode="reflect" if center == "reflect" else "constant")
    padded = np.zeros(n_fft)
    left = (n_fft - len(window)) // 2
    padded[left:left + len(window)] = window
    frames = np.lib.stride_tricks.sliding_window_view(x, n_fft, -1)[..., ::hop, :]
    powers = np.abs(np.fft.rfft(frames * padded))**2
    return np.moveaxis(powers @ bank.T, -1, -2)


@pytest.mark.parametrize("seed", range(12))
def test_drawn_signals(seed):
    draw = np.random.default_rng(seed)
    n_fft = int(draw.integers(8, 300))
    shape = (*draw.integers(1, 4, draw.integers(0, 3)), int(draw.integers(2 * n_fft, 2000)))
    dtype = [np.float32, np.float64][draw.integers(2)]
    x = draw.uniform(-1, 1, shape).astype(dtype)
    hop = int(draw.integers(1, n_fft))
    htk, area = bool(draw.integers(2)), bool(draw.integers(2))
    mels, rate = int(draw.integers(1, 40)), 16000.0
    lowest, highest = float(draw.uniform(0, 1000)), float(draw.uniform(3000, 8000))
    center = str(draw.choice(["reflect", "zeros", "none"]))
    window = draw.uniform(0, 1, int(draw.integers(1, n_fft + 1)))
    expected = by_definition(x.astype(float), rate, n_fft, hop, window, center, filters(rate, n_fft, mels, lowest, highest, htk, area))
    energies = swirl.mel(x, rate, n_fft, hop, window=window, center=center, mels=mels, lowest=lowest, highest=highest,
                         scale="htk" if htk else "slaney", norm="area" if area else "none")
    assert energies.dtype == dtype and energies.shape == expected.shape
    np.testing.assert_allclose(energies, expected, rtol=1e-4 if dtype == np.float32 else 1e-9, atol=1e-4 * expected.max()
                               if dtype == np.float32 else 1e-11 * expected.max())


def test_defaults_are_librosas():
    x = np.sin(np.arange(22050) * 0.3)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(2048) / 2048)
    expected = by_definition(x, 22050, 2048, 512, hann, "reflect", filters(22050, 2048, 128, 0, 11025, False, True))
    energies = swirl.mel(x)
    assert energies.shape == (128, 1 + 22050 // 512)
    np.testing.assert_allclose(energies, expected, atol=1e-10 * expected.max())
    np.testing.assert_allclose(swirl.mel(x, workers=2), expected, atol=1e-10 * expected.max())


def test_arguments_are_checked():
    x = np.ones(4096)
    for arguments, message in (({"center": "odd"}, "center is 'odd'"), ({"scale": "bark"}, "scale is 'bark'"),
                               ({"norm": "slaney"}, "norm is 'slaney'"), ({"window": np.ones(3000)}, "window has shape"),
                               ({"mels": -1}, "mel"), ({"highest": 20000.0}, "mel")):
        with pytest.raises(ValueError, match=message):
            swirl.mel(x, **arguments)
    with pytest.raises(TypeError, match="complex"):
        swirl.mel(x + 1j)
    with pytest.raises(ValueError, match="no elements"):
        swirl.mel(np.empty((2, 0)))
