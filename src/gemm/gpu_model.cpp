// What a schedule costs, from the table of the GPU: a multiprocessor's time for the blocks it has, piece by piece, and what goes over
// from memory. The constants are of an H100, fitted to some 3700 products timed there (`bench_gpu_products --candidates`).
#include "gemm/gpu_model.hpp"

#include "base/error.hpp"
#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_reduction_model.hpp"
#include "gemm/gpu_shapes.hpp"
#include "gemm/gpu_stream.hpp"
#include "gemm/gpu_tile_model.hpp"
#include "gemm/tile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace swirl::gemm {

namespace {

/// Cycles, unless it says otherwise.
struct Constants {
    double hertz = 1.9e9;
    double memory_rate = 2.6e12; ///< bytes a second
    double cache_rate = 2.1e13;  ///< of the second cache
    double straight = 0.94;      ///< times as long takes what threads take straight from memory
    double narrow_copies = 1.1;  ///< times as long takes what is not copied by 16 bytes
    double launch = 220;         ///< before the first block starts and after the last ends
    double block = 1100;         ///< until a block's first piece is there, and for its end
    double meeting = 270;        ///< of a block's threads, at each piece
    double step_latency = 24;    ///< from loading a step's numbers to their first use: a step takes no less
    double by_lines = 1.2; ///< times the slots where a step's numbers of a line are in registers of one bank
    double by_columns =
        1.1; ///< likewise, where these are columns, each of which is multiplied by all rows before the next
    double uneven = 1.03; ///< times the slots of parts whose extents are no powers of two
    double apart =
        1.03; ///< times the slots where the two warps of a scheduler, of many sums, are of two blocks
    double load_issue = 0.25; ///< slots that a load from shared memory takes of its scheduler's
    double copy_issue = 1.1;  ///< likewise, that a copy takes
    double turn_issue =
        1.1; ///< likewise, an access to shared memory that turns what the copy engine has brought
    double bulk_request =
        400;              ///< of the thread that asks the copy engine for a piece, before it multiplies on
    double turn_pass = 3; ///< of shared memory, for such an access by a warp
    double bulk_lines = 0.97; ///< and from lines along the depth
    double bulk_traffic =
        0.93; ///< times as long takes what the copy engine brings from rows next to each other
    double warp_latency = 36; ///< beside their slots, of the steps of one instruction where warps multiply
    double fragment_pass =
        1; ///< of shared memory, for 128 bytes of a fragment, which no threads have in common
    double load_pass = 0.43;     ///< of shared memory, for 128 bytes
    double pass_by_lines = 3;    ///< times as many, where they are steps of a line
    double copy_pass = 8.5;      ///< of it, and of the first cache, for a copy by a warp
    double piece_issue = 5.3;    ///< slots of what else a piece needs
    double piece_arrival = 1200; ///< from asking for a piece until it is there
    double store_bytes = 6.4;    ///< of C that leave a multiprocessor in a cycle
    double exchange_bytes = 7.4; ///< of sums that are added up, in a cycle
    double slices = 1100;        ///< for the meetings of slices that add up
    double pair = 4500;          ///< for starting a cluster of two together and its meetings
    double cluster = 5500;       ///< for each block more
    double group = 9300;         ///< for a meeting of blocks through memory
    double handed_on = 31;       ///< for adding one more split's sums there
    double block_rate = 1.2e9;   ///< that begin in a second
    double finish = 3e-6;        ///< seconds, of a kernel that follows and adds up what parts of tiles are
    double part_rate = 3e12;     ///< of parts' bytes, which are written and read
    double stream_piece = 60;    ///< cycles more, of each piece of a stream
    double doubt = 1.02;         ///< times as long streams are said to take: these are not fitted
    double hidden = 0.0091;      ///< of the shorter of multiplying and moving, that shows
    double conflict = 3;         ///< exponent: how far multiply-adds and accesses overlap
};
constexpr Constants constants;

constexpr int registers_beside_sums = 36;

/// Threads of as many sums as registers have room for, by rows and columns that are powers of two: a scheduler has two such warps.
bool has_many_sums(const GpuSchedule& schedule) {
    const auto sums = static_cast<unsigned>(schedule.thread_rows * schedule.thread_columns);
    return schedule.warp_depth == 0 && schedule.splits == 1 && sums >= 128 && std::has_single_bit(sums);
}

constexpr double usual_multiprocessors = 100;

} // namespace

int gpu_resident_blocks(const GpuSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu) {
    const int threads = schedule.threads();
    const int registers = gpu_registers(schedule, product.number);
    const int most = std::min(gpu.registers_per_thread, gpu.registers_per_block / threads);
    if (registers > most + registers_beside_sums / 2) return 0;
    return target::occupancy(gpu, threads, std::min(registers, most), shared_bytes(schedule, product)).blocks;
}

namespace {

/// What a warp does for one step.
struct StepCycles {
    double issue = 0;
    double shared = 0;
    double latency = 0;
};

StepCycles cycles_of_step(const GpuSchedule& schedule, Number number) {
    const double rows = schedule.thread_rows, columns = schedule.thread_columns;
    const double words = static_cast<double>(bytes_of(number)) / 4;
    if (schedule.warp_depth > 0) { // a thread has every fourth step of its factors
        const bool is_short = number != Number::float64;
        const double row_loads = rows / GpuThreads::vector_of(number, schedule.thread_rows);
        const double loads = (row_loads + columns / 2) / 4;
        const double issue = rows * columns * words / warp_speedup(number) + loads * constants.load_issue;
        const double passes = is_short ? (rows + columns) / 8 : (rows + columns / 2) / 4 * words;
        return {.issue = issue,
                .shared = passes * constants.fragment_pass,
                .latency = issue + constants.warp_latency / schedule.warp_depth};
    }
    const auto loads = [&](int extent, int steps) {
        return static_cast<double>(extent) / (steps > 1 ? steps : GpuThreads::vector_of(number, extent));
    };
    const double vector_loads =
        loads(schedule.thread_rows, schedule.a_steps) + loads(schedule.thread_columns, schedule.b_steps);
    const auto passes = [](double extent, int steps) {
        return extent * constants.load_pass * (steps > 1 ? constants.pass_by_lines : 1);
    };
    const bool is_by_lines = schedule.a_steps > 1 || schedule.b_steps > 1;
    const bool by_columns = schedule.a_steps == 1 && schedule.order == GpuOrder::serpentine_columns;
    const double by_lines = by_columns ? constants.by_columns : constants.by_lines;
    return {.issue = rows * columns * words * scalars_in(number) * (is_by_lines ? by_lines : 1) +
                     vector_loads * constants.load_issue,
            .shared = (passes(rows, schedule.a_steps) + passes(columns, schedule.b_steps)) * words,
            .latency = constants.step_latency};
}

/// What a multiprocessor does for one piece of one block.
struct PieceCycles {
    double issue = 0;  ///< of each scheduler
    double shared = 0; ///< of shared memory
    double alone = 0;  ///< with nobody else there
};

PieceCycles cycles_of_piece(const GpuSchedule& schedule, const MatrixProduct& oriented,
                            const target::Gpu& gpu) {
    const double warps = std::ceil(schedule.threads() / static_cast<double>(gpu.warp_size));
    const double schedulers = gpu.partitions;
    const double steps = static_cast<double>(schedule.block_depth) / schedule.slices;
    const StepCycles step = cycles_of_step(schedule, oriented.number);
    double copies = 0, accesses = 0; // by warps; those of turning
    const std::array<GpuPiece, 2> pieces = pieces_of(schedule, oriented);
    for (std::size_t operand = 0; operand < pieces.size(); ++operand) {
        const GpuPiece& piece = pieces[operand];
        const double elements =
            static_cast<double>(schedule.matrices * piece.extent * piece.depth) / gpu.warp_size;
        if (!schedule.is_bulk(operand)) copies += elements / piece.elements_of_copy();
        if (piece.is_turned) accesses += elements * (1 + 1.0 / static_cast<double>(piece.chunk()));
    }
    PieceCycles result;
    result.issue = std::max(1.0, warps / schedulers) * (steps * step.issue + constants.piece_issue) +
                   (copies * constants.copy_issue + accesses * constants.turn_issue) / schedulers;
    if (!std::has_single_bit(static_cast<unsigned>(schedule.thread_rows * schedule.thread_columns)))
        result.issue *= constants.uneven;
    result.shared =
        warps * steps * step.shared + copies * constants.copy_pass + accesses * constants.turn_pass;
    const double turns = std::max(1.0, warps / schedulers);
    const double meeting = constants.meeting / (has_many_sums(schedule) ? turns : 1);
    result.alone = steps * std::max(step.issue * turns, step.latency) + meeting +
                   (schedule.has_bulk() ? constants.bulk_request : 0);
    return result;
}

double overlapped(double a, double b) {
    return std::pow(std::pow(a, constants.conflict) + std::pow(b, constants.conflict),
                    1 / constants.conflict);
}

/// Cycles in which blocks that share a depth add up what they have.
double cycles_of_splits(const GpuSchedule& schedule, double bytes) {
    if (schedule.splits == 1) return 0;
    if (schedule.through_memory != 0)
        return constants.group + schedule.splits * constants.handed_on + bytes / constants.exchange_bytes;
    return constants.pair + (schedule.splits - 2) * constants.cluster + 2 * bytes / constants.exchange_bytes;
}

double bytes_of_tile(const GpuSchedule& schedule, Number number) {
    return static_cast<double>(schedule.matrices) * schedule.block_rows * schedule.block_columns *
           static_cast<double>(bytes_of(number));
}

/// Cycles in which slices add up what they have, each a share of the columns; of few sums it is their latency.
double cycles_of_slices(const GpuSchedule& schedule, double bytes) {
    const double by_one = (schedule.slices - 1) * bytes / constants.exchange_bytes;
    const double shares = std::gcd(schedule.slices, schedule.thread_columns);
    return std::min(by_one, constants.slices + schedule.slices * bytes / shares / constants.exchange_bytes);
}

/// Cycles of a tile's beginning and end.
double cycles_around(const GpuSchedule& schedule, Number number) {
    const double bytes = bytes_of_tile(schedule, number);
    return constants.block + bytes / constants.store_bytes / schedule.splits +
           cycles_of_slices(schedule, bytes) + cycles_of_splits(schedule, bytes);
}

double seconds_of_traffic(const MatrixProduct& oriented, const GpuSchedule& schedule, double row_blocks,
                          double column_blocks) {
    const auto bytes = [](Number number) { return static_cast<double>(bytes_of(number)); };
    const double of_a = bytes(oriented.number_of_a()), of_b = bytes(oriented.number_of_b()),
                 of_c = bytes(oriented.number_of_c()), batch = static_cast<double>(oriented.batch);
    const double m = static_cast<double>(oriented.rows), n = static_cast<double>(oriented.columns),
                 k = static_cast<double>(oriented.depth);
    const auto burden = [&](std::size_t operand, Number number, int lanes, int steps) {
        if (schedule.is_direct()) return constants.straight;
        const bool is_wide = Integer{lanes} * steps * bytes_of(number) >= GpuThreads::widest_access;
        if (schedule.is_bulk(operand))
            return schedule.has_bulk_lines(operand) ? constants.bulk_lines : constants.bulk_traffic;
        return is_wide ? 1 : constants.narrow_copies;
    };
    const double a_burden = burden(0, oriented.number_of_a(), schedule.a_lanes, schedule.a_steps),
                 b_burden = burden(1, oriented.number_of_b(), schedule.b_lanes, schedule.b_steps);
    const double of_result = schedule.is_direct() ? constants.straight : 1;
    const double once =
        (m * k * of_a * a_burden + k * n * of_b * b_burden + m * n * of_c * of_result) * batch;
    const double tiles =
        row_blocks * column_blocks * (schedule.block_rows * of_a + schedule.block_columns * of_b) * k * batch;
    return std::max(once / constants.memory_rate, tiles / constants.cache_rate);
}

/// A stream's seconds from those that its pieces take.
double with_parts(double seconds, const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const GpuStream stream = stream_of(schedule, oriented);
    const double parts = static_cast<double>(stream.parts()) * bytes_of_tile(schedule, oriented.number);
    const double pieces =
        static_cast<double>(stream.pieces_of_block()) * constants.stream_piece / constants.hertz;
    return (seconds + pieces + constants.finish + parts / constants.part_rate) * constants.doubt;
}

} // namespace

GpuRates gpu_rates(const target::Gpu& gpu) {
    return {gpu.multiprocessors > 0 ? gpu.multiprocessors : usual_multiprocessors, constants.hertz,
            constants.memory_rate, constants.cache_rate};
}

int gpu_registers(const GpuSchedule& schedule, Number number) {
    const int words = static_cast<int>(bytes_of(number)) / 4;
    int factors = schedule.thread_rows * schedule.a_steps + schedule.thread_columns * schedule.b_steps;
    int addresses = factors;
    if (schedule.is_direct()) {
        factors = (schedule.thread_rows + schedule.thread_columns) * schedule.block_depth / schedule.slices;
        addresses = schedule.thread_columns;
    }
    if (schedule.warp_depth > 0)
        addresses = factors = (schedule.thread_rows + schedule.thread_columns / 2) * schedule.warp_depth / 4 /
                              (number == Number::float64 ? 1 : 2); // two to a register
    return words * (schedule.thread_rows * schedule.thread_columns + factors) + addresses +
           registers_beside_sums;
}

double warp_speedup(Number number) { return number == Number::float64 ? 2 : 8; }

namespace {

/// Without reductions.
double seconds_of_product(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    if (schedule.has_tiles()) return gpu_tile_seconds(schedule, oriented, gpu);
    const int fits = gpu_resident_blocks(schedule, product, gpu);
    if (fits == 0) return INFINITY;
    const double row_blocks = static_cast<double>(ceil_divide(oriented.rows, Integer{schedule.block_rows}));
    const double column_blocks =
        static_cast<double>(ceil_divide(oriented.columns, Integer{schedule.block_columns}));
    const double blocks =
        schedule.streams() ? schedule.stream_blocks
                           : row_blocks * column_blocks * schedule.splits *
                                 static_cast<double>(ceil_divide(oriented.batch, Integer{schedule.matrices}));
    const double each =
        std::ceil(blocks / gpu_rates(gpu).multiprocessors); // blocks of the busiest multiprocessor
    const double resident = std::min<double>(fits, each), turns = std::ceil(each / resident);
    const double pieces =
        schedule.streams()
            ? static_cast<double>(stream_of(schedule, oriented).pieces_of_block())
            : std::ceil(static_cast<double>(oriented.depth) / schedule.block_depth / schedule.splits);
    const PieceCycles piece = cycles_of_piece(schedule, oriented, gpu);
    const bool is_apart = resident > 1 && has_many_sums(schedule);
    const double together = overlapped(piece.issue, piece.shared) * (is_apart ? constants.apart : 1);
    const double arrival = constants.piece_arrival / (schedule.stages - 1);
    const double all = std::max(each * together, turns * std::max(piece.alone, arrival)) * pieces;
    const double tiles = schedule.streams()
                             ? static_cast<double>(stream_of(schedule, oriented).tiles_of_block())
                             : turns; // one after the other
    const double around = cycles_around(schedule, oriented.number) * (1 + (tiles - 1) / resident);
    const double seconds =
        std::max((constants.launch + around + all) / constants.hertz, blocks / constants.block_rate);
    const double traffic = seconds_of_traffic(oriented, schedule, row_blocks, column_blocks) +
                           (constants.launch + constants.block +
                            cycles_of_splits(schedule, bytes_of_tile(schedule, oriented.number))) /
                               constants.hertz;
    const double product_alone = std::max(seconds, traffic) + constants.hidden * std::min(seconds, traffic);
    return schedule.streams() ? with_parts(product_alone, schedule, oriented) : product_alone;
}

} // namespace

double gpu_seconds(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu) {
    const double alone = seconds_of_product(product, schedule, gpu);
    return product.reductions.empty() ? alone
                                      : alone + gpu_reduction_seconds(product, schedule, gpu_rates(gpu));
}

namespace {

/// The fastest first.
std::vector<GpuSchedule> by_seconds(const std::vector<GpuSchedule>& schedules, const MatrixProduct& product,
                                    const target::Gpu& gpu) {
    std::vector<std::pair<double, const GpuSchedule*>> rated;
    for (const GpuSchedule& schedule : schedules)
        rated.emplace_back(gpu_seconds(product, schedule, gpu), &schedule);
    std::ranges::stable_sort(rated, {}, &std::pair<double, const GpuSchedule*>::first);
    std::vector<GpuSchedule> result;
    for (const auto& [seconds, schedule] : rated) result.push_back(*schedule);
    return result;
}

} // namespace

std::vector<GpuSchedule> gpu_schedules(const MatrixProduct& product, const target::Gpu& gpu, std::size_t most,
                                       Accuracy accuracy) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    std::vector<GpuSchedule> all = gpu_tile_schedules(oriented, gpu, accuracy);
    const bool has_tiles = !all.empty();
    if (!has_tiles || product.number_of_a() != Number::float8_e4m3) {
        require_numbers_for_gpu(product, gpu);
        for (const GpuSchedule& schedule : gpu_thread_candidates(oriented, gpu, has_tiles))
            all.push_back(schedule);
    }
    if (product.rows == 0 || product.columns == 0 || product.batch == 0) return {};
    std::vector<GpuSchedule> result = by_seconds(all, product, gpu);
    result.resize(std::min(most, result.size()));
    return result;
}

GpuSchedule gpu_thread_schedule(const MatrixProduct& product, const target::Gpu& gpu, bool in_one_kernel) {
    require_numbers_for_gpu(product, gpu);
    std::vector<GpuSchedule> all = gpu_thread_candidates(oriented_for_gpu(product).product, gpu, false);
    if (in_one_kernel) std::erase_if(all, [](const GpuSchedule& one) { return one.streams(); });
    ensure(!all.empty(), "the model knows no schedule of threads");
    return by_seconds(all, product, gpu).front();
}

GpuSchedule gpu_single_element_schedule(const GpuSchedule& schedule, const MatrixProduct& product,
                                        const target::Gpu& gpu) {
    GpuSchedule result = schedule.has_tiles() ? gpu_thread_schedule(product, gpu) : schedule;
    result.a_lanes = result.b_lanes = result.c_lanes = 1;
    result.a_steps = result.b_steps = 1;
    result.a_bulk = result.b_bulk = 0;
    return result;
}

} // namespace swirl::gemm
