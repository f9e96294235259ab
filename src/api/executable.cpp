#include "api/executable.hpp"

#include "base/error.hpp"

#include <cstdint>
#include <utility>

namespace swirl::api {

Executable::Executable(const Problem& problem) : problem_(problem) {
    if (const auto* const transform = std::get_if<Transform>(&problem_))
        signature_ = signature_of(*transform);
    if (const auto* const product = std::get_if<MatrixProduct>(&problem_))
        types_ = element_types_of(*product);
}

Executable::Executable(const planning::MatrixPlan& plan) : Executable(Problem(plan.product())) {
    if (plan.is_one_kernel()) one_kernel_ = &plan;
    plain_product_ = {plan, types_};
}

Executable::Executable(const planning::Plan& plan) : Executable(Problem(plan.problem())) {
    if (signature_.size() == 2) two_array_call_ = {signature_[0], signature_[1], plan.pointer_call()};
}

const Transform& Executable::transform() const {
    if (const auto* const transform = std::get_if<Transform>(&problem_)) return *transform;
    throw UserError(
        "the plan is of a matrix multiplication\n  problem: {}\n"
        "  call execute(alpha, a, b, beta, c), or from C swirl_execute_product",
        to_text(problem_));
}

const MatrixProduct& Executable::product() const {
    if (const auto* const product = std::get_if<MatrixProduct>(&problem_)) return *product;
    throw UserError(
        "the plan is of a transform\n  problem: {}\n"
        "  call execute(input, output), or from C swirl_execute",
        to_text(problem_));
}

void Executable::execute(const planning::Arguments&, const Launch&) const { transform(); }
void Executable::execute(const ProductArguments&, const Launch&) const { product(); }
void Executable::execute_groups(std::span<const Group>, const Launch&) const { product(); }

PackedMatrix Executable::pack(gemm::Operand, const void*) const {
    product();
    throw Unsupported("the plan is for {}; operands are prepacked on the CPU only", device().text());
}

std::shared_ptr<const Executable> executable(search::AnyPlan plan) {
    return std::visit([](auto any) { return executable(std::move(any)); }, std::move(plan));
}

void check_workspace(const Workspace& workspace, std::size_t needed) {
    constexpr std::uintptr_t alignment = 64;
    if (workspace.bytes < needed)
        throw UserError("the workspace has {} bytes; this plan needs {}", workspace.bytes, needed);
    if (workspace.data == nullptr)
        throw UserError("the workspace of {} bytes is a null pointer", workspace.bytes);
    if (reinterpret_cast<std::uintptr_t>(workspace.data) % alignment != 0)
        throw UserError("the workspace at {} is not aligned to {} bytes", workspace.data, alignment);
}

double bytes_of(const MatrixProduct& product) {
    const auto m = static_cast<double>(product.rows), n = static_cast<double>(product.columns),
               k = static_cast<double>(product.k);
    return static_cast<double>(product.batch) *
           (m * k * static_cast<double>(swirl::bytes_of(product.type_of_a())) +
            k * n * static_cast<double>(swirl::bytes_of(product.type_of_b())) +
            m * n * static_cast<double>(swirl::bytes_of(product.type_of_c())));
}

} // namespace swirl::api
