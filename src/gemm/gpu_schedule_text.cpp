// A schedule for GPUs as a line of text.

#include "base/error.hpp"
#include "gemm/gpu_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace swirl::gemm {

namespace {

constexpr std::array<GpuParameter, 40> parameters = {{
    {"block_rows", &GpuSchedule::block_rows, "rows of C's tile that a block has", GpuParameter::Of::all},
    {"block_columns", &GpuSchedule::block_columns, "its columns", GpuParameter::Of::all},
    {"block_depth", &GpuSchedule::block_depth, "steps along the depth in shared memory at once",
     GpuParameter::Of::all},
    {"thread_rows", &GpuSchedule::thread_rows, "rows of a thread's part of the tile, in registers"},
    {"thread_columns", &GpuSchedule::thread_columns, "its columns"},
    {"lane_rows", &GpuSchedule::lane_rows, "threads of a warp one below the other"},
    {"lane_columns", &GpuSchedule::lane_columns,
     "and beside each other; both are 32 where a slice has a warp or more"},
    {"zigzag", &GpuSchedule::zigzag,
     "1: neighbouring threads have two columns in turn, so that eight of them read four vectors of A and two "
     "of B",
     GpuParameter::Of::threads, 0},
    {"warp_depth", &GpuSchedule::warp_depth,
     "steps along the depth that a warp multiplies by one instruction of tensor cores; 0: none",
     GpuParameter::Of::threads, 0},
    {"slices", &GpuSchedule::slices,
     "groups of a block's threads that share the steps of a piece; their sums are added up at last"},
    {"stages", &GpuSchedule::stages, "pieces of A and B in shared memory, all but one of them on their way",
     GpuParameter::Of::all},
    {"a_lanes", &GpuSchedule::a_lanes,
     "elements of A, next to each other along the rows, that one copy moves"},
    {"b_lanes", &GpuSchedule::b_lanes, "elements of B, along the columns"},
    {"c_lanes", &GpuSchedule::c_lanes, "elements of C, along the rows, that one access moves"},
    {"a_steps", &GpuSchedule::a_steps,
     "steps of a row of A, next to each other, that one copy moves; if more than 1, they stay so in shared "
     "memory, "
     "and a thread loads them at once"},
    {"b_steps", &GpuSchedule::b_steps, "steps of a column of B, likewise"},
    {"a_bulk", &GpuSchedule::a_bulk,
     "the copy engine brings pieces of A, for which one thread of the block asks: 1: of rows next to each "
     "other, 2: of steps, which stay so "
     "in shared memory, 3: of steps, which threads turn there; 0: each thread copies its part",
     GpuParameter::Of::threads, 0},
    {"b_bulk", &GpuSchedule::b_bulk, "of B, likewise", GpuParameter::Of::threads, 0},
    {"direct", &GpuSchedule::direct,
     "1: each thread takes its numbers straight from memory, those of the whole depth at once; 0: pieces are "
     "in shared memory",
     GpuParameter::Of::threads, 0},
    {"depth_run", &GpuSchedule::depth_run,
     "steps of one row that neighbouring threads copy, of an operand whose steps are next to each other"},
    {"spread", &GpuSchedule::spread,
     "1: copies are spread over the steps of a piece; 0: all are made at its first one",
     GpuParameter::Of::threads, 0},
    {"group", &GpuSchedule::group,
     "blocks one below the other that come before those beside them, while A and B are in cache",
     GpuParameter::Of::all},
    {"splits", &GpuSchedule::splits,
     "blocks that share the depth of a tile; their sums are added up at last"},
    {"through_memory", &GpuSchedule::through_memory,
     "1: splits hand their sums over through global memory, all blocks being there at once; 0: they are a "
     "cluster",
     GpuParameter::Of::threads, 0},
    {"interleaved", &GpuSchedule::interleaved,
     "1: splits have pieces in turns, so that those of the same time are neighbours in memory; 0: each has a "
     "run of them",
     GpuParameter::Of::threads, 0},
    {"stream_blocks", &GpuSchedule::stream_blocks,
     "blocks in all, each of which goes through as many pieces of tiles as the others; what several have of "
     "a tile a second "
     "kernel adds up; 0: each tile has a block, or several",
     GpuParameter::Of::threads, 0},
    {"whole_tiles", &GpuSchedule::whole_tiles,
     "tiles that each of these blocks has for itself; the pieces of what is left they share",
     GpuParameter::Of::threads, 0},
    {"matrices", &GpuSchedule::matrices,
     "products of a batch that a block has, each with threads of its own"},
    {"resident", &GpuSchedule::resident,
     "blocks that are to be on a multiprocessor at once, which bounds registers; 0: as it comes",
     GpuParameter::Of::threads, 0},
    {"machine_loop", &GpuSchedule::machine_loop,
     "1: the compiled main loop is put into another order in machine code, where that can be proved; 0: it "
     "stays as compiled",
     GpuParameter::Of::threads, 0},
    {"warpgroups", &GpuSchedule::warpgroups,
     "groups of four warps that multiply pieces in shared memory by tensor cores, each its share of the "
     "tile's columns, while another thread has the copy engine bring the next pieces; 0: threads multiply",
     GpuParameter::Of::all, 0},
    {"cluster_rows", &GpuSchedule::cluster_rows,
     "blocks one below the other that load B together, each a part for all of them", GpuParameter::Of::tiles},
    {"cluster_columns", &GpuSchedule::cluster_columns, "blocks beside each other that load A together",
     GpuParameter::Of::tiles},
    {"staged_rows", &GpuSchedule::staged_rows,
     "rows of C's tile that are in shared memory at once on their way out", GpuParameter::Of::tiles},
    {"terms", &GpuSchedule::terms,
     "bfloat16 numbers as whose sum kernels before the product write each number of A and B; 0: numbers are "
     "multiplied as they are",
     GpuParameter::Of::tiles, 0},
    {"run", &GpuSchedule::run,
     "pieces after which what tensor cores have added up, cutting off, is added with float32's rounding to "
     "what they had before; 0: all are one run",
     GpuParameter::Of::tiles, 0},
    {"promotion_interval", &GpuSchedule::promotion_interval,
     "steps along the depth after which accumulators of the products that count most, those of first terms, "
     "are added to sums likewise; 0: after a run, as others",
     GpuParameter::Of::tiles, 0},
    {"rounded", &GpuSchedule::rounded,
     "1: tensor cores multiply float32 numbers that the copy engine rounds to 11 significant bits; 0: terms "
     "of these, or shorter numbers",
     GpuParameter::Of::tiles, 0},
    {"guarded", &GpuSchedule::guarded,
     "1: where some number is not finite, or too small or too large for terms, threads multiply instead; 0: "
     "numbers are taken to be none of this",
     GpuParameter::Of::tiles, 0},
    {"a_along_depth", &GpuSchedule::a_along_depth,
     "1: where tensor cores want steps of A next to each other, and they are not, a kernel before the "
     "product brings them into that order; 0: threads bring A to registers",
     GpuParameter::Of::tiles, 0},
}};

[[noreturn]] void fail(std::string_view text, std::string_view word) {
    throw UserError("'{}' in '{}' is no decision of a schedule for GPUs; one looks like '{}'", word, text,
                    to_string(GpuSchedule{}));
}

void set(GpuSchedule& schedule, std::string_view text, std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) fail(text, word);
    const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "order") {
        const std::span<const GpuOrder> orders = gpu_orders();
        const auto order = std::find_if(orders.begin(), orders.end(),
                                        [&](GpuOrder known) { return name_of(known) == value; });
        if (order == orders.end()) fail(text, word);
        schedule.order = *order;
        return;
    }
    const auto* const parameter = std::find_if(parameters.begin(), parameters.end(),
                                               [&](const GpuParameter& known) { return known.name == name; });
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (parameter == parameters.end() || error != std::errc() || end != value.data() + value.size() ||
        number < 0 || number > largest_parameter)
        fail(text, word);
    schedule.*parameter->member = number;
}

} // namespace

std::span<const GpuParameter> gpu_parameters() { return parameters; }

std::string arithmetic_of(const GpuSchedule& schedule, const MatrixProduct& product) {
    const std::string_view sums = word_of(product.number), factors = word_of(product.number_of_a());
    if (schedule.has_terms())
        return fmt::format("tensor cores multiply {} bfloat16 terms of each {}{}", schedule.terms, factors,
                           schedule.is_guarded() ? "; threads, where numbers are out of their range" : "");
    if (schedule.rounds())
        return fmt::format("tensor cores multiply {} rounded to 11 significant bits", factors);
    if (schedule.has_tiles() || schedule.warp_depth > 0)
        return fmt::format("tensor cores multiply {} with sums of {}", factors, sums);
    return fmt::format("threads multiply {}{}", factors,
                       factors == sums ? std::string() : fmt::format(", which becomes {} before", sums));
}

std::string to_string(const GpuSchedule& schedule) {
    std::string text;
    for (const GpuParameter& parameter : parameters)
        text += fmt::format("{}={} ", parameter.name, schedule.*parameter.member);
    return text + fmt::format("order={}", name_of(schedule.order));
}

GpuSchedule parse_gpu_schedule(std::string_view text) {
    GpuSchedule schedule;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) set(schedule, text, word);
    return schedule;
}

} // namespace swirl::gemm
