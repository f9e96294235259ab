#pragma once

extern "C" {
/// The version of cuFFT whose interface this library has: 1000·major + 100·minor + patch. Each library is linked with its own
/// (cmake/cufft_version.c).
extern const int swirl_cufft_version;
}
