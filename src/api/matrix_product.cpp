#include <swirl/matrix_product.hpp>

#include "api/matrix_arrays.hpp"
#include "api/plan.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "plan/matrix_groups.hpp"
#include "plan/matrix_plan.hpp"
#include "search/wisdom/matrix_wisdom.hpp"

#include <utility>
#include <vector>

namespace swirl {

namespace {

/// Registers wisdom as the source of schedules; it is first read for the first product.
[[maybe_unused]] const bool uses_wisdom = (search::use_matrix_wisdom(), true);

} // namespace

MatrixPlan::MatrixPlan(std::shared_ptr<const planning::MatrixPlan> plan) : plan_(std::move(plan)) {}

MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options) {
    const ForkSection section;
    validate(product);
    validate_for_cpus(product);
    const double budget = options.time_budget_seconds.value_or(search::usual_schedule_budget);
    if (!(budget >= 0))
        throw UserError("time_budget_seconds is {}; use a number that is not negative", budget);
    if (api::effort_of(options.effort) != Effort::estimate)
        search::find_schedule(product,
                              {.seconds = budget, .progress = api::outside_of_sections(options.progress)});
    return MatrixPlan(std::make_shared<const planning::MatrixPlan>(
        product, api::threads_asked_for(options.threads), options.accuracy));
}

std::size_t PackedMatrix::bytes() const { return matrix_->bytes(); }

void MatrixPlan::check_data_types(const DataTypes& types) const {
    const auto check = [](const char* name, DataType given, DataType wanted) {
        if (given != wanted)
            throw UserError("array '{}' is of another kind of number than the product's: {}, not {}", name,
                            name_of(given), name_of(wanted));
    };
    const MatrixProduct& wanted = plan_->product();
    check("a", types.a, wanted.type_of_a());
    check("b", types.b, wanted.type_of_b());
    check("c", types.c, wanted.type_of_c());
}

void MatrixPlan::run(const DataTypes& types, const Pointers& pointers, detail::ScalarKind alpha,
                     detail::ScalarKind beta) const {
    if (planning::MatrixPlan::type_key_of(types.a, types.b, types.c) != plan_->type_key())
        check_data_types(types);
    plan_->execute({pointers.alpha, pointers.a, pointers.b, pointers.beta, pointers.c}, alpha, beta,
                   arrays_ == nullptr ? nullptr : arrays_->data());
}

PackedMatrix MatrixPlan::packed(DataType data_type, bool is_a, const void* data) const {
    if (product().widens() || product().converts())
        throw UserError("operands of {} and {} for {} are not packed ahead; give them to execute()",
                        name_of(product().type_of_a()), name_of(product().type_of_b()),
                        name_of(product().type_of_c()));
    check_data_types({data_type, data_type, data_type});
    using Operand = planning::MatrixKernels::Operand;
    return PackedMatrix(plan_->pack(is_a ? Operand::a : Operand::b, data));
}

void MatrixPlan::run_packed(DataType data_type, const Pointers& pointers, const PackedMatrix* a,
                            const PackedMatrix* b) const {
    check_data_types({data_type, data_type, data_type});
    plan_->execute_packed(
        {pointers.alpha, pointers.a, pointers.b, pointers.beta, pointers.c},
        planning::scalar_kind(data_type, pointers.alpha), planning::scalar_kind(data_type, pointers.beta),
        arrays_ == nullptr ? nullptr : arrays_->data(), a == nullptr ? nullptr : a->matrix_.get(),
        b == nullptr ? nullptr : b->matrix_.get());
}

int MatrixPlan::threads_asked_for() const { return plan_->threads_asked_for(); }

void MatrixPlan::run_groups(std::span<const AnyGroup> groups, int threads) {
    std::vector<planning::MatrixGroup> planned;
    for (const AnyGroup& group : groups) {
        const MatrixPlan& plan = *group.plan;
        if (plan.product().widens() || plan.product().converts())
            throw UserError("products of lists are of one kind of number; this one is of {} and {} for {}",
                            name_of(plan.product().type_of_a()), name_of(plan.product().type_of_b()),
                            name_of(plan.product().type_of_c()));
        plan.check_data_types({group.data_type, group.data_type, group.data_type});
        planned.push_back({plan.plan_.get(), plan.arrays_ == nullptr ? nullptr : plan.arrays_->data(),
                           group.scalars.alpha, group.a, group.b, group.scalars.beta, group.c, group.count});
    }
    planning::execute_groups(planned, api::threads_asked_for(threads));
}

MatrixPlan MatrixPlan::with_array(std::string_view name, DataType data_type, const void* array,
                                  bool is_writable) const {
    const api::GivenArray given{name, data_type, array, is_writable};
    std::vector<const void*> arrays = api::arrays_with(product(), given, arrays_.get());
    MatrixPlan plan = *this;
    plan.arrays_ = std::make_shared<const std::vector<const void*>>(std::move(arrays));
    return plan;
}

const MatrixProduct& MatrixPlan::product() const { return plan_->product(); }
std::string MatrixPlan::description() const { return plan_->description(); }
Accuracy MatrixPlan::accuracy() const { return plan_->accuracy(); }
int MatrixPlan::threads() const { return plan_->threads(); }
double MatrixPlan::flops() const { return plan_->flops(); }

} // namespace swirl
