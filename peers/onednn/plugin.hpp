#pragma once

#include <cstddef>
#include <cstdint>

/// What a library that has oneDNN's matmul (plugin.cpp) and those who open it agree on.
namespace swirl::peers {

/// C = A·B for matrices stored by columns, A and B of bfloat16 and C of float32, or A and B of int8 and C of int32.
struct OnednnRequest {
    std::int64_t rows, columns, k;
    bool of_int8;
    bool packs; ///< A is kept as oneDNN likes it best, made anew where another A is given
};

/// Null, and why, where oneDNN refuses.
using OnednnPlanFunction = void*(const OnednnRequest* request, char* error, std::size_t error_size);
/// 0 or an error.
using OnednnExecuteFunction = int(void* plan, const void* a, const void* b, void* c);
using OnednnDestroyFunction = void(void* plan);

constexpr const char* onednn_plan_name = "swirl_onednn_plan";
constexpr const char* onednn_execute_name = "swirl_onednn_execute";
constexpr const char* onednn_destroy_name = "swirl_onednn_destroy";

} // namespace swirl::peers
