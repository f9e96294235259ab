#include <swirl/matrix_product.hpp>

#include "api/matrix_arrays.hpp"
#include "api/plan.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "plan/matrix_groups.hpp"
#include "plan/matrix_plan.hpp"
#include "search/matrix_wisdom.hpp"

#include <utility>
#include <vector>

namespace swirl {

namespace {

/// What a search has found on this machine is used from the first product on; until then nothing is read.
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
    if (api::effort_of(options.effort) != search::Effort::estimate)
        search::find_schedule(product,
                              {.seconds = budget, .progress = api::outside_of_sections(options.progress)});
    return MatrixPlan(std::make_shared<const planning::MatrixPlan>(
        product, api::threads_asked_for(options.threads), options.accuracy));
}

std::size_t PackedMatrix::bytes() const { return matrix_->bytes(); }

void MatrixPlan::check_numbers(const Numbers& numbers) const {
    const auto check = [](const char* name, Number given, Number wanted) {
        if (given != wanted)
            throw UserError("array '{}' is of another kind of number than the product's: {}, not {}", name,
                            word_of(given), word_of(wanted));
    };
    const MatrixProduct& wanted = plan_->product();
    check("a", numbers.a, wanted.number_of_a());
    check("b", numbers.b, wanted.number_of_b());
    check("c", numbers.c, wanted.number_of_c());
}

void MatrixPlan::run(const Numbers& numbers, const Pointers& pointers, detail::Factor alpha,
                     detail::Factor beta) const {
    if (planning::MatrixPlan::kinds_of(numbers.a, numbers.b, numbers.c) != plan_->kinds_of_numbers())
        check_numbers(numbers);
    plan_->execute({pointers.alpha, pointers.a, pointers.b, pointers.beta, pointers.c}, alpha, beta,
                   arrays_ == nullptr ? nullptr : arrays_->data());
}

PackedMatrix MatrixPlan::packed(Number number, bool is_a, const void* data) const {
    if (product().widens() || product().converts())
        throw UserError("operands of {} and {} for {} are not packed ahead; give them to execute()",
                        word_of(product().number_of_a()), word_of(product().number_of_b()),
                        word_of(product().number_of_c()));
    check_numbers({number, number, number});
    using Operand = planning::MatrixKernels::Operand;
    return PackedMatrix(plan_->pack(is_a ? Operand::a : Operand::b, data));
}

void MatrixPlan::run_packed(Number number, const Pointers& pointers, const PackedMatrix* a,
                            const PackedMatrix* b) const {
    check_numbers({number, number, number});
    plan_->execute_packed(
        {pointers.alpha, pointers.a, pointers.b, pointers.beta, pointers.c},
        planning::factor_kind(number, pointers.alpha), planning::factor_kind(number, pointers.beta),
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
                            word_of(plan.product().number_of_a()), word_of(plan.product().number_of_b()),
                            word_of(plan.product().number_of_c()));
        plan.check_numbers({group.number, group.number, group.number});
        planned.push_back({plan.plan_.get(), plan.arrays_ == nullptr ? nullptr : plan.arrays_->data(),
                           group.factors.alpha, group.a, group.b, group.factors.beta, group.c, group.count});
    }
    planning::execute_groups(planned, api::threads_asked_for(threads));
}

MatrixPlan MatrixPlan::with_array(std::string_view name, Number number, const void* array,
                                  bool is_writable) const {
    const api::GivenArray given{name, number, array, is_writable};
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
