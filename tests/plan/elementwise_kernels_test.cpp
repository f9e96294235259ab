// Generated kernels over finished elements: on all CPUs of the host, against long double and the interpreter.

#include "plan/gemm/cpu/elementwise_kernels.hpp"

#include <swirl/half.hpp>
#include <swirl/normalised.hpp>

#include "ir/interpreter.hpp"
#include "ir/verify.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/reductions.hpp"
#include "plan/gemm/cpu/result_conversion.hpp"
#include "problem/matrix_product.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace swirl::planning {
namespace elementwise_kernels_test {

/// None where generated code cannot run.
std::vector<const target::Cpu*> cpus_of_host() {
    std::vector<const target::Cpu*> found;
    if (!runtime::ExecutableCode::is_available()) return found;
    for (const target::Cpu* const cpu : target::cpus())
        if (cpu->set != target::InstructionSet::portable && target::host_can_run(*cpu)) found.push_back(cpu);
    return found;
}

constexpr DataType narrow_types[] = {DataType::bfloat16, DataType::float16, DataType::unorm8,
                                     DataType::snorm8,   DataType::unorm16, DataType::snorm16,
                                     DataType::int8,     DataType::uint8};

std::vector<float> floats_of_all_kinds(std::size_t count, std::mt19937& random) {
    using Limits = std::numeric_limits<float>;
    std::vector<float> values = {0.0F,
                                 -0.0F,
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN(),
                                 -Limits::quiet_NaN(),
                                 Limits::denorm_min(),
                                 -Limits::denorm_min(),
                                 Limits::max(),
                                 Limits::lowest(),
                                 Limits::min(),
                                 65504.0F,
                                 65519.9F,
                                 65520.0F,
                                 0x1p-24F,
                                 0x1p-25F,
                                 0x1.000002p-25F,
                                 0x1.8p-24F,
                                 0x1p-14F,
                                 0x1.ffcp-15F,
                                 0x1.ffep-15F,
                                 0.5F / 255,
                                 1.5F / 255,
                                 127.5F,
                                 126.5F,
                                 -128.5F,
                                 254.5F,
                                 255.5F};
    while (values.size() < count) {
        const auto bits = static_cast<std::uint32_t>(random());
        switch (random() % 4) {
        case 0: values.push_back(std::bit_cast<float>(bits)); break;
        case 1: values.push_back(std::bit_cast<float>(bits & 0xffff8000U)); break; // ties of bfloat16
        case 2: values.push_back(static_cast<float>(bits % 131072) / 65535 - 0.5F); break;
        default: values.push_back(static_cast<float>(bits % 1201) / 2 - 300);
        }
    }
    values.resize(count);
    std::shuffle(values.begin(), values.end(), random);
    return values;
}

/// The rounded value by definition, in long double: what swirl::float16 and others do by bits.
long double nearest_even(long double x) { return std::nearbyintl(x); }

Integer integer_of(DataType type, float x) {
    const bool is_normalised_type = is_normalised(type);
    const DataType integer = gemm::scalar_of(type);
    const bool is_signed = integer == DataType::int8 || integer == DataType::int16;
    const long double most = (1 << (8 * bytes_of(integer) - (is_signed ? 1 : 0))) - 1;
    if (std::isnan(x)) return 0;
    const long double least = is_normalised_type ? (is_signed ? -most : 0) : (is_signed ? -most - 1 : 0);
    const long double scaled = is_normalised_type ? most * x : static_cast<long double>(x);
    return static_cast<Integer>(nearest_even(std::clamp(scaled, least, most)));
}

/// The float nearest to x with this many significant bits and this least exponent, by definition.
long double rounded_float(float x, int bits, int least_exponent, long double overflow) {
    if (x == 0 || std::isinf(x)) return x;
    int exponent = 0;
    std::frexp(x, &exponent); // x in [2^(exponent−1), 2^exponent)
    const int unit = std::max(exponent - bits, least_exponent);
    const long double result = std::ldexp(nearest_even(std::ldexp(static_cast<long double>(x), -unit)), unit);
    return std::fabs(result) >= overflow ? std::copysign(std::numeric_limits<long double>::infinity(), result)
                                         : result;
}

void expect_converted(DataType type, float x, const std::byte* at, const std::string& where) {
    if (type == DataType::float16 || type == DataType::bfloat16) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, at, 2);
        const float got = type == DataType::float16 ? detail::float16_value(bits)
                                                    : std::bit_cast<float>(std::uint32_t{bits} << 16);
        if (std::isnan(x)) {
            EXPECT_TRUE(std::isnan(got)) << where;
            return;
        }
        const long double expected = type == DataType::float16
                                         ? rounded_float(x, 11, -24, 65536)
                                         : rounded_float(x, 8, -133, std::ldexp(1.0L, 128));
        EXPECT_EQ(static_cast<long double>(got), expected) << where << ": " << x;
        EXPECT_EQ(std::signbit(got), std::signbit(x)) << where << ": " << x;
        return;
    }
    Integer got = 0;
    std::uint8_t byte = 0;
    std::uint16_t word = 0;
    std::memcpy(&byte, at, 1);
    if (bytes_of(type) == 2) std::memcpy(&word, at, 2);
    switch (gemm::scalar_of(type)) {
    case DataType::int8: got = static_cast<std::int8_t>(byte); break;
    case DataType::uint8: got = byte; break;
    case DataType::int16: got = static_cast<std::int16_t>(word); break;
    default: got = word; break;
    }
    EXPECT_EQ(got, integer_of(type, x)) << where << ": " << x;
}

TEST(Conversions, RoundByDefinition) {
    std::mt19937 random(1);
    for (const target::Cpu* const cpu : cpus_of_host())
        for (const DataType type : narrow_types)
            for (const Integer row_stride : {Integer{1}, Integer{3}, Integer{-2}})
                for (const Integer rows : {1, 2, 3, 5, 8, 15, 16, 17, 31, 100}) {
                    const Integer columns = 4;
                    auto kernels = ElementwiseKernels::shared(
                        {.data_type = DataType::float32, .result = gemm::StoredElements{type, row_stride}},
                        rows, columns, *cpu, KernelCheck::on);
                    std::vector<float> from =
                        floats_of_all_kinds(static_cast<std::size_t>(rows * columns), random);
                    const Integer column_stride = std::abs(row_stride) * rows + 1;
                    const auto bytes = static_cast<std::size_t>(bytes_of(type));
                    const auto size = static_cast<std::size_t>(column_stride * columns + 64);
                    std::vector<std::byte> to(size * bytes, std::byte{0x5a});
                    std::vector<bool> is_result(size * bytes);
                    const Integer first = row_stride < 0 ? -row_stride * (rows - 1) + 16 : 16;
                    const auto offset = [&](Integer i, Integer j) {
                        return static_cast<std::size_t>(first + i * row_stride + j * column_stride) * bytes;
                    };
                    kernels->run({rows, columns, from.data(), rows, to.data() + offset(0, 0), column_stride},
                                 1, [](std::size_t) -> const void* { return nullptr; });
                    for (Integer j = 0; j < columns; ++j)
                        for (Integer i = 0; i < rows; ++i) {
                            expect_converted(type, from[static_cast<std::size_t>(j * rows + i)],
                                             to.data() + offset(i, j),
                                             fmt::format("{} {} rows, stride {}, {}", cpu->name, rows,
                                                         row_stride, name_of(type)));
                            for (std::size_t k = 0; k < bytes; ++k) is_result[offset(i, j) + k] = true;
                        }
                    for (std::size_t k = 0; k < to.size(); ++k)
                        ASSERT_TRUE(is_result[k] || to[k] == std::byte{0x5a}) << cpu->name << name_of(type);
                }
}

TEST(Conversions, OnTheHostRoundByDefinition) {
    std::mt19937 random(2);
    for (const DataType type : narrow_types)
        for (const float x : floats_of_all_kinds(5000, random)) {
            std::byte bytes[4] = {};
            convert_element(x, type, bytes);
            expect_converted(type, x, bytes, std::string(name_of(type)));
        }
}

/// A value near |x| ≤ 4, or a special one.
template <class R> R random_value(std::mt19937& random) {
    using Limits = std::numeric_limits<R>;
    constexpr R special[] = {R(0),
                             R(-0.0),
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN(),
                             Limits::denorm_min(),
                             -Limits::min() / 2};
    if (random() % 16 == 0) return special[random() % std::size(special)];
    return std::uniform_real_distribution<R>(-4, 4)(random);
}

/// What an expression's text means, in long double.
struct Formula {
    const char* text;
    long double (*of)(long double x, long double bias, long double scale);
    double tolerance; ///< in units of the type's epsilon, relative to 1 + |result|
};
constexpr Formula formulas[] = {
    {"x", [](long double x, long double, long double) { return x; }, 0},
    {"-x", [](long double x, long double, long double) { return -x; }, 0},
    {"max(0, x + bias[j])", [](long double x, long double b, long double) { return x + b < 0 ? 0 : x + b; },
     4},
    {"x * scale[i, j] - bias[j]", [](long double x, long double b, long double s) { return x * s - b; }, 16},
    {"exp(x) / (2 + scale[i, j] * scale[i, j])",
     [](long double x, long double, long double s) { return std::exp(x) / (2 + s * s); }, 32},
    {"tanh(x) + sqrt(abs(bias[j]))",
     [](long double x, long double b, long double) { return std::tanh(x) + std::sqrt(std::fabs(b)); }, 16},
};

template <class R> void expect_epilogues(const target::Cpu& cpu, DataType type) {
    std::mt19937 random(3);
    for (const Formula& formula : formulas)
        for (const Integer row_stride : {Integer{1}, Integer{3}, Integer{-2}})
            for (const Integer rows : {1, 7, 8, 19, 40}) {
                const Integer columns = 3, column_stride = std::abs(row_stride) * rows + 2;
                MatrixProduct product = MatrixProduct::column_major(type, rows, columns, 2);
                product.c = {.row_stride = row_stride, .column_stride = column_stride};
                product.epilogue = Expression(formula.text);
                MatrixEpilogue epilogue(product);
                epilogue.generate_for(cpu, KernelCheck::on);
                ASSERT_NE(epilogue.in_memory(), nullptr);
                const bool is_transposed = wants_transposition(product);
                std::vector<R> bias(static_cast<std::size_t>(columns)),
                    scale(static_cast<std::size_t>(rows * columns));
                for (R& value : bias) value = std::uniform_real_distribution<R>(-2, 2)(random);
                for (R& value : scale) value = std::uniform_real_distribution<R>(-2, 2)(random);
                std::vector<const void*> arrays;
                for (const AuxiliaryArray& array : arrays_of(product))
                    arrays.push_back(array.name == "bias" ? bias.data() : scale.data());
                std::vector<R> c(static_cast<std::size_t>(column_stride * columns + 32), R(77));
                const Integer first = row_stride < 0 ? -row_stride * (rows - 1) + 8 : 8;
                std::vector<bool> is_element(c.size());
                const auto at = [&](Integer i, Integer j) {
                    return static_cast<std::size_t>(first + i * row_stride + j * column_stride);
                };
                for (Integer j = 0; j < columns; ++j)
                    for (Integer i = 0; i < rows; ++i) {
                        c[at(i, j)] = random_value<R>(random);
                        is_element[at(i, j)] = true;
                    }
                const std::vector<R> before = c;
                const EpilogueCall call{.epilogue = &epilogue, .arrays = arrays.data()};
                apply_epilogue(is_transposed ? transposed(product) : product, call, &c[at(0, 0)]);
                for (Integer j = 0; j < columns; ++j)
                    for (Integer i = 0; i < rows; ++i) {
                        const R got = c[at(i, j)], x = before[at(i, j)];
                        const long double expected =
                            formula.of(x, bias[static_cast<std::size_t>(j)],
                                       scale[static_cast<std::size_t>(i * columns + j)]);
                        const std::string where =
                            fmt::format("{}: {} of {} at {}, {} of {} rows, stride {}", cpu.name,
                                        formula.text, x, i, j, rows, row_stride);
                        const R rounded = static_cast<R>(expected);
                        if (formula.tolerance == 0) {
                            EXPECT_TRUE(std::isnan(rounded)
                                            ? std::isnan(got)
                                            : got == rounded && std::signbit(got) == std::signbit(rounded))
                                << where << " is " << got;
                            continue;
                        }
                        if (std::isnan(rounded) && std::string(formula.text).starts_with("max")) continue;
                        if (!std::isfinite(rounded)) {
                            EXPECT_TRUE(std::isnan(rounded) ? std::isnan(got) : got == rounded)
                                << where << " is " << got;
                            continue;
                        }
                        EXPECT_LE(
                            std::fabs(got - expected),
                            formula.tolerance * std::numeric_limits<R>::epsilon() * (1 + std::fabs(expected)))
                            << where << " is " << got;
                    }
                for (std::size_t k = 0; k < c.size(); ++k)
                    ASSERT_TRUE(is_element[k] || c[k] == R(77)) << cpu.name;
            }
}

TEST(EpiloguesInMemory, EqualTheDefinitionOnEveryCpu) {
    for (const target::Cpu* const cpu : cpus_of_host()) {
        expect_epilogues<float>(*cpu, DataType::float32);
        expect_epilogues<double>(*cpu, DataType::float64);
    }
}

/// Complex elements, and integers that become float32 where they are.
TEST(EpiloguesInMemory, OfComplexElementsAndIntegersEqualTheDefinition) {
    std::mt19937 random(6);
    for (const target::Cpu* const cpu : cpus_of_host())
        for (const Integer row_stride : {Integer{1}, Integer{3}})
            for (const Integer rows : {1, 5, 8, 21}) {
                const Integer columns = 3, column_stride = row_stride * rows + 1;
                const auto size = static_cast<std::size_t>(column_stride * columns);
                const auto prepared = [&](DataType type, const char* text) {
                    MatrixProduct product = MatrixProduct::column_major(type, rows, columns, 2);
                    product.c = {.row_stride = row_stride, .column_stride = column_stride};
                    product.epilogue = Expression(text);
                    return product;
                };
                const auto apply = [&](const MatrixProduct& product, void* c) {
                    MatrixEpilogue epilogue(product);
                    epilogue.generate_for(*cpu, KernelCheck::on);
                    const EpilogueCall call{.epilogue = &epilogue};
                    apply_epilogue(wants_transposition(product) ? transposed(product) : product, call, c);
                };
                std::vector<std::complex<float>> z(size);
                for (auto& value : z) value = {random_value<float>(random), random_value<float>(random)};
                const auto z_before = z;
                apply(prepared(DataType::complex64, "conj(x) + i"), z.data());
                std::vector<std::int32_t> n(size);
                for (auto& value : n) value = static_cast<std::int32_t>(random() % 20001) - 10000;
                const auto n_before = n;
                apply(prepared(DataType::int32, "max(0, x) * 0.5"), n.data());
                // Accumulators in a buffer are contiguous, for any strides of C.
                const MatrixProduct strided = prepared(DataType::int32, "x + 1");
                MatrixEpilogue of_strided(strided);
                of_strided.generate_for(*cpu, KernelCheck::on);
                MatrixProduct buffer = wants_transposition(strided) ? transposed(strided) : strided;
                buffer.c = {.row_stride = 1, .column_stride = buffer.rows};
                std::vector<std::int32_t> accumulators(static_cast<std::size_t>(rows * columns + 64), 7);
                apply_epilogue(buffer, {.epilogue = &of_strided}, accumulators.data());
                for (std::size_t k = 0; k < accumulators.size(); ++k) {
                    if (k < static_cast<std::size_t>(rows * columns))
                        EXPECT_EQ(std::bit_cast<float>(accumulators[k]), 8) << cpu->name << " " << k;
                    else
                        EXPECT_EQ(accumulators[k], 7) << cpu->name << " " << k;
                }
                for (Integer j = 0; j < columns; ++j)
                    for (Integer i = 0; i < rows; ++i) {
                        const auto at = static_cast<std::size_t>(i * row_stride + j * column_stride);
                        const std::complex<float> x = z_before[at];
                        const std::complex<float> expected(x.real() + static_cast<float>(i), -x.imag());
                        EXPECT_TRUE(z[at] == expected || std::isnan(expected.real()) ||
                                    std::isnan(expected.imag()))
                            << cpu->name << " " << z[at] << ", not " << expected;
                        EXPECT_EQ(std::bit_cast<float>(n[at]),
                                  std::max(0.0F, static_cast<float>(n_before[at])) * 0.5F);
                    }
            }
}

template <class T> void expect_scattered(const target::Cpu& cpu, DataType type) {
    std::mt19937 random(7);
    for (const Integer row_stride : {Integer{2}, Integer{-3}})
        for (const Integer rows : {2, 9, 40}) {
            const Integer columns = 3, column_stride = std::abs(row_stride) * rows + 1;
            const ScatteredStores stores(
                {.data_type = type, .result = gemm::StoredElements{.type = type, .row_stride = row_stride}},
                rows, columns, cpu, KernelCheck::on);
            const auto element = [&] {
                return static_cast<T>(static_cast<float>(static_cast<int>(random() % 201) - 100));
            };
            std::vector<T> from(static_cast<std::size_t>(rows * columns)),
                to(static_cast<std::size_t>(column_stride * columns));
            std::generate(from.begin(), from.end(), element);
            std::generate(to.begin(), to.end(), element);
            const Integer first = row_stride < 0 ? -row_stride * (rows - 1) : 0;
            const T beta = T(-3);
            for (const bool adds : {true, false}) {
                const std::vector<T> before = to;
                (adds ? stores.adding : stores.overwriting)
                    ->run({.rows = rows,
                           .columns = columns,
                           .elements = from.data(),
                           .column_stride = rows,
                           .results = to.data() + first,
                           .result_stride = column_stride,
                           .beta = &beta},
                          1, [](std::size_t) -> const void* { return nullptr; });
                for (Integer j = 0; j < columns; ++j)
                    for (Integer i = 0; i < rows; ++i) {
                        const auto at = static_cast<std::size_t>(first + i * row_stride + j * column_stride);
                        const T x = from[static_cast<std::size_t>(j * rows + i)];
                        EXPECT_EQ(to[at], adds ? x + beta * before[at] : x) << cpu.name;
                    }
            }
        }
}

TEST(ScatteredStores, AddBetaTimesC) {
    for (const target::Cpu* const cpu : cpus_of_host()) {
        expect_scattered<float>(*cpu, DataType::float32);
        expect_scattered<double>(*cpu, DataType::float64);
        expect_scattered<std::complex<float>>(*cpu, DataType::complex64);
        expect_scattered<std::complex<double>>(*cpu, DataType::complex128);
        expect_scattered<std::int32_t>(*cpu, DataType::int32);
    }
}

/// Results of one reduction of a matrix, by kernels for a CPU, or on the host if it is portable.
template <class R>
std::vector<R> reduced(const target::Cpu& cpu, const MatrixProduct& product, const std::vector<R>& c,
                       int threads) {
    MatrixReductions reductions(product);
    reductions.generate_for(product, cpu, KernelCheck::on);
    const MatrixProduct canonical = wants_transposition(product) ? transposed(product) : product;
    std::vector<R> results(static_cast<std::size_t>(reductions.all().front().of_matrix), R(-99));
    const void* const arrays[] = {results.data()};
    reduce_matrix(canonical, {.reductions = &reductions, .arrays = arrays}, c.data(), threads);
    return results;
}

template <class R> void expect_reductions(DataType type) {
    std::mt19937 random(4);
    for (const Over over : {Over::columns, Over::rows, Over::all})
        for (const Reduce operation : {Reduce::sum, Reduce::maximum, Reduce::minimum})
            for (const char* text : {"x", "abs(x)", "x * x"})
                for (const auto& [rows, columns] :
                     {std::pair<Integer, Integer>{1, 1}, {7, 5}, {8, 4}, {300, 3}, {37, 300}, {260, 270}})
                    for (const Integer row_stride : {Integer{1}, Integer{2}}) {
                        MatrixProduct product = MatrixProduct::column_major(type, rows, columns, 2);
                        product.c = {.row_stride = row_stride, .column_stride = rows * row_stride + 1};
                        product.reductions = {{"r", operation, over, Expression(text)}};
                        std::vector<R> c(static_cast<std::size_t>(product.c.column_stride * columns));
                        for (R& value : c) value = std::uniform_real_distribution<R>(-4, 4)(random);
                        if (random() % 4 == 0) c[random() % c.size()] = std::numeric_limits<R>::quiet_NaN();
                        if (random() % 4 == 0) c[random() % c.size()] = -std::numeric_limits<R>::infinity();
                        const std::vector<R> by_host = reduced(target::portable_cpu(), product, c, 1);
                        for (const target::Cpu* const cpu : cpus_of_host())
                            for (const int threads : {1, 2}) {
                                const std::vector<R> got = reduced(*cpu, product, c, threads);
                                ASSERT_EQ(got.size(), by_host.size());
                                for (std::size_t k = 0; k < got.size(); ++k)
                                    EXPECT_TRUE(std::memcmp(&got[k], &by_host[k], sizeof(R)) == 0 ||
                                                (std::isnan(got[k]) && std::isnan(by_host[k])))
                                        << cpu->name << ": " << text << ", result " << k << " of " << rows
                                        << " by " << columns << " is " << got[k] << ", not " << by_host[k];
                            }
                    }
}

TEST(Reductions, HaveTheSameBitsEverywhere) {
    expect_reductions<float>(DataType::float32);
    expect_reductions<double>(DataType::float64);
}

TEST(Reductions, OnTheHostEqualTheDefinition) {
    std::mt19937 random(5);
    const Integer rows = 300, columns = 270;
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, rows, columns, 2);
    product.reductions = {{"r", Reduce::sum, Over::all, Expression("x * x")}};
    std::vector<float> c(static_cast<std::size_t>(rows * columns));
    long double sum = 0;
    for (float& value : c) {
        value = std::uniform_real_distribution<float>(-4, 4)(random);
        sum += static_cast<long double>(value * value);
    }
    for (const target::Cpu* const cpu : cpus_of_host())
        EXPECT_EQ(reduced(*cpu, product, c, 1).front(), static_cast<float>(sum)) << cpu->name;
}

/// Every kind of kernel: its program verifies, and a check accepts it but no other.
TEST(ElementwiseKernels, AreCheckedBeforeFirstUse) {
    for (const target::Cpu* const cpu : cpus_of_host()) {
        const auto compiled = [&](const gemm::ElementwiseKernel& kernel) {
            const ir::Program program = gemm::elementwise(kernel);
            ir::verify(program, ir::VerificationLevel::vectorized);
            return runtime::ExecutableCode(jit::compile(passes::run_codegen_passes(program, *cpu), *cpu));
        };
        const auto expect_rejected = [&](const gemm::ElementwiseKernel& right,
                                         const gemm::ElementwiseKernel& wrong) {
            const runtime::ExecutableCode accepted = compiled(right), rejected = compiled(wrong);
            EXPECT_EQ(error_of<InternalError>([&] { check_elementwise(right, accepted.function()); }), "");
            EXPECT_NE(error_of<InternalError>([&] { check_elementwise(right, rejected.function()); }), "")
                << cpu->name;
        };
        const auto described = [&](const gemm::ElementwiseKernel& wanted, Integer rows) {
            gemm::ElementwiseKernel bounded = wanted;
            bounded.max_rows = 100;
            bounded.max_columns = 50;
            return ElementwiseKernels(bounded, *cpu, KernelCheck::on).description(rows, wanted.row_stride);
        };
        for (const Integer rows : {16, 21}) {
            const auto reduces = [&](Reduce operation, Over over) {
                return described({.result = gemm::ReducedElements{operation, over}}, rows);
            };
            expect_rejected(reduces(Reduce::sum, Over::rows), reduces(Reduce::maximum, Over::rows));
            expect_rejected(reduces(Reduce::minimum, Over::all), reduces(Reduce::maximum, Over::all));
            expect_rejected(reduces(Reduce::maximum, Over::columns), reduces(Reduce::sum, Over::columns));
            expect_rejected(described({.result = gemm::StoredElements{DataType::int8, 2}}, rows),
                            described({.result = gemm::StoredElements{DataType::snorm8, 2}}, rows));
            expect_rejected(described({.result = gemm::StoredElements{DataType::bfloat16, 1}}, rows),
                            described({.result = gemm::StoredElements{DataType::float16, 1}}, rows));
        }
    }
}

} // namespace elementwise_kernels_test
} // namespace swirl::planning
