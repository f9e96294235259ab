#include "base/integer.hpp"
#include "cli/ladder/gemm.hpp"
#include "cli/ladder/ladder.hpp"
#include "gemm/cpu/schedule.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace swirl::cli {

namespace {

using gemm::Copies;
using gemm::LoopNest;

/// The steps in the order of the tutorial: each modifies the nest before it.
class RungsBuilder {
public:
    explicit RungsBuilder(const GemmLadderOptions& setting) : setting_(setting) {
        nest_.product = setting.product();
        nest_.mc = nest_.nc = nest_.kc = setting.n;
    }

    std::vector<GemmRung> steps() {
        scalar_steps();
        vector_steps();
        const auto planned = [&](std::string name, const char* what, int threads) {
            steps_.push_back({std::move(name), what, {}, &target::host_cpu(), threads});
        };
        planned("planned", "the library's plan: blocks for each cache, or one kernel for a small product", 1);
        if (setting_.threads > 1)
            planned(fmt::format("{} threads", setting_.threads),
                    "the same, rows and columns of C shared among threads where that pays", setting_.threads);
        return std::move(steps_);
    }

private:
    static constexpr int unrolled = 4;

    void add(const char* name, const char* what, double predicted_cache_lines) {
        steps_.push_back({name, what, nest_, cpu_, 1, predicted_cache_lines});
    }

    /// The largest N_B for which a block of B, a row of A's block and an element of C fit: N_B² + N_B + 1 ≤ C_s.
    Integer largest_block() const {
        const auto elements = static_cast<double>(setting_.cache_bytes / bytes_of(setting_.data_type));
        return std::max<Integer>(8, static_cast<Integer>(std::sqrt(elements - 0.75) - 0.5));
    }
    /// Nearly equal blocks, multiples of the step, no larger than largest_block().
    Integer block(Integer step) const {
        const Integer most = std::max(step, largest_block() / step * step);
        return std::min(setting_.n, gemm::balanced_block(setting_.n, most, step));
    }
    /// The largest M_U = N_U for which accumulators, a column of A and a row of B fit in registers: M_U N_U + M_U + N_U
    /// ≤ N_R.
    int scalar_tile() const {
        int tile = 1;
        while ((tile + 1) * (tile + 3) <= cpu_->vector_registers) ++tile;
        return tile;
    }
    /// Each block of C loads a block row of A and a block column of B.
    double cache_lines_by_blocks() const {
        const auto n = static_cast<double>(setting_.n);
        return 2 * n * n * n / static_cast<double>(setting_.elements_per_cache_line() * nest_.kc);
    }

    void scalar_steps() {
        const auto n = static_cast<double>(setting_.n);
        add("naive", "three loops, i, j, k; scalar code",
            n * n * n * (1 + 1 / static_cast<double>(setting_.elements_per_cache_line())));
        nest_.mc = nest_.nc = nest_.kc = block(8);
        add("blocked", "the same in blocks of N_B: those of B stay in L1", cache_lines_by_blocks());
        nest_.copies = Copies::blocks;
        add("buffered", "blocks are copied first, each contiguous: none evicts another",
            cache_lines_by_blocks());
        nest_.tile_rows = nest_.tile_vectors = scalar_tile();
        add("register", "tiles of M_U x N_U accumulators in registers: fewer loads, independent additions",
            cache_lines_by_blocks());
        nest_.unroll = unrolled;
        add("unrolled", "K_U k indices per iteration", cache_lines_by_blocks());
        nest_.load_distance = 2;
        nest_.add_distance = 2;
        add("scheduled", "loads before, additions after the multiplications of other accumulators",
            cache_lines_by_blocks());
    }

    void vector_steps() {
        cpu_ = &target::host_cpu();
        const gemm::Tile tile = gemm::model_schedule(setting_.data_type, *cpu_).tile;
        nest_.lanes = tile.lanes;
        nest_.tile_vectors = tile.vectors;
        nest_.tile_rows = tile.columns;
        nest_.is_fused = cpu_->has_fma;
        const int registers = cpu_->vector_registers - tile.vectors * (tile.columns + 1) - 1;
        nest_.load_distance = std::clamp(registers, 0, 2);
        nest_.mc = nest_.nc = nest_.kc = block(nest_.tile_columns());
        add("vectors", "columns in vectors, with fused multiply-adds if there are any; other tiles",
            cache_lines_by_blocks());
        nest_.copies = Copies::panels;
        nest_.mc = setting_.n;
        nest_.kc = gemm::balanced_block(setting_.n, 256, 8);
        const Integer l2_cache = std::max<Integer>(cpu_->cache_bytes, 512 << 10);
        const Integer most_columns = l2_cache / 2 / (nest_.kc * bytes_of(setting_.data_type));
        nest_.nc = gemm::balanced_block(setting_.n, most_columns, nest_.tile_columns());
        add("packed", "copies in panels, read from front to back; those of B's blocks in L2: few pages", 0);
    }

    const GemmLadderOptions& setting_;
    LoopNest nest_;
    const target::Cpu* cpu_ = &plainest_cpu();
    std::vector<GemmRung> steps_;
};

} // namespace

std::vector<GemmRung> gemm_rungs(const GemmLadderOptions& setting) { return RungsBuilder(setting).steps(); }

Matrices::Matrices(const GemmLadderOptions& setting, std::uint32_t seed) {
    const auto count = static_cast<std::size_t>(setting.n * setting.n);
    const auto bytes = count * static_cast<std::size_t>(bytes_of(setting.data_type));
    std::mt19937 random(seed);
    for (runtime::AlignedBuffer* buffer : {&a, &b, &c}) {
        *buffer = runtime::AlignedBuffer(bytes, {.alignment = 4096});
        if (buffer == &c) continue;
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (std::size_t at = 0; at < count; ++at)
            if (setting.data_type == DataType::float32)
                buffer->as<float>()[at] = static_cast<float>(uniform(random));
            else
                buffer->as<double>()[at] = uniform(random);
    }
}

void Matrices::clear_c() {
    for (float& half : c.span_of<float>()) half = std::numeric_limits<float>::quiet_NaN();
}

MatrixProgram::MatrixProgram(const GemmLadderOptions& setting, const GemmRung& step)
    : data_type_(setting.data_type) {
    if (!step.nest) {
        plan_ = swirl::plan(setting.product(), {.threads = step.threads});
        description_ = plan_.description();
        return;
    }
    const ir::Program program = passes::run_codegen_passes(gemm::loop_nest(*step.nest), *step.cpu);
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::scratch)
            copies_.emplace_back(static_cast<std::size_t>(buffer.elements * bytes_of(data_type_)),
                                 runtime::AlignedBuffer::Options{.alignment = 4096});
    code_ = std::make_unique<runtime::ExecutableCode>(jit::compile(program, *step.cpu));
    description_ = fmt::format("{}: {}", step.cpu->name, gemm::to_string(*step.nest));
}

void MatrixProgram::execute(const Matrices& matrices) const {
    if (!plan_) {
        std::array<void*, 5> buffers = {matrices.a.data(), matrices.b.data(), matrices.c.data()};
        for (std::size_t k = 0; k < copies_.size(); ++k) buffers.at(3 + k) = copies_[k].data();
        return (*code_)(buffers.data());
    }
    if (data_type_ == DataType::float32)
        plan_.execute(1, matrices.a.as<float>(), matrices.b.as<float>(), 0, matrices.c.as<float>());
    else
        plan_.execute(1, matrices.a.as<double>(), matrices.b.as<double>(), 0, matrices.c.as<double>());
}

} // namespace swirl::cli
