#include <swirl/plan.hpp>

#include "api/access.hpp"
#include "api/executable.hpp"
#include "api/replaceable.hpp"
#include "base/error.hpp"
#include "plan/gemm/cpu/packed_matrix.hpp"
#include "search/options.hpp"
#include "search/planner.hpp"

#include <utility>
#include <vector>

namespace swirl {
namespace api {
namespace {

[[noreturn]] void refuse_empty() {
    throw UserError("the plan is empty\n  assign what swirl::plan(problem) returns first");
}

/// Whether A, B and C fit their types, as far as a glance shows.
bool fit_at_a_glance(const std::array<detail::ElementType, 3>& wanted, const Operand& a, const Operand& b,
                     const Output& c) {
    return fits_at_a_glance(a.array(), wanted[0]) && fits_at_a_glance(b.array(), wanted[1]) &&
           fits_at_a_glance(c.array(), wanted[2]);
}

ProductArguments product_arguments(const Executable& executable, Scalar alpha, const Operand& a,
                                   const Operand& b, Scalar beta, const Output& c) {
    const MatrixProduct& product = executable.product();
    const auto& types = executable.types();
    const auto check = [&](Matrix matrix, const detail::ArrayArgument& array) {
        if (!fits_at_a_glance(array, types[static_cast<std::size_t>(matrix)]) && array.data != nullptr)
            check_matrix(product, matrix, array);
    };
    if (a.packed() == nullptr) check(Matrix::a, a.array());
    if (b.packed() == nullptr) check(Matrix::b, b.array());
    check(Matrix::c, c.array());
    return {scalar_value(product.data_type, "alpha", alpha),
            a.array().data,
            b.array().data,
            scalar_value(product.data_type, "beta", beta),
            c.array().data,
            a.packed(),
            b.packed()};
}

Executable::Group group_of(const MatrixGroup& group) {
    const Executable& executable = PlanAccess::executable(group.plan).now();
    const MatrixProduct& product = executable.product();
    check_pointers(product, Matrix::a, group.a.type());
    check_pointers(product, Matrix::b, group.b.type());
    check_pointers(product, Matrix::c, group.c.type());
    return {&executable,
            {scalar_value(product.data_type, "alpha", group.alpha), group.a.pointers(), group.b.pointers(),
             scalar_value(product.data_type, "beta", group.beta), group.c.pointers(), group.count},
            PlanAccess::bound(group.plan)};
}

} // namespace

const Executable& PlanAccess::executable(const Plan& plan) {
    if (!plan) refuse_empty();
    return *plan.executable_;
}

} // namespace api

using api::PlanAccess;

Plan plan(const Problem& problem, const Options& options) {
    search::check_cancelled(options);
    return PlanAccess::make(options.effort == Effort::background
                                ? api::tuned_in_background(problem, options)
                                : api::executable(search::make_plan(problem, options)));
}

bool Plan::run(const void* input, std::size_t input_elements, void* output, std::size_t output_elements,
               Types types) const {
    return executable_ != nullptr &&
           executable_->two_array_call().run({input, input_elements, types.input},
                                             {output, output_elements, types.output});
}

void Plan::transform(std::initializer_list<detail::ArrayArgument> arrays, gpu::Stream stream,
                     Workspace workspace) const {
    const api::Executable& executable = PlanAccess::executable(*this);
    const auto given = [&] {
        return api::arguments_of(executable.transform(), executable.signature(),
                                 {arrays.begin(), arrays.size()});
    };
    if (bound_ == nullptr) return executable.execute(given(), {stream, workspace});
    planning::Arguments arguments = given();
    // Set here, not copied on the way: a pair of registers loaded right after its halves were stored has to wait.
    arguments.arrays = bound_->arrays;
    executable.execute(arguments, {stream, workspace});
}

bool Plan::run(const void* a, const void* b, void* c, Types of_operands, std::uint32_t of_c) const {
    return executable_ != nullptr &&
           executable_->plain_product().run(a, b, c, of_operands.input, of_operands.output, of_c);
}

void Plan::multiply(Scalar alpha, const Operand& a, const Operand& b, Scalar beta, const Output& c,
                    gpu::Stream stream, Workspace workspace) const {
    const api::Executable& executable = PlanAccess::executable(*this);
    const planning::MatrixPlan* const plan = executable.one_kernel();
    const bool is_direct = plan != nullptr && workspace.data == nullptr && workspace.bytes == 0 &&
                           a.packed() == nullptr && b.packed() == nullptr;
    if (is_direct && api::fit_at_a_glance(executable.types(), a, b, c)) {
        const DataType data_type = plan->product().data_type;
        const api::ScalarValue of_product = api::scalar_value(data_type, "alpha", alpha),
                               of_c = api::scalar_value(data_type, "beta", beta);
        return plan->execute(
            {of_product.bytes.data(), a.array().data, b.array().data, of_c.bytes.data(), c.array().data},
            of_product.kind, of_c.kind);
    }
    executable.execute(api::product_arguments(executable, alpha, a, b, beta, c),
                       {stream, {workspace.data, workspace.bytes}, bound_.get()});
}

void Plan::execute_each(Scalar alpha, InputPointers a, InputPointers b, Scalar beta, OutputPointers c,
                        Integer count, gpu::Stream stream, Workspace workspace) const {
    const api::Executable::Group group = api::group_of({*this, alpha, a, b, beta, c, count});
    group.executable->execute_groups({&group, 1}, {stream, workspace});
}

void execute_groups(const MatrixGroup* groups, std::size_t count, gpu::Stream stream) {
    std::vector<api::Executable::Group> all;
    for (std::size_t k = 0; k < count; ++k) all.push_back(api::group_of(groups[k]));
    if (!all.empty()) all.front().executable->execute_groups(all, {stream, {}});
}

PackedMatrix Plan::pack_a(const Input& a) const {
    const api::Executable& executable = PlanAccess::executable(*this);
    api::check_matrix(executable.product(), api::Matrix::a, a.array());
    return executable.pack(gemm::Operand::a, a.array().data);
}

PackedMatrix Plan::pack_b(const Input& b) const {
    const api::Executable& executable = PlanAccess::executable(*this);
    api::check_matrix(executable.product(), api::Matrix::b, b.array());
    return executable.pack(gemm::Operand::b, b.array().data);
}

std::size_t PackedMatrix::bytes() const { return matrix_ == nullptr ? 0 : matrix_->bytes(); }

namespace {

Plan with_array(const Plan& plan, std::string_view name, std::span<const detail::ArrayArgument> components) {
    const Problem& problem = plan.problem();
    const api::NamedArray array = api::array_named(problem, name, components);
    const api::BoundArrays* const known = PlanAccess::bound(plan);
    auto bound =
        known == nullptr ? std::make_shared<api::BoundArrays>() : std::make_shared<api::BoundArrays>(*known);
    const std::size_t count = arrays_of(problem).size();
    bound->arrays.resize(count);
    bound->data.resize(count);
    bound->arrays[array.position] = array.data;
    bound->data[array.position] = array.data.data;
    return PlanAccess::make(PlanAccess::shared(plan), std::move(bound));
}

} // namespace

Plan Plan::with(std::string_view name, const Input& array) const {
    const detail::ArrayArgument components[] = {array.array()};
    return with_array(*this, name, components);
}
Plan Plan::with(std::string_view name, const Input& real, const Input& imaginary) const {
    const detail::ArrayArgument components[] = {real.array(), imaginary.array()};
    return with_array(*this, name, components);
}

const Problem& Plan::problem() const { return PlanAccess::executable(*this).problem(); }
std::string Plan::schedule() const { return PlanAccess::executable(*this).schedule(); }
std::string Plan::description() const { return PlanAccess::executable(*this).description(); }
Device Plan::device() const { return PlanAccess::executable(*this).device(); }
int Plan::threads() const { return PlanAccess::executable(*this).threads(); }
Accuracy Plan::accuracy() const { return PlanAccess::executable(*this).accuracy(); }
std::size_t Plan::workspace_bytes() const { return PlanAccess::executable(*this).workspace_bytes(); }
double Plan::flops() const { return PlanAccess::executable(*this).flops(); }
double Plan::bytes() const { return PlanAccess::executable(*this).bytes(); }

} // namespace swirl
