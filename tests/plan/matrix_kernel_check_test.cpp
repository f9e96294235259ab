#include "plan/check/cpu_gemm.hpp"

#include <swirl/half.hpp>

#include "base/error.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "ir/interpreter.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/code.hpp"
#include "plan/gemm/cpu/epilogue.hpp"
#include "support/error_of.hpp"

#include "target/extensions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace swirl::planning {
namespace matrix_kernel_check_test {

using gemm::Update;

const DataType types[] = {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128};

/// Data types of A, B and C, and the CPUs of this machine.
std::vector<MatrixProduct> products() {
    std::vector<MatrixProduct> all;
    for (const DataType type : types) all.push_back(MatrixProduct::column_major(type, 100, 100, 100));
    const auto add = [&](DataType a, DataType b, DataType c) {
        all.push_back(MatrixProduct::column_major(c, 100, 100, 100));
        all.back().a_type = a;
        all.back().b_type = b;
    };
    add(DataType::bfloat16, DataType::bfloat16, DataType::float32);
    add(DataType::float16, DataType::float16, DataType::float32);
    for (const DataType a : {DataType::int8, DataType::uint8})
        for (const DataType b : {DataType::int8, DataType::uint8}) add(a, b, DataType::int32);
    return all;
}

class KernelChecks : public testing::Test {
protected:
    void SetUp() override {
        if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    }

    static runtime::ExecutableCode compiled(const ir::Program& program,
                                            const target::Cpu& cpu = target::host_cpu()) {
        return runtime::ExecutableCode(jit::compile(passes::run_codegen_passes(program, cpu), cpu));
    }
    template <class F> static void for_each_cpu(F&& f) {
        for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()})
            if (target::host_can_run(*cpu) && cpu->set <= target::host_cpu().set) f(*cpu);
    }
};

TEST_F(KernelChecks, AcceptCorrectKernels) {
    for_each_cpu([&](const target::Cpu& cpu) {
        for (const MatrixProduct& product : products()) {
            const gemm::OperandTypes operands = gemm::operand_types_on(product, cpu);
            MatrixKernels kernels(operands, gemm::model_schedule(operands, cpu), cpu);
            const gemm::Tile& tile = kernels.schedule().tile;
            for (const Update update : {Update::overwrite, Update::add, Update::scale})
                for (const auto& [rows, columns] :
                     {std::pair{tile.rows(), tile.columns}, {tile.rows() - 1, 1}})
                    EXPECT_NO_THROW(kernels.tile(rows, columns, update))
                        << cpu.name << " " << static_cast<int>(operands.a);
            using Source = gemm::Pack::Source;
            for (const gemm::Operand operand : {gemm::Operand::a, gemm::Operand::b})
                for (const Source source : {Source::across_panel, Source::along_k, Source::neither})
                    for (const int count : {1, kernels.width(operand)})
                        for (int rest = 0; rest < operands.k_packing.k_group(); ++rest)
                            EXPECT_NO_THROW(
                                kernels.pack(operand, source, is_complex(operands.c), count, rest))
                                << cpu.name << " " << static_cast<int>(operands.a);
        }
    });
}

TEST_F(KernelChecks, RefuseAWrongTile) {
    for (const DataType type : types) {
        MatrixKernels kernels(type, gemm::model_schedule(type, target::host_cpu()), target::host_cpu());
        const gemm::Tile& tile = kernels.schedule().tile;
        const gemm::MicroKernel right =
            kernels.tile_description(tile.rows(), tile.columns, Update::overwrite);
        const auto error_of_kernel = [&](const gemm::MicroKernel& planted) {
            const runtime::ExecutableCode code = compiled(gemm::micro_kernel(planted));
            return error_of<InternalError>([&] { check_tile(right, code.function()); });
        };
        EXPECT_EQ(error_of_kernel(right), "");
        gemm::MicroKernel wrong = right;
        wrong.update = Update::scale;
        EXPECT_NE(error_of_kernel(wrong).find("failed its check before first use: element (0, 0) of C"),
                  std::string::npos)
            << error_of_kernel(wrong);
        wrong = right;
        wrong.columns = tile.columns - 1;
        EXPECT_NE(error_of_kernel(wrong).find(fmt::format("element (0, {}) of C", tile.columns - 1)),
                  std::string::npos);
        wrong = right;
        wrong.rows = tile.rows() - 1;
        const std::string error = error_of_kernel(wrong);
        EXPECT_NE(error.find(fmt::format("element ({}, 0) of C", tile.rows() - 1)), std::string::npos)
            << error;
        EXPECT_NE(error.find("kernel 'tile of"), std::string::npos) << error;
        gemm::MicroKernel smaller = right;
        smaller.rows = tile.rows() - 1;
        const runtime::ExecutableCode larger = compiled(gemm::micro_kernel(right));
        EXPECT_NE(error_of<InternalError>([&] {
                      check_tile(smaller, larger.function());
                  }).find("it writes behind column"),
                  std::string::npos);
    }
}

TEST_F(KernelChecks, RefuseAWrongTriangle) {
    for (const DataType type : types)
        for (const gemm::Triangle triangle : {gemm::Triangle::lower, gemm::Triangle::upper}) {
            const gemm::TriangleUpdate right{.data_type = type,
                                             .lanes = 2,
                                             .rows = 6,
                                             .columns = 4,
                                             .triangle = triangle,
                                             .diagonal = 1,
                                             .update = Update::add,
                                             .max_stride = 100};
            const auto error_of_kernel = [&](const gemm::TriangleUpdate& planted) {
                const runtime::ExecutableCode code = compiled(gemm::triangle_update(planted));
                return error_of<InternalError>([&] { check_triangle(right, code.function()); });
            };
            EXPECT_EQ(error_of_kernel(right), "");
            gemm::TriangleUpdate wrong = right;
            wrong.update = Update::scale;
            EXPECT_NE(error_of_kernel(wrong).find("element (0, 0) of C is wrong"), std::string::npos);
            for (const int diagonal : {0, 2}) { // an element too few, or too many, in each column
                wrong = right;
                wrong.diagonal = diagonal;
                EXPECT_NE(error_of_kernel(wrong).find("of C is wrong"), std::string::npos);
            }
        }
}

TEST_F(KernelChecks, RefuseAWrongPanel) {
    using Source = gemm::Pack::Source;
    for (const MatrixProduct& product : products()) {
        const gemm::OperandTypes operands = gemm::operand_types_on(product, target::host_cpu());
        MatrixKernels kernels(operands, gemm::model_schedule(operands, target::host_cpu()),
                              target::host_cpu());
        const gemm::Pack right =
            kernels.description(gemm::Operand::b, Source::along_k, false, kernels.width(gemm::Operand::b));
        gemm::Pack wrong = right;
        wrong.count = right.count - 1;
        const runtime::ExecutableCode code = compiled(gemm::pack(wrong));
        const std::string error = error_of<InternalError>([&] { check_pack(right, code.function()); });
        EXPECT_NE(error.find("kernel 'pack "), std::string::npos) << error;
        EXPECT_NE(error.find("of its panel is "), std::string::npos) << error;
    }
}

TEST_F(KernelChecks, AcceptSmallProductsAndRefuseWrongOnes) {
    for_each_cpu([&](const target::Cpu& cpu) {
        unsigned kind = 0;
        for (const DataType type : types)
            for (const auto& [rows, columns, k] :
                 {std::array<Integer, 3>{1, 1, 1}, {7, 5, 3}, {33, 20, 41}, {200, 9, 500}, {300, 310, 50}})
                for (const Update update : {Update::overwrite, Update::add, Update::scale}) {
                    MatrixProduct product = MatrixProduct::column_major(type, rows, columns, k);
                    if (++kind % 3 == 1)
                        product.a = {.row_stride = k + 2, .column_stride = 1, .conjugated = true};
                    if (kind % 2 == 1) product.b = {.row_stride = columns, .column_stride = 1};
                    if (kind % 5 == 1) product.b.row_stride = product.b.column_stride = 0;
                    product.a.conjugated = product.a.conjugated && is_complex(type);
                    product.c.column_stride = rows + static_cast<Integer>(kind % 4);
                    gemm::SmallGemm whole = gemm::model_small_gemm(product, update, kind % 2 == 0,
                                                                   gemm::small_kc(product, cpu), cpu);
                    if (kind % 4 >= 2) whole.schedule = gemm::model_dot(product, cpu);
                    const gemm::SmallGemm right = sample_of(whole);
                    const runtime::ExecutableCode code = compiled(gemm::small_gemm(right), cpu);
                    EXPECT_EQ(error_of<InternalError>([&] { check_small(right, code.function()); }), "")
                        << cpu.name;
                    gemm::SmallGemm wrong = right;
                    wrong.update = update == Update::overwrite ? Update::add : Update::overwrite;
                    const runtime::ExecutableCode planted = compiled(gemm::small_gemm(wrong), cpu);
                    EXPECT_NE(error_of<InternalError>([&] {
                                  check_small(right, planted.function());
                              }).find("kernel 'product of"),
                              std::string::npos)
                        << cpu.name;
                }
    });
}

TEST_F(KernelChecks, OfLargeSmallProductsAreOfShorterOnes) {
    const target::Cpu& cpu = target::host_cpu();
    const MatrixProduct product = MatrixProduct::column_major(DataType::float64, 40000, 33, 5000);
    const gemm::SmallGemm kernel =
        gemm::model_small_gemm(product, Update::overwrite, true, gemm::small_kc(product, cpu), cpu);
    const gemm::SmallGemm sample = sample_of(kernel);
    const gemm::Tile tile = std::get<gemm::UnpackedGemm>(kernel.schedule).tile;
    EXPECT_EQ(std::get<gemm::UnpackedGemm>(sample.schedule).tile, tile);
    EXPECT_LT(sample.product.rows * sample.product.k, 20000);
    EXPECT_EQ(sample.product.rows % tile.rows(), product.rows % tile.rows());
    EXPECT_GT(sample.product.k, sample.kc()) << "blocks of k stay";
    EXPECT_EQ(sample_of(sample), sample);
}

TEST_F(KernelChecks, CompareEpiloguesUpToRounding) {
    for (const char* text : {"max(0, x + bias[j]) * scale[i, j]", "gelu(x * 0.1) + bias[j]",
                             "tanh(x) / (2 + i)", "choose(x < 0.3, x, bias[j])", "sqrt(x) - exp(x)"})
        for (const DataType type : {DataType::float32, DataType::float64}) {
            MatrixProduct product = MatrixProduct::column_major(type, 100, 90, 80);
            try {
                product.epilogue = Expression(text);
                validate(product);
            } catch (const UserError&) {
                continue; // no such function
            }
            const MatrixEpilogue epilogue(product);
            const gemm::OperandTypes operands = gemm::OperandTypes::all(type);
            MatrixKernels kernels(operands, gemm::model_schedule(operands, target::host_cpu()),
                                  target::host_cpu(), epilogue.code());
            const int rows = kernels.width(gemm::Operand::a), columns = kernels.width(gemm::Operand::b);
            EXPECT_NO_THROW(kernels.tile(rows, columns, Update::scale)) << text;
            product.epilogue = Expression("x + 0.001");
            const MatrixEpilogue other(product);
            MatrixKernels planted(operands, kernels.schedule(), target::host_cpu(), other.code());
            gemm::MicroKernel wrong = planted.tile_description(rows, columns, Update::scale);
            gemm::MicroKernel right = wrong;
            right.epilogue = {};
            const runtime::ExecutableCode code = compiled(gemm::micro_kernel(wrong));
            EXPECT_NE(error_of<InternalError>([&] { check_tile(right, code.function()); }), "");
        }
}

TEST_F(KernelChecks, OfPanelsForTileRegistersAcceptEveryKind) {
    if (!target::host_extensions().dot_products_of_bfloat16) GTEST_SKIP() << "packs with AVX-512 BF16";
    using Source = gemm::Pack::Source;
    for (const gemm::Operand operand : {gemm::Operand::a, gemm::Operand::b})
        for (const DataType from : {DataType::float32, DataType::bfloat16, DataType::uint8})
            for (const int terms : {1, 2, 3})
                for (const Source source : {Source::across_panel, Source::along_k, Source::neither})
                    for (const int count : {3, 16, 29, 32}) {
                        if (from != DataType::float32 && terms != 1) continue;
                        const gemm::AmxPack right{.operand = operand,
                                                  .from = from,
                                                  .terms = terms,
                                                  .count = count,
                                                  .source = source,
                                                  .is_scaled = from == DataType::float32 && count > 16,
                                                  .max_k = 1000,
                                                  .max_stride = 1000};
                        const runtime::ExecutableCode code = compiled(gemm::amx_pack(right));
                        EXPECT_EQ(error_of<InternalError>([&] { check_amx_pack(right, code.function()); }),
                                  "");
                        gemm::AmxPack wrong = right;
                        wrong.operand = operand == gemm::Operand::a ? gemm::Operand::b : gemm::Operand::a;
                        const runtime::ExecutableCode planted = compiled(gemm::amx_pack(wrong));
                        EXPECT_NE(error_of<InternalError>([&] { check_amx_pack(right, planted.function()); }),
                                  "");
                    }
}

/// A kernel that the interpreter runs, for machines without its instructions.
thread_local const ir::Program* interpreted = nullptr;

template <class T> void copy(ir::Memory& memory, void* data, bool is_result) {
    for (Integer i = 0; i < memory.elements(); ++i) {
        T& element = static_cast<T*>(data)[i];
        if (!is_result)
            memory.set(i, static_cast<long double>(static_cast<double>(element)));
        else if constexpr (!std::is_same_v<T, bfloat16>)
            element = static_cast<T>(memory[i]);
    }
}

void copy(const ir::BufferInfo& buffer, ir::Memory& memory, void* data, bool is_result) {
    switch (buffer.element) {
    case DataType::bfloat16: return copy<bfloat16>(memory, data, is_result);
    case DataType::int32: return copy<std::int32_t>(memory, data, is_result);
    default: return copy<float>(memory, data, is_result);
    }
}

void interpret(void* const* buffers, const std::int64_t* parameters) {
    ir::Arguments arguments(*interpreted);
    for (const bool is_result : {false, true}) {
        std::size_t next = 0;
        for (const ir::BufferInfo& buffer : interpreted->buffers) {
            if (buffer.space != ir::Space::argument) continue;
            if (!is_result || buffer.written) copy(buffer, arguments[buffer.name], buffers[next], is_result);
            ++next;
        }
        if (is_result) return;
        arguments.parameters = {parameters[0], parameters[1], parameters[2]};
        ir::interpret(*interpreted, arguments);
    }
}

TEST(KernelChecksOfTileRegisters, AcceptCorrectAndRejectWrongTiles) {
    const std::pair<int, gemm::AmxTypes> kinds[] = {{1, {}},
                                                    {3, {}},
                                                    {6, {}},
                                                    {1, {DataType::int8, DataType::uint8}},
                                                    {1, {DataType::uint8, DataType::int8}}};
    for (const auto& [products, types] : kinds)
        for (const auto& [rows, columns] : {std::pair{32, 32}, {29, 20}})
            for (const Update update : {Update::overwrite, Update::scale}) {
                const gemm::AmxKernel right{.product = split_of(products),
                                            .types = types,
                                            .rows = rows,
                                            .columns = columns,
                                            .update = update,
                                            .columns_at_once = 16,
                                            .k_groups_per_panel = 2,
                                            .max_tiles = rows == 32 ? 2 : 1,
                                            .max_stride = rows == 32 ? 67 : 32};
                const auto refusal = [&](const gemm::AmxKernel& planted) {
                    const ir::Program program = gemm::amx_kernel(planted);
                    interpreted = &program;
                    return error_of<InternalError>([&] { check_amx_tile(right, interpret); });
                };
                EXPECT_EQ(refusal(right), "") << products << " " << rows;
                gemm::AmxKernel wrong = right;
                wrong.columns = columns - 1;
                EXPECT_NE(refusal(wrong).find("in tile registers"), std::string::npos);
                if (products == 1) continue;
                wrong = right;
                wrong.product.passes.pop_back();
                EXPECT_NE(refusal(wrong).find("element (0, 0) of C"), std::string::npos) << refusal(wrong);
            }
}

} // namespace matrix_kernel_check_test
} // namespace swirl::planning
