// Tiles, mbarriers and roles in PTX: what is written, and what NVIDIA's compiler makes of it.

#include "base/error.hpp"
#include "emit/gpu_c/source.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/ptx/ptx.hpp"
#include "emit/ptx_compiler.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"
#include "target/nvidia/tiles.hpp"

#include <gtest/gtest.h>

namespace swirl::emit {
namespace ptx_tiles_test {

using ir::Builder;
using ir::Value;

constexpr Integer stages = 4, rows = 128, columns = 256, warpgroup_rows = 64;
constexpr Integer warpgroup = 128, consumers = 2;

std::size_t count(std::string_view text, std::string_view words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1))
        ++found;
    return found;
}

/// C = A·B, A by rows; a block has a tile of 128 × 256, two warpgroups half of it each, and a third that has the copy engine bring
/// factors. Blocks of a cluster share tiles of B.
class Product {
public:
    Product(DataType operand_type, bool b_k_major, Integer cluster)
        : factor_(operand_type),
          size_(bytes_of(operand_type)),
          along_(b_k_major),
          cluster_(cluster),
          k_(ir::swizzle_row_bytes / size_),
          b_("product_of_tiles"),
          entry_(target::wgmma_of(operand_type, columns)) {}

    ir::Program program(int consumer_registers = 240) {
        declare();
        b_.if_then({{b_.thread(), ir::Condition::Relation::zero}}, [&] {
            for (Integer stage = 0; stage < stages; ++stage) {
                b_.mbarrier_init({full_, stage}, 1);
                b_.mbarrier_init({free_, stage}, consumers * cluster_);
            }
        });
        if (cluster_ > 1)
            b_.cluster_barrier();
        else
            b_.barrier();
        const Integer first = consumers * warpgroup;
        std::vector<ir::WarpRole> roles(2);
        roles[0].name = "multiply";
        roles[0].threads = first;
        roles[0].registers = consumer_registers;
        roles[1].name = "bring";
        roles[1].first_thread = first;
        roles[1].threads = warpgroup;
        roles[1].registers = 24;
        b_.roles(std::move(roles), [&](std::size_t role) {
            if (role == 0) return multiply();
            b_.if_then({{b_.thread() - first, ir::Condition::Relation::zero}}, [&] { bring(); });
        });
        return b_.finish();
    }

private:
    static constexpr Integer m = 8 * rows, n = columns, k = 1024;

    ir::Buffer shared(const char* name, Integer elements) {
        ir::BufferInfo buffer;
        buffer.name = name;
        buffer.element = factor_;
        buffer.space = ir::Space::shared;
        buffer.elements = elements;
        buffer.alignment = static_cast<int>(ir::swizzle_pattern_bytes);
        buffer.written = true;
        return b_.add(std::move(buffer));
    }

    void declare() {
        b_.launch({.blocks = {m / rows, 1, 1},
                   .threads = {(consumers + 1) * warpgroup, 1, 1},
                   .cluster = cluster_,
                   .resident = 1});
        const auto a = b_.input("a", factor_, m * k);
        const auto b = b_.input("b", factor_, n * k);
        const auto c = b_.output("c", factor_, m * n);
        a_ = b_.tensor({.name = "boxes_of_a",
                        .buffer = a,
                        .extents = {k, m},
                        .strides = {1, k},
                        .box = {k_, rows},
                        .swizzle = 128});
        if (along_)
            bt_ = b_.tensor({.name = "boxes_of_b",
                             .buffer = b,
                             .extents = {k, n},
                             .strides = {1, k},
                             .box = {k_, columns / cluster_},
                             .swizzle = 128});
        else
            bt_ = b_.tensor({.name = "boxes_of_b",
                             .buffer = b,
                             .extents = {k_, k, n / k_},
                             .strides = {1, n, k_},
                             .box = {k_, k_, columns / k_ / cluster_},
                             .swizzle = 128});
        c_ = b_.tensor({.name = "boxes_of_c",
                        .buffer = c,
                        .extents = {n, m},
                        .strides = {1, n},
                        .box = {k_, warpgroup_rows},
                        .swizzle = 128});
        full_ = b_.shared("full", DataType::int64, stages);
        free_ = b_.shared("free", DataType::int64, stages);
        a_tiles_ = shared("a_tiles", stages * rows * k_);
        b_tiles_ = shared("b_tiles", stages * columns * k_);
        c_tiles_ = shared("c_tiles", consumers * warpgroup_rows * k_);
        sums_ = b_.local("sums", DataType::float32, entry_.registers());
        for (ir::Buffer* const counter : {&stage_, &parity_, &before_})
            *counter = b_.local("counter", DataType::int64, 1);
    }

    Value integer_constant(Integer value) {
        return b_.constant({DataType::int64, 1}, static_cast<long double>(value));
    }

    void advance() {
        const Value next = b_.add(b_.load(stage_, 0), integer_constant(1));
        const Value stays = b_.less(next, integer_constant(stages));
        b_.store(before_, 0, b_.load(stage_, 0));
        b_.store(stage_, 0, b_.select(stays, next, integer_constant(0)));
        const Value parity = b_.load(parity_, 0);
        b_.store(parity_, 0, b_.select(stays, parity, b_.bit_xor(parity, integer_constant(1))));
    }

    void begin() {
        for (const ir::Buffer counter : {stage_, parity_, before_}) b_.store(counter, 0, integer_constant(0));
    }

    void bring() {
        begin();
        const Integer tile_bytes = (rows + columns) * k_ * size_;
        const unsigned all = cluster_ > 1 ? (1U << static_cast<unsigned>(cluster_)) - 1 : 0;
        b_.for_loop("step", k / k_, [&](const Affine& k_tile) {
            const Value stage = b_.load(stage_, 0);
            const Value parity = b_.bit_xor(b_.load(parity_, 0), integer_constant(1));
            const Builder::MemoryOperand full{full_, 0, stage};
            b_.mbarrier_wait({free_, 0, stage}, parity);
            b_.mbarrier_arrive_expect_tx(full, tile_bytes);
            const Value at = b_.index(k_ * k_tile), row = b_.index(rows * b_.block());
            b_.tma_load(a_, std::array{at, row}, {a_tiles_, 0, stage, rows * k_}, full);
            const Affine rank = cluster_ > 1 ? b_.block(0, 1, cluster_) : Affine(0);
            const Builder::MemoryOperand to{b_tiles_, columns / cluster_ * k_ * rank, stage, columns * k_};
            if (along_)
                b_.tma_load(bt_, std::array{at, b_.index(columns / cluster_ * rank)}, to, full, all);
            else
                b_.tma_load(bt_,
                            std::array{integer_constant(0), at, b_.index(columns / cluster_ / k_ * rank)}, to,
                            full, all);
            advance();
        });
    }

    void release(Value stage) {
        b_.if_then({{b_.thread(0, 1, warpgroup), ir::Condition::Relation::zero}}, [&] {
            if (cluster_ == 1) return b_.mbarrier_arrive({free_, 0, stage});
            for (Integer block = 0; block < cluster_; ++block)
                b_.mbarrier_arrive({free_, 0, stage}, integer_constant(block));
        });
    }

    void multiply() {
        begin();
        const Affine warpgroup_index = b_.thread(0, warpgroup);
        for (Integer r = 0; r < entry_.registers(); ++r)
            b_.store(sums_, r, b_.constant({DataType::float32, 1}, 0));
        b_.for_loop("step", k / k_, [&](const Affine& k_tile) {
            const Value stage = b_.load(stage_, 0);
            b_.mbarrier_wait({full_, 0, stage}, b_.load(parity_, 0));
            fence(ir::AsyncFence::Kind::begin);
            for (Integer inner = 0; inner < k_; inner += entry_.k)
                b_.wgmma(entry_, sums_, 0,
                         {{a_tiles_, warpgroup_rows * k_ * warpgroup_index + inner, stage, rows * k_}, {}},
                         {{b_tiles_, along_ ? inner : inner * k_, stage, columns * k_},
                          {.k_major = along_, .panel = k_ * k_}});
            fence(ir::AsyncFence::Kind::commit);
            fence(ir::AsyncFence::Kind::wait, 1);
            b_.if_then({{k_tile - 1, ir::Condition::Relation::nonnegative}},
                       [&] { release(b_.load(before_, 0)); });
            advance();
        });
        fence(ir::AsyncFence::Kind::wait);
        store(warpgroup_index);
    }

    void fence(ir::AsyncFence::Kind kind, int pending = 0) {
        b_.fence({kind, pending, ir::AsyncFence::What::wgmmas});
    }

    void store(const Affine& warpgroup_index) {
        const Affine thread = b_.thread(0, 1, warpgroup);
        for (Integer panel = 0; panel < columns / k_; ++panel) {
            for (Integer r = 0; r < k_ / 2; ++r) { // without regard to where sums belong
                const Value sum = b_.load(sums_, panel * k_ / 2 + r);
                b_.store(c_tiles_, warpgroup_rows * k_ * warpgroup_index + k_ / 2 * thread + r,
                         factor_ == DataType::float32 ? sum : b_.convert(sum, factor_));
            }
            b_.fence({ir::AsyncFence::Kind::publish});
            b_.barrier();
            b_.if_then({{thread, ir::Condition::Relation::zero}}, [&] {
                const Value at = integer_constant(panel * k_);
                b_.tma_store(c_,
                             std::array{at, b_.index(rows * b_.block() + warpgroup_rows * warpgroup_index)},
                             {c_tiles_, warpgroup_rows * k_ * warpgroup_index});
                b_.fence({ir::AsyncFence::Kind::commit, 0, ir::AsyncFence::What::tma_stores});
                b_.fence({ir::AsyncFence::Kind::wait, 0, ir::AsyncFence::What::tma_stores});
            });
            b_.barrier();
        }
    }

    DataType factor_;
    Integer size_;
    bool along_;
    Integer cluster_;
    Integer k_; ///< of a step
    Builder b_;
    const ir::WgmmaInstruction& entry_;
    ir::Tensor a_ = 0, bt_ = 0, c_ = 0;
    ir::Buffer full_ = 0, free_ = 0, a_tiles_ = 0, b_tiles_ = 0, c_tiles_ = 0, sums_ = 0, stage_ = 0,
               parity_ = 0, before_ = 0;
};

const PtxOptions for_sm_90a{.target = "sm_90a"};

TEST(EmittedPtxOfTiles, TensorMapsReplaceTheirBufferParameters) {
    const ir::Program program = Product(DataType::bfloat16, true, 1).program();
    const PtxInterface interface = ptx_interface(program, for_sm_90a);
    using Kind = PtxParameter::Kind;
    EXPECT_EQ(
        interface.parameters,
        (std::vector<PtxParameter>{{Kind::tensor, 0, 128}, {Kind::tensor, 1, 128}, {Kind::tensor, 2, 128}}));
    const std::string module = ptx(program, for_sm_90a);
    EXPECT_EQ(count(module, ".version 8.0"), 1U) << module;
    EXPECT_EQ(count(module, ".param .align 64 .b8 boxes_of_a[128]"), 1U) << module;
    EXPECT_EQ(count(module, ".extern .shared .align 1024 .b8"), 1U) << module;
    EXPECT_EQ(interface.dynamic_shared_bytes, 4 * (128 + 256) * 128 + 2 * 64 * 128 + 2 * 4 * 8);
}

TEST(EmittedPtxOfTiles, RolesHaveTheirOwnRegistersAndBarriers) {
    const std::string module = ptx(Product(DataType::bfloat16, true, 1).program(), for_sm_90a);
    EXPECT_EQ(count(module, "setmaxnreg.inc.sync.aligned.u32 240;"), 1U) << module;
    EXPECT_EQ(count(module, "setmaxnreg.dec.sync.aligned.u32 24;"), 1U) << module;
    EXPECT_EQ(count(module, "bar.sync 0;"), 1U) << module;
    EXPECT_EQ(count(module, "bar.sync 1, 256;"), 8U) << module;
}

TEST(EmittedPtxOfTiles, RemoteArrivesUseNoMemoryFence) {
    const std::string module = ptx(Product(DataType::bfloat16, false, 2).program(), for_sm_90a);
    EXPECT_EQ(count(module, "mbarrier.arrive.shared::cluster.b64"), 2U) << module;
    EXPECT_EQ(count(module,
                    "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                    ".multicast::cluster"),
              1U)
        << module;
    EXPECT_EQ(count(module, ", 1, 1, 0, 1;"), 4U) << module; // A is K-major, B is not
}

TEST(EmittedPtxOfTiles, WantATargetThatHasThem) {
    const ir::Program program = Product(DataType::bfloat16, true, 1).program();
    EXPECT_TRUE(needs_special_target(program));
    EXPECT_THROW(ptx(program, {.target = "sm_90"}), InternalError);
    EXPECT_THROW(ptx(program, {.target = "sm_80"}), InternalError);
}

TEST(EmittedTextOfTiles, IsRefusedWhereALanguageHasNoWords) {
    const ir::Program program = Product(DataType::bfloat16, true, 1).program();
    for (const GpuLanguage language : {GpuLanguage::cuda, GpuLanguage::hip, GpuLanguage::opencl})
        EXPECT_THROW(emit_gpu_kernels(alone(program, "tiles").transform, {.language = language}), UserError);
}

TEST(EmittedPtxOfTiles, CompilesWithProductsThatOverlap) {
    const auto compiler = ptx_compiler();
    if (!compiler) GTEST_SKIP() << "ptxas is not installed";
    for (const DataType operand_type : {DataType::bfloat16, DataType::float16, DataType::float32})
        for (const bool along : {true, false})
            for (const Integer cluster : {1, 2}) {
                if (!along && !target::wgmma_of(operand_type, columns).has_layouts) continue;
                const std::string module = ptx(Product(operand_type, along, cluster).program(), for_sm_90a);
                EXPECT_EQ(complaints(*compiler, module, "sm_90a", "-O3 --warn-on-spills"), "") << module;
            }
}

gemm::GpuGemmSchedule rounded_schedule() {
    return gemm::parse_gpu_schedule(
        "wgmma cta_m=256 cta_n=128 cta_k=32 warpgroups=2 stages=4 "
        "epilogue_tile_m=64 tf32=1");
}

std::vector<ir::Program> rounded_product(char a, char b) {
    constexpr Integer n = 1024;
    const auto layout = [](char letter) { return letter == 'N' ? MatrixLayout{1, n} : MatrixLayout{n, 1}; };
    MatrixProduct product;
    product.data_type = DataType::float32;
    product.rows = product.columns = product.k = n;
    product.a = layout(a);
    product.b = layout(b);
    product.c = {1, n};
    return gemm::gpu_gemm_kernels(product, rounded_schedule(), target::gpu_named("sm_90"));
}

TEST(EmittedPtxOfTiles, RegisterOperandsAreBits) {
    const std::string module = ptx(rounded_product('N', 'N').front(), for_sm_90a);
    const std::size_t product = module.find("wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {%f");
    ASSERT_NE(product, std::string::npos) << module;
    const std::string line = module.substr(product, module.find(';', product) - product);
    EXPECT_EQ(count(line, "%f"), 64U) << line;
    EXPECT_EQ(count(line, "{%r"), 1U) << line;
    EXPECT_EQ(count(module, "ld.shared.v2.f32"), 2U * (2 * 4 + 4 * 4 + 2 * 4) + 4 * 32)
        << "of A in two roles: before pieces, in them, in the last one; of C in its rounds";
}

TEST(EmittedPtxOfTiles, Tf32WgmmasOverlap) {
    const auto compiler = ptx_compiler();
    if (!compiler) GTEST_SKIP() << "ptxas is not installed";
    for (const char a : {'N', 'T'})
        for (const ir::Program& program : rounded_product(a, 'T')) {
            const std::string module = ptx(program, for_sm_90a);
            EXPECT_EQ(complaints(*compiler, module, "sm_90a", "-O3 --warn-on-spills"), "") << program.name;
        }
}

TEST(EmittedPtxOfTiles, ClustersThatShareKCompile) {
    const auto compiler = ptx_compiler();
    if (!compiler) GTEST_SKIP() << "ptxas is not installed";
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 200, 200, 1000);
    product.a_type = product.b_type = DataType::bfloat16;
    for (const char* schedule : {"cta_m=64 cta_n=64 warpgroups=1 stages=8 split_k=8",
                                 "cta_m=96 cta_n=128 warpgroups=2 stages=4 split_k=4"}) {
        const std::string module =
            ptx(gemm::gpu_gemm_kernels(
                    product,
                    gemm::parse_gpu_schedule("wgmma cta_k=64 epilogue_tile_m=32 " + std::string(schedule)),
                    target::gpu_named("sm_90"))
                    .back(),
                for_sm_90a);
        EXPECT_EQ(complaints(*compiler, module, "sm_90a", "-O3 --warn-on-spills"), "") << schedule;
    }
}

TEST(EmittedPtxOfTiles, BecomesTensorCoresAndCopyEngine) {
    const auto compiler = ptx_compiler(), reader = cuda_tool("cuobjdump");
    if (!compiler || !reader) GTEST_SKIP() << "ptxas or cuobjdump is not installed";
    const TemporaryFolder folder;
    const std::string source = (folder.path() / "kernel.ptx").string(), code = source + ".cubin";
    std::ofstream(source) << ptx(Product(DataType::bfloat16, true, 1).program(), for_sm_90a);
    support::run_command(support::quoted(*compiler) + " -arch=sm_90a -o " + code + " " + source);
    const std::string words = support::run_command(support::quoted(*reader) + " -sass " + code).output;
    EXPECT_EQ(count(words, "HGMMA.64x256x16.F32.BF16"), 4U) << words;
    EXPECT_EQ(count(words, "UTMALDG.2D"), 2U) << words;
    EXPECT_GT(count(words, "UTMASTG.2D"), 0U) << words;
    const std::string loop = words.substr(words.find("HGMMA"), words.rfind("HGMMA") - words.find("HGMMA"));
    EXPECT_EQ(count(loop, "R2UR"), 0U) << "descriptions are computed once for a warp\n" << loop;
}

} // namespace ptx_tiles_test
} // namespace swirl::emit
