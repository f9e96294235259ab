#pragma once

#include <swirl/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Problems drawn at random, so that nothing is tuned to the problems by which it is judged.
namespace swirl::cli {

enum class ProblemKind : std::uint8_t { transforms, products, signals };

struct Draw {
    ProblemKind kind = ProblemKind::transforms;
    bool on_gpu = false; ///< larger problems, batches that fill a GPU, and its data types
    std::uint64_t seed = 1;
    std::size_t count = 0;
    /// Each as likely as the others. Empty: float64 and float32 alike on CPUs; on GPUs mostly float32, and for products
    /// float64, bfloat16 and float16, too.
    std::vector<DataType> types = {};
    /// Most points of a transform with its batch, or the longest side of a matrix. 0: 2^22 and 3000 on CPUs, 2^24 and
    /// 8192 on GPUs.
    Integer largest = 0;
};

/// The same draw gives the same problems on every machine; all of them are valid.
///
/// Lengths and extents are log-uniform. A length is, with probability
///     0.2  a power of two
///     0.4  a number without prime factors above 7
///     0.1  a number without prime factors above 13
///     0.1  a round decimal number: one or two digits, then zeros
///     0.1  a prime
///     0.1  any odd number
/// the nearest such to the number drawn.
///
/// Of 16 transforms about 6 are complex of one dimension (a quarter of them backward, a quarter in place), 2 real forward,
/// 1 real backward, 2 complex of two dimensions, 1 real of two, 1 complex of three, 2 batches one after the other and
/// 1 the columns of a matrix, of which half have 2 to 5. On GPUs three quarters of the first five kinds are batches that fill `largest`.
///
/// Of 12 signals 2 are convolutions of reals, 1 a complex one, 2 wavelet transforms or their inverses, 2 spectra or powers of
/// overlapping windowed frames, and 1 each of Walsh–Hadamard in any order, MDCT and its transpose, chirp-z, DCT or DST V–VIII, and
/// filters. They are a group of their own: other libraries have few of them.
///
/// Half of the products are of squares, a quarter of three independent extents; in the others one extent, any of the
/// three, is at most 64. Extents are multiples of 1 (a third of them), 4, 8, 16 or 64 where they are large enough. A and B
/// are stored by rows with probability 1/3 each. On GPUs a fifth of those in float32 are batches of squares of 3 to 128,
/// and narrow types have extents that are multiples of 16 bytes.
std::vector<Problem> draw(const Draw& draw);

} // namespace swirl::cli
