#include "api/executable.hpp"

#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gemm/cpu/groups.hpp"
#include "problem/data_type.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cuda/device.hpp"

#include <algorithm>
#include <utility>

namespace swirl::api {
namespace {

class ProductOnCpu final : public Executable {
public:
    explicit ProductOnCpu(std::shared_ptr<const planning::MatrixPlan> plan)
        : Executable(*plan), plan_(std::move(plan)) {}

    Device device() const override { return Device::cpu(); }
    int threads() const override { return plan_->threads(); }
    Accuracy accuracy() const override { return plan_->accuracy(); }
    std::string schedule() const override { return to_string(plan_->schedule()); }
    std::string description() const override { return plan_->description() + "\n"; }
    double flops() const override { return plan_->flops(); }
    double bytes() const override { return api::bytes_of(plan_->product()); }

    using Executable::execute;
    void execute(const ProductArguments& of, const Launch& launch) const override {
        if (launch.workspace.data != nullptr || launch.workspace.bytes != 0)
            check_workspace(launch.workspace, 0);
        const planning::MatrixArguments arguments{of.alpha.bytes.data(), of.a, of.b, of.beta.bytes.data(),
                                                  of.c};
        const void* const* const arrays = launch.bound == nullptr ? nullptr : launch.bound->data.data();
        if (of.packed_a == nullptr && of.packed_b == nullptr)
            return plan_->execute(arguments, of.alpha.kind, of.beta.kind, arrays);
        plan_->execute_packed(arguments, of.alpha.kind, of.beta.kind, arrays, of.packed_a, of.packed_b);
    }
    PackedMatrix pack(gemm::Operand operand, const void* data) const override {
        const MatrixProduct& product = plan_->product();
        if (product.widens() || product.converts())
            throw Unsupported("operands of {} and {} for C of {} are not prepacked; give them to execute()",
                              name_of(product.type_of_a()), name_of(product.type_of_b()),
                              name_of(product.type_of_c()));
        return PackedMatrix(plan_->pack(operand, data));
    }
    void execute_groups(std::span<const Group> groups, const Launch&) const override {
        std::vector<planning::MatrixGroup> planned;
        int threads = 1;
        for (const auto& [executable, of, bound] : groups) {
            const auto* const other = dynamic_cast<const ProductOnCpu*>(executable);
            if (other == nullptr)
                throw UserError("group {} is not for the CPU, but group 0 is; plan all groups for one device",
                                planned.size());
            const MatrixProduct& product = other->plan_->product();
            if (product.widens() || product.converts())
                throw Unsupported(
                    "arrays of pointers hold matrices of one data type; this product has {} and "
                    "{} for C of {}",
                    name_of(product.type_of_a()), name_of(product.type_of_b()), name_of(product.type_of_c()));
            planned.push_back({other->plan_.get(), bound == nullptr ? nullptr : bound->data.data(),
                               of.alpha.bytes.data(), of.a, of.b, of.beta.bytes.data(), of.c, of.count});
            threads = std::max(threads, other->plan_->threads_asked_for());
        }
        planning::execute_groups(planned, threads);
    }

private:
    std::shared_ptr<const planning::MatrixPlan> plan_;
};

class ProductOnGpu final : public Executable {
public:
    explicit ProductOnGpu(std::shared_ptr<const planning::GpuMatrixPlan> plan)
        : Executable(plan->product()), plan_(std::move(plan)) {}

    Device device() const override { return Device::gpu(plan_->device().properties().index); }
    std::string schedule() const override { return planning::to_string(plan_->schedule()); }
    std::string description() const override {
        const planning::GpuMatrixKernels* const kernel = plan_->kernel();
        if (kernel == nullptr) return "nothing to compute\n";
        const std::string& reason = kernel->not_reordered_because();
        const std::string loop = reason.empty() ? "" : "the main loop stays as compiled: " + reason + "\n";
        return gemm::arithmetic_of(plan_->schedule().gpu_gemm(), plan_->product()) + "\n" + loop +
               ir::to_string(kernel->info());
    }
    std::size_t workspace_bytes() const override { return plan_->workspace_bytes(); }
    double flops() const override { return plan_->flops(); }
    double bytes() const override { return api::bytes_of(plan_->product()); }

    using Executable::execute;
    void execute(const ProductArguments& of, const Launch& launch) const override {
        if (plan_->product().listed)
            throw UserError("the product is a pointer-array batch: use execute_each()");
        if (of.packed_a != nullptr || of.packed_b != nullptr)
            throw UserError("matrices are prepacked for CPUs only; this plan is for {}", device().text());
        planning::GpuMatrixArguments arguments{of.alpha.bytes.data(), of.a, of.b, of.beta.bytes.data(), of.c};
        if (launch.bound != nullptr) arguments.arrays = launch.bound->data;
        plan_->execute(arguments, static_cast<runtime::cuda::Stream>(launch.stream.handle()),
                       {launch.workspace.data, launch.workspace.bytes});
    }
    void execute_groups(std::span<const Group> groups, const Launch& launch) const override {
        auto* const stream = static_cast<runtime::cuda::Stream>(launch.stream.handle());
        std::vector<std::pair<const planning::GpuMatrixPlan*, planning::GpuMatrixPlan::Execution>> executions;
        for (const auto& [executable, of, bound] : groups) {
            const planning::GpuMatrixPlan& plan = plan_of(executable, executions.size());
            check_batch(plan.product(), of.count);
            planning::GpuMatrixArguments arguments{of.alpha.bytes.data(), of.a, of.b, of.beta.bytes.data(),
                                                   const_cast<void**>(of.c)};
            if (bound != nullptr) arguments.arrays = bound->data;
            executions.emplace_back(
                &plan, plan.examined(arguments, stream, {launch.workspace.data, launch.workspace.bytes}));
        }
        for (const auto& [plan, execution] : executions) plan->launch(execution, stream);
    }

private:
    const planning::GpuMatrixPlan& plan_of(const Executable* executable, std::size_t index) const {
        const auto* const other = dynamic_cast<const ProductOnGpu*>(executable);
        if (other == nullptr || other->device() != device())
            throw UserError("group {} is not for GPU {}, but group 0 is; plan all groups for one device",
                            index, device().ordinal());
        return *other->plan_;
    }
    static void check_batch(const MatrixProduct& product, Integer count) {
        if (!product.listed)
            throw UserError(
                "the product is not a pointer-array batch\n  plan one whose 'listed' is true, and "
                "whose batch is as long as the arrays of pointers");
        if (product.batch != count)
            throw UserError("count is {}, but the plan is for a batch of {}", count, product.batch);
    }

    std::shared_ptr<const planning::GpuMatrixPlan> plan_;
};

} // namespace

std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::MatrixPlan> plan) {
    return std::make_shared<const ProductOnCpu>(std::move(plan));
}
std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::GpuMatrixPlan> plan) {
    return std::make_shared<const ProductOnGpu>(std::move(plan));
}

} // namespace swirl::api
