#pragma once

#include "fftw/foreign_plan.hpp"
#include "fftw/guru_problem.hpp"
#include "fftw/sequence.hpp"
#include "plan/transform/cpu/plan.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace swirl::fftw {

/// What a fftw_plan points to: the plans of a sequence's transforms, and the arrays of planning.
class Plan {
public:
    struct Part {
        std::shared_ptr<const planning::Plan> plan;
        Places from;
        Places to;
    };

    /// `is_backward`: of a complex transform that was planned with FFTW_BACKWARD.
    Plan(std::vector<Part> parts, const Sequence& sequence, const Arrays& arrays, bool is_backward);
    /// Executes what another library planned, on the real components' pointers.
    Plan(std::unique_ptr<const ForeignPlan> foreign, const Arrays& arrays)
        : scratch_bytes_(0), arrays_(arrays), is_backward_(false), foreign_(std::move(foreign)) {}

    /// These print the reason and end the program if it fails: FFTW's functions cannot say so.
    void execute() const {
        if (bound_) return (*bound_)();
        execute(arrays_);
    }
    void execute(const Arrays& arrays) const;

    bool is_backward() const { return is_backward_; }
    double flops() const; ///< real additions and multiplications
    /// The same, one by one. Derives the kernels again, which takes as long as planning.
    struct Operations {
        double additions = 0, multiplications = 0, fused = 0;
    };
    Operations operations() const;
    std::string text() const;

private:
    using Bases = std::array<char*, memories>;
    static Bases bases_of(const Arrays& arrays);
    void run(Bases bases) const;
    void run_with_scratch(Bases bases) const;

    std::vector<Part> parts_;
    std::size_t scratch_bytes_;
    Arrays arrays_;
    std::optional<planning::BoundCall> bound_; ///< of arrays_, if one call is all
    bool is_backward_;
    std::unique_ptr<const ForeignPlan> foreign_;
};

} // namespace swirl::fftw
