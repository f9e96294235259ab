#include "fftw_mpi/requests.hpp"

#include <swirl/distributed/plan.hpp>
#include <swirl/error.hpp>
#include <swirl/transform.hpp>

#include "fftw/r2r_kinds.hpp"
#include "fftw_mpi/padding.hpp"
#include "mpi/shared/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace swirl::fftw_mpi {
namespace {

using distributed::Box;
using distributed::DistributedPlan;

/// Axes of a problem are the loop over interleaved arrays, then the dimensions.
std::optional<Transform> transform_of(const Request& request) {
    TransformOptions options{.direction = request.is_backward ? Direction::backward : Direction::forward,
                             .precision = request.precision,
                             .batches = {{request.howmany, {}, {}}}};
    switch (request.kind) {
    case Request::Kind::dft: return Transform::make(TransformKind::dft, request.lengths, options);
    case Request::Kind::r2c: return Transform::make(TransformKind::real_dft, request.lengths, options);
    case Request::Kind::c2r:
        options.direction = Direction::backward;
        return Transform::make(TransformKind::real_dft, request.lengths, options);
    case Request::Kind::r2r: {
        std::vector<TransformKind> kinds;
        for (const int kind : request.kinds) {
            if (!fftw::is_r2r_kind(kind)) return std::nullopt;
            kinds.push_back(fftw::r2r_kinds[static_cast<std::size_t>(kind)]);
        }
        const bool is_mixed =
            std::adjacent_find(kinds.begin(), kinds.end(), std::not_equal_to<>()) != kinds.end();
        return is_mixed ? Transform::mixed(kinds, request.lengths, options)
                        : Transform::make(kinds.front(), request.lengths, options);
    }
    case Request::Kind::transpose: {
        // the Hartley transform of one point is the point
        TransformOptions loops{.precision = request.precision, .batches = {{request.howmany, {}, {}}}};
        for (const Integer length : request.lengths) loops.batches.push_back({length, {}, {}});
        return Transform::make(TransformKind::dht, {1}, loops);
    }
    }
    return std::nullopt;
}

struct Sides {
    Storage input, output;
};

/// None if a side cannot be stored so.
std::optional<Sides> sides_of(const Request& request, int ranks) {
    const bool has_two_axes = request.lengths.size() > 1;
    Sides sides;
    sides.input = {request.lengths, request.howmany,
                   has_two_axes && (request.flags & flags::transposed_in) != 0};
    sides.output = {request.lengths, request.howmany,
                    has_two_axes && (request.flags & flags::transposed_out) != 0};
    Storage& spectrum = request.kind == Request::Kind::r2c ? sides.output : sides.input;
    if (request.kind == Request::Kind::r2c || request.kind == Request::Kind::c2r) {
        const Storage& reals = request.kind == Request::Kind::r2c ? sides.input : sides.output;
        if (!has_two_axes) return std::nullopt;
        // rows of reals are padded, so they must be rows
        if (reals.is_transposed && reals.lengths.size() == 2) return std::nullopt;
        spectrum.lengths.back() = spectrum.lengths.back() / 2 + 1;
    }
    // a transposition goes to the transposed side; flags say that elements stay in the order of the other one
    if (request.kind == Request::Kind::transpose) sides.input.is_transposed = false;
    if (request.kind == Request::Kind::transpose) sides.output.is_transposed = true;
    const auto input_block = block_of(sides.input.lengths[sides.input.divided()], request.input_block, ranks);
    const auto output_block =
        block_of(sides.output.lengths[sides.output.divided()], request.output_block, ranks);
    if (!input_block || !output_block) return std::nullopt;
    sides.input.block = *input_block;
    sides.output.block = *output_block;
    return sides;
}

/// The box of a side of the problem that `transform_of` makes.
Box box_of(const Request& request, const Storage& storage, int rank, bool is_input) {
    Box box = storage.box(rank);
    if (request.kind != Request::Kind::transpose || box.lower.empty()) return box;
    // axes: howmany, rows, columns, one point
    const unsigned flag = is_input ? flags::transposed_in : flags::transposed_out;
    if ((request.flags & flag) != 0) std::swap(box.order[0], box.order[1]);
    box.lower.push_back(0);
    box.upper.push_back(1);
    box.order.push_back(3);
    return box;
}

distributed::DistributedOptions options_of(const Request& request) {
    distributed::DistributedOptions options;
    options.local.threads = request.settings.threads;
    const double limit = request.settings.time_limit;
    if (limit == 0) return options;
    options.local.effort = fftw::effort_of(request.flags);
    options.local.time_budget_seconds = fftw::usual_budget(request.flags);
    if (limit > 0 && options.local.effort != Effort::estimate)
        options.local.time_budget_seconds =
            std::min(options.local.time_budget_seconds.value_or(limit), limit);
    return options;
}

class MpiPlan final : public fftw::ForeignPlan {
public:
    MpiPlan(std::shared_ptr<mpi::Ranks> ranks, DistributedPlan plan, std::optional<PaddedRows> input_rows,
            std::optional<PaddedRows> output_rows)
        : ranks_(std::move(ranks)),
          plan_(std::move(plan)),
          input_rows_(input_rows),
          output_rows_(output_rows) {}

    void execute(void* input, void* output) const noexcept override {
        try {
            run(input, output);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "swirl: fftw_execute: %s\n", error.what());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    double flops() const override {
        const Transform& problem = plan_.problem();
        double points = static_cast<double>(elements(plan_.input_box())), bits = 0;
        for (const Dimension& dimension : problem.dimensions)
            bits += std::log2(static_cast<double>(std::max<Integer>(dimension.length, 1)));
        return (problem.kind == TransformKind::dft ? 5 : 2.5) * points * bits;
    }
    std::string text() const override { return plan_.description(); }

private:
    void run(void* input, void* output) const {
        const void* from = input;
        if (input_rows_) {
            // The result's array has room for the reals, unless the ranks' shares differ.
            const bool fits = input == output || input_rows_->packed_bytes() <= output_bytes();
            if (!fits && scratch_.size() < input_rows_->packed_bytes())
                scratch_.resize(input_rows_->packed_bytes());
            void* const packed = fits ? output : scratch_.data();
            input_rows_->pack(input, packed);
            from = packed;
        }
        plan_.execute(from, output);
        if (output_rows_) output_rows_->unpack(output);
    }
    std::size_t output_bytes() const {
        return static_cast<std::size_t>(elements(plan_.output_box()) * 2 *
                                        bytes_of(plan_.problem().precision));
    }

    std::shared_ptr<mpi::Ranks> ranks_;
    DistributedPlan plan_;
    std::optional<PaddedRows> input_rows_, output_rows_; ///< of reals
    mutable std::vector<std::byte> scratch_;
};

/// Of the reals of r2c and c2r that a rank has.
PaddedRows rows_of(const Request& request, const Box& box) {
    const Integer real_bytes = bytes_of(request.precision);
    const Integer n = request.lengths.back();
    return {elements(box) / (n * request.howmany), n * request.howmany * real_bytes,
            2 * (n / 2 + 1) * request.howmany * real_bytes};
}

std::unique_ptr<const fftw::ForeignPlan> planned(const Request& request, MPI_Comm communicator) {
    if (request.lengths.empty() || request.howmany < 1) return nullptr;
    if ((request.flags & flags::wisdom_only) != 0) return nullptr; // wisdom is of plans of one process
    int count = 0, rank = 0;
    MPI_Comm_size(communicator, &count);
    MPI_Comm_rank(communicator, &rank);
    const auto sides = sides_of(request, count);
    const auto transform = transform_of(request);
    if (!sides || !transform) return nullptr;
    std::shared_ptr<mpi::Ranks> ranks = mpi::ranks_of(communicator);
    const Box input = box_of(request, sides->input, rank, true),
              output = box_of(request, sides->output, rank, false);
    DistributedPlan plan =
        distributed::plan(*transform, *ranks->engine, {input, output}, options_of(request));
    std::optional<PaddedRows> input_rows, output_rows;
    if (request.kind == Request::Kind::r2c) input_rows = rows_of(request, input);
    if (request.kind == Request::Kind::c2r) output_rows = rows_of(request, output);
    return std::make_unique<const MpiPlan>(std::move(ranks), std::move(plan), input_rows, output_rows);
}

} // namespace

std::unique_ptr<const fftw::ForeignPlan> plan_of(const Request& request, MPI_Comm communicator) noexcept {
    try {
        return planned(request, communicator);
    } catch (const InternalError& bug) {
        std::fprintf(stderr, "swirl: warning: %s\n", bug.what());
    } catch (const std::exception&) {} // a null plan says so
    return nullptr;
}

std::vector<Integer> lengths_of(int rank, const std::ptrdiff_t* lengths) {
    if (rank < 1 || lengths == nullptr) return {};
    for (int i = 0; i < rank; ++i)
        if (lengths[i] < 1) return {};
    return {lengths, lengths + rank};
}

LocalSize local_size(const std::vector<Integer>& lengths, Integer howmany, Integer block0, Integer block1,
                     MPI_Comm communicator) {
    int ranks = 0, rank = 0;
    MPI_Comm_size(communicator, &ranks);
    MPI_Comm_rank(communicator, &rank);
    LocalSize size;
    if (lengths.empty() || howmany < 1) return size;
    const std::size_t other = lengths.size() > 1 ? 1 : 0;
    const auto first = block_of(lengths[0], block0, ranks), second = block_of(lengths[other], block1, ranks);
    Integer all = howmany;
    for (const Integer length : lengths) all *= length;
    if (first) size.first = range_of(lengths[0], *first, rank);
    if (second) size.second = range_of(lengths[other], *second, rank);
    size.elements = std::max(all / lengths[0] * size.first.count, all / lengths[other] * size.second.count);
    return size;
}

std::vector<std::vector<char>> gathered(const std::vector<char>& text, MPI_Comm communicator) {
    int ranks = 0, rank = 0;
    MPI_Comm_size(communicator, &ranks);
    MPI_Comm_rank(communicator, &rank);
    const auto length = static_cast<int>(text.size());
    const auto size = static_cast<std::size_t>(ranks);
    std::vector<int> lengths(size), offsets(size);
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, communicator);
    for (std::size_t r = 1; r < size; ++r) offsets[r] = offsets[r - 1] + lengths[r - 1];
    std::vector<char> all(rank == 0 ? static_cast<std::size_t>(offsets.back() + lengths.back()) : 0);
    MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, 0,
                communicator);
    std::vector<std::vector<char>> texts;
    for (std::size_t r = 1; rank == 0 && r < size; ++r)
        texts.emplace_back(all.begin() + offsets[r], all.begin() + offsets[r] + lengths[r]);
    return texts;
}

std::vector<char> of_first(std::vector<char> text, MPI_Comm communicator) {
    auto length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, communicator);
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, communicator);
    return text;
}

} // namespace swirl::fftw_mpi
