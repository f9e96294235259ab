#pragma once

#include "peers/shared_library.hpp"

#include <swirl/transform.hpp>

#include <cstddef>
#include <string>

namespace swirl::peers {

/// The part of FFTW's binary interface that is used here, from its manual, sections 4.4 "Basic Interface" to 4.7
/// "Wisdom": fftw_ functions for double, fftwf_ for float, with the same signatures but for the element type.
class FftwLibrary {
public:
    enum class Build {
        system, ///< libfftw3.so.3 of the system
        avx512, ///< fftw/lib of the peers' folder
        aocl,   ///< aocl-fftw/lib of the peers' folder: AMD's version
    };

    struct Dimension {
        std::ptrdiff_t length, input_stride, output_stride;
    };
    using Plan = void*;
    using Dimensions = const Dimension*;

    enum Flag : unsigned {
        measure = 0,
        preserve_input = 1U << 4,
        patient = 1U << 5,
        estimate = 1U << 6,
        wisdom_only = 1U << 21,
    };
    static constexpr int forward = -1, backward = 1;
    static constexpr double no_time_limit = -1;

    /// Opened on first use.
    static const FftwLibrary& get(Build build, DataType precision);

    /// Why it cannot be used; empty when it can.
    std::string absent_because() const;
    /// "fftw-3.3.10-sse2-avx"
    std::string version() const;
    /// For the plans to come. False where the library has no threads and more than one is asked for.
    bool use_threads(int threads) const;

    Plan (*plan_dft)(int, Dimensions, int, Dimensions, void*, void*, int, unsigned) = nullptr;
    Plan (*plan_split_dft)(int, Dimensions, int, Dimensions, void*, void*, void*, void*, unsigned) = nullptr;
    Plan (*plan_r2c)(int, Dimensions, int, Dimensions, void*, void*, unsigned) = nullptr;
    Plan (*plan_c2r)(int, Dimensions, int, Dimensions, void*, void*, unsigned) = nullptr;
    Plan (*plan_split_r2c)(int, Dimensions, int, Dimensions, void*, void*, void*, unsigned) = nullptr;
    Plan (*plan_split_c2r)(int, Dimensions, int, Dimensions, void*, void*, void*, unsigned) = nullptr;
    Plan (*plan_r2r)(int, Dimensions, int, Dimensions, void*, void*, const int*, unsigned) = nullptr;
    void (*execute)(Plan) = nullptr;
    void (*destroy_plan)(Plan) = nullptr;
    void (*set_timelimit)(double) = nullptr;
    void (*forget_wisdom)() = nullptr;
    int (*export_wisdom_to_filename)(const char*) = nullptr;
    int (*import_wisdom_from_filename)(const char*) = nullptr;

private:
    FftwLibrary(Build build, DataType precision);
    template <class Function> bool load(Function*& function, const char* name) {
        return library_.load(function, prefix_ + name);
    }
    void load_threads(Build build);

    std::string prefix_;
    std::string file_;
    SharedLibrary library_;
    bool complete_ = false;
    const char* version_ = nullptr;
    void (*plan_with_nthreads_)(int) = nullptr; ///< null where it has no threads
};

} // namespace swirl::peers
