#pragma once

#include <swirl/arrays.hpp>
#include <swirl/device.hpp>
#include <swirl/options.hpp>
#include <swirl/problem.hpp>
#include <swirl/stream.hpp>

#include "api/arguments.hpp"
#include "api/plain_product_call.hpp"
#include "api/two_array_call.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "search/tasks/task.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a public plan holds: one interface over plans of both kinds of problem on both kinds of device.
namespace swirl::api {

/// Auxiliary arrays, in the order of arrays_of(problem).
struct BoundArrays {
    std::vector<planning::ArrayArgument> arrays;
    std::vector<const void*> data; ///< of each, without imaginary components
};

/// Where an execution runs, and with which memory.
struct Launch {
    gpu::Stream stream = {};
    Workspace workspace = {};
    const BoundArrays* bound = nullptr; ///< of a product; null: none. A transform's are among its arguments
};

/// Arguments of a product. A prepacked operand replaces its pointer.
struct ProductArguments {
    ScalarValue alpha = {};
    const void* a = nullptr;
    const void* b = nullptr;
    ScalarValue beta = {};
    void* c = nullptr;
    const planning::PackedMatrix* packed_a = nullptr;
    const planning::PackedMatrix* packed_b = nullptr;
};

/// Matrix multiplications given by arrays of pointers.
struct PointerArguments {
    ScalarValue alpha = {};
    const void* const* a = nullptr;
    const void* const* b = nullptr;
    ScalarValue beta = {};
    void* const* c = nullptr;
    Integer count = 0;
};

class Executable {
public:
    explicit Executable(const Problem& problem);
    virtual ~Executable() = default;
    Executable(const Executable&) = delete;
    Executable& operator=(const Executable&) = delete;

    const Problem& problem() const { return problem_; }
    /// Of transforms.
    const std::vector<ArraySignature>& signature() const { return signature_; }
    /// Of products: element types of A, B and C.
    const std::array<detail::ElementType, 3>& types() const { return types_; }
    /// The problem of this kind; throws UserError that says which function to call instead.
    const Transform& transform() const;
    const MatrixProduct& product() const;

    /// A product by one kernel on a CPU, without arrays besides A, B and C: the plan itself, which execute() calls without
    /// a detour. Null for all others.
    const planning::MatrixPlan* one_kernel() const { return one_kernel_; }

    /// The same with α = 1 and β = 0, of pointers alone. One that runs nothing for all others.
    const PlainProductCall& plain_product() const { return plain_product_; }

    /// A transform on a CPU from one array to another by one function. One that runs nothing for all others.
    const TwoArrayCall& two_array_call() const { return two_array_call_; }

    /// The plan that executes now: itself, unless a search in the background may replace it.
    virtual const Executable& now() const { return *this; }

    virtual Device device() const = 0;
    virtual int threads() const { return 1; }
    virtual Accuracy accuracy() const { return Accuracy::ordinary; }
    virtual std::string schedule() const = 0;
    virtual std::string description() const = 0;
    virtual std::size_t workspace_bytes() const { return 0; }
    virtual double flops() const = 0;
    virtual double bytes() const = 0;

    /// The caller has checked types and extents.
    virtual void execute(const planning::Arguments& arguments, const Launch& launch) const;
    virtual void execute(const ProductArguments& arguments, const Launch& launch) const;
    virtual PackedMatrix pack(gemm::Operand operand, const void* data) const;

    /// A pointer-array batch of one plan.
    struct Group {
        const Executable* executable;
        PointerArguments arguments;
        const BoundArrays* bound;
    };
    /// Executes groups of plans, all like this one.
    virtual void execute_groups(std::span<const Group> groups, const Launch& launch) const;

protected:
    explicit Executable(const planning::MatrixPlan& plan);
    explicit Executable(const planning::Plan& plan);

private:
    const planning::MatrixPlan* one_kernel_ = nullptr;
    PlainProductCall plain_product_;
    TwoArrayCall two_array_call_;
    Problem problem_;
    std::vector<ArraySignature> signature_;
    std::array<detail::ElementType, 3> types_{};
};

std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::Plan> plan);
std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::GpuPlan> plan);
std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::MatrixPlan> plan);
std::shared_ptr<const Executable> executable(std::shared_ptr<const planning::GpuMatrixPlan> plan);
std::shared_ptr<const Executable> executable(search::AnyPlan plan);

/// Throws UserError unless a workspace in the caller's memory is 64-byte aligned and large enough.
void check_workspace(const Workspace& workspace, std::size_t needed);

/// Bytes of A, B and C, each once.
double bytes_of(const MatrixProduct& product);

} // namespace swirl::api
