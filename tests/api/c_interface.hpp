#pragma once

#include <swirl/swirl.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Owners of what the C interface makes.
namespace c {

struct Destroy {
    void operator()(swirl_plan* plan) const { swirl_plan_destroy(plan); }
    void operator()(swirl_problem* problem) const { swirl_problem_destroy(problem); }
    void operator()(swirl_packed_matrix* packed) const { swirl_packed_matrix_destroy(packed); }
};
using Plan = std::unique_ptr<swirl_plan, Destroy>;
using Problem = std::unique_ptr<swirl_problem, Destroy>;
using PackedMatrix = std::unique_ptr<swirl_packed_matrix, Destroy>;

/// Plans launch nothing: they neither check nor time.
inline swirl_options on_gpu() {
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.time_budget_seconds = 0;
    options.device = SWIRL_GPU;
    options.check = 0;
    options.use_kernel_cache = 0;
    return options;
}

inline Plan plan(const swirl_problem* problem, const swirl_options* options = nullptr) {
    swirl_plan* made = nullptr;
    EXPECT_EQ(swirl_plan_create(problem, options, &made), SWIRL_OK) << swirl_last_error();
    return Plan(made);
}
inline Plan plan(const Problem& problem, const swirl_options* options = nullptr) {
    return plan(problem.get(), options);
}
inline Plan plan(const char* text, const swirl_options* options = nullptr) {
    swirl_plan* made = nullptr;
    EXPECT_EQ(swirl_plan_from_text(text, options, &made), SWIRL_OK) << swirl_last_error();
    return Plan(made);
}

inline Problem transform(int kind, const std::vector<std::int64_t>& lengths) {
    swirl_problem* problem = nullptr;
    EXPECT_EQ(swirl_problem_create_transform(kind, lengths.size(), lengths.data(), &problem), SWIRL_OK);
    return Problem(problem);
}
inline Problem product(int data_type, std::int64_t m, std::int64_t n, std::int64_t k) {
    swirl_problem* problem = nullptr;
    EXPECT_EQ(swirl_problem_create_product(data_type, m, n, k, &problem), SWIRL_OK) << swirl_last_error();
    return Problem(problem);
}

inline std::string text_of(const Problem& problem) {
    char text[300] = {};
    EXPECT_EQ(swirl_problem_text(problem.get(), text, sizeof text, nullptr), SWIRL_OK) << swirl_last_error();
    return text;
}

/// Failed with this status, and a message that has these words.
inline void expect_error(swirl_status status, swirl_status expected, const std::string& words) {
    EXPECT_EQ(status, expected) << swirl_last_error();
    EXPECT_NE(std::string(swirl_last_error()).find(words), std::string::npos) << swirl_last_error();
}

} // namespace c
