#include <swirl/matrix_product.hpp>

#include "api/plan.hpp"
#include "base/error.hpp"
#include "plan/matrix_plan.hpp"

#include <utility>

namespace swirl {

MatrixPlan::MatrixPlan(std::shared_ptr<const planning::MatrixPlan> plan) : plan_(std::move(plan)) {}

MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options) {
    validate(product);
    return MatrixPlan(
        std::make_shared<const planning::MatrixPlan>(product, api::threads_asked_for(options.threads)));
}

void MatrixPlan::run(Number number, const Pointers& pointers, detail::Factor alpha,
                     detail::Factor beta) const {
    if (number != plan_->product().number)
        throw UserError("the arrays are of another kind of number than the product: {} and {} of Number",
                        static_cast<int>(number), static_cast<int>(product().number));
    plan_->execute({pointers.alpha, pointers.a, pointers.b, pointers.beta, pointers.c}, alpha, beta);
}

const MatrixProduct& MatrixPlan::product() const { return plan_->product(); }
std::string MatrixPlan::description() const { return plan_->description(); }
int MatrixPlan::threads() const { return plan_->threads(); }
double MatrixPlan::flops() const { return plan_->flops(); }

} // namespace swirl
