#include "distributed/scheduled.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <utility>

namespace swirl::distributed {

namespace {

Decomposition decomposition_in(const Factors& factors, const std::vector<Box>& boxes, bool is_input) {
    Decomposition result;
    for (const Box& box : boxes) result.ranks.push_back(pieces_of(factors, box, is_input));
    return result;
}

} // namespace

void check_boxes(const Transform& problem, AllBoxes& boxes) {
    check_partition(boxes.input, input_lengths(problem), "input");
    if (boxes.output) check_partition(*boxes.output, output_lengths(problem), "output");
    // the parts of a divided spectrum of one dimension are no boxes: its default is the input's
    if (!boxes.output && problem.dimensions.size() == 1 && problem.kind == TransformKind::dft)
        boxes.output = boxes.input;
}

std::vector<Chosen> choose(const Transform& problem, const AllBoxes& boxes, const Model& model,
                           std::size_t count) {
    std::vector<Chosen> best;
    for (const bool divide : {false, true}) {
        const Factors factors = factors_of(problem, divide);
        if (divide && !factors.is_four_step) continue;
        std::optional<Decomposition> output;
        if (boxes.output) output = decomposition_in(factors, *boxes.output, false);
        const auto more = choose(factors, decomposition_in(factors, boxes.input, true), output, model, count);
        best.insert(best.end(), more.begin(), more.end());
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const Chosen& a, const Chosen& b) { return a.seconds < b.seconds; });
    if (best.size() > count) best.erase(best.begin() + static_cast<std::ptrdiff_t>(count), best.end());
    return best;
}

Chosen choose(const Transform& problem, const AllBoxes& boxes, const Model& model) {
    return choose(problem, boxes, model, 1).front();
}

Scheduled scheduled(const Transform& problem, const AllBoxes& boxes, const Schedule& schedule) {
    Scheduled result{factors_of(problem, schedule.is_four_step), schedule, {}, {}, {}, {}};
    const Factors& factors = result.factors;
    if (schedule.is_four_step != factors.is_four_step)
        throw UserError("the schedule '{}' is of a matrix\n  problem: {}", to_text(schedule),
                        to_text(problem));
    result.input = decomposition_in(factors, boxes.input, true);
    if (boxes.output) {
        result.output_boxes = *boxes.output;
        result.output = decomposition_in(factors, *boxes.output, false);
    } else {
        // those of the last stage
        std::vector<bool> all(factors.axes(), false);
        for (std::size_t axis = 0; axis < factors.axes(); ++axis) all[axis] = factors.kinds[axis].has_value();
        const Stage& last = schedule.stages.back();
        if (last.boxes == Stage::Boxes::output)
            throw UserError("the schedule '{}' ends with boxes that are not given", to_text(schedule));
        Decomposition end = last.boxes == Stage::Boxes::grid
                                ? decomposition_of(last.cuts, factors.lengths_after(all),
                                                   static_cast<int>(boxes.input.size()))
                                : result.input;
        if (factors.input_lengths != factors.output_lengths && last.boxes == Stage::Boxes::input)
            end = with_last_axis(std::move(end), factors.output_lengths.back());
        for (const Pieces& pieces : end.ranks)
            result.output_boxes.push_back(pieces.empty() ? Box{} : pieces.front());
        result.output = std::move(end);
    }
    result.stages = boxes_of(schedule, factors, result.input, result.output);
    return result;
}

} // namespace swirl::distributed
