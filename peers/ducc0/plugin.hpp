#pragma once

#include <cstddef>

/// What peers/ducc0.cpp asks of DUCC0: a library of its own (peers/ducc0/plugin.cpp), as DUCC0's FFT is a template that is
/// compiled for one machine and with its own options.
namespace swirl::peers {

/// Arrays of equal rank; strides in elements.
struct Ducc0Request {
    enum class Kind { complex_to_complex, real_to_complex, complex_to_real };

    Kind kind;
    bool is_double;
    bool is_forward;
    double scale;
    const std::size_t* lengths; ///< of all axes, of the real array where there is one
    const std::ptrdiff_t *input_strides, *output_strides;
    std::size_t rank;
    const std::size_t* axes; ///< that are transformed; the last of them is the halved one of real transforms
    std::size_t axis_count;
    std::size_t threads;
    const void* input;
    void* output;
};

/// Makes a call that can be repeated; null where DUCC0 refuses.
using Ducc0PlanFunction = void*(const Ducc0Request* request);
using Ducc0ExecuteFunction = void(void* plan);
using Ducc0DestroyFunction = void(void* plan);
constexpr const char* ducc0_plan_name = "swirl_ducc0_plan";
constexpr const char* ducc0_execute_name = "swirl_ducc0_execute";
constexpr const char* ducc0_destroy_name = "swirl_ducc0_destroy";

} // namespace swirl::peers
