#include "lower/function_constants.hpp"

#include "base/error.hpp"

namespace swirl::lower {

namespace {

// Polynomials interpolate at the zeros of Chebyshev polynomials, computed with 300 bits: degrees 5 and 10 in |r| ≤
// 1.001·ln2/2, 4 and 10 in 0 ≤ x² ≤ tangent_bound². Relative errors of e^r are 2^-32 and 2^-62, of tanh 2^-28 and
// 2^-58.

constexpr long double exponential32[] = {
    0.500000001353872988662L,   0.166666666817042150427L,   0.041666464197405692315L,
    0.00833331084464786256416L, 0.00139337307157920825022L, 0.000198910804639988420388L,
};
constexpr long double exponential64[] = {
    0.5L,
    0.166666666666666710297L,
    0.0416666666666666697825L,
    0.00833333333332608312019L,
    0.00138888888888837111667L,
    0.000198412698750022787926L,
    0.0000248015873256774619003L,
    0.00000275572551700008874376L,
    2.7557273478718580474e-7L,
    2.51053127296221017871e-8L,
    2.09147553258932021999e-9L,
};
constexpr long double tangent32[] = {
    -0.333333320079769796811L, 0.133331137290208719102L,    -0.0539094288274605454392L,
    0.0213093886644434738075L, -0.00661022783111473451408L,
};
constexpr long double tangent64[] = {
    -0.333333333333333325606L,   0.133333333333327148258L,      -0.0539682539674340145042L,
    0.0218694884936669419028L,   -0.00886323439781435483778L,   0.00359211037868902387733L,
    -0.00145566183010071603361L, 0.000588936052007405776975L,   -0.000234634741088723714446L,
    0.000085113136855776715155L, -0.0000206027653763663416048L,
};

constexpr FunctionConstants float32 = {
    .rounder = 0x1.8p23L,
    .least = -128,
    .greatest = 89,
    .log2_of_e = 1.44269504088896340736L,
    .ln2 = 0.693115234375L,
    .ln2_rest = 0.0000319461849453094172321L,
    .exponential = exponential32,
    .tangent = tangent32,
    .gelu_linear = 1.59576916694641113281L,
    .gelu_linear_rest = -4.53406804210527157603e-8L,
    .gelu_cubic = 0.0713548138737678527832L,
    .gelu_cubic_rest = 2.39883239599313562728e-9L,
};
constexpr FunctionConstants float64 = {
    .rounder = 0x1.8p52L,
    .least = -800,
    .greatest = 710,
    .log2_of_e = 1.44269504088896340736L,
    .ln2 = 0.693147180559208209161L,
    .ln2_rest = 7.37100256516779890183e-13L,
    .exponential = exponential64,
    .tangent = tangent64,
    .gelu_linear = 1.59576912160573081145L,
    .gelu_linear_rest = -9.96930880911092031458e-17L,
    .gelu_cubic = 0.0713548162726002493939L,
    .gelu_cubic_rest = -6.17514991815531545338e-19L,
};

} // namespace

const FunctionConstants& function_constants(DataType scalar) {
    ensure(scalar == DataType::float32 || scalar == DataType::float64,
           "function expansions exist for float32 and float64 alone");
    return scalar == DataType::float32 ? float32 : float64;
}

} // namespace swirl::lower
