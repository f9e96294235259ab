#include "plan/gemm/cpu/amx/route.hpp"

#include "base/fork_gate.hpp"
#include "base/integer.hpp"
#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/kernels.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "runtime/cpu/aligned_buffer.hpp"
#include "runtime/cpu/tile_state.hpp"
#include "runtime/timer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

namespace swirl::planning {

namespace {

/// Below these sizes, packing costs more than AMX saves.
constexpr Integer least_extent = 32, min_k = 64;
constexpr double least_work = 96.0 * 96 * 96;

/// Fraction of the tile rate that whole products reach by ordinary tiles, packing included; by AMX all of it, without packing.
constexpr double ordinary_fraction = 0.95;
/// Multiply-adds of ordinary tiles in the time that it takes to split an element of A or B and to pack its terms: from the
/// products of `bench --draw products --seed 20261126 --largest 800 --types float32` that use AMX.
constexpr double splitting = 36;

/// Multiply-adds per second of tiles with operands in the L1 cache.
struct Rates {
    double amx = 0;
    double ordinary = 0;
};

/// What is decided of a product: see decided_alike.
struct DecidedExtents {
    Integer rows, columns, k;

    explicit DecidedExtents(const MatrixProduct& product)
        : rows(std::min(product.rows, decided_alike)),
          columns(std::min(product.columns, decided_alike)),
          k(product.k) {}
    double work() const {
        return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(k);
    }
};

/// Minimum over many runs: tile registers, or long vectors, reach their full rate only after about a millisecond.
template <class F> double min_seconds(F&& run) {
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

/// Varied values, because tile registers are faster on zeros.
void fill(std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 127) / 64 - 0.9F;
}

double time_amx() {
    constexpr Integer k_groups = 8, tiles = 2;
    const Integer k_extent = k_groups * gemm::AmxTypes{}.k_group();
    const auto shared =
        AmxKernels::shared(model_amx(gemm::bf16x1().term_products(), {}), {}, {}, KernelCheck::on);
    AmxKernels& kernels = *shared;
    const auto bytes = static_cast<std::size_t>(kernels.panel_bytes());
    runtime::AlignedBuffer a(bytes * tiles), b(bytes);
    std::vector<float> source(gemm::amx_tile * k_extent), c(gemm::amx_tile * gemm::amx_tile * tiles);
    fill(source);
    const auto pack = [&](gemm::Operand operand, std::byte* to) {
        void* const buffers[] = {source.data(), to};
        const std::int64_t parameters[] = {k_extent, k_extent, gemm::amx_tile, 1};
        kernels.pack(operand, DataType::float32, gemm::Pack::Source::across_panel, gemm::amx_tile, false)(
            buffers, parameters);
    };
    for (Integer tile = 0; tile < tiles; ++tile)
        pack(gemm::Operand::a, a.as<std::byte>() + tile * kernels.panel_bytes());
    pack(gemm::Operand::b, b.as<std::byte>());
    float alpha_beta[2] = {1, 0};
    void* const buffers[] = {a.data(), b.data(), c.data(), alpha_beta};
    const std::int64_t parameters[] = {tiles, k_groups, gemm::amx_tile * tiles};
    const runtime::KernelFunction kernel =
        kernels.tiles(gemm::amx_tile, gemm::amx_tile, gemm::Update::overwrite, k_groups);
    const runtime::TileState state;
    constexpr int repetitions = 8;
    const double seconds = min_seconds([&] {
        for (int i = 0; i < repetitions; ++i) kernel(buffers, parameters);
    });
    return repetitions * static_cast<double>(c.size()) * k_extent / seconds;
}

double time_ordinary(MatrixKernels& kernels) {
    constexpr Integer k_extent = 256;
    const gemm::Tile& tile = kernels.schedule().tile;
    std::vector<float> a(static_cast<std::size_t>(tile.rows() * k_extent)),
        b(static_cast<std::size_t>(tile.columns * k_extent)),
        c(static_cast<std::size_t>(tile.rows() * tile.columns));
    fill(a);
    fill(b);
    float alpha_beta[2] = {1, 0};
    void* const buffers[] = {a.data(), b.data(), c.data(), alpha_beta, b.data()};
    const Integer unroll = kernels.schedule().unroll;
    const std::int64_t parameters[] = {k_extent / unroll * unroll, k_extent, tile.rows()};
    const runtime::KernelFunction kernel = kernels.tile(tile.rows(), tile.columns, gemm::Update::overwrite);
    constexpr int repetitions = 8;
    const double seconds = min_seconds([&] {
        for (int i = 0; i < repetitions; ++i) kernel(buffers, parameters);
    });
    return repetitions * static_cast<double>(c.size()) * k_extent / seconds;
}

/// Caches which AMX products pay off on this host. The load of a core's other hardware thread changes the rates, so
/// each form is decided from recent measurements; and only once, so that a product gives the same bits throughout a
/// process.
class Decisions {
public:
    bool are_faster(int term_products, const MatrixProduct& product, MatrixKernels& ordinary) {
        const DecidedExtents extents(product);
        const Form form{extents.rows, extents.columns, extents.k, term_products};
        const std::lock_guard lock(deciding_);
        if (const auto made = made_.find(form); made != made_.end()) return made->second;
        if (made_.size() >= most) made_.clear();
        const Rates& rates = recent_rates(ordinary);
        const auto padded = [](Integer extent, Integer unit) {
            return static_cast<double>(ceil_divide(extent, unit) * unit);
        };
        const double multiply_adds = padded(extents.rows, gemm::amx_tile) *
                                     padded(extents.columns, gemm::amx_tile) *
                                     padded(extents.k, gemm::AmxTypes{}.k_group());
        const double elements =
            static_cast<double>(extents.k) * static_cast<double>(extents.rows + extents.columns);
        const double by_amx =
            multiply_adds * term_products / rates.amx + elements * splitting / rates.ordinary;
        const bool are = by_amx < extents.work() / (rates.ordinary * ordinary_fraction);
        made_.emplace(form, are);
        return are;
    }

private:
    using Form = std::array<Integer, 4>;
    static constexpr std::size_t most = 10000;
    static constexpr double recent = 1; // seconds

    const Rates& recent_rates(MatrixKernels& ordinary) {
        if (measured_at_ < 0 || runtime::monotonic_seconds() - measured_at_ > recent) {
            rates_ = {time_amx(), time_ordinary(ordinary)};
            measured_at_ = runtime::monotonic_seconds();
        }
        return rates_;
    }

    ForkSafeMutex deciding_;
    std::map<Form, bool> made_;
    Rates rates_;
    double measured_at_ = -1;
};

} // namespace

int term_products_for(Accuracy accuracy) {
    switch (accuracy) {
    case Accuracy::ordinary:
    case Accuracy::ordinary_in_range: return gemm::bf16x3().term_products();
    case Accuracy::eleven_bits: // one bfloat16 term has 8 bits
    case Accuracy::reduced: return gemm::bf16x2().term_products();
    case Accuracy::low: return gemm::bf16x1().term_products();
    }
    return 0;
}

bool has_amx_types(const MatrixProduct& product) {
    return product.data_type == DataType::int32 || product.type_of_a() == DataType::bfloat16;
}

std::string_view amx_infeasibility(const MatrixProduct& product) {
    if (product.data_type != DataType::float32 && product.data_type != DataType::int32)
        return "tile registers accumulate float32 and int32 only";
    if (product.widens() && !has_amx_types(product))
        return "tile registers take no such operands without a conversion";
    if (product.c.row_stride != 1) return "C has no dimension of stride 1";
    const DecidedExtents extents(product);
    const bool is_large = std::min(extents.rows, extents.columns) >= least_extent && extents.k >= min_k &&
                          extents.work() >= least_work;
    return is_large ? "" : "packing costs more than tile registers save in a product so small";
}

AmxRoute amx_route(const MatrixProduct& product, Accuracy accuracy, MatrixKernels* ordinary) {
    if (!amx_infeasibility(product).empty() || !runtime::may_use_tiles()) return {};
    // No other kernels come close.
    if (has_amx_types(product)) return {.term_products = gemm::bf16x1().term_products()};
    static constinit LazyValue<Decisions> all;
    Decisions& decisions = all.get([] { return Decisions(); });
    const int term_products = term_products_for(accuracy);
    if (!decisions.are_faster(term_products, product, *ordinary)) return {};
    return {.term_products = term_products};
}

AmxRoute with_scale(AmxRoute route, const MatrixProduct& product, const MatrixArguments& arguments,
                    int threads) {
    if (has_amx_types(product)) return route;
    const Magnitudes a =
        magnitudes_of(static_cast<const float*>(arguments.a), product.a, product.rows, product.k, threads);
    const Magnitudes b =
        magnitudes_of(static_cast<const float*>(arguments.b), product.b, product.k, product.columns, threads);
    const std::optional<SplitScale> scale = split_scale(a, b, product.k);
    if (!scale) return {};
    // α absorbs the inverse of the scale.
    const float alpha = *static_cast<const float*>(arguments.alpha);
    if (*scale != SplitScale{} && !std::isnormal(std::ldexp(alpha, -scale->a - scale->b))) return {};
    route.scale = *scale;
    return route;
}

} // namespace swirl::planning
