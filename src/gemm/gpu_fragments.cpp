#include "gemm/gpu_fragments.hpp"

#include <span>

namespace swirl::gemm {

namespace {

constexpr int capability_of_tall_products = 9; ///< the first with 16 rows

} // namespace

target::WarpProduct warp_product_of(const GpuSchedule& schedule, const target::Gpu& gpu, ir::Scalar factor) {
    if (factor != ir::Scalar::float64) return {16, 8, schedule.warp_depth};
    return {gpu.capability_major >= capability_of_tall_products ? 16 : 8, 8, schedule.warp_depth};
}

std::vector<ir::Value> GpuFragments::load_a(const GpuPiece& piece, ir::Buffer buffer, const Affine& place,
                                            const Affine& step, ir::Value number) const {
    const int lanes = piece.is_by_lines() ? 1 : threads_.row_vector();
    std::vector<ir::Value> result;
    for (int four = 0; four < fours(); ++four)
        for (int i = 0; i < schedule_.thread_rows; i += lanes) {
            const Affine own_step = step + threads_.factor_step() + four * steps_of_a_warp;
            const ir::Value vector =
                builder_.load(buffer, place + piece.place(threads_.row(i), own_step),
                              {.lanes = lanes, .dynamic = number, .dynamic_scale = piece.scalars()});
            for (int l = 0; l < lanes; ++l) result.push_back(lane(vector, l));
        }
    return result;
}

std::vector<ir::Value> GpuFragments::load_b(const GpuPiece& piece, ir::Buffer buffer, const Affine& place,
                                            const Affine& step, ir::Value number) const {
    std::vector<ir::Value> result;
    for (int four = 0; four < fours(); ++four)
        for (int group = 0; group < groups(); ++group) {
            const Affine own_step = step + threads_.factor_step() + four * steps_of_a_warp;
            result.push_back(builder_.load(buffer,
                                           place + piece.place(threads_.factor_column(group), own_step),
                                           {.dynamic = number, .dynamic_scale = piece.scalars()}));
        }
    return result;
}

ir::Value GpuFragments::lane(ir::Value vector, int lane) const {
    if (builder_.type(vector).lanes == 1) return vector;
    return builder_.shuffle(vector, vector, {static_cast<std::int8_t>(lane)});
}

const ir::Instruction& GpuFragments::instruction() const {
    return is_of_pairs() ? target::warp_product_of_short(factor_) : target::warp_product_of_float64(shape_);
}

/// Of a thread's steps one after the other; where registers have two of these they come before the next row.
ir::Value GpuFragments::joined_a(const std::vector<ir::Value>& a, int row) const {
    const int together = is_of_pairs() ? 2 : 1;
    std::vector<ir::Value> result;
    for (int first = 0; first < fours(); first += together)
        for (int part = 0; part < row_parts(); ++part)
            for (int four = first; four < first + together; ++four)
                result.push_back(a[static_cast<std::size_t>(four * schedule_.thread_rows + row + part)]);
    return join_lanes(builder_, result);
}

void GpuFragments::multiply(std::vector<ir::Value>& sums, const std::vector<ir::Value>& a,
                            const std::vector<ir::Value>& b) const {
    const int rows = schedule_.thread_rows, parts = row_parts();
    for (int group = 0; group < groups(); ++group)
        for (int t = 0; t < rows / parts; ++t) {
            // In a serpentine, so that neighbours have a factor in common.
            const int row = parts * (group % 2 == 0 ? t : rows / parts - 1 - t);
            std::vector<ir::Value> of_b, of_c;
            for (int four = 0; four < fours(); ++four)
                of_b.push_back(b[static_cast<std::size_t>(four * groups() + group)]);
            std::vector<ir::Value*> places;
            for (int part = 0; part < parts; ++part)
                for (const int column : {2 * group, 2 * group + 1})
                    places.push_back(&sums[static_cast<std::size_t>(column * rows + row + part)]);
            for (const ir::Value* place : places) of_c.push_back(*place);
            const ir::Value all_a = joined_a(a, row), all_b = join_lanes(builder_, of_b),
                            all_c = join_lanes(builder_, of_c);
            const ir::Value result = builder_.instruction(instruction(), {all_a, all_b, all_c});
            for (std::size_t l = 0; l < places.size(); ++l) *places[l] = lane(result, static_cast<int>(l));
        }
}

} // namespace swirl::gemm
