#pragma once

#include <swirl-fftw/fftw3.h>

#include "bench/support/given_library.hpp"

#include <string>

namespace swirl::bench {

/// A library with FFTW's interface, in double.
struct Library {
    explicit Library(const std::string& file) : from(file), name(from.symbol<const char>("fftw_version")) {}

    GivenLibrary from;
    std::string name;
    decltype(&fftw_plan_dft_1d) plan_1d = from.symbol<decltype(fftw_plan_dft_1d)>("fftw_plan_dft_1d");
    decltype(&fftw_plan_guru64_dft) plan_dft =
        from.symbol<decltype(fftw_plan_guru64_dft)>("fftw_plan_guru64_dft");
    decltype(&fftw_plan_guru64_dft_r2c) plan_r2c =
        from.symbol<decltype(fftw_plan_guru64_dft_r2c)>("fftw_plan_guru64_dft_r2c");
    decltype(&fftw_plan_guru64_dft_c2r) plan_c2r =
        from.symbol<decltype(fftw_plan_guru64_dft_c2r)>("fftw_plan_guru64_dft_c2r");
    decltype(&fftw_plan_guru64_r2r) plan_r2r =
        from.symbol<decltype(fftw_plan_guru64_r2r)>("fftw_plan_guru64_r2r");
    decltype(&fftw_execute) execute = from.symbol<decltype(fftw_execute)>("fftw_execute");
    decltype(&fftw_destroy_plan) destroy = from.symbol<decltype(fftw_destroy_plan)>("fftw_destroy_plan");
    decltype(&fftw_set_timelimit) set_time_limit =
        from.symbol<decltype(fftw_set_timelimit)>("fftw_set_timelimit");
};

} // namespace swirl::bench
