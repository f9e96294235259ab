#include "gemm/gpu_bulk.hpp"

#include "gemm/gpu_tensor.hpp"
#include "gemm/tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

constexpr Integer longest_box = 256, signal_bytes = 8;
constexpr int leads = 2, sides = 2;
constexpr Integer banks = 32; ///< of shared memory
/// Of a line, which neighbouring threads turn in less time: sgemm NN 3000 takes 1.5% less (decision 031).
constexpr Integer few_chunks = 4;
constexpr Integer lines_of_pattern = ir::tile_pattern_bytes / ir::tile_row_bytes;

/// An operand as its pieces want it: its lines are A's rows, B's columns.
struct Lines {
    const char* name;
    const MatrixLayout& layout;
    Integer extent, stride, depth_stride;
};

Lines lines_of(const MatrixProduct& oriented, std::size_t operand) {
    if (operand == 0)
        return {"A", oriented.a, oriented.rows, oriented.a.row_stride, oriented.a.column_stride};
    return {"B", oriented.b, oriented.columns, oriented.b.column_stride, oriented.b.row_stride};
}

ir::TensorInfo tensor_of_pieces(const MatrixProduct& oriented, std::size_t operand, const GpuPiece& piece) {
    const Lines lines = lines_of(oriented, operand);
    const char* const name = operand == 0 ? "a_tiles" : "b_tiles";
    if (!piece.is_by_lines())
        return tensor_of(name, {lines.extent, oriented.depth}, lines.depth_stride,
                         {piece.extent, piece.depth}, 0, lines.layout, oriented.batch);
    const Integer bytes = piece.row * bytes_of(piece.number);
    return tensor_of(name, {oriented.depth, lines.extent}, lines.stride, {piece.row, piece.extent},
                     bytes > ir::tile_piece_bytes ? bytes : 0, lines.layout, oriented.batch);
}

/// Lines that a block's threads turn at once.
Integer lines_of_round(const GpuSchedule& schedule, const GpuPiece& piece) {
    return schedule.threads() / (piece.depth / piece.chunk());
}

std::string objection_to_turned(const GpuSchedule& schedule, const GpuPiece& piece) {
    const GpuPiece lines = lines_before_turn(piece);
    if (lines.row < piece.chunk())
        return fmt::format("a piece has {} steps; multiples of {} are possible", piece.depth, piece.chunk());
    const Integer chunks = piece.depth / piece.chunk();
    if (schedule.threads() % (chunks * lines_of_pattern) != 0)
        return fmt::format("{} threads turn lines of {} chunks; multiples of {} threads are possible",
                           schedule.threads(), chunks, chunks * lines_of_pattern);
    if (piece.extent % lines_of_pattern != 0)
        return fmt::format("a block has {} lines; multiples of {} are possible", piece.extent,
                           lines_of_pattern);
    return {};
}

std::string objection_to_lines(const GpuSchedule& schedule, const GpuPiece& piece, std::size_t operand) {
    const int lanes = operand == 0 ? schedule.lane_rows : schedule.lane_columns;
    const int lines = operand == 0 ? schedule.thread_rows : schedule.thread_columns;
    if (piece.row < piece.chunk())
        return fmt::format("slices have {} steps of a piece; multiples of {} are possible",
                           schedule.block_depth / schedule.slices, piece.chunk());
    if (schedule.zigzag != 0) return "zigzag is 1; 0 is possible";
    if (piece.extent % lines_of_pattern != 0 ||
        (lanes * lines != piece.extent && lanes * lines % lines_of_pattern != 0))
        return fmt::format("a block has {} lines, a warp {}; multiples of {} are possible", piece.extent,
                           lanes * lines, lines_of_pattern);
    return {};
}

std::string objection_to_operand(const GpuSchedule& schedule, const MatrixProduct& oriented,
                                 std::size_t operand) {
    const Lines lines = lines_of(oriented, operand);
    const GpuPiece piece = pieces_of(schedule, oriented)[operand];
    if (piece.number != oriented.number || is_complex(oriented.number))
        return fmt::format("numbers are {}, and sums of {}; the same, not complex, are possible",
                           word_of(piece.number), word_of(oriented.number));
    if (std::string why = objection_to_tensor(lines.layout, piece.number, oriented.batch); !why.empty())
        return why;
    const bool is_by_lines = schedule.has_bulk_lines(operand) || schedule.is_turned(operand);
    if ((is_by_lines ? lines.depth_stride : lines.stride) != 1)
        return fmt::format("neighbours along {} are {} apart, which has to be 1 where {}_bulk is {}",
                           is_by_lines ? "the depth" : "the other extent",
                           is_by_lines ? lines.depth_stride : lines.stride, operand == 0 ? 'a' : 'b',
                           is_by_lines ? 2 : 1);
    if (!piece.is_by_lines() && piece.steps > 1)
        return fmt::format("threads load {} steps at once, which are not next to each other", piece.steps);
    if (piece.extent > longest_box || piece.depth > longest_box)
        return fmt::format("a piece of {} by {}; {} by {} at most are possible", piece.extent, piece.depth,
                           longest_box, longest_box);
    if (const Integer before = steps_before_first(schedule, oriented);
        is_by_lines && before * bytes_of(piece.number) % ir::tile_piece_bytes != 0)
        return fmt::format(
            "pieces begin {} steps before the first, as threads copy the other operand; "
            "multiples of {} bytes are possible",
            before, ir::tile_piece_bytes);
    if (!is_by_lines && lines.extent % piece.extent != 0 &&
        lines.extent * bytes_of(piece.number) % ir::tile_piece_bytes != 0)
        return fmt::format(
            "the last of its tiles, which all lie in C, begins at {} of {} lines; multiples of {} bytes "
            "are possible",
            lines.extent - piece.extent, lines.extent, ir::tile_piece_bytes);
    if (piece.extent * bytes_of(piece.number) % ir::tile_piece_bytes != 0)
        return fmt::format("{} elements of a step, which are no multiple of {} bytes", piece.extent,
                           ir::tile_piece_bytes);
    if (schedule.is_turned(operand)) return objection_to_turned(schedule, piece);
    return piece.is_by_lines() ? objection_to_lines(schedule, piece, operand) : std::string();
}

} // namespace

Integer steps_before_first(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const Integer depth = Integer{schedule.block_depth} * schedule.splits;
    const Integer missing = ceil_divide(oriented.depth, depth) * depth - oriented.depth;
    const auto is_by_lines = [&](std::size_t operand) {
        return schedule.has_bulk_lines(operand) || schedule.is_turned(operand);
    };
    const bool is_rounded = schedule.is_bulk(0) && schedule.is_bulk(1) && (is_by_lines(0) || is_by_lines(1));
    const Integer chunk = ir::tile_piece_bytes / bytes_of(oriented.number);
    return is_rounded ? missing / chunk * chunk : missing;
}

GpuPiece lines_before_turn(const GpuPiece& piece) {
    GpuPiece result = piece;
    result.is_bulk = true;
    result.is_turned = false;
    result.pitch = piece.depth;
    result.row = std::gcd(piece.depth, ir::tile_row_bytes / bytes_of(piece.number));
    return result;
}

GpuBulk::GpuBulk(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented,
                 const std::array<GpuPiece, 2>& pieces)
    : builder_(builder), schedule_(schedule), product_(oriented), pieces_(pieces) {}

ir::Value GpuBulk::integer(Integer number) const {
    return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(number));
}

GpuBulk::Memory GpuBulk::declare(std::size_t operand, ir::Buffer matrix, Integer least) {
    Operand& one = operands_[operand];
    const bool is_turned = schedule_.is_turned(operand);
    one.piece = is_turned ? lines_before_turn(pieces_[operand]) : pieces_[operand];
    ir::TensorInfo tensor = tensor_of_pieces(product_, operand, one.piece);
    tensor.buffer = matrix;
    one.tensor = builder_.tensor(std::move(tensor));
    const auto memory = [&](std::string name, Integer elements, Integer alignment) {
        ir::BufferInfo info;
        info.name = std::move(name);
        info.element = scalar_of(one.piece.number);
        info.space = ir::Space::shared;
        info.elements = elements;
        info.alignment = static_cast<int>(alignment);
        info.written = true;
        return builder_.add(info);
    };
    const std::string name = operand == 0 ? "a_" : "b_";
    one.brought = memory(name + (is_turned ? "lines" : "pieces"),
                         std::max(least, schedule_.stages * one.piece.scalars()), ir::tile_pattern_bytes);
    if (!is_turned) return {one.brought, one.brought};
    one.turned = memory(name + "pieces", sides * pieces_[operand].scalars(), GpuThreads::widest_access);
    return {one.brought, one.turned};
}

void GpuBulk::begin() {
    signals_ = builder_.shared("here", ir::Scalar::int64, leads * schedule_.stages);
    builder_.if_then({{builder_.thread(0), Relation::zero}}, [&] {
        for (int lead = 0; lead < leads; ++lead)
            for (Integer stage = 0; has(lead) && stage < schedule_.stages; ++stage)
                builder_.signal_initialize({signals_, lead * schedule_.stages + stage}, 1);
    });
    builder_.barrier();
}

bool GpuBulk::has(int lead) const {
    return (schedule_.is_bulk(0) && this->lead(0) == lead) || (schedule_.is_bulk(1) && this->lead(1) == lead);
}

void GpuBulk::load(int lead, const Affine& step, const Stage& stage) const {
    Integer bytes = 0;
    const auto for_each = [&](auto&& action) {
        for (std::size_t operand = 0; operand < operands_.size(); ++operand)
            if (schedule_.is_bulk(operand) && this->lead(operand) == lead) action(operands_[operand]);
    };
    for_each([&](const Operand& operand) {
        bytes += operand.piece.extent * operand.piece.depth * bytes_of(operand.piece.number);
    });
    builder_.signal_expect({signals_, lead * schedule_.stages + stage.number, stage.dynamic}, bytes);
    for_each([&](const Operand& operand) { load(operand, step, stage, lead); });
}

void GpuBulk::load(const Operand& operand, const Affine& step, const Stage& stage, int lead) const {
    const GpuPiece& piece = operand.piece;
    const Integer steps = piece.is_by_lines() ? piece.row : piece.depth;
    for (Integer first = 0; first < piece.depth; first += steps) {
        std::vector<ir::Value> at = {operand.start.line, builder_.index(step + first)};
        if (piece.is_by_lines()) std::swap(at[0], at[1]);
        if (operand.start.matrix != ir::no_value) at.push_back(operand.start.matrix);
        builder_.tile_load(operand.tensor, at,
                           {operand.brought, stage.number * piece.scalars() + first * piece.extent,
                            stage.dynamic, piece.scalars()},
                           {signals_, lead * schedule_.stages + stage.number, stage.dynamic});
    }
}

void GpuBulk::wait(int lead, ir::Value stage, ir::Value parity) const {
    builder_.signal_wait({signals_, lead * schedule_.stages, stage}, parity);
}

// ---- turning

int GpuBulk::rounds(std::size_t operand) const {
    if (!schedule_.is_turned(operand)) return 0;
    const Integer lines = lines_of_round(schedule_, pieces_[operand]);
    return static_cast<int>(ceil_divide(pieces_[operand].extent, lines));
}
int GpuBulk::rounds() const { return rounds(0) + rounds(1); }

void GpuBulk::turn(int first_round, int end_round, const Stage& from, const Stage& to_side) const {
    for (int round = first_round; round < end_round; ++round) {
        const bool is_a = round < rounds(0);
        turn_lines(is_a ? 0 : 1, is_a ? round : round - rounds(0), from, to_side);
    }
}

/// Neighbouring threads have neighbouring lines, where these have more than a few chunks, so that they load from different banks, as well as store to such. Chunk c of a row is at
/// c xor the line's number among those that are not alike.
void GpuBulk::turn_lines(std::size_t operand, int round, const Stage& from, const Stage& to_side) const {
    const GpuPiece& piece = pieces_[operand];
    const GpuPiece& lines = operands_[operand].piece;
    const Integer chunk = lines.chunk(), chunks = lines.chunks_of_row(), all = lines.depth / chunk;
    const Integer at_once = lines_of_round(schedule_, piece);
    const Integer together = all <= few_chunks ? 1 : std::gcd(std::gcd(piece.extent, at_once), banks);
    const Integer line_digit = (together == 1 ? all : 1) * lines.lines_alike();
    const Affine line = thread_digit(builder_, 1, together) +
                        thread_digit(builder_, together * all, 0) * together + round * at_once;
    const Affine panel = thread_digit(builder_, together * chunks, all / chunks);
    const Affine in_row = thread_digit(builder_, together, chunks);
    ir::Value place = builder_.index(in_row);
    if (chunks > 1)
        place = builder_.bit_xor(place, builder_.index(thread_digit(builder_, line_digit, chunks)));
    if (from.dynamic != ir::no_value)
        place = builder_.add(place, builder_.multiply(from.dynamic, integer(lines.scalars() / chunk)));
    const auto move = [&] {
        const ir::Value vector = builder_.load(
            operands_[operand].brought,
            from.number * lines.scalars() + panel * (lines.extent * lines.row) + line * lines.row,
            {.lanes = static_cast<int>(chunk), .dynamic = place, .dynamic_scale = chunk});
        const Affine step = panel * lines.row + in_row * chunk;
        for (Integer lane = 0; lane < chunk; ++lane)
            builder_.store(operands_[operand].turned,
                           to_side.number * piece.scalars() + piece.place(line, step + lane),
                           builder_.shuffle(vector, vector, {static_cast<std::int8_t>(lane)}),
                           {.dynamic = to_side.dynamic, .dynamic_scale = piece.scalars()});
    };
    if ((round + 1) * at_once <= piece.extent) return move();
    builder_.if_then({{line - piece.extent, Relation::negative}}, move);
}

Integer GpuBulk::bytes_beside_pieces(const GpuSchedule& schedule) {
    return schedule.has_bulk() ? leads * schedule.stages * signal_bytes + 2 * ir::tile_pattern_bytes : 0;
}

Integer GpuBulk::bytes_of_pieces(const GpuSchedule& schedule, const GpuPiece& piece) {
    if (!piece.is_turned) return schedule.stages * piece.bytes();
    return schedule.stages * lines_before_turn(piece).bytes() + sides * piece.bytes();
}

std::string objection_to_bulk(const GpuSchedule& schedule, const MatrixProduct& oriented,
                              const target::Gpu& gpu) {
    if (schedule.a_bulk > 3 || schedule.b_bulk > 3)
        return fmt::format("a_bulk is {} and b_bulk {}; 0 … 3 are possible", schedule.a_bulk,
                           schedule.b_bulk);
    if (!schedule.has_bulk()) return {};
    if (!gpu.has_bulk_copy) return fmt::format("{} has no copy engine for pieces", gpu.name);
    if (oriented.listed) return "the copy engine brings no matrices of lists of pointers";
    if (schedule.streams()) return "the copy engine brings no pieces of streams";
    if (schedule.warp_depth > 0)
        return fmt::format("warp_depth is {}, and the copy engine brings dense pieces; 0 is possible",
                           schedule.warp_depth);
    if (schedule.matrices > 1)
        return fmt::format("{} matrices in a block, of which the copy engine brings one", schedule.matrices);
    for (std::size_t operand = 0; operand < 2; ++operand)
        if (schedule.is_bulk(operand))
            if (const std::string why = objection_to_operand(schedule, oriented, operand); !why.empty())
                return fmt::format("the copy engine cannot bring {}: {}", operand == 0 ? 'A' : 'B', why);
    return {};
}

} // namespace swirl::gemm
