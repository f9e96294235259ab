// Large matrices would take longer to fill with numbers than to multiply: they hold a short random sequence again and again, whose
// length is a prime, so that no two rows or columns are the same for long.
#include "plan/gpu_matrix_check.hpp"

#include <swirl/half.hpp>

#include "base/error.hpp"
#include "plan/gpu_matrix_lists.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "plan/matrix_values.hpp"
#include "problem/expression.hpp"
#include "runtime/cuda_memory.hpp"

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

constexpr std::size_t sequence_length = 65521;
constexpr int compared_elements = 64;

/// f with an example of the type of a real number in memory.
template <class F> void with_stored(Number number, F&& f) {
    switch (number) {
    case Number::float32: return f(float{});
    case Number::float64: return f(double{});
    case Number::bfloat16: return f(bfloat16{});
    case Number::float16: return f(float16{});
    case Number::float8_e4m3: return f(float8_e4m3{});
    case Number::int8: return f(std::int8_t{});
    case Number::uint8: return f(std::uint8_t{});
    case Number::unorm8: return f(unorm8{});
    case Number::snorm8: return f(snorm8{});
    case Number::unorm16: return f(unorm16{});
    case Number::snorm16: return f(snorm16{});
    default: break;
    }
    throw InternalError("a product of {} on a GPU", word_of(number));
}

/// Integers in memory: how far apart their values are, and the range that these keep to.
struct Steps {
    double step = 0;
    double least = 0, greatest = 0;
};
std::optional<Steps> steps_of(Number number) {
    switch (number) {
    case Number::int8: return Steps{1, -128, 127};
    case Number::uint8: return Steps{1, 0, 255};
    case Number::unorm8: return Steps{1.0 / 255, 0, 1};
    case Number::snorm8: return Steps{1.0 / 127, -1, 1};
    case Number::unorm16: return Steps{1.0 / 65535, 0, 1};
    case Number::snorm16: return Steps{1.0 / 32767, -1, 1};
    default: return std::nullopt;
    }
}

template <class T> T rounded(double number) {
    if constexpr (std::is_integral_v<T>) {
        constexpr double most = 9; // so that sums of some products are no larger than what is stored
        return static_cast<T>(std::is_signed_v<T> ? most * number : std::abs(most * number));
    } else if constexpr (sizeof(T) < sizeof(float))
        return T(static_cast<float>(number));
    else
        return static_cast<T>(number);
}

/// f with an example of what α and β are.
template <class F> void with_sums(Number number, F&& f) {
    if (number == Number::complex32) return f(std::complex<float>{});
    if (number == Number::complex64) return f(std::complex<double>{});
    with_stored(number, f);
}

/// Of a complex number's parts.
Number part_of(Number number) {
    if (number == Number::complex32) return Number::float32;
    return number == Number::complex64 ? Number::float64 : number;
}

/// What a number's neighbours differ by, as part of it, or of the smallest one that has all digits.
double spacing(Number number) {
    switch (part_of(number)) {
    case Number::bfloat16: return 0x1p-7;
    case Number::float16: return 0x1p-10;
    case Number::float64: return std::numeric_limits<double>::epsilon();
    default: return std::numeric_limits<float>::epsilon();
    }
}

double largest(Number number) {
    constexpr double of_float16 = 65504;
    if (part_of(number) == Number::float64) return std::numeric_limits<double>::max();
    return number == Number::float16 ? of_float16 : std::numeric_limits<float>::max();
}

/// Numbers of a matrix, in a GPU's memory and on the host.
class RepeatedMatrix {
public:
    RepeatedMatrix(const runtime::GpuDevice& device, Number number, const MatrixLayout& layout, Integer rows,
                   Integer columns, Integer batch, unsigned seed, double scale = 1)
        : number_(part_of(number)),
          parts_(is_complex(number) ? 2 : 1),
          layout_(layout),
          extent_(extent_of(layout, rows, columns, batch)),
          sequence_(sequence_length),
          memory_(device,
                  static_cast<std::size_t>((extent_.highest - extent_.lowest + 1) * parts_) * bytes()) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(-1, 1);
        std::vector<std::byte> stored(sequence_length * bytes());
        with_stored(number_, [&](auto example) {
            using T = decltype(example);
            T* const to = reinterpret_cast<T*>(stored.data());
            for (std::size_t k = 0; k < sequence_length; ++k) {
                to[k] = rounded<T>(uniform(random) * scale);
                sequence_[k] = static_cast<double>(to[k]);
            }
        });
        for (std::size_t first = 0; first < memory_.bytes(); first += stored.size())
            runtime::copy_to_gpu(device, memory_.address() + first, stored.data(),
                                 std::min(stored.size(), memory_.bytes() - first));
    }

    void* origin() const {
        return reinterpret_cast<std::byte*>(memory_.address()) -
               extent_.lowest * parts_ * static_cast<Integer>(bytes());
    }
    Complex element(Integer matrix, Integer i, Integer j) const {
        const Integer first = parts_ * offset(matrix, i, j);
        const auto part = [&](Integer at) {
            return sequence_[static_cast<std::size_t>(at) % sequence_length];
        };
        return of_layout({part(first), parts_ == 2 ? part(first + 1) : 0});
    }
    /// What is there by now.
    Complex read(Integer matrix, Integer i, Integer j) const {
        const Integer first = parts_ * offset(matrix, i, j);
        std::array<double, 2> result = {0, 0};
        with_stored(number_, [&](auto found) {
            for (Integer part = 0; part < parts_; ++part) {
                runtime::copy_from_gpu(
                    memory_.device(), &found,
                    memory_.address() + static_cast<std::size_t>(first + part) * sizeof found, sizeof found);
                result[static_cast<std::size_t>(part)] = static_cast<double>(found);
            }
        });
        return of_layout({result[0], result[1]});
    }

private:
    std::size_t bytes() const { return static_cast<std::size_t>(bytes_of(number_)); } ///< of a part
    Complex of_layout(const Complex& stored) const { return layout_.conjugated ? std::conj(stored) : stored; }
    Integer offset(Integer matrix, Integer i, Integer j) const {
        return matrix * layout_.batch_stride + i * layout_.row_stride + j * layout_.column_stride -
               extent_.lowest;
    }

    Number number_; ///< of parts
    Integer parts_;
    MatrixLayout layout_;
    Extent extent_;
    std::vector<double> sequence_;
    runtime::GpuBuffer memory_;
};

/// A product's matrices and arrays on its plan's GPU.
class Comparison {
public:
    /// A and B are multiplied and divided by `scale`.
    explicit Comparison(const GpuMatrixPlan& plan, double scale = 1)
        : plan_(plan),
          product_(one_behind_the_other(plan.product())),
          known_(arrays_of(product_)),
          beta_(product_.converts() ? 0 : -0.5),
          c_(matrix(product_.number_of_c(), product_.c, product_.rows, product_.columns, 3)) {
        if (product_.depth > 0) {
            a_.emplace(matrix(product_.number_of_a(), product_.a, product_.rows, product_.depth, 1, scale));
            b_.emplace(
                matrix(product_.number_of_b(), product_.b, product_.depth, product_.columns, 2, 1 / scale));
        }
        const std::vector<ProblemArray> given = given_arrays_of(product_);
        for (std::size_t k = 0; k < given.size(); ++k)
            arrays_.emplace_back(plan.device(), part_of(number_of_epilogue(product_)), MatrixLayout{1, 1},
                                 given[k].elements * (given[k].is_complex ? 2 : 1), 1, 1,
                                 4 + static_cast<unsigned>(k));
    }

    void execute() const {
        std::vector<const void*> arrays;
        for (const RepeatedMatrix& array : arrays_) arrays.push_back(array.origin());
        plan_.device().synchronize();
        with_sums(product_.number, [&](auto example) {
            using T = decltype(example);
            const T alpha = rounded<T>(alpha_), beta = rounded<T>(beta_);
            GpuMatrixArguments arguments{
                &alpha, a_ ? a_->origin() : nullptr, b_ ? b_->origin() : nullptr, &beta, c_.origin(), arrays};
            std::optional<GpuMatrixLists> lists;
            if (plan_.product().listed)
                arguments = lists.emplace(plan_.device(), product_, arguments).of(arguments);
            plan_.execute(arguments, nullptr);
            plan_.device().synchronize();
        });
    }

    /// As part of the magnitudes that are added up.
    double error_of_sums() const {
        constexpr double kept_of_e4m3 = 0x1p-12, reduced = 0x1p-16, eleven_bits = 0x1p-9, low = 0x1p-7;
        switch (accuracy_of(plan_.schedule(), product_)) {
        case Accuracy::reduced: return reduced;
        case Accuracy::eleven_bits: return eleven_bits;
        case Accuracy::low: return low;
        default: break;
        }
        if (product_.number_of_a() == Number::float8_e4m3)
            return kept_of_e4m3; // tensor cores keep so few bits of their sums
        return spacing(product_.number) * (8 + std::sqrt(static_cast<double>(product_.depth)));
    }

    void require(Integer matrix, Integer i, Integer j) const {
        Complex x = beta_ * (beta_ == 0 ? 0 : c_.element(matrix, i, j));
        double magnitude = std::abs(x);
        for (Integer step = 0; step < product_.depth; ++step) {
            const Complex term = alpha_ * a_->element(matrix, i, step) * b_->element(matrix, step, j);
            x += term;
            magnitude += std::abs(term);
        }
        const double error_of_x = magnitude * error_of_sums();
        const Complex expected = finished(x, matrix, i, j);
        double change = error_of_x;
        for (const double step : {-1, 1})
            change = std::max(change, std::abs(finished(x + step * error_of_x, matrix, i, j) - expected));
        const double allowed = change + rounding(std::abs(expected));
        const Complex found = c_.read(matrix, i, j);
        if (!(std::abs(expected) + allowed < largest(product_.number_of_c()))) return; // NaN, too
        ensure(std::abs(found - expected) <= allowed,
               "a product of {} by {} by {} by '{}' is wrong at ({}, {}) of matrix {}: {} and not {}",
               product_.rows, product_.columns, product_.depth, to_string(plan_.schedule()), i, j, matrix,
               text_of(found), text_of(expected));
    }

    /// A result, against the elements of C that it is of, where these are many enough to tell what was reduced.
    void require_reduced(std::size_t k, Integer matrix, Integer kept) const {
        const Reduction& reduction = product_.reductions[k];
        const Over over = reduction.over;
        const Integer rows = over == Over::columns ? 1 : product_.rows;
        const Integer columns = over == Over::rows ? 1 : product_.columns;
        if (rows * columns > most_reduced || steps_of(product_.number_of_c())) return;
        const bool is_sum = reduction.operation == Reduce::sum;
        double expected = 0, allowed = 0, magnitude = 0;
        for (Integer at = 0; at < rows * columns; ++at) {
            const Integer i = over == Over::columns ? kept : at % rows;
            const Integer j = over == Over::rows ? kept : at / rows;
            const Complex x = c_.read(matrix, i, j);
            const double value = by(reduction.of, x, matrix, i, j);
            double change = 16 * spacing(product_.number) * (1 + std::abs(value));
            for (const double step : {-1, 1}) {
                const double error = step * spacing(product_.number_of_c()) * std::abs(x);
                change = std::max(change, std::abs(by(reduction.of, x + error, matrix, i, j) - value));
            }
            magnitude += std::abs(value);
            const bool is_further =
                reduction.operation == Reduce::maximum ? value > expected : value < expected;
            if (is_sum)
                expected += value;
            else if (at == 0 || is_further)
                expected = value;
            allowed = is_sum ? allowed + change : std::max(allowed, change);
        }
        if (is_sum) allowed += 64 * spacing(product_.number) * magnitude;
        const double found = arrays_[known_.size() + k] // results come behind what is read

                                 .read(0, matrix * results_of_matrix(product_, over) + kept, 0)
                                 .real();
        if (!(std::abs(expected) + allowed < largest(product_.number))) return; // NaN, too
        ensure(std::abs(found - expected) <= allowed,
               "the reduction {} of a product of {} by {} by {} by '{}' is wrong at {} of matrix {}: {} and "
               "not {}",
               reduction.name, product_.rows, product_.columns, product_.depth, to_string(plan_.schedule()),
               kept, matrix, found, expected);
    }
    void require_reduced() const {
        for (std::size_t k = 0; k < product_.reductions.size(); ++k) {
            const Integer last = results_of_matrix(product_, product_.reductions[k].over) - 1;
            require_reduced(k, 0, 0);
            if (last > 0 || product_.batch > 1) require_reduced(k, product_.batch - 1, last);
        }
    }

private:
    static constexpr Integer most_reduced = Integer{1} << 13; ///< elements that are read one after the other

    RepeatedMatrix matrix(Number number, const MatrixLayout& layout, Integer rows, Integer columns,
                          unsigned seed, double scale = 1) const {
        return {plan_.device(), number, layout, rows, columns, product_.batch, seed, scale};
    }

    std::string text_of(const Complex& number) const {
        if (!is_complex(product_.number)) return fmt::format("{}", number.real());
        return fmt::format("{} + {}i", number.real(), number.imag());
    }

    /// Of the epilogue's operations and of storing its result.
    double rounding(double expected) const {
        const Number stored = product_.number_of_c();
        double result =
            stored == product_.number ? 0 : spacing(stored) * std::max(std::abs(expected), 0x1p-14);
        if (const auto steps = steps_of(stored)) result += steps->step / 2;
        if (!product_.epilogue.is_identity())
            result += 16 * spacing(product_.number) * (1 + std::abs(expected));
        return result;
    }

    /// Before it is rounded to what C holds, but in its range.
    Complex finished(const Complex& x, Integer matrix, Integer i, Integer j) const {
        if (is_complex(product_.number)) return x;
        const double value = by(product_.epilogue, x.real(), matrix, i, j);
        const auto steps = steps_of(product_.number_of_c());
        return steps ? std::clamp(value, steps->least, steps->greatest) : value;
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
                             [&](const ProblemArray& one) { return one.name == node.name; }) -
                known_.begin());
            Integer place = 0;
            for (const std::string& name : node.indices)
                place = place * scope.lengths[*scope.axis_of(name)] + index(name);
            const auto number = [&](Integer k) { return arrays_[at].element(0, k, 0).real(); };
            if (!node.is_complex) return number(place);
            return {number(2 * place), number(2 * place + 1)};
        };
        return evaluate(tree->value, {x, index, array}).real();
    }

    const GpuMatrixPlan& plan_;
    MatrixProduct product_; ///< its batch at strides
    std::vector<ProblemArray> known_;
    double alpha_ = 0.75, beta_;
    RepeatedMatrix c_;
    std::optional<RepeatedMatrix> a_, b_;
    std::deque<RepeatedMatrix> arrays_;
};

void compare(const GpuMatrixPlan& plan, double scale) {
    const Comparison comparison(plan, scale);
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
    comparison.require_reduced();
}

constexpr double out_of_range = 0x1p70; ///< of terms, at any depth (gemm/gpu_range.hpp)

} // namespace

void compare_with_definition(const GpuMatrixPlan& plan) {
    compare(plan, 1);
    if (plan.schedule().is_guarded()) compare(plan, out_of_range);
}

} // namespace swirl::planning
