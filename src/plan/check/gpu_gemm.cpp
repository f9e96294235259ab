#include "plan/check/gpu_gemm.hpp"

#include "base/error.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/check/gpu_repeated_matrix.hpp"
#include "plan/gemm/gpu/lists.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "plan/gemm/values.hpp"
#include "problem/expression.hpp"
#include "runtime/cuda/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <deque>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace swirl::planning {

namespace {

using Complex = std::complex<double>;

constexpr int compared_elements = 64;

/// A product's matrices and arrays on its plan's GPU.
class Comparison {
public:
    /// A is multiplied and B divided by `scale`. With kernels for misaligned pointers, all arrays that they allow to be
    /// are misaligned.
    explicit Comparison(const GpuMatrixPlan& plan, double scale = 1,
                        const GpuMatrixKernels* misaligned = nullptr)
        : plan_(plan),
          misaligned_(misaligned),
          product_(with_contiguous_batch(plan.product())),
          known_(arrays_of(product_)),
          beta_(product_.converts() ? 0 : -0.5),
          c_(matrix(product_.type_of_c(), product_.c, product_.rows, product_.columns, 3)) {
        if (product_.k > 0) {
            a_.emplace(matrix(product_.type_of_a(), product_.a, product_.rows, product_.k, 1, scale));
            b_.emplace(matrix(product_.type_of_b(), product_.b, product_.k, product_.columns, 2, 1 / scale));
        }
        const std::vector<AuxiliaryArray> given = given_arrays_of(product_);
        for (std::size_t k = 0; k < given.size(); ++k)
            arrays_.emplace_back(plan.device(), component_of(epilogue_type(product_)), MatrixLayout{1, 1},
                                 given[k].elements * (given[k].is_complex ? 2 : 1), 1, 1,
                                 4 + static_cast<unsigned>(k), 1,
                                 misaligned == nullptr ? 0
                                 : given[k].is_complex ? 2
                                                       : 1);
    }

    void execute() const {
        std::vector<const void*> arrays;
        for (const RepeatedMatrix& array : arrays_) arrays.push_back(array.origin());
        plan_.device().synchronize();
        with_accumulator_type(product_.data_type, [&](auto example) {
            using T = decltype(example);
            const T alpha = rounded<T>(alpha_), beta = rounded<T>(beta_);
            GpuMatrixArguments arguments{
                &alpha, a_ ? a_->origin() : nullptr, b_ ? b_->origin() : nullptr, &beta, c_.origin(), arrays};
            std::optional<GpuMatrixLists> lists;
            if (plan_.product().listed)
                arguments = lists.emplace(plan_.device(), product_, arguments).of(arguments);
            const std::size_t bytes =
                misaligned_ != nullptr ? misaligned_->workspace_bytes() : plan_.workspace_bytes();
            const GuardedGpuBuffer workspace(plan_.device(), bytes);
            const GpuWorkspace given{reinterpret_cast<void*>(workspace.address()), bytes};
            if (misaligned_ != nullptr)
                plan_.launch({arguments, product_.k > 0, beta_ != 0, misaligned_, workspace.address()},
                             nullptr);
            else
                plan_.execute(arguments, nullptr, bytes > 0 ? given : GpuWorkspace{});
            plan_.device().synchronize();
            require_untouched("workspace", workspace.written_in_redzones());
        });
        const auto require_unchanged = [&](const std::string& name, const RepeatedMatrix& matrix) {
            require_untouched(name, matrix.written_in_redzones());
            require_untouched(name, matrix.changed());
        };
        if (a_) require_unchanged("a", *a_);
        if (b_) require_unchanged("b", *b_);
        require_untouched("c", c_.written_in_redzones());
        require_untouched("c", c_.changed_in_gaps());
        for (std::size_t k = 0; k < arrays_.size(); ++k) {
            const std::string name = "array " + given_arrays_of(product_)[k].name;
            if (k < known_.size())
                require_unchanged(name, arrays_[k]);
            else
                require_untouched(name, arrays_[k].written_in_redzones()); // results
        }
    }

    /// Relative to the sum of the magnitudes of the products.
    double accumulation_error() const {
        constexpr double kept_of_e4m3 = 0x1p-12, reduced = 0x1p-16, eleven_bits = 0x1p-9, low = 0x1p-7;
        switch (gemm::accuracy_of(plan_.schedule().gpu_gemm(), product_)) {
        case Accuracy::reduced: return reduced;
        case Accuracy::eleven_bits: return eleven_bits;
        case Accuracy::low: return low;
        default: break;
        }
        if (product_.type_of_a() == DataType::float8_e4m3)
            return kept_of_e4m3; // tensor cores keep so few bits of their accumulators
        return spacing(product_.data_type) * (8 + std::sqrt(static_cast<double>(product_.k)));
    }

    void require(Integer matrix, Integer i, Integer j) const {
        const auto [x, error_of_x] = sum_of(matrix, i, j);
        const Complex expected = finished(x, matrix, i, j);
        double change = error_of_x;
        for (const double sign : {-1, 1})
            change = std::max(change, std::abs(finished(x + sign * error_of_x, matrix, i, j) - expected));
        const double allowed = change + rounding(std::abs(expected));
        const Complex found = c_.read(matrix, i, j);
        if (!(std::abs(expected) + allowed < largest(product_.type_of_c()))) return; // also NaN
        ensure(std::abs(found - expected) <= allowed,
               "a product of {} by {} by {} by '{}' is wrong at ({}, {}) of matrix {}: {} and not {}",
               product_.rows, product_.columns, product_.k, to_string(plan_.schedule()), i, j, matrix,
               text_of(found), text_of(expected));
    }

    /// Copies C before the results of reductions over many elements are checked.
    void fetch_elements() {
        is_fetched_ = c_.memory_bytes() <= most_fetched;
        if (is_fetched_) c_.fetch();
    }

    /// Checks a result against the elements of C that it reduces, unless they are too many.
    void require_reduced(std::size_t k, Integer matrix, Integer kept) const {
        const Reduction& reduction = product_.reductions[k];
        const Over over = reduction.over;
        const Integer rows = over == Over::columns ? 1 : product_.rows;
        const Integer columns = over == Over::rows ? 1 : product_.columns;
        if (rows * columns > max_reduced()) return;
        const bool is_accumulated = reduction.operation == Reduce::sum;
        double expected = 0, allowed = 0, magnitude = 0;
        for (Integer at = 0; at < rows * columns; ++at) {
            const Integer i = over == Over::columns ? kept : at % rows;
            const Integer j = over == Over::rows ? kept : at / rows;
            const auto [x, error_of_x] = element(matrix, i, j);
            const double value = by(reduction.of, x, matrix, i, j);
            double change = 16 * spacing(product_.data_type) * (1 + std::abs(value));
            for (const double sign : {-1, 1}) {
                const Complex other = x + sign * error_of_x;
                change = std::max(change, std::abs(by(reduction.of, other, matrix, i, j) - value));
            }
            magnitude += std::abs(value);
            const bool is_further =
                reduction.operation == Reduce::maximum ? value > expected : value < expected;
            if (is_accumulated)
                expected += value;
            else if (at == 0 || is_further)
                expected = value;
            allowed = is_accumulated ? allowed + change : std::max(allowed, change);
        }
        if (is_accumulated) allowed += 64 * spacing(product_.data_type) * magnitude;
        const double found = arrays_[known_.size() + k] // results follow the arrays that are read
                                 .read(0, matrix * results_of_matrix(product_, over) + kept, 0)
                                 .real();
        if (!(std::abs(expected) + allowed < largest(product_.data_type))) return; // also NaN
        ensure(std::abs(found - expected) <= allowed,
               "the reduction {} of a product of {} by {} by {} by '{}' is wrong at {} of matrix {}: {} and "
               "not {}",
               reduction.name, product_.rows, product_.columns, product_.k, to_string(plan_.schedule()), kept,
               matrix, found, expected);
    }
    void require_reduced() const {
        for (std::size_t k = 0; k < product_.reductions.size(); ++k) {
            const Integer last = results_of_matrix(product_, product_.reductions[k].over) - 1;
            require_reduced(k, 0, 0);
            if (last > 0 || product_.batch > 1) require_reduced(k, product_.batch - 1, last);
        }
    }

private:
    /// Checks memory that the kernel must not write: redzones around arrays, A, B, arrays that are read, gaps between
    /// C's elements.
    void require_untouched(const std::string& name, const std::optional<std::ptrdiff_t>& touched) const {
        if (touched)
            throw InternalError(
                "a product of {} by {} by {} by '{}' wrote where it must not: {}, byte {} from its first on",
                product_.rows, product_.columns, product_.k, to_string(plan_.schedule()), name, *touched);
    }

    static constexpr std::size_t most_fetched = std::size_t{1} << 28; ///< bytes of C copied at once

    struct Known {
        Complex value;
        double error = 0; ///< maximum error
    };

    /// An element before the epilogue.
    Known sum_of(Integer matrix, Integer i, Integer j) const {
        Complex x = beta_ * (beta_ == 0 ? 0 : c_.element(matrix, i, j));
        double magnitude = std::abs(x);
        for (Integer k = 0; k < product_.k; ++k) {
            const Complex term = alpha_ * a_->element(matrix, i, k) * b_->element(matrix, k, j);
            x += term;
            magnitude += std::abs(term);
        }
        return {x, magnitude * accumulation_error()};
    }

    /// The reduced value: C's element in memory; or, for integers, which have lost too much precision, by definition.
    Known element(Integer matrix, Integer i, Integer j) const {
        if (!quantization_of(product_.type_of_c())) {
            const Complex x = c_.read(matrix, i, j);
            return {x, spacing(product_.type_of_c()) * std::abs(x)};
        }
        const auto [x, error_of_x] = sum_of(matrix, i, j);
        const double value = by(product_.epilogue, x, matrix, i, j);
        double error =
            product_.epilogue.is_identity() ? 0 : 16 * spacing(product_.data_type) * (1 + std::abs(value));
        double change = error_of_x;
        for (const double sign : {-1, 1})
            change = std::max(change,
                              std::abs(by(product_.epilogue, x + sign * error_of_x, matrix, i, j) - value));
        return {value, error + change};
    }

    /// Maximum number of elements of C per checked result.
    Integer max_reduced() const {
        constexpr Integer multiplied = Integer{1} << 22, copied = Integer{1} << 18,
                          copied_one_by_one = Integer{1} << 13;
        if (quantization_of(product_.type_of_c())) return multiplied / std::max<Integer>(product_.k, 1);
        return is_fetched_ ? copied : copied_one_by_one;
    }

    RepeatedMatrix matrix(DataType data_type, const MatrixLayout& layout, Integer rows, Integer columns,
                          unsigned seed, double scale = 1) const {
        // Lists promise the alignment of their matrices.
        const Integer shift = misaligned_ != nullptr && !plan_.product().listed ? 1 : 0;
        return {plan_.device(), data_type, layout, rows, columns, product_.batch, seed, scale, shift};
    }

    std::string text_of(const Complex& value) const {
        if (!is_complex(product_.data_type)) return fmt::format("{}", value.real());
        return fmt::format("{} + {}i", value.real(), value.imag());
    }

    /// Rounding error of the epilogue's operations and of the conversion of its result.
    double rounding(double expected) const {
        const DataType stored = product_.type_of_c();
        double result =
            stored == product_.data_type ? 0 : spacing(stored) * std::max(std::abs(expected), 0x1p-14);
        if (const auto quantization = quantization_of(stored)) result += quantization->spacing / 2;
        if (!product_.epilogue.is_identity())
            result += 16 * spacing(product_.data_type) * (1 + std::abs(expected));
        return result;
    }

    /// After the epilogue and clamped to C's range, before rounding to C's type.
    Complex finished(const Complex& x, Integer matrix, Integer i, Integer j) const {
        if (is_complex(product_.data_type)) return x;
        const double value = by(product_.epilogue, x.real(), matrix, i, j);
        const auto quantization = quantization_of(product_.type_of_c());
        return quantization ? std::clamp(value, quantization->least, quantization->greatest) : value;
    }
    double by(const Expression& expression, const Complex& x, Integer matrix, Integer i, Integer j) const {
        const ExpressionTree* const tree = expression.tree();
        if (tree == nullptr) return x.real();
        const ExpressionScope scope = scope_of(product_);
        const std::array<Integer, 3> indices = {matrix, i, j};
        const auto index = [&](const std::string& name) { return indices[*scope.axis_of(name)]; };
        const auto array = [&](const ExpressionNode& node) -> std::complex<double> {
            const auto at = static_cast<std::size_t>(
                std::find_if(known_.begin(), known_.end(),
                             [&](const AuxiliaryArray& one) { return one.name == node.name; }) -
                known_.begin());
            Integer element_index = 0;
            for (const std::string& name : node.indices)
                element_index = element_index * scope.lengths[*scope.axis_of(name)] + index(name);
            const auto component = [&](Integer k) { return arrays_[at].element(0, k, 0).real(); };
            if (!node.is_complex) return component(element_index);
            return {component(2 * element_index), component(2 * element_index + 1)};
        };
        return evaluate(tree->value, {x, index, array}).real();
    }

    const GpuMatrixPlan& plan_;
    const GpuMatrixKernels* misaligned_; ///< null: the plan's usual kernels
    MatrixProduct product_;              ///< with a strided batch
    std::vector<AuxiliaryArray> known_;
    double alpha_ = 0.75, beta_;
    RepeatedMatrix c_;
    bool is_fetched_ = false;
    std::optional<RepeatedMatrix> a_, b_;
    std::deque<RepeatedMatrix> arrays_;
};

void compare(const GpuMatrixPlan& plan, double scale, const GpuMatrixKernels* misaligned = nullptr) {
    Comparison comparison(plan, scale, misaligned);
    comparison.execute();
    const MatrixProduct& product = plan.product();
    std::mt19937_64 random(4);
    const auto below = [&](Integer extent, int k) {
        if (k < 2) return k == 0 ? 0 : extent - 1;
        return static_cast<Integer>(random() % static_cast<std::uint64_t>(extent));
    };
    for (int k = 0; k < compared_elements; ++k) {
        const Integer matrix = below(product.batch, k), i = below(product.rows, k % 4 == 2 ? 0 : k),
                      j = below(product.columns, k);
        comparison.require(matrix, i, j);
    }
    if (product.reductions.empty()) return;
    comparison.fetch_elements();
    comparison.require_reduced();
}

constexpr double out_of_range = 0x1p70; ///< of bf16 splits, for any K (gemm/gpu_range.hpp)

} // namespace

void compare_with_definition(const GpuMatrixPlan& plan) {
    compare(plan, 1);
    const auto* const wgmma = std::get_if<gemm::WgmmaGemm>(&plan.schedule().choices);
    if (wgmma != nullptr && wgmma->has_range_check()) compare(plan, out_of_range);
}

void compare_misaligned_with_definition(const GpuMatrixPlan& plan, const GpuMatrixKernels& kernels) {
    compare(plan, 1, &kernels);
}

} // namespace swirl::planning
