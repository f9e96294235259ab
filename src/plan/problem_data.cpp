#include "plan/problem_data.hpp"

namespace swirl::planning {

namespace {

std::size_t bytes_of(const Problem& problem, Side side) {
    const Extent reach = extent(problem, side);
    return static_cast<std::size_t>((reach.highest - reach.lowest + 1) * element_bytes(problem, side));
}

} // namespace

ProblemData::ProblemData(const Problem& problem, Side side)
    : single_(problem.precision == Precision::float32),
      complex_(is_complex(problem, side)),
      planar_(complex_ && problem.layout == ComplexLayout::planar),
      extent_(extent(problem, side)),
      first_(bytes_of(problem, side)),
      second_(planar_ ? bytes_of(problem, side) : 0) {}

void ProblemData::fill(std::minstd_rand& random) {
    constexpr double half_range = 1073741824; // 2^30: minstd_rand gives 1…2^31−2
    for (const auto* part : {&first_, &second_})
        for (std::size_t k = 0; k < part->bytes() / scalar_bytes(); ++k)
            put(*part, k, static_cast<double>(random()) / half_range - 1);
}

std::complex<double> ProblemData::operator[](Integer offset) const {
    const auto at = static_cast<std::size_t>(offset - extent_.lowest);
    if (!complex_) return get(first_, at);
    if (planar_) return {get(first_, at), get(second_, at)};
    return {get(first_, 2 * at), get(first_, 2 * at + 1)};
}

double ProblemData::get(const runtime::AlignedBuffer& part, std::size_t k) const {
    return single_ ? static_cast<double>(part.as<float>()[k]) : part.as<double>()[k];
}

void ProblemData::put(const runtime::AlignedBuffer& part, std::size_t k, double value) const {
    if (single_)
        part.as<float>()[k] = static_cast<float>(value);
    else
        part.as<double>()[k] = value;
}

void* ProblemData::origin(const runtime::AlignedBuffer& part) const {
    const auto scalars = static_cast<std::size_t>(-extent_.lowest) * (complex_ && !planar_ ? 2 : 1);
    return part.as<std::byte>() + scalars * scalar_bytes();
}

} // namespace swirl::planning
