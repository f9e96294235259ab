#include "rules/real_factors.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

Formula inverse_permutation(const std::vector<Integer>& sources) {
    std::vector<Integer> inverse(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i)
        inverse[static_cast<std::size_t>(sources[i])] = static_cast<Integer>(i);
    return permutation_from(std::move(inverse));
}

} // namespace

Formula assemble(const RealFactors& f, Direction direction) {
    if (direction == Direction::forward)
        return product_of({permutation_from(f.output), signs(f.negative), f.middle,
                           permutation_from(f.sorting), f.transforms, permutation_from(f.input)});
    return product_of({inverse_permutation(f.input), f.transforms, inverse_permutation(f.sorting), f.middle,
                       signs(f.negative), inverse_permutation(f.output)});
}

void HalfcomplexOutput::put(Integer position, bool negated) {
    output_[static_cast<std::size_t>(position)] = static_cast<Integer>(negative_.size());
    negative_.push_back(negated);
}

void HalfcomplexOutput::real(Integer k) { put(k, false); }
void HalfcomplexOutput::real_part(Integer k) { put(k, false); }
void HalfcomplexOutput::imaginary_part(Integer k, bool negated) { put(n_ - k, negated); }

void HalfcomplexOutput::pair(Integer k) {
    const bool conjugated = k > n_ / 2;
    real_part(conjugated ? n_ - k : k);
    imaginary_part(conjugated ? n_ - k : k, conjugated);
}

} // namespace swirl::rules
