// Low-precision operands with wider arithmetic, in the interpreter.

#include "gemm/gpu/prologue/conversions.hpp"

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/reference.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace swirl::gemm::test {
namespace data_types_test {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

constexpr DataType integers[] = {DataType::int8,   DataType::uint8,   DataType::unorm8,
                                 DataType::snorm8, DataType::unorm16, DataType::snorm16};

/// Random values of a buffer's type, including its minimum and maximum.
void fill_all(ir::Memory& memory, std::mt19937& random) {
    if (!is_integer(memory.element())) return fill(memory, random);
    const int bits = 8 * bytes_of(memory.element());
    const bool is_signed = memory.element() == DataType::int8 || memory.element() == DataType::int16;
    const Integer least = is_signed ? -(Integer{1} << (bits - 1)) : 0;
    std::uniform_int_distribution<Integer> uniform(least, least + (Integer{1} << bits) - 1);
    for (Integer k = 0; k < memory.elements(); ++k)
        memory.set_integer(memory.first() + k, k % 7 == 0 ? least : uniform(random));
}

/// The value of a stored element.
long double meaning(DataType data_type, long double stored) {
    switch (data_type) {
    case DataType::unorm8: return stored / 255;
    case DataType::snorm8: return std::max(stored / 127, -1.0L);
    case DataType::unorm16: return stored / 65535;
    case DataType::snorm16: return std::max(stored / 32767, -1.0L);
    default: return stored;
    }
}

void expect_product(const MatrixProduct& product, const GpuGemmSchedule& schedule, long double alpha) {
    support::KernelSequence kernels(gpu_gemm_kernels(product, schedule, gpu()));
    std::mt19937 random(7);
    for (const char* name : {"a", "b"}) fill_all(kernels.memory(name), random);
    kernels.memory("alpha_beta").assign(std::vector<double>{static_cast<double>(alpha), 0});
    kernels.run({1, 0});
    const auto at = [&](const char* name, DataType data_type, const MatrixLayout& layout, Integer i,
                        Integer j) {
        return meaning(data_type, kernels.memory(name)[i * layout.row_stride + j * layout.column_stride]);
    };
    const DataType to = product.type_of_c();
    const long double least = to == DataType::int8                                ? -128
                              : to == DataType::snorm8 || to == DataType::snorm16 ? -1
                                                                                  : 0;
    const long double greatest = to == DataType::int8 ? 127 : to == DataType::uint8 ? 255 : 1;
    for (Integer i = 0; i < product.rows; ++i)
        for (Integer j = 0; j < product.columns; ++j) {
            long double expected = 0, magnitude = 0;
            for (Integer k = 0; k < product.k; ++k) {
                const long double term = alpha * at("a", product.type_of_a(), product.a, i, k) *
                                         at("b", product.type_of_b(), product.b, k, j);
                expected += term;
                magnitude += std::abs(term);
            }
            long double allowed = magnitude * 0x1p-21L;
            if (product.converts()) {
                expected = std::clamp(expected, least, greatest);
                allowed += 0.5L / static_cast<long double>(normalized_scale(to));
            }
            ASSERT_NEAR(static_cast<double>(at("c", to, product.c, i, j)), static_cast<double>(expected),
                        static_cast<double>(allowed))
                << to_string(schedule) << ": " << i << ", " << j;
        }
}

MatrixProduct product_of(DataType a, DataType b, DataType c) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 40, 32, 24);
    product.a_type = a;
    product.b_type = b;
    product.c_type = c;
    return product;
}

TEST(GpuDataTypes, AreWidenedAndStored) {
    for (const DataType data_type : integers) {
        const long double alpha = normalized_scale(data_type) > 1 ? 0.1L : 0x1p-10L;
        for (const auto& [a, c] : {std::pair{MatrixLayout{1, 40}, MatrixLayout{1, 40}},
                                   {MatrixLayout{24, 1}, MatrixLayout{1, 40}},
                                   {MatrixLayout{24, 1}, MatrixLayout{32, 1}}}) {
            MatrixProduct wide = product_of(data_type, data_type, DataType::float32);
            MatrixProduct stored = product_of(data_type, data_type, data_type);
            wide.a = stored.a = a;
            wide.c = stored.c = c;
            for (const GpuGemmSchedule& schedule : gpu_schedules(wide, gpu(), 2)) {
                expect_product(wide, schedule, alpha);
                expect_product(stored, schedule, alpha);
            }
        }
    }
}

TEST(GpuDataTypes, AreStoredByEveryFinishingKernel) {
    const GpuGemmSchedule schedule = parse_gpu_schedule(
        "cta_m=16 cta_n=16 cta_k=4 thread_m=4 thread_n=2 warp_lanes_m=4 "
        "warp_lanes_n=8 "
        "stages=3 stream_k_blocks=4 data_parallel_tiles=1");
    for (const DataType data_type : integers)
        expect_product(product_of(data_type, data_type, data_type), schedule,
                       normalized_scale(data_type) > 1 ? 0.1L : 0x1p-10L);
}

TEST(GpuDataTypes, OfTheTwoOperandsMayDiffer) {
    for (const DataType data_type : integers)
        for (const DataType other : {DataType::float32, DataType::bfloat16, DataType::uint8})
            for (const bool by_rows : {false, true}) {
                MatrixProduct product = product_of(data_type, other, DataType::float32);
                if (by_rows) product.c = {32, 1};
                expect_product(product, gpu_schedules(product, gpu(), 1).front(), 0x1p-8L);
                std::swap(product.a_type, product.b_type);
                expect_product(product, gpu_schedules(product, gpu(), 1).front(), 0x1p-8L);
            }
}

/// Of layouts that tensor cores do not read, and of a C that they do not store.
TEST(GpuDataTypes, OfE4m3AreWidenedInAnyLayout) {
    constexpr DataType e4m3 = DataType::float8_e4m3;
    for (const auto& [a, b] : {std::pair{MatrixLayout{1, 40}, MatrixLayout{1, 24}},
                               {MatrixLayout{24, 1}, MatrixLayout{32, 1}},
                               {MatrixLayout{25, 1}, MatrixLayout{2, 49}},
                               {MatrixLayout{-1, 43}, MatrixLayout{1, 24}}}) {
        MatrixProduct wide = product_of(e4m3, e4m3, DataType::float32);
        MatrixProduct stored = product_of(e4m3, e4m3, DataType::uint8);
        wide.a = stored.a = a;
        wide.b = stored.b = b;
        for (const GpuGemmSchedule& schedule : gpu_schedules(wide, gpu(), 2))
            if (!is_wgmma(schedule)) expect_product(wide, schedule, 0.5L);
        for (const GpuGemmSchedule& schedule : gpu_schedules(stored, gpu(), 2))
            expect_product(stored, schedule, 0.5L);
    }
}

/// Values after storing in this type.
std::vector<double> stored(DataType data_type, const std::vector<double>& sample) {
    const auto count = static_cast<Integer>(sample.size());
    ir::Builder b("stored");
    const ir::Buffer x = b.input("x", DataType::float32, count),
                     y = b.output("y", scalar_of(data_type), count);
    for (Integer k = 0; k < count; ++k) b.store(y, k, narrowed(b, b.load(x, k), data_type));
    const ir::Program program = b.finish();
    ir::Arguments arguments(program);
    arguments["x"].assign(sample);
    ir::interpret(program, arguments);
    return arguments["y"].values();
}

TEST(GpuDataTypes, AreRoundedToEvenAndKeepToTheirRange) {
    constexpr double infinity = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    using Values = std::vector<double>;
    EXPECT_EQ(
        stored(DataType::int8, {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, -128.5, 300, -infinity, nan}),
        (Values{0, 2, 2, 0, -2, -2, 126, 127, -128, 127, -128, 0}));
    EXPECT_EQ(stored(DataType::uint8, {0.5, 1.5, 254.5, 255.5, -1, infinity, nan}),
              (Values{0, 2, 254, 255, 0, 255, 0}));
    EXPECT_EQ(stored(DataType::unorm8, {0, 1, 0.5, 2, -1, nan, 3.0 / 255}),
              (Values{0, 255, 128, 255, 0, 0, 3}));
    EXPECT_EQ(stored(DataType::snorm8, {0, 1, -1, -7, 0.5, nan, -5.0 / 127}),
              (Values{0, 127, -127, -127, 64, 0, -5}));
    EXPECT_EQ(stored(DataType::unorm16, {1, 0.5, infinity, 12345.0 / 65535}),
              (Values{65535, 32768, 65535, 12345}));
    EXPECT_EQ(stored(DataType::snorm16, {-1, -0.5, infinity, -12345.0 / 32767}),
              (Values{-32767, -16384, 32767, -12345}));
}

/// The public types convert as kernels do.
TEST(GpuDataTypes, AreTheirConversions) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(-1.1F, 1.1F);
    std::vector<double> sample;
    for (int k = 0; k < 2000; ++k) sample.push_back(uniform(random));
    const auto check = [&](DataType data_type, auto example) {
        using T = decltype(example);
        const std::vector<double> kernel = stored(data_type, sample);
        for (std::size_t k = 0; k < sample.size(); ++k) {
            const T own(static_cast<float>(sample[k]));
            ASSERT_EQ(own.bits, kernel[k]) << name_of(data_type) << " of " << sample[k];
            ASSERT_NEAR(static_cast<float>(own), meaning(data_type, own.bits), 1e-7);
        }
    };
    check(DataType::unorm8, unorm8{});
    check(DataType::snorm8, snorm8{});
    check(DataType::unorm16, unorm16{});
    check(DataType::snorm16, snorm16{});
}

} // namespace data_types_test
} // namespace swirl::gemm::test
