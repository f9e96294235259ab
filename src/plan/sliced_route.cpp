#include "plan/sliced_route.hpp"

#include "base/fork_gate.hpp"
#include "plan/matrix_kernels.hpp"
#include "plan/sliced_kernels.hpp"
#include "runtime/aligned_buffer.hpp"
#include "runtime/tile_state.hpp"
#include "runtime/timer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

namespace swirl::planning {

namespace {

/// Below these, packing takes longer than is gained.
constexpr Integer least_extent = 32, least_depth = 64;
constexpr double least_work = 96.0 * 96 * 96;

/// Of the rate of tiles alone, what products of slices reach with packing and all; of ordinary tiles likewise.
constexpr double sliced_share = 0.75, ordinary_share = 0.95;

/// Multiply-adds a second of tiles whose operands are in the nearest cache.
struct Rates {
    double slices = 0;
    double ordinary = 0;
};

/// Of one of many runs: a core needs about a millisecond until tile registers, or long vectors, have their full rate.
template <class F> double least_seconds(F&& run) {
    constexpr double lasting = 2e-3;
    const double begin = runtime::monotonic_seconds();
    double least = 0;
    for (double start = begin; start - begin < lasting;) {
        run();
        const double end = runtime::monotonic_seconds();
        least = least == 0 ? end - start : std::min(least, end - start);
        start = end;
    }
    return least;
}

/// Numbers of all kinds: tile registers are faster on zeros.
void fill(std::vector<float>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 127) / 64 - 0.9F;
}

double time_slices() {
    constexpr Integer groups = 8, tiles = 2;
    const Integer depth = groups * gemm::TileNumbers{}.steps();
    SlicedKernels& kernels = SlicedKernels::of(1);
    const auto bytes = static_cast<std::size_t>(kernels.panel_bytes());
    runtime::AlignedBuffer a(bytes * tiles), b(bytes);
    std::vector<float> source(gemm::slice_tile * depth), c(gemm::slice_tile * gemm::slice_tile * tiles);
    fill(source);
    const auto pack = [&](gemm::Operand operand, std::byte* to) {
        void* const buffers[] = {source.data(), to};
        const std::int64_t parameters[] = {depth, depth, gemm::slice_tile, 1};
        kernels.pack(operand, ir::Scalar::float32, gemm::Pack::Source::across_panel, gemm::slice_tile, false)(
            buffers, parameters);
    };
    for (Integer tile = 0; tile < tiles; ++tile)
        pack(gemm::Operand::a, a.as<std::byte>() + tile * kernels.panel_bytes());
    pack(gemm::Operand::b, b.as<std::byte>());
    float factors[2] = {1, 0};
    void* const buffers[] = {a.data(), b.data(), c.data(), factors};
    const std::int64_t parameters[] = {tiles, groups, gemm::slice_tile * tiles};
    const runtime::KernelFunction kernel =
        kernels.tiles(gemm::slice_tile, gemm::slice_tile, gemm::Update::overwrite, groups);
    const runtime::TileState state;
    constexpr int repetitions = 8;
    const double seconds = least_seconds([&] {
        for (int i = 0; i < repetitions; ++i) kernel(buffers, parameters);
    });
    return repetitions * static_cast<double>(c.size()) * depth / seconds;
}

double time_ordinary() {
    constexpr Integer depth = 256;
    MatrixKernels& kernels = MatrixKernels::of_this_machine(Number::float32);
    const gemm::Tile& tile = kernels.schedule().tile;
    std::vector<float> a(static_cast<std::size_t>(tile.rows() * depth)),
        b(static_cast<std::size_t>(tile.columns * depth)),
        c(static_cast<std::size_t>(tile.rows() * tile.columns));
    fill(a);
    fill(b);
    float factors[2] = {1, 0};
    void* const buffers[] = {a.data(), b.data(), c.data(), factors, b.data()};
    const Integer unroll = kernels.schedule().unroll;
    const std::int64_t parameters[] = {depth / unroll * unroll, depth, tile.rows()};
    const runtime::KernelFunction kernel = kernels.tile(tile.rows(), tile.columns, gemm::Update::overwrite);
    constexpr int repetitions = 8;
    const double seconds = least_seconds([&] {
        for (int i = 0; i < repetitions; ++i) kernel(buffers, parameters);
    });
    return repetitions * static_cast<double>(c.size()) * depth / seconds;
}

/// Which products of slices are worth their while on this machine. What a core's other thread does changes the rates, so each
/// form is decided on by recent ones; once, so that the same product has the same bits in a process.
class Decisions {
public:
    bool are_faster(int products, const MatrixProduct& product) {
        const Form form{product.rows, product.columns, product.depth, products};
        const std::lock_guard lock(deciding_);
        if (const auto made = made_.find(form); made != made_.end()) return made->second;
        if (made_.size() >= most) made_.clear();
        const Rates& rates = recent_rates();
        const bool are = rates.slices * sliced_share / products > rates.ordinary * ordinary_share;
        made_.emplace(form, are);
        return are;
    }

private:
    using Form = std::array<Integer, 4>;
    static constexpr std::size_t most = 10000;
    static constexpr double recent = 1; // seconds

    const Rates& recent_rates() {
        if (measured_at_ < 0 || runtime::monotonic_seconds() - measured_at_ > recent) {
            rates_ = {time_slices(), time_ordinary()};
            measured_at_ = runtime::monotonic_seconds();
        }
        return rates_;
    }

    ForkSafeMutex deciding_;
    std::map<Form, bool> made_;
    Rates rates_;
    double measured_at_ = -1;
};

int products_for(Accuracy accuracy) {
    switch (accuracy) {
    case Accuracy::ordinary:
    case Accuracy::ordinary_in_range: return gemm::sixfold_product().products();
    case Accuracy::eleven_bits: // of bfloat16 slices one has 8 bits
    case Accuracy::reduced: return gemm::triple_product().products();
    case Accuracy::low: return gemm::single_product().products();
    }
    return 0;
}

/// Tile registers hold A's and B's numbers as they are.
bool is_of_tile_numbers(const MatrixProduct& product) {
    return product.number == Number::int32 || product.number_of_a() == Number::bfloat16;
}

bool suits_slices(const MatrixProduct& product) {
    const double work = static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                        static_cast<double>(product.depth);
    return (product.number == Number::float32 || product.number == Number::int32) &&
           (!product.widens() || is_of_tile_numbers(product)) && product.c.row_stride == 1 &&
           std::min(product.rows, product.columns) >= least_extent && product.depth >= least_depth &&
           work >= least_work;
}

} // namespace

SlicedRoute sliced_route(const MatrixProduct& product, Accuracy accuracy) {
    if (!suits_slices(product) || !runtime::may_use_tiles()) return {};
    // No other instructions are near.
    if (is_of_tile_numbers(product)) return {.products = gemm::single_product().products()};
    static constinit MadeOnce<Decisions> all;
    Decisions& decisions = all.get([] { return Decisions(); });
    const int products = products_for(accuracy);
    if (!decisions.are_faster(products, product)) return {};
    return {.products = products};
}

SlicedRoute with_scale(SlicedRoute route, const MatrixProduct& product, const MatrixArguments& arguments,
                       int threads) {
    if (is_of_tile_numbers(product)) return route;
    const Magnitudes a = magnitudes_of(static_cast<const float*>(arguments.a), product.a, product.rows,
                                       product.depth, threads);
    const Magnitudes b = magnitudes_of(static_cast<const float*>(arguments.b), product.b, product.depth,
                                       product.columns, threads);
    const std::optional<SlicedScale> scale = sliced_scale(a, b, product.depth);
    if (!scale) return {};
    // What undoes the scale is a part of α.
    const float alpha = *static_cast<const float*>(arguments.alpha);
    if (*scale != SlicedScale{} && !std::isnormal(std::ldexp(alpha, -scale->a - scale->b))) return {};
    route.scale = *scale;
    return route;
}

} // namespace swirl::planning
