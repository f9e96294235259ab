#include "distributed/derivation.hpp"

#include "base/error.hpp"
#include "formula/print.hpp"
#include "formula/rewrite.hpp"
#include "rules/rewriting_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace swirl::distributed {

namespace {

using namespace formula;

Box whole(const std::vector<Integer>& lengths) { return {std::vector<Integer>(lengths.size(), 0), lengths}; }

/// The ranks' arrays as one, from one layout of the whole index space.
IndexMap map_of(const Decomposition& decomposition, const std::vector<Integer>& lengths) {
    Layout layout;
    Integer offset = 0;
    for (const Pieces& pieces : decomposition.ranks)
        for (const Box& box : pieces) {
            layout.push_back({box, offset});
            offset += elements(box);
        }
    return map_to_box(layout, whole(lengths), order_of(whole(lengths)));
}

/// A direct sum of what ranks compute; ranks without data have no summand.
Formula over_ranks(const std::vector<std::optional<Formula>>& of_ranks) {
    std::vector<Formula> summands;
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
        if (of_ranks[rank]) summands.push_back(on_rank(static_cast<Integer>(rank), *of_ranks[rank]));
    return direct_sum(std::move(summands));
}

bool is_over_ranks(const Formula& f) {
    const auto is_rank = [](const Formula& summand) {
        const auto* tag = summand.get_if<Tagged>();
        return tag != nullptr && tag->tag == Tag::rank;
    };
    return is_rank(f) ||
           (f.is<DirectSum>() && std::all_of(f.children().begin(), f.children().end(), is_rank));
}
std::vector<Formula> summands_of(const Formula& f) {
    return f.is<DirectSum>() ? f.children() : std::vector{f};
}

/// What the rules of one derivation know: the schedule and its boxes.
class Deriver {
public:
    Deriver(const Factors& factors, const Schedule& schedule, const std::vector<StageBoxes>& boxes,
            const Decomposition& output)
        : factors_(factors),
          schedule_(schedule),
          boxes_(boxes),
          output_(output),
          ranks_(boxes.front().before.ranks.size()) {}

    Derivation derive() {
        const std::vector<bool>&none = boxes_.front().done_before, &all = boxes_.back().done_after;
        const std::size_t stages = boxes_.size();
        const Formula in = scattered(boxes_.front().before, none, 0);
        for (std::size_t stage = 0; stage < stages; ++stage) {
            std::vector<bool> done = boxes_[stage].done_before;
            for (const std::size_t axis : schedule_.stages[stage].transforms) {
                add_factor(stage, axis, done);
                done[axis] = true;
            }
        }
        const Formula out = gathered(output_, all, stages - 1);
        std::vector<Formula> factors;
        for (const AxisFactor& factor : axis_factors_) factors.insert(factors.begin(), factor.whole);
        product_ = formula::product(factors);
        Derivation result{out * product_ * in, {}, I(1)};
        const std::vector<RewriteRule> all_rules = rules();
        result.result = rewrite_to_fixpoint(out * par(static_cast<Integer>(ranks_), product_) * in, all_rules,
                                            &result.trace);
        return result;
    }

private:
    /// The transform along one axis, on the whole array and on each rank's box.
    struct AxisFactor {
        Formula whole;
        Formula local; ///< S(boxes after) · (⊕ rank(r)[…]) · G(boxes before)
    };

    /// Complex elements among real ones are pairs.
    Formula stored(const Formula& f, const std::vector<bool>& done) const {
        const bool is_pair =
            factors_.problem.kind != TransformKind::dft && factors_.has_complex_elements_after(done);
        return is_pair ? real_of(f) : f;
    }

    /// The matrix of one axis on a box: what formula_of computes without messages.
    Formula on_box(const Box& before, const Box& after, std::size_t axis,
                   const std::vector<bool>& done_before, const std::vector<bool>& done_after) const {
        const Box natural_before{before.lower, before.upper}, natural_after{after.lower, after.upper};
        LocalFactor local{natural_before,
                          natural_after,
                          {axis},
                          factors_.has_complex_elements_after(done_before),
                          factors_.has_complex_elements_after(done_after),
                          {{natural_before, 0}},
                          {{natural_after, 0}}};
        return rules::simplify(formula_of(local, factors_, order_of(natural_before), has_reals(factors_)));
    }
    static Decomposition natural(Decomposition decomposition) {
        for (Pieces& pieces : decomposition.ranks)
            for (Box& box : pieces) box.order.clear();
        return decomposition;
    }

    void add_factor(std::size_t stage, std::size_t axis, const std::vector<bool>& done) {
        std::vector<bool> done_after = done;
        done_after[axis] = true;
        const std::vector<Integer> before = factors_.lengths_after(done),
                                   after = factors_.lengths_after(done_after);
        const StageBoxes& of_stage = boxes_[stage];
        const auto in_space = [&](const std::vector<Integer>& lengths) {
            return natural(lengths == factors_.lengths_after(of_stage.done_before) ? of_stage.before
                                                                                   : of_stage.after);
        };
        const Decomposition in = in_space(before), out = in_space(after);
        std::vector<std::optional<Formula>> of_ranks(ranks_);
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            if (!in.ranks[rank].empty())
                of_ranks[rank] =
                    on_box(in.ranks[rank].front(), out.ranks[rank].front(), axis, done, done_after);
        const Formula local =
            scattered(out, done_after, stage) * over_ranks(of_ranks) * gathered(in, done, stage);
        axis_factors_.push_back({on_box(whole(before), whole(after), axis, done, done_after), local});
    }

    /// G(D) and S(D) as terms that the rules know again: equal ones may be of different ranks.
    Formula gathered(const Decomposition& decomposition, const std::vector<bool>& done, std::size_t stage) {
        const Formula term = stored(gather_boxes(decomposition, factors_.lengths_after(done)), done);
        known_.push_back({term, decomposition, done, stage});
        return term;
    }
    Formula scattered(const Decomposition& decomposition, const std::vector<bool>& done, std::size_t stage) {
        const Formula term =
            transpose(stored(gather_boxes(decomposition, factors_.lengths_after(done)), done));
        known_.push_back({term, decomposition, done, stage});
        return term;
    }

    struct Known {
        Formula term;
        Decomposition decomposition;
        std::vector<bool> done;
        std::size_t stage;
    };
    const Known* known(const Formula& term) const {
        const auto found = std::find_if(known_.begin(), known_.end(),
                                        [&](const Known& k) { return k.term.node() == term.node(); });
        return found == known_.end() ? nullptr : &*found;
    }

    /// G(to) · S(from): to messages, across ranks, and out of messages; where each rank keeps its elements, a permutation by itself.
    Formula exchanged(const Known& to, const Known& from) const {
        const auto tagged_sum = [&](auto&& of_rank) {
            std::vector<std::optional<Formula>> terms(ranks_);
            for (std::size_t rank = 0; rank < ranks_; ++rank) terms[rank] = of_rank(rank);
            return over_ranks(terms);
        };
        std::vector<int> order = order_of(whole(factors_.lengths_after(from.done)));
        if (from.stage + 1 < boxes_.size() && to.stage == from.stage + 1)
            order = message_order(factors_, schedule_, boxes_, from.stage);
        std::vector<Messages> messages;
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            messages.push_back(
                messages_of(from.decomposition, to.decomposition, static_cast<int>(rank), order));
        const auto move = [&](const Pieces& pieces, const Layout& target,
                              bool out_of) -> std::optional<Formula> {
            if (pieces.empty()) return std::nullopt;
            const Formula term = between(layout_of(pieces), target, out_of);
            return stored(term, from.done);
        };
        const Formula pack = tagged_sum([&](std::size_t rank) {
            return move(from.decomposition.ranks[rank], messages[rank].send, false);
        });
        const Formula unpack = tagged_sum([&](std::size_t rank) {
            return move(to.decomposition.ranks[rank], messages[rank].receive, true);
        });
        if (has_same_boxes(from.decomposition, to.decomposition)) return unpack * pack;
        std::vector<Integer> begin;
        Integer total = 0;
        for (const Pieces& pieces : from.decomposition.ranks) {
            begin.push_back(total);
            total += elements(pieces);
        }
        std::vector<DigitMap> pieces;
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            std::vector<std::size_t> sources;
            for (std::size_t source = 0; source < ranks_; ++source)
                if (messages[rank].receive_counts[source] > 0) sources.push_back(source);
            std::sort(sources.begin(), sources.end(), [&](std::size_t a, std::size_t b) {
                return messages[rank].receive_offsets[a] < messages[rank].receive_offsets[b];
            });
            for (const std::size_t source : sources)
                pieces.push_back({{messages[rank].receive_counts[source]},
                                  {1},
                                  begin[source] + messages[source].send_offsets[rank]});
        }
        const Formula moved = gather(IndexMap::piecewise(std::move(pieces), total));
        return unpack * exchange(stored(moved, from.done)) * pack;
    }

    /// The permutation from one layout of a rank's elements to another: of messages to the array, or of the array to messages.
    static Formula between(const Layout& array, const Layout& messages, bool is_unpacking) {
        std::vector<DigitMap> pieces;
        for (const Block& message : messages) {
            const auto holder = std::find_if(array.begin(), array.end(), [&](const Block& block) {
                return elements(intersection(block.box, message.box, {})) == elements(message.box);
            });
            ensure(holder != array.end(), "a message of several pieces");
            DigitMap piece;
            Integer base = holder->offset;
            std::vector<Integer> strides(message.box.lower.size());
            Integer stride = 1;
            const std::vector<int> order = order_of(holder->box);
            for (std::size_t i = order.size(); i-- > 0;) {
                const auto axis = static_cast<std::size_t>(order[i]);
                strides[axis] = stride;
                stride *= length(holder->box, axis);
            }
            for (const int number : order_of(message.box)) {
                const auto axis = static_cast<std::size_t>(number);
                piece.radices.push_back(length(message.box, axis));
                piece.strides.push_back(strides[axis]);
                base += (message.box.lower[axis] - holder->box.lower[axis]) * strides[axis];
            }
            piece.base = base;
            pieces.push_back(std::move(piece));
        }
        Integer count = 0;
        for (const Block& block : array) count += elements(block.box);
        const IndexMap map = IndexMap::piecewise(std::move(pieces), count).canonical();
        return is_unpacking ? scatter(map) : gather(map);
    }

    std::vector<RewriteRule> rules() {
        const auto tag_of = [](const Match& m, Tag tag) { return m.payload<Tagged>("A").tag == tag; };
        return {
            {.name = "par(p)[A B] → par(p)[A] par(p)[B]",
             .match = term<Tagged>("A"),
             .when =
                 [this, tag_of](const Match& m) {
                     return tag_of(m, Tag::par) && axis_factors_.size() > 1 &&
                            m["A"].children().front() == product_;
                 },
             .rewrite =
                 [this](const Match& m) {
                     std::vector<Formula> product;
                     for (const AxisFactor& factor : axis_factors_)
                         product.insert(product.begin(), par(m.payload<Tagged>("A").parameter, factor.whole));
                     return formula::product(std::move(product));
                 }},
            {.name = "par(p)[I ⊗ A ⊗ I] → S(D) (rank(0)[I ⊗ A ⊗ I] ⊕ …) G(D)",
             .match = term<Tagged>("A"),
             .when = [tag_of](const Match& m) { return tag_of(m, Tag::par); },
             .rewrite = [this](const Match& m) -> std::optional<Formula> {
                 for (const AxisFactor& factor : axis_factors_)
                     if (factor.whole == m["A"].children().front()) return factor.local;
                 return std::nullopt;
             }},
            {.name = "G(D) S(D) → I",
             .match = product(any("G"), any("S")),
             .when =
                 [this](const Match& m) {
                     const Known *const to = known(m["G"]), *const from = known(m["S"]);
                     return to && from && to->decomposition == from->decomposition &&
                            m["G"].columns() == m["S"].rows();
                 },
             .rewrite = [](const Match& m) { return I(m["G"].rows()); }},
            {.name = "I A → A",
             .match = product(identity("n"), any("A")),
             .rewrite = [](const Match& m) { return m["A"]; }},
            {.name = "A I → A",
             .match = product(any("A"), identity("n")),
             .rewrite = [](const Match& m) { return m["A"]; }},
            {.name = "G(D') S(D) → (rank(0)[S] ⊕ …) exchange[L] (rank(0)[G] ⊕ …)",
             .match = product(any("G"), any("S")),
             .rewrite = [this](const Match& m) -> std::optional<Formula> {
                 const Known* const to = known(m["G"]);
                 const Known* const from = to ? known(m["S"]) : nullptr;
                 return from ? std::optional(exchanged(*to, *from)) : std::nullopt;
             }},
            {.name = "(rank(r)[A] ⊕ …) (rank(r)[B] ⊕ …) → rank(r)[A B] ⊕ …",
             .match = product(any("A"), any("B")),
             .when =
                 [](const Match& m) {
                     if (!is_over_ranks(m["A"]) || !is_over_ranks(m["B"])) return false;
                     const std::vector<Formula> a = summands_of(m["A"]), b = summands_of(m["B"]);
                     return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                       [](const Formula& x, const Formula& y) {
                                           return x.payload() == y.payload() && x.columns() == y.rows();
                                       });
                 },
             .rewrite =
                 [](const Match& m) {
                     const std::vector<Formula> a = summands_of(m["A"]), b = summands_of(m["B"]);
                     std::vector<Formula> sum;
                     for (std::size_t i = 0; i < a.size(); ++i)
                         sum.push_back(on_rank(std::get<Tagged>(a[i].payload()).parameter,
                                               a[i].children().front() * b[i].children().front()));
                     return direct_sum(std::move(sum));
                 }},
        };
    }

    const Factors& factors_;
    const Schedule& schedule_;
    const std::vector<StageBoxes>& boxes_;
    const Decomposition& output_;
    std::size_t ranks_;
    std::vector<AxisFactor> axis_factors_;
    std::vector<Known> known_;
    Formula product_ = I(1);
};

} // namespace

Formula gather_boxes(const Decomposition& decomposition, const std::vector<Integer>& lengths) {
    return gather(map_of(decomposition, lengths));
}

Derivation derive(const Factors& factors, const Schedule& schedule, const std::vector<StageBoxes>& boxes,
                  const Decomposition& output) {
    return Deriver(factors, schedule, boxes, output).derive();
}

std::string to_text(const Derivation& derivation) {
    std::string text = fmt::format("{}\n", to_short_text(derivation.transform));
    std::string last;
    for (const RewriteStep& step : derivation.trace)
        if (step.rule != last) text += fmt::format("  {}\n", last = step.rule);
    return text + fmt::format("{}\n", to_short_text(derivation.result));
}

} // namespace swirl::distributed
