#include "plan/check/elementwise.hpp"

#include "plan/check/expression_bounds.hpp"
#include "plan/gemm/cpu/result_conversion.hpp"
#include "plan/gemm/values.hpp"

#include <bit>
#include <limits>
#include <string>
#include <string_view>

namespace swirl::planning {

namespace kernel_check {

namespace {

/// Iterations of the kernel's loops, besides the remainders.
constexpr Integer sample_iterations = 2;

/// A matrix of elements with any strides, in memory of its own.
class Elements {
public:
    Elements(DataType data_type, Integer row_stride, Integer column_stride, Integer rows, Integer columns)
        : data_type_(data_type),
          bytes_(bytes_of(data_type)),
          row_stride_(row_stride),
          column_stride_(column_stride) {
        const Integer down = (rows - 1) * row_stride, across = (columns - 1) * column_stride;
        lowest_ = std::min<Integer>(down, 0) + std::min<Integer>(across, 0);
        span_ = (std::abs(down) + std::abs(across) + 1) * bytes_;
        memory_ = std::make_shared<const Memory>(span_ + 2 * guard_bytes);
    }
    std::byte* data() const { return memory_->data() + guard_bytes - lowest_ * bytes_; }
    std::byte* at(Integer i, Integer j) const {
        return data() + (i * row_stride_ + j * column_stride_) * bytes_;
    }
    Elements copy() const {
        Elements other = *this;
        other.memory_ = std::make_shared<const Memory>(span_ + 2 * guard_bytes);
        std::copy(bytes().begin(), bytes().end(), other.bytes().begin());
        return other;
    }
    DataType type() const { return data_type_; }
    Integer column_stride() const { return column_stride_; }
    std::span<std::byte> bytes() const {
        return {memory_->data(), static_cast<std::size_t>(span_ + 2 * guard_bytes)};
    }

private:
    DataType data_type_;
    Integer bytes_, row_stride_, column_stride_, lowest_ = 0, span_ = 0;
    std::shared_ptr<const Memory> memory_;
};

class ElementwiseCheck {
public:
    ElementwiseCheck(const gemm::ElementwiseKernel& kernel, runtime::KernelFunction function)
        : kernel_(kernel),
          function_(function),
          rows_((kernel.has_rest_only ? 0
                                      : whole_of(gemm::rows_at_once(kernel), kernel.max_rows - kernel.rest)) +
                kernel.rest),
          columns_(std::min<Integer>(whole_of(kernel.columns_at_once, kernel.max_columns) + 1,
                                     kernel.max_columns)),
          name_(name_of(kernel)),
          elements_(kernel.data_type, kernel.row_stride, column_stride(kernel.row_stride), rows_, columns_),
          operands_(kernel.expression, kernel.data_type, rows_, columns_) {}

    void run() {
        with_elements([&](auto example) {
            using S = decltype(example);
            for (Integer j = 0; j < columns_; ++j)
                for (Integer i = 0; i < rows_; ++i) put_value(elements_.at(i, j), sample<S>(i, j));
            if (const auto* reduced = std::get_if<gemm::ReducedElements>(&kernel_.result))
                check_reduced<S>(*reduced);
            else
                check_stored<S>(std::get<gemm::StoredElements>(kernel_.result));
        });
    }

private:
    static Integer whole_of(Integer at_once, Integer most) {
        return std::min(sample_iterations * at_once, most / at_once * at_once);
    }
    /// A distance at which columns do not overlap.
    Integer column_stride(Integer row_stride) const {
        return std::abs(row_stride) == 1 ? rows_ + 3 : std::abs(row_stride) * rows_ + 1;
    }
    static std::string name_of(const gemm::ElementwiseKernel& kernel) {
        const auto* const reduced = std::get_if<gemm::ReducedElements>(&kernel.result);
        const auto* const stored = std::get_if<gemm::StoredElements>(&kernel.result);
        return fmt::format("elements of {} with row stride {}, {} lanes, {} more rows, {}",
                           swirl::name_of(kernel.data_type), kernel.row_stride, kernel.lanes, kernel.rest,
                           reduced != nullptr ? std::string("reduced")
                                              : fmt::format("stored as {}", swirl::name_of(stored->type)));
    }
    template <class F> void with_elements(F&& f) const {
        switch (kernel_.data_type) {
        case DataType::int32: return f(std::int32_t{});
        case DataType::float32: return f(float{});
        case DataType::float64: return f(double{});
        case DataType::complex64: return f(std::complex<float>{});
        case DataType::complex128: return f(std::complex<double>{});
        default: throw InternalError("elements of {}", swirl::name_of(kernel_.data_type));
        }
    }
    template <class S> static void put_value(std::byte* at, S value) {
        std::memcpy(at, &value, sizeof value);
    }
    template <class S> static S value_of(const std::byte* at) {
        S value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    template <class S> S value(Integer i, Integer j) const { return value_of<S>(elements_.at(i, j)); }

    bool converts() const {
        const auto* const stored = std::get_if<gemm::StoredElements>(&kernel_.result);
        return stored != nullptr && stored->type != kernel_.data_type && kernel_.expression.is_identity();
    }

    /// Multiples of a sixteenth; values of all magnitudes and classes where they are only converted.
    template <class S> S sample(Integer i, Integer j) const {
        if constexpr (std::is_same_v<S, std::int32_t>) {
            return static_cast<S>(mixed(0, i, j) % 1001) - 500;
        } else if constexpr (sizeof(S) == sizeof(typename RealPart<S>::type)) {
            if (converts())
                return static_cast<S>(converted_sample(i, j)) * (sizeof(S) == 8 ? S(1.0000000001L) : S(1));
            return static_cast<S>(mixed(0, i, j) % 257) / 16 - 8;
        } else {
            using R = typename RealPart<S>::type;
            return {static_cast<R>(mixed(0, i, j) % 257) / 16 - 8,
                    static_cast<R>(mixed(1, i, j) % 257) / 16 - 8};
        }
    }
    static float converted_sample(Integer i, Integer j) {
        using Limits = std::numeric_limits<float>;
        constexpr float special[] = {0.0F,
                                     -0.0F,
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     Limits::quiet_NaN(),
                                     Limits::denorm_min(),
                                     Limits::max(),
                                     Limits::min(),
                                     65519.0F,
                                     65520.0F,
                                     0x1p-25F,
                                     0x1.8p-24F,
                                     0x1.01p0F,
                                     0x1.03p0F,
                                     0x1.002p0F,
                                     0x1.006p0F};
        const std::uint32_t which = mixed(2, i, j), more = mixed(3, i, j);
        switch (which % 4) {
        case 0: return special[more % std::size(special)];
        case 1: return std::bit_cast<float>(more << 16 | mixed(4, i, j)); // any float32
        case 2: return static_cast<float>(more % 1201) / 2 - 300;         // halves are ties
        default: return (static_cast<float>(more % 2041) - 1020) / 510;   // ties of normalised types
        }
    }

    void call_kernel(void* results, Integer result_stride, const void* beta = nullptr) {
        call(kernel_, function_,
             {rows_, columns_, elements_.data(), elements_.column_stride(), results, result_stride, beta},
             [&](std::size_t k) { return operands_.operand(k, 0, 0); });
    }

    /// Calls the kernel; in `results`, the results alone may change.
    void call_guarded(const Elements& results, const void* beta = nullptr) {
        const std::span<std::byte> memory = results.bytes();
        std::vector<std::byte> before(memory.begin(), memory.end());
        call_kernel(results.data(), results.column_stride(), beta);
        const auto bytes = static_cast<std::size_t>(bytes_of(results.type()));
        for (Integer j = 0; j < columns_; ++j)
            for (Integer i = 0; i < rows_; ++i)
                std::memcpy(before.data() + (results.at(i, j) - memory.data()), results.at(i, j), bytes);
        if (!std::equal(before.begin(), before.end(), memory.begin()))
            fail(name_, "it writes outside the results");
    }

    template <class S> void check_stored(const gemm::StoredElements& stored) {
        const Elements before = elements_.copy();
        const S beta = -sample<S>(1, 1) - S(3);
        if (stored.beta == gemm::BetaTerm::scales_x || stored.beta == gemm::BetaTerm::clears_x)
            for (Integer j = 0; j < columns_; ++j)
                for (Integer i = 0; i < rows_; ++i)
                    put_value(before.at(i, j), stored.beta == gemm::BetaTerm::clears_x
                                                   ? S(0)
                                                   : static_cast<S>(beta * value<S>(i, j))); // exact
        if (!gemm::has_results(kernel_)) {
            if (stored.beta == gemm::BetaTerm::clears_x) // 0 times any of these bits would not be 0
                std::fill(elements_.bytes().begin(), elements_.bytes().end(), std::byte{0xff});
            call_guarded(elements_, &beta);
            return compare<S>(before, elements_);
        }
        const Elements results(stored.type, stored.row_stride, column_stride(stored.row_stride), rows_,
                               columns_);
        std::fill(results.bytes().begin(), results.bytes().end(), std::byte{0xa5});
        if (stored.beta == gemm::BetaTerm::adds_c) {
            for (Integer j = 0; j < columns_; ++j)
                for (Integer i = 0; i < rows_; ++i) {
                    const S c = sample<S>(i + rows_, j);
                    put_value(results.at(i, j), c);
                    put_value(before.at(i, j), static_cast<S>(value<S>(i, j) + beta * c)); // exact
                }
            call_guarded(results, &beta);
            return compare<S>(before, results);
        }
        call_guarded(results);
        if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double>)
            if (converts()) return compare_converted<S>(results);
        compare<S>(before, results);
    }

    /// Bit by bit; a NaN may be any.
    template <class S> void compare_converted(const Elements& results) const {
        const auto bytes = static_cast<std::size_t>(bytes_of(results.type()));
        for (Integer j = 0; j < columns_; ++j)
            for (Integer i = 0; i < rows_; ++i) {
                const S x = value<S>(i, j);
                std::array<std::byte, 8> wanted{};
                if constexpr (std::is_same_v<S, float>)
                    convert_element(x, results.type(), wanted.data());
                else
                    put_value(wanted.data(), static_cast<float>(x));
                if (std::memcmp(wanted.data(), results.at(i, j), bytes) == 0) continue;
                if (std::isnan(x) && is_nan(results.type(), results.at(i, j))) continue;
                fail(name_,
                     fmt::format("element ({}, {}), which is {}, is converted to bytes {:02x}, not {:02x}", i,
                                 j, x, fmt::join(byte_values(results.at(i, j), bytes), " "),
                                 fmt::join(byte_values(wanted.data(), bytes), " ")));
            }
    }
    static std::vector<int> byte_values(const std::byte* at, std::size_t count) {
        std::vector<int> values;
        for (std::size_t k = 0; k < count; ++k) values.push_back(static_cast<int>(at[k]));
        return values;
    }
    static bool is_nan(DataType data_type, const std::byte* at) {
        if (data_type == DataType::float32) return std::isnan(value_of<float>(at));
        if (data_type == DataType::float16) return std::isnan(static_cast<float>(value_of<float16>(at)));
        if (data_type == DataType::bfloat16) return std::isnan(static_cast<float>(value_of<bfloat16>(at)));
        return false;
    }

    template <class S>
    using Result = typename RealPart<std::conditional_t<std::is_same_v<S, std::int32_t>, float, S>>::type;

    void compare_integers(const Elements& elements, const Elements& results) const {
        for (Integer j = 0; j < columns_; ++j)
            for (Integer i = 0; i < rows_; ++i)
                if (const auto wanted = value_of<std::int32_t>(elements.at(i, j)),
                    got = value_of<std::int32_t>(results.at(i, j));
                    got != wanted)
                    fail(name_, fmt::format("element ({}, {}) is {}, not {}", i, j, got, wanted));
    }
    /// Up to rounding.
    template <class S> void compare(const Elements& elements, const Elements& results) const {
        using R = Result<S>;
        if (results.type() == DataType::int32) return compare_integers(elements, results);
        const std::size_t components = std::is_same_v<S, std::complex<R>> ? 2 : 1;
        for (Integer j = 0; j < columns_; ++j)
            for (Integer i = 0; i < rows_; ++i) {
                const auto bounds = bounds_at<S>(elements, i, j);
                for (std::size_t component = 0; component < components; ++component) {
                    const R got = value_of<R>(results.at(i, j) + component * sizeof(R));
                    if (!bounds[component].admit(got))
                        fail(name_, fmt::format("element ({}, {}) is {}, not {}", i, j, got,
                                                bounds[component].expected));
                }
            }
    }
    template <class S>
    std::array<ResultBounds<Result<S>>, 2> bounds_at(const Elements& elements, Integer i, Integer j) const {
        using R = Result<S>;
        using X = std::conditional_t<std::is_same_v<S, std::int32_t>, float, S>;
        const auto x = static_cast<X>(value_of<S>(elements.at(i, j)));
        if (!kernel_.expression.is_identity()) return bounds_of<R>(operands_, x, i, j);
        if constexpr (sizeof(X) == sizeof(R))
            return {ResultBounds<R>{x, x, x}, ResultBounds<R>{}};
        else
            return {ResultBounds<R>{x.real(), x.real(), x.real()},
                    ResultBounds<R>{x.imag(), x.imag(), x.imag()}};
    }

    template <class S> void check_reduced(const gemm::ReducedElements& reduced) {
        const Integer count = reduced.over == Over::columns ? rows_
                              : reduced.over == Over::rows  ? columns_
                                                            : 1;
        const Elements results(DataType::float64, 1, count, count, 1);
        std::fill(results.bytes().begin(), results.bytes().end(), std::byte{0xa5});
        struct Bounds {
            long double least, most;
            bool is_known;
        };
        std::vector<Bounds> bounds;
        for (Integer k = 0; k < count; ++k) {
            const double before = small_integer(5, k, 0);
            put_value(results.at(k, 0), before);
            bounds.push_back({before, before, true});
        }
        const auto combine = [&](long double& total, long double value) {
            total = reduced.operation == Reduce::sum       ? total + value
                    : reduced.operation == Reduce::maximum ? std::max(total, value)
                                                           : std::min(total, value);
        };
        for (Integer j = 0; j < columns_; ++j)
            for (Integer i = 0; i < rows_; ++i) {
                const auto of_element = bounds_at<S>(elements_, i, j)[0];
                Bounds& of_result = bounds[static_cast<std::size_t>(reduced.over == Over::columns ? i
                                                                    : reduced.over == Over::rows  ? j
                                                                                                  : 0)];
                combine(of_result.least, of_element.least);
                combine(of_result.most, of_element.most);
                of_result.is_known = of_result.is_known && of_element.is_known;
            }
        const std::vector<std::byte> memory(results.bytes().begin(), results.bytes().end());
        call_kernel(results.data(), 0);
        for (Integer k = 0; k < guard_bytes; ++k)
            if (results.data()[-1 - k] != std::byte{0xa5} ||
                results.data()[count * bytes_of(DataType::float64) + k] != std::byte{0xa5})
                fail(name_, "it writes outside the results");
        for (Integer k = 0; k < count; ++k) {
            const Bounds& known = bounds[static_cast<std::size_t>(k)];
            const auto got = value_of<double>(results.at(k, 0));
            const long double slack = (std::fabs(known.least) + std::fabs(known.most) + 1) * 0x1p-45L;
            if (known.is_known && !(got >= known.least - slack && got <= known.most + slack))
                fail(name_, fmt::format("result {} is {}, not in {} … {}", k, got,
                                        static_cast<double>(known.least), static_cast<double>(known.most)));
        }
    }

    const gemm::ElementwiseKernel& kernel_;
    runtime::KernelFunction function_;
    Integer rows_, columns_;
    std::string name_;
    Elements elements_;
    OperandArrays operands_;
};

} // namespace

} // namespace kernel_check

void check_elementwise(const gemm::ElementwiseKernel& kernel, runtime::KernelFunction function) {
    kernel_check::ElementwiseCheck(kernel, function).run();
}

} // namespace swirl::planning
