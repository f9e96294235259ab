// GPU schedules as text.

#include "base/error.hpp"
#include "gemm/gpu/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace swirl::gemm {

namespace {

constexpr std::array<GpuParameter, 40> parameters = {{
    {"cta_m", &GpuSchedule::cta_m, "rows of C's tile that a block has", GpuParameter::Of::all},
    {"cta_n", &GpuSchedule::cta_n, "its columns", GpuParameter::Of::all},
    {"cta_k", &GpuSchedule::cta_k, "steps along the depth in shared memory at once", GpuParameter::Of::all},
    {"thread_m", &GpuSchedule::thread_m, "rows of a thread's part of the tile, in registers"},
    {"thread_n", &GpuSchedule::thread_n, "its columns"},
    {"warp_lanes_m", &GpuSchedule::warp_lanes_m, "threads of a warp one below the other"},
    {"warp_lanes_n", &GpuSchedule::warp_lanes_n,
     "and beside each other; both are 32 where a slice has a warp or more"},
    {"zigzag", &GpuSchedule::zigzag,
     "1: neighbouring threads have two columns in turn, so that eight of them read four vectors of A and two "
     "of B",
     GpuParameter::Of::simt, 0},
    {"mma_k", &GpuSchedule::mma_k,
     "steps along the depth that a warp multiplies by one instruction of tensor cores; 0: none",
     GpuParameter::Of::simt, 0},
    {"sliced_k", &GpuSchedule::sliced_k,
     "groups of a block's threads that share the steps of a piece; their sums are added up at last"},
    {"stages", &GpuSchedule::stages, "pieces of A and B in shared memory, all but one of them on their way",
     GpuParameter::Of::all},
    {"a_vector_m", &GpuSchedule::a_vector_m,
     "elements of A, next to each other along the rows, that one copy moves"},
    {"b_vector_n", &GpuSchedule::b_vector_n, "elements of B, along the columns"},
    {"c_vector_m", &GpuSchedule::c_vector_m, "elements of C, along the rows, that one access moves"},
    {"a_vector_k", &GpuSchedule::a_vector_k,
     "steps of a row of A, next to each other, that one copy moves; if more than 1, they stay so in shared "
     "memory, "
     "and a thread loads them at once"},
    {"b_vector_k", &GpuSchedule::b_vector_k, "steps of a column of B, likewise"},
    {"a_load", &GpuSchedule::a_load,
     "the copy engine brings pieces of A, for which one thread of the block asks: 1: of rows next to each "
     "other, 2: of steps, which stay so "
     "in shared memory, 3: of steps, which threads turn there; 0: each thread copies its part",
     GpuParameter::Of::simt, 0},
    {"b_load", &GpuSchedule::b_load, "of B, likewise", GpuParameter::Of::simt, 0},
    {"load_from_global", &GpuSchedule::load_from_global,
     "1: each thread takes its numbers straight from memory, those of the whole depth at once; 0: pieces are "
     "in shared memory",
     GpuParameter::Of::simt, 0},
    {"copy_k", &GpuSchedule::copy_k,
     "steps of one row that neighbouring threads copy, of an operand whose steps are next to each other"},
    {"interleave_copies", &GpuSchedule::interleave_copies,
     "1: copies are spread over the steps of a piece; 0: all are made at its first one",
     GpuParameter::Of::simt, 0},
    {"raster_group", &GpuSchedule::raster_group,
     "blocks one below the other that come before those beside them, while A and B are in cache",
     GpuParameter::Of::all},
    {"split_k", &GpuSchedule::split_k,
     "blocks that share the depth of a tile; their sums are added up at last"},
    {"split_k_in_workspace", &GpuSchedule::split_k_in_workspace,
     "1: splits hand their sums over through global memory, all blocks being there at once; 0: they are a "
     "cluster",
     GpuParameter::Of::simt, 0},
    {"interleaved_split_k", &GpuSchedule::interleaved_split_k,
     "1: splits have pieces in turns, so that those of the same time are neighbours in memory; 0: each has a "
     "run of them",
     GpuParameter::Of::simt, 0},
    {"stream_k_blocks", &GpuSchedule::stream_k_blocks,
     "blocks in all, each of which goes through as many pieces of tiles as the others; what several have of "
     "a tile a second "
     "kernel adds up; 0: each tile has a block, or several",
     GpuParameter::Of::simt, 0},
    {"data_parallel_tiles", &GpuSchedule::data_parallel_tiles,
     "tiles that each of these blocks has for itself; the pieces of what is left they share",
     GpuParameter::Of::simt, 0},
    {"matrices", &GpuSchedule::matrices,
     "products of a batch that a block has, each with threads of its own"},
    {"resident", &GpuSchedule::resident,
     "blocks that are to be on a multiprocessor at once, which bounds registers; 0: as it comes",
     GpuParameter::Of::simt, 0},
    {"reorder_sass", &GpuSchedule::reorder_sass,
     "1: the compiled main loop is put into another order in machine code, where that can be proved; 0: it "
     "stays as compiled",
     GpuParameter::Of::simt, 0},
    {"warpgroups", &GpuSchedule::warpgroups,
     "groups of four warps that multiply pieces in shared memory by tensor cores, each its share of the "
     "tile's columns, while another thread has the copy engine bring the next pieces; 0: threads multiply",
     GpuParameter::Of::all, 0},
    {"cluster_m", &GpuSchedule::cluster_m,
     "blocks one below the other that load B together, each a part for all of them", GpuParameter::Of::wgmma},
    {"cluster_n", &GpuSchedule::cluster_n, "blocks beside each other that load A together",
     GpuParameter::Of::wgmma},
    {"epilogue_tile_m", &GpuSchedule::epilogue_tile_m,
     "rows of C's tile that are in shared memory at once on their way out", GpuParameter::Of::wgmma},
    {"bf16_split", &GpuSchedule::bf16_split,
     "bfloat16 numbers as whose sum kernels before the product write each number of A and B; 0: numbers are "
     "multiplied as they are",
     GpuParameter::Of::wgmma, 0},
    {"accumulation_interval", &GpuSchedule::accumulation_interval,
     "pieces after which what tensor cores have added up, cutting off, is added with float32's rounding to "
     "what they had before; 0: all are one run",
     GpuParameter::Of::wgmma, 0},
    {"promotion_interval", &GpuSchedule::promotion_interval,
     "steps along the depth after which accumulators of the products that count most, those of first terms, "
     "are added to sums likewise; 0: after a run, as others",
     GpuParameter::Of::wgmma, 0},
    {"tf32", &GpuSchedule::tf32,
     "1: tensor cores multiply float32 numbers that the copy engine rounds to 11 significant bits; 0: terms "
     "of these, or shorter numbers",
     GpuParameter::Of::wgmma, 0},
    {"range_check", &GpuSchedule::range_check,
     "1: where some number is not finite, or too small or too large for terms, threads multiply instead; 0: "
     "numbers are taken to be none of this",
     GpuParameter::Of::wgmma, 0},
    {"transpose_a", &GpuSchedule::transpose_a,
     "1: where tensor cores want steps of A next to each other, and they are not, a kernel before the "
     "product brings them into that order; 0: threads bring A to registers",
     GpuParameter::Of::wgmma, 0},
}};

[[noreturn]] void fail(std::string_view text, std::string_view word) {
    throw UserError("'{}' in '{}' is no decision of a schedule for GPUs; one looks like '{}'", word, text,
                    to_string(GpuSchedule{}));
}

void set(GpuSchedule& schedule, std::string_view text, std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) fail(text, word);
    const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "fma_order") {
        const std::span<const FmaOrder> orders = fma_orders();
        const auto order = std::find_if(orders.begin(), orders.end(),
                                        [&](FmaOrder known) { return name_of(known) == value; });
        if (order == orders.end()) fail(text, word);
        schedule.fma_order = *order;
        return;
    }
    const auto* const parameter = std::find_if(parameters.begin(), parameters.end(),
                                               [&](const GpuParameter& known) { return known.name == name; });
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (parameter == parameters.end() || error != std::errc() || end != value.data() + value.size() ||
        number < 0 || number > max_parameter)
        fail(text, word);
    schedule.*parameter->member = number;
}

} // namespace

std::span<const GpuParameter> gpu_parameters() { return parameters; }

std::string arithmetic_of(const GpuSchedule& schedule, const MatrixProduct& product) {
    const std::string_view sums = name_of(product.data_type), factors = name_of(product.type_of_a());
    if (schedule.has_bf16_split())
        return fmt::format(
            "tensor cores multiply {} bfloat16 terms of each {}{}", schedule.bf16_split, factors,
            schedule.has_range_check() ? "; threads, where numbers are out of their range" : "");
    if (schedule.is_tf32())
        return fmt::format("tensor cores multiply {} rounded to 11 significant bits", factors);
    if (schedule.is_wgmma() || schedule.mma_k > 0)
        return fmt::format("tensor cores multiply {} with accumulators of {}", factors, sums);
    return fmt::format("threads multiply {}{}", factors,
                       factors == sums ? std::string() : fmt::format(", which becomes {} before", sums));
}

std::string to_string(const GpuSchedule& schedule) {
    std::string text;
    for (const GpuParameter& parameter : parameters)
        text += fmt::format("{}={} ", parameter.name, schedule.*parameter.member);
    return text + fmt::format("fma_order={}", name_of(schedule.fma_order));
}

GpuSchedule parse_gpu_schedule(std::string_view text) {
    GpuSchedule schedule;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) set(schedule, text, word);
    return schedule;
}

} // namespace swirl::gemm
