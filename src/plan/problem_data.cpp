#include "plan/problem_data.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

/// Scalars of one array below and from element 0 on.
struct Reach {
    Integer below = 0;
    Integer from = 0;
};

Reach reach_of(const Problem& problem, Side side) {
    const Extent reach = extent(problem, side);
    const Integer scalars = element_bytes(problem, side) / real_bytes(problem.precision);
    return {-reach.lowest * scalars, (reach.highest + 1) * scalars};
}

Reach memory_of(const Problem& problem, Side side) {
    const Reach own = reach_of(problem, side);
    if (problem.placement == Placement::out_of_place) return own;
    const Reach other = reach_of(problem, side == Side::input ? Side::output : Side::input);
    return {std::max(own.below, other.below), std::max(own.from, other.from)};
}

} // namespace

ProblemData::ProblemData(const Problem& problem, Side side)
    : single_(problem.precision == Precision::float32),
      complex_(is_complex(problem, side)),
      planar_(complex_ && problem.layout == ComplexLayout::planar) {
    const Reach memory = memory_of(problem, side);
    const auto bytes = static_cast<std::size_t>(memory.below + memory.from) * scalar_bytes();
    zero_ = static_cast<std::size_t>(memory.below);
    first_ = std::make_shared<runtime::AlignedBuffer>(bytes);
    second_ = std::make_shared<runtime::AlignedBuffer>(planar_ ? bytes : 0);
}

ProblemData::ProblemData(const Problem& problem, Side side, const ProblemData& memory) : ProblemData(memory) {
    complex_ = is_complex(problem, side);
    planar_ = complex_ && problem.layout == ComplexLayout::planar;
}

void ProblemData::fill(std::minstd_rand& random) {
    constexpr double half_range = 1073741824; // 2^30: minstd_rand gives 1…2^31−2
    for (const auto& part : {first_, second_})
        for (std::size_t k = 0; k < part->bytes() / scalar_bytes(); ++k) {
            const double value = static_cast<double>(random()) / half_range - 1;
            if (single_)
                part->as<float>()[k] = static_cast<float>(value);
            else
                part->as<double>()[k] = value;
        }
}

std::complex<double> ProblemData::operator[](Integer offset) const {
    if (!complex_) return get(*first_, offset);
    if (planar_) return {get(*first_, offset), get(*second_, offset)};
    return {get(*first_, 2 * offset), get(*first_, 2 * offset + 1)};
}

double ProblemData::get(const runtime::AlignedBuffer& part, std::ptrdiff_t k) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(zero_) + k;
    return single_ ? static_cast<double>(part.as<float>()[at]) : part.as<double>()[at];
}

void* ProblemData::origin(const runtime::AlignedBuffer& part) const {
    return part.as<std::byte>() + zero_ * scalar_bytes();
}

} // namespace swirl::planning
