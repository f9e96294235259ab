#include "bench/transform_data.hpp"

#include <cmath>

namespace swirl::bench {
namespace {

constexpr double operations = 3e6; // of the definition

const Transform& checked(const Transform& problem) {
    validate(problem);
    require_definition(problem);
    return problem;
}

} // namespace

TransformData::TransformData(const Transform& problem)
    : problem_(checked(problem)), memory_(problem), outputs_(outputs_to_compare(problem, operations)) {
    memory_.fill(1);
    for (const auto [offset, mirrored] : conjugate_inputs(problem)) {
        const std::complex<double> element = memory_.get(Side::input, offset);
        memory_.set(Side::input, mirrored, offset == mirrored ? element.real() : std::conj(element));
    }
    if (problem.placement == Placement::out_of_place) memory_.erase(Side::output);
    memory_.save();
    expected_ = by_definition(
        problem, [&](Integer offset) { return memory_.get(Side::input, offset); }, outputs_);
}

double TransformData::distance() const {
    long double distance = 0, norm = 0;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        const std::complex<long double> found = memory_.get(Side::output, offset_of(problem_, outputs_[k]));
        distance += std::norm(found - expected_[k]);
        norm += std::norm(expected_[k]);
    }
    return static_cast<double>(std::sqrt(distance / norm));
}

double TransformData::tolerance() const {
    switch (problem_.precision) {
    case DataType::float64: return 1e-13;
    case DataType::float32: return 2e-5;
    default: return 2e-2;
    }
}

void execute(const Plan& plan, const planning::Arguments& at, gpu::Stream stream, Workspace workspace) {
    const void* const in = at.input;
    void* const out = at.output;
    if (at.input_imaginary != nullptr && at.output_imaginary != nullptr)
        plan.execute(in, at.input_imaginary, out, at.output_imaginary, stream, workspace);
    else if (at.input_imaginary != nullptr)
        plan.execute(in, at.input_imaginary, out, stream, workspace);
    else if (at.output_imaginary != nullptr)
        plan.execute(in, out, at.output_imaginary, stream, workspace);
    else
        plan.execute(in, out, stream, workspace);
}

} // namespace swirl::bench
