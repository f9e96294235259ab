#include "blas/check.hpp"
#include "blas/check_samples.hpp"

#include <algorithm>
#include <vector>

namespace swirl::blas {

namespace {

using namespace check_samples;

template <class T> void run_sample(const Mirror& kernel, runtime::KernelFunction function) {
    const Integer whole =
        std::min<Integer>(3, (kernel.most_rows - kernel.rest) / kernel.lanes) * kernel.lanes;
    const Integer rows = whole + kernel.rest, stride = rows + 3;
    const auto at = [](Integer row, Integer column, Integer leading) {
        return static_cast<std::size_t>(row + column * leading);
    };
    /// Row and column are in the triangle.
    const auto element = [](Integer row, Integer column) { return sample<T>(row, column, 1); };
    std::vector<T> triangle(static_cast<std::size_t>(rows * stride), not_a_number<T>());
    for (Integer column = 0; column < rows; ++column)
        for (Integer row = kernel.upper ? 0 : column; row < (kernel.upper ? column + 1 : rows); ++row) {
            T& value = triangle[at(row, column, stride)];
            value = element(row, column);
            if constexpr (is_complex_type<T>)
                if (kernel.hermitian && row == column)
                    value = {value.real(), std::numeric_limits<Real<T>>::quiet_NaN()};
        }
    const T untouched(-77);
    std::vector<T> both(static_cast<std::size_t>(rows * rows + 2 * guard), untouched);
    void* const buffers[] = {triangle.data(), both.data() + guard};
    const std::int64_t parameters[] = {whole, stride};
    function(buffers, parameters);

    const std::string name = fmt::format(
        "both triangles of a {} matrix of {}, {} lanes, {} more rows{}{}",
        kernel.hermitian ? "Hermitian" : "symmetric", name_of(kernel.data_type), kernel.lanes, kernel.rest,
        kernel.upper ? ", from the upper one" : "", kernel.conjugated ? ", conjugated" : "");
    for (Integer column = 0; column < rows; ++column)
        for (Integer row = 0; row < rows; ++row) {
            const bool is_stored = kernel.upper ? row <= column : row >= column;
            T wanted = is_stored ? element(row, column) : element(column, row);
            if (kernel.hermitian && row == column) wanted = real_part(wanted);
            if (kernel.conjugated != (kernel.hermitian && !is_stored)) wanted = conjugate(wanted);
            if (both[at(row, column, rows) + guard] != wanted)
                fail(name, fmt::format("element ({}, {}) is wrong", row, column));
        }
    const auto is_untouched = [&](const T& each) { return each == untouched; };
    if (!std::all_of(both.begin(), both.begin() + guard, is_untouched) ||
        !std::all_of(both.end() - guard, both.end(), is_untouched))
        fail(name, "it writes outside its result");
}

} // namespace

void check_kernel(const Mirror& kernel, runtime::KernelFunction function) {
    with_element(kernel.data_type, [&](auto element) { run_sample<decltype(element)>(kernel, function); });
}

} // namespace swirl::blas
