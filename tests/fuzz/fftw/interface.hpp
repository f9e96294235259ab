#pragma once

#include <swirl-fftw/fftw3.h>

namespace swirl::fuzz {

/// FFTW's interface in one precision.
template <class R> struct Fftw;

#define SWIRL_FUNCTIONS(R, P)                                                \
    template <> struct Fftw<R> {                                             \
        using Plan = P(plan);                                                \
        using Complex = P(complex);                                          \
        static constexpr auto many_dft = &P(plan_many_dft);                  \
        static constexpr auto many_r2c = &P(plan_many_dft_r2c);              \
        static constexpr auto many_c2r = &P(plan_many_dft_c2r);              \
        static constexpr auto many_r2r = &P(plan_many_r2r);                  \
        static constexpr auto guru_dft = &P(plan_guru_dft);                  \
        static constexpr auto guru_r2c = &P(plan_guru_dft_r2c);              \
        static constexpr auto guru_c2r = &P(plan_guru_dft_c2r);              \
        static constexpr auto guru_r2r = &P(plan_guru_r2r);                  \
        static constexpr auto guru64_dft = &P(plan_guru64_dft);              \
        static constexpr auto guru64_r2c = &P(plan_guru64_dft_r2c);          \
        static constexpr auto guru64_c2r = &P(plan_guru64_dft_c2r);          \
        static constexpr auto guru64_r2r = &P(plan_guru64_r2r);              \
        static constexpr auto split_dft = &P(plan_guru64_split_dft);         \
        static constexpr auto split_r2c = &P(plan_guru64_split_dft_r2c);     \
        static constexpr auto split_c2r = &P(plan_guru64_split_dft_c2r);     \
        static constexpr auto execute = &P(execute);                         \
        static constexpr auto execute_dft = &P(execute_dft);                 \
        static constexpr auto execute_r2c = &P(execute_dft_r2c);             \
        static constexpr auto execute_c2r = &P(execute_dft_c2r);             \
        static constexpr auto execute_r2r = &P(execute_r2r);                 \
        static constexpr auto execute_split_dft = &P(execute_split_dft);     \
        static constexpr auto execute_split_r2c = &P(execute_split_dft_r2c); \
        static constexpr auto execute_split_c2r = &P(execute_split_dft_c2r); \
        static constexpr auto destroy_plan = &P(destroy_plan);               \
        static constexpr auto sprint_plan = &P(sprint_plan);                 \
        static constexpr auto flops = &P(flops);                             \
        static constexpr auto cost = &P(cost);                               \
        static constexpr auto estimate_cost = &P(estimate_cost);             \
        static constexpr auto set_timelimit = &P(set_timelimit);             \
        static constexpr auto plan_with_nthreads = &P(plan_with_nthreads);   \
        static constexpr auto cleanup = &P(cleanup);                         \
        static constexpr auto export_wisdom = &P(export_wisdom_to_string);   \
        static constexpr auto import_wisdom = &P(import_wisdom_from_string); \
        static constexpr auto forget_wisdom = &P(forget_wisdom);             \
    };
#define SWIRL_DOUBLE(name) fftw_##name
#define SWIRL_SINGLE(name) fftwf_##name
SWIRL_FUNCTIONS(double, SWIRL_DOUBLE)
SWIRL_FUNCTIONS(float, SWIRL_SINGLE)
#undef SWIRL_SINGLE
#undef SWIRL_DOUBLE
#undef SWIRL_FUNCTIONS

} // namespace swirl::fuzz
