#include "distributed/schedule.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace swirl::distributed {

namespace {

constexpr std::string_view matrix_prefix = "matrix: ";

class ScheduleParser {
public:
    explicit ScheduleParser(std::string_view text) : text_(text) {}

    Schedule parse() {
        Schedule schedule;
        schedule.is_four_step = accept(matrix_prefix);
        do schedule.stages.push_back(stage());
        while (accept(" > "));
        if (at_ != text_.size()) fail("' > ' or the end");
        return schedule;
    }

private:
    Stage stage() {
        Stage stage;
        if (accept("in")) {
            stage.boxes = Stage::Boxes::input;
        } else if (accept("out")) {
            stage.boxes = Stage::Boxes::output;
        } else if (!accept("one")) {
            do {
                const auto axis = static_cast<std::size_t>(number());
                if (!accept("/")) fail("'/'");
                stage.cuts.push_back({axis, number()});
                if (stage.cuts.back().parts < 1) fail("a positive number of parts");
            } while (accept(","));
        }
        if (!accept("[")) return stage;
        do stage.transforms.push_back(static_cast<std::size_t>(number()));
        while (accept(","));
        if (!accept("]")) fail("']'");
        return stage;
    }
    Integer number() {
        Integer value = 0;
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc() || value < 0) fail("a number, 'in', 'out' or 'one'");
        at_ += static_cast<std::size_t>(end - begin);
        return value;
    }
    bool accept(std::string_view token) {
        if (text_.substr(at_, token.size()) != token) return false;
        at_ += token.size();
        return true;
    }
    [[noreturn]] void fail(const char* expected) const {
        throw SyntaxError(fmt::format("expected {}", expected), text_, at_);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::string to_text(const Stage& stage) {
    std::string text = stage.boxes == Stage::Boxes::input    ? "in"
                       : stage.boxes == Stage::Boxes::output ? "out"
                                                             : "";
    if (stage.boxes == Stage::Boxes::grid && stage.cuts.empty()) text = "one";
    for (const Cut& cut : stage.cuts)
        text += fmt::format("{}{}/{}", text.empty() ? "" : ",", cut.axis, cut.parts);
    return stage.transforms.empty() ? text : fmt::format("{}[{}]", text, fmt::join(stage.transforms, ","));
}

} // namespace

Decomposition with_last_axis(Decomposition decomposition, Integer length) {
    for (Pieces& pieces : decomposition.ranks)
        for (Box& box : pieces) box.upper.back() = length;
    return decomposition;
}

bool has_same_boxes(const Decomposition& a, const Decomposition& b) {
    return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                      [](const Pieces& of_a, const Pieces& of_b) {
                          return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                                            [](const Box& x, const Box& y) {
                                                return x.lower == y.lower && x.upper == y.upper;
                                            });
                      });
}

std::string to_text(const Schedule& schedule) {
    std::string text(schedule.is_four_step ? matrix_prefix : "");
    for (std::size_t i = 0; i < schedule.stages.size(); ++i)
        text += (i == 0 ? "" : " > ") + to_text(schedule.stages[i]);
    return text;
}

Schedule parse_schedule(std::string_view text) { return ScheduleParser(text).parse(); }

Decomposition decomposition_of(const std::vector<Cut>& cuts, const std::vector<Integer>& lengths, int ranks) {
    Decomposition result;
    result.ranks.resize(static_cast<std::size_t>(ranks));
    Integer used = 1;
    for (const Cut& cut : cuts) used *= cut.parts;
    for (Integer rank = 0; rank < used; ++rank) {
        Box box{std::vector<Integer>(lengths.size(), 0), lengths};
        Integer rest = rank;
        for (std::size_t i = cuts.size(); i-- > 0; rest /= cuts[i].parts) {
            const Integer n = lengths[cuts[i].axis], parts = cuts[i].parts, at = rest % parts;
            box.lower[cuts[i].axis] = part_begin(n, parts, at);
            box.upper[cuts[i].axis] = part_begin(n, parts, at + 1);
        }
        if (elements(box) > 0) result.ranks[static_cast<std::size_t>(rank)] = {box};
    }
    return result;
}

std::vector<StageBoxes> boxes_of(const Schedule& schedule, const Factors& factors, const Decomposition& input,
                                 const Decomposition& output) {
    const auto refuse = [&](const std::string& what) {
        throw UserError("the schedule '{}' {}\n  problem: {}", to_text(schedule), what,
                        to_text(factors.problem));
    };
    const int ranks = static_cast<int>(input.ranks.size());
    if (schedule.stages.empty() || schedule.stages.front().boxes != Stage::Boxes::input)
        refuse("does not begin with the input's boxes");
    std::vector<StageBoxes> result;
    std::vector<bool> done(factors.axes(), false);
    for (const Stage& stage : schedule.stages) {
        StageBoxes boxes{{}, {}, done, {}};
        const auto check_whole = [&](const Decomposition& decomposition, const std::vector<Integer>& of) {
            for (const std::size_t axis : stage.transforms)
                for (std::size_t rank = 0; rank < decomposition.ranks.size(); ++rank)
                    if (!is_whole(decomposition.ranks[rank], axis, of[axis]))
                        refuse(fmt::format("transforms axis {}, but rank {} does not have all of it", axis,
                                           rank));
        };
        const std::vector<Integer> lengths = factors.lengths_after(done);
        Integer used = 1;
        std::vector<bool> is_cut(factors.axes(), false);
        for (const Cut& cut : stage.cuts) {
            if (cut.axis >= factors.axes() || is_cut[cut.axis])
                refuse("divides an axis twice, or one there is not");
            is_cut[cut.axis] = true;
            used = checked_multiply(used, cut.parts).value_or(Integer{ranks} + 1);
            if (used > ranks) refuse(fmt::format("needs more ranks than {}", ranks));
        }
        if (stage.boxes == Stage::Boxes::input && &stage != schedule.stages.data())
            refuse("has the input's boxes twice");
        for (const std::size_t axis : stage.transforms) {
            if (axis >= factors.axes() || !factors.may_follow(axis, done))
                refuse(fmt::format("transforms axis {} at the wrong time", axis));
            done[axis] = true;
        }
        boxes.done_after = done;
        const std::vector<Integer> lengths_after = factors.lengths_after(done);
        const bool changes_lengths = lengths != lengths_after;
        if (stage.boxes == Stage::Boxes::output) {
            boxes.after = output;
            check_whole(output, lengths_after);
            boxes.before = changes_lengths ? with_last_axis(output, lengths.back()) : output;
        } else {
            boxes.before =
                stage.boxes == Stage::Boxes::input ? input : decomposition_of(stage.cuts, lengths, ranks);
            check_whole(boxes.before, lengths);
            boxes.after = changes_lengths ? with_last_axis(boxes.before, lengths_after.back()) : boxes.before;
        }
        result.push_back(std::move(boxes));
    }
    if (!factors.is_complete(done)) refuse("leaves transforms out");
    if (schedule.stages.back().boxes != Stage::Boxes::output && !has_same_boxes(result.back().after, output))
        refuse("does not end with the output's boxes");
    return result;
}

} // namespace swirl::distributed
