#include "gemm/gpu/simt/tma_loader.hpp"

#include "gemm/gpu/matrix_buffer.hpp"
#include "gemm/gpu/tensor_map.hpp"
#include "gemm/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

constexpr Integer longest_box = 256, bytes_per_signal = 8;
constexpr int leads = 2, sides = 2;
constexpr Integer banks = 32; ///< of shared memory
/// Rows with at most this many chunks: assigning adjacent threads along the row then transposes faster; sgemm NN
/// 3000 takes 1.5% less time (decision 031).
constexpr Integer few_chunks = 4;
constexpr Integer mn_of_pattern = ir::swizzle_pattern_bytes / ir::swizzle_row_bytes;

/// An operand as its k-tiles are built: rows are A's rows or B's columns.
struct OperandView {
    const char* name;
    const MatrixLayout& layout;
    Integer extent, stride, k_stride;
};

OperandView view_of(const MatrixProduct& canonical, std::size_t operand) {
    if (operand == 0)
        return {"A", canonical.a, canonical.rows, canonical.a.row_stride, canonical.a.column_stride};
    return {"B", canonical.b, canonical.columns, canonical.b.column_stride, canonical.b.row_stride};
}

ir::TensorInfo tensor_map_of_k_tiles(const MatrixProduct& canonical, std::size_t operand,
                                     const SmemTile& k_tile) {
    const OperandView view = view_of(canonical, operand);
    const char* const name = operand == 0 ? "a_tiles" : "b_tiles";
    if (!k_tile.is_smem_k_major())
        return tensor_map_of(name, {view.extent, canonical.k}, view.k_stride, {k_tile.extent, k_tile.k}, 0,
                             view.layout, canonical.batch);
    const Integer bytes = k_tile.row * bytes_of(k_tile.data_type);
    return tensor_map_of(name, {canonical.k, view.extent}, view.stride, {k_tile.row, k_tile.extent},
                         bytes > ir::swizzle_chunk_bytes ? bytes : 0, view.layout, canonical.batch);
}

/// Lines that a block's threads transpose per round.
Integer mn_of_round(const SimtGemm& schedule, const SmemTile& k_tile) {
    return schedule.threads() / (k_tile.k / k_tile.chunk());
}

std::string smem_transpose_infeasibility(const SimtGemm& schedule, const SmemTile& k_tile,
                                         const SmemTile& loaded) {
    if (loaded.row < k_tile.chunk())
        return fmt::format("a k-tile has {} k indices; multiples of {} are possible", k_tile.k,
                           k_tile.chunk());
    const Integer chunks = k_tile.k / k_tile.chunk();
    if (schedule.threads() % (chunks * mn_of_pattern) != 0)
        return fmt::format("{} threads transpose rows of {} chunks; multiples of {} threads are possible",
                           schedule.threads(), chunks, chunks * mn_of_pattern);
    if (k_tile.extent % mn_of_pattern != 0)
        return fmt::format("a block has {} rows (columns); multiples of {} are possible", k_tile.extent,
                           mn_of_pattern);
    return {};
}

std::string k_major_infeasibility(const SimtGemm& schedule, const SmemTile& k_tile, std::size_t operand) {
    const int lanes = operand == 0 ? schedule.warp_lanes().m : schedule.warp_lanes().n;
    const int per_thread = operand == 0 ? schedule.thread_tile.m : schedule.thread_tile.n;
    if (k_tile.row < k_tile.chunk())
        return fmt::format("slices have {} k indices of a k-tile; multiples of {} are possible",
                           schedule.cta_tile.k / schedule.sliced_k, k_tile.chunk());
    if (schedule.zigzag()) return "zigzag is 1; 0 is possible where TMA loads K-major";
    if (k_tile.extent % mn_of_pattern != 0 ||
        (lanes * per_thread != k_tile.extent && lanes * per_thread % mn_of_pattern != 0))
        return fmt::format("a block has {} rows (columns), a warp {}; multiples of {} are possible",
                           k_tile.extent, lanes * per_thread, mn_of_pattern);
    return {};
}

std::string tma_operand_infeasibility(const CanonicalSimtGemm& gemm, std::size_t operand) {
    const SimtGemm& schedule = gemm.schedule;
    const MatrixProduct& canonical = gemm.product();
    const OperandView view = view_of(canonical, operand);
    const SmemTile& k_tile = gemm.k_tiles[operand];
    if (k_tile.data_type != canonical.data_type || is_complex(canonical.data_type))
        return fmt::format("the data type is {}, and accumulators are {}; equal and real ones are possible",
                           name_of(k_tile.data_type), name_of(canonical.data_type));
    if (std::string why = tensor_map_infeasibility(view.layout, k_tile.data_type, canonical.batch);
        !why.empty())
        return why;
    const bool is_smem_k_major = schedule.is_tma_k_major(operand) || schedule.is_transposed(operand);
    if ((is_smem_k_major ? view.k_stride : view.stride) != 1)
        return fmt::format("{}_load is {}, and the stride along {} is {}; {} possible",
                           operand == 0 ? 'a' : 'b', is_smem_k_major ? "along K" : "tma",
                           is_smem_k_major ? 'K'
                           : operand == 0  ? 'M'
                                           : 'N',
                           is_smem_k_major ? view.k_stride : view.stride,
                           is_smem_k_major ? "tma is" : "tma_k_major and tma_transpose are");
    if (!k_tile.is_smem_k_major() && k_tile.vector_k > 1)
        return fmt::format("threads load {} contiguous k indices at once, but K is not contiguous",
                           k_tile.vector_k);
    if (k_tile.extent > longest_box || k_tile.k > longest_box)
        return fmt::format("a k-tile of {} by {}; {} by {} at most are possible", k_tile.extent, k_tile.k,
                           longest_box, longest_box);
    if (is_smem_k_major && gemm.k_padding * bytes_of(k_tile.data_type) % ir::swizzle_chunk_bytes != 0)
        return fmt::format(
            "k-tiles begin {} k indices before the first, as threads copy the other operand; "
            "multiples of {} bytes are possible",
            gemm.k_padding, ir::swizzle_chunk_bytes);
    if (!is_smem_k_major && view.extent % k_tile.extent != 0 &&
        view.extent * bytes_of(k_tile.data_type) % ir::swizzle_chunk_bytes != 0)
        return fmt::format(
            "the last of its tiles, which all lie in C, begins at row (column) {} of {}; multiples of {} "
            "bytes "
            "are possible",
            view.extent - k_tile.extent, view.extent, ir::swizzle_chunk_bytes);
    if (k_tile.extent * bytes_of(k_tile.data_type) % ir::swizzle_chunk_bytes != 0)
        return fmt::format("{} elements of one k index are not a multiple of {} bytes", k_tile.extent,
                           ir::swizzle_chunk_bytes);
    if (schedule.is_transposed(operand))
        return smem_transpose_infeasibility(schedule, k_tile, gemm.loaded[operand]);
    return k_tile.is_smem_k_major() ? k_major_infeasibility(schedule, k_tile, operand) : std::string();
}

} // namespace

TmaLoader::TmaLoader(ir::Builder& builder, const CanonicalSimtGemm& gemm)
    : builder_(builder), gemm_(gemm), schedule_(gemm.schedule) {}

ir::Value TmaLoader::integer(Integer value) const {
    return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
}

TmaLoader::Memory TmaLoader::declare(std::size_t operand, ir::Buffer matrix, Integer least) {
    Operand& one = operands_[operand];
    const bool is_transposed = schedule_.is_transposed(operand);
    const SmemTile& loaded = gemm_.loaded[operand];
    ir::TensorInfo tensor = tensor_map_of_k_tiles(gemm_.product(), operand, loaded);
    tensor.buffer = matrix;
    one.tensor = builder_.tensor(std::move(tensor));
    const auto memory = [&](std::string name, Integer elements, Integer alignment) {
        return builder_.add(
            buffer_in_smem(std::move(name), scalar_of(loaded.data_type), elements, alignment));
    };
    const std::string name = operand == 0 ? "a_" : "b_";
    one.loaded = memory(name + (is_transposed ? "rows" : "k_tiles"),
                        std::max(least, schedule_.stages * loaded.scalars()), ir::swizzle_pattern_bytes);
    if (!is_transposed) return {one.loaded, one.loaded};
    one.transposed =
        memory(name + "k_tiles", sides * gemm_.k_tiles[operand].scalars(), SimtThreadLayout::widest_access);
    return {one.loaded, one.transposed};
}

void TmaLoader::begin() {
    mbarriers_ = builder_.shared("full", DataType::int64, leads * schedule_.stages);
    builder_.if_then({{builder_.thread(0), Relation::zero}}, [&] {
        for (int lead = 0; lead < leads; ++lead)
            for (Integer stage = 0; has(lead) && stage < schedule_.stages; ++stage)
                builder_.mbarrier_init({mbarriers_, lead * schedule_.stages + stage}, 1);
    });
    builder_.barrier();
}

bool TmaLoader::has(int lead) const {
    return (schedule_.is_tma(0) && this->lead(0) == lead) || (schedule_.is_tma(1) && this->lead(1) == lead);
}

void TmaLoader::load(int lead, const Affine& k, const Stage& stage) const {
    Integer bytes = 0;
    const auto for_each = [&](auto&& action) {
        for (std::size_t operand = 0; operand < operands_.size(); ++operand)
            if (schedule_.is_tma(operand) && this->lead(operand) == lead) action(operand);
    };
    for_each([&](std::size_t operand) {
        const SmemTile& k_tile = gemm_.loaded[operand];
        bytes += k_tile.extent * k_tile.k * bytes_of(k_tile.data_type);
    });
    builder_.mbarrier_arrive_expect_tx({mbarriers_, lead * schedule_.stages + stage.index, stage.dynamic},
                                       bytes);
    for_each([&](std::size_t operand) { load(operand, k, stage, lead); });
}

void TmaLoader::load(std::size_t operand, const Affine& k, const Stage& stage, int lead) const {
    const SmemTile& k_tile = gemm_.loaded[operand];
    const Operand& one = operands_[operand];
    const Integer k_of_box = k_tile.is_smem_k_major() ? k_tile.row : k_tile.k;
    for (Integer first = 0; first < k_tile.k; first += k_of_box) {
        std::vector<ir::Value> at = {one.start.mn, builder_.index(k + first)};
        if (k_tile.is_smem_k_major()) std::swap(at[0], at[1]);
        if (one.start.matrix != ir::no_value) at.push_back(one.start.matrix);
        builder_.tma_load(one.tensor, at,
                          {one.loaded, stage.index * k_tile.scalars() + first * k_tile.extent, stage.dynamic,
                           k_tile.scalars()},
                          {mbarriers_, lead * schedule_.stages + stage.index, stage.dynamic});
    }
}

void TmaLoader::wait(int lead, ir::Value stage, ir::Value phase) const {
    builder_.mbarrier_wait({mbarriers_, lead * schedule_.stages, stage}, phase);
}

// ---- transpose

int TmaLoader::rounds(std::size_t operand) const {
    if (!schedule_.is_transposed(operand)) return 0;
    const Integer per_round = mn_of_round(schedule_, gemm_.k_tiles[operand]);
    return static_cast<int>(ceil_divide(gemm_.k_tiles[operand].extent, per_round));
}
int TmaLoader::rounds() const { return rounds(0) + rounds(1); }

void TmaLoader::transpose(int first_round, int end_round, const Stage& from, const Stage& to_side) const {
    for (int round = first_round; round < end_round; ++round) {
        const bool is_a = round < rounds(0);
        transpose_chunks(is_a ? 0 : 1, is_a ? round : round - rounds(0), from, to_side);
    }
}

/// If rows have more than a few chunks, adjacent threads take adjacent rows, so that both loads and stores use
/// different banks. Chunk c of a row is at c xor the row's index among those with different swizzles.
void TmaLoader::transpose_chunks(std::size_t operand, int round, const Stage& from,
                                 const Stage& to_side) const {
    const SmemTile& k_tile = gemm_.k_tiles[operand];
    const SmemTile& loaded = gemm_.loaded[operand];
    const Integer chunk = loaded.chunk(), chunks = loaded.chunks_of_row(), all = loaded.k / chunk;
    const Integer at_once = mn_of_round(schedule_, k_tile);
    const Integer threads_per_chunk =
        all <= few_chunks ? 1 : std::gcd(std::gcd(k_tile.extent, at_once), banks);
    const Integer mn_digit = (threads_per_chunk == 1 ? all : 1) * loaded.swizzle_period();
    const Affine mn = thread_digit(builder_, 1, threads_per_chunk) +
                      thread_digit(builder_, threads_per_chunk * all, 0) * threads_per_chunk +
                      round * at_once;
    const Affine panel = thread_digit(builder_, threads_per_chunk * chunks, all / chunks);
    const Affine in_row = thread_digit(builder_, threads_per_chunk, chunks);
    ir::Value offset = builder_.index(in_row);
    if (chunks > 1)
        offset = builder_.bit_xor(offset, builder_.index(thread_digit(builder_, mn_digit, chunks)));
    if (from.dynamic != ir::no_value)
        offset = builder_.add(offset, builder_.multiply(from.dynamic, integer(loaded.scalars() / chunk)));
    const auto move = [&] {
        const ir::Value vector = builder_.load(
            operands_[operand].loaded,
            from.index * loaded.scalars() + panel * (loaded.extent * loaded.row) + mn * loaded.row,
            {.lanes = static_cast<int>(chunk), .dynamic = offset, .dynamic_scale = chunk});
        const Affine k = panel * loaded.row + in_row * chunk;
        for (Integer lane = 0; lane < chunk; ++lane)
            builder_.store(operands_[operand].transposed,
                           to_side.index * k_tile.scalars() + k_tile.offset_of(mn, k + lane),
                           builder_.shuffle(vector, vector, {static_cast<std::int8_t>(lane)}),
                           {.dynamic = to_side.dynamic, .dynamic_scale = k_tile.scalars()});
    };
    if ((round + 1) * at_once <= k_tile.extent) return move();
    builder_.if_then({{mn - k_tile.extent, Relation::negative}}, move);
}

Integer TmaLoader::extra_bytes(const SimtGemm& schedule) {
    return schedule.has_tma() ? leads * schedule.stages * bytes_per_signal + 2 * ir::swizzle_pattern_bytes
                              : 0;
}

Integer TmaLoader::bytes_of_stages(const CanonicalSimtGemm& gemm, std::size_t operand) {
    const SmemTile& k_tile = gemm.k_tiles[operand];
    return gemm.schedule.stages * gemm.loaded[operand].bytes() +
           (k_tile.is_transposed ? sides * k_tile.bytes() : 0);
}

std::string tma_infeasibility(const CanonicalSimtGemm& gemm, const target::Gpu& gpu) {
    const SimtGemm& schedule = gemm.schedule;
    if (!schedule.has_tma()) return {};
    if (!gpu.has_tma) return fmt::format("{} has no TMA", gpu.name);
    if (gemm.product().listed)
        return "TMA loads no matrices of pointer lists; a_load=cp_async and b_load=cp_async are possible";
    if (schedule.stream_k() != nullptr)
        return fmt::format("stream_k_blocks is {}, and TMA loads whole tiles' k-tiles; 0 is possible",
                           schedule.stream_k()->blocks);
    if (schedule.is_mma())
        return fmt::format("mma_k is {}, and TMA writes k-tiles without padding; 0 is possible",
                           schedule.mma_k());
    if (schedule.matrices() > 1)
        return fmt::format("matrices is {}, and TMA loads those of one; 1 is possible", schedule.matrices());
    for (std::size_t operand = 0; operand < 2; ++operand)
        if (schedule.is_tma(operand))
            if (const std::string why = tma_operand_infeasibility(gemm, operand); !why.empty())
                return fmt::format("TMA cannot load {}: {}", operand == 0 ? 'A' : 'B', why);
    return {};
}

} // namespace swirl::gemm
