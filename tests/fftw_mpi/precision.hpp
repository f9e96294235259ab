#pragma once

#include <swirl-fftw/fftw3-mpi.h>

#include <limits>

namespace swirl::test {

/// FFTW's functions by the type of real numbers.
template <class R> struct Fftw;

#define SWIRL_TEST_PRECISION(real, P, M)                                                  \
    template <> struct Fftw<real> {                                                       \
        using Plan = P(plan);                                                             \
        using Complex = P(complex);                                                       \
        using Kind = P(r2r_kind);                                                         \
        static constexpr double epsilon = std::numeric_limits<real>::epsilon();           \
        static constexpr auto init = M(init);                                             \
        static constexpr auto cleanup = M(cleanup);                                       \
        static constexpr auto local_size_many_transposed = M(local_size_many_transposed); \
        static constexpr auto local_size_many = M(local_size_many);                       \
        static constexpr auto local_size_transposed = M(local_size_transposed);           \
        static constexpr auto local_size = M(local_size);                                 \
        static constexpr auto local_size_many_1d = M(local_size_many_1d);                 \
        static constexpr auto local_size_1d = M(local_size_1d);                           \
        static constexpr auto local_size_2d = M(local_size_2d);                           \
        static constexpr auto local_size_2d_transposed = M(local_size_2d_transposed);     \
        static constexpr auto local_size_3d = M(local_size_3d);                           \
        static constexpr auto local_size_3d_transposed = M(local_size_3d_transposed);     \
        static constexpr auto many_transpose = M(plan_many_transpose);                    \
        static constexpr auto transpose = M(plan_transpose);                              \
        static constexpr auto many_dft = M(plan_many_dft);                                \
        static constexpr auto dft = M(plan_dft);                                          \
        static constexpr auto dft_1d = M(plan_dft_1d);                                    \
        static constexpr auto dft_2d = M(plan_dft_2d);                                    \
        static constexpr auto dft_3d = M(plan_dft_3d);                                    \
        static constexpr auto many_r2r = M(plan_many_r2r);                                \
        static constexpr auto r2r = M(plan_r2r);                                          \
        static constexpr auto r2r_2d = M(plan_r2r_2d);                                    \
        static constexpr auto r2r_3d = M(plan_r2r_3d);                                    \
        static constexpr auto many_r2c = M(plan_many_dft_r2c);                            \
        static constexpr auto r2c = M(plan_dft_r2c);                                      \
        static constexpr auto r2c_2d = M(plan_dft_r2c_2d);                                \
        static constexpr auto r2c_3d = M(plan_dft_r2c_3d);                                \
        static constexpr auto many_c2r = M(plan_many_dft_c2r);                            \
        static constexpr auto c2r = M(plan_dft_c2r);                                      \
        static constexpr auto c2r_2d = M(plan_dft_c2r_2d);                                \
        static constexpr auto c2r_3d = M(plan_dft_c2r_3d);                                \
        static constexpr auto execute_dft = M(execute_dft);                               \
        static constexpr auto execute_r2c = M(execute_dft_r2c);                           \
        static constexpr auto execute_c2r = M(execute_dft_c2r);                           \
        static constexpr auto execute_r2r = M(execute_r2r);                               \
        static constexpr auto gather_wisdom = M(gather_wisdom);                           \
        static constexpr auto broadcast_wisdom = M(broadcast_wisdom);                     \
        static constexpr auto execute = P(execute);                                       \
        static constexpr auto destroy = P(destroy_plan);                                  \
        static constexpr auto sprint = P(sprint_plan);                                    \
        static constexpr auto allocate = P(malloc);                                       \
        static constexpr auto free = P(free);                                             \
        static constexpr auto serial_dft = P(plan_many_dft);                              \
        static constexpr auto serial_r2c = P(plan_many_dft_r2c);                          \
        static constexpr auto serial_c2r = P(plan_many_dft_c2r);                          \
        static constexpr auto serial_r2r = P(plan_many_r2r);                              \
        static constexpr auto forget_wisdom = P(forget_wisdom);                           \
        static constexpr auto export_wisdom = P(export_wisdom_to_string);                 \
    };
#define SWIRL_TEST_DOUBLE(name) fftw_##name
#define SWIRL_TEST_MPI_DOUBLE(name) fftw_mpi_##name
#define SWIRL_TEST_SINGLE(name) fftwf_##name
#define SWIRL_TEST_MPI_SINGLE(name) fftwf_mpi_##name
SWIRL_TEST_PRECISION(double, SWIRL_TEST_DOUBLE, SWIRL_TEST_MPI_DOUBLE)
SWIRL_TEST_PRECISION(float, SWIRL_TEST_SINGLE, SWIRL_TEST_MPI_SINGLE)
#undef SWIRL_TEST_PRECISION

} // namespace swirl::test
