#include "loops/build.hpp"

#include "loops/block_width.hpp"
#include "loops/merge_loops.hpp"
#include "loops/recorder.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace swirl::loops {

using namespace formula;

namespace {

using Loops = std::vector<Loop>;

/// The real components of pairs, then the imaginary ones.
IndexMap split_complex(Integer n) { return IndexMap(n, n, DigitMap{{n / 2, 2}, {1, n / 2}, 0, 0}); }

/// The last operand of a tile, or of a complex one of which the factor is the real form; nothing for other factors.
std::optional<Formula> last_operand_of_tile(const Formula& factor) {
    const Formula& f = factor.is<RealOf>() ? factor.children()[0] : factor;
    const auto* tagged = f.get_if<Tagged>();
    if (!tagged || tagged->tag != formula::Tag::tile || !f.children()[0].is<Kronecker>()) return std::nullopt;
    return f.children()[0].children().back();
}

/// Entries of the innermost loop of two tiles, around one of them; 0 if they have none, or are none.
Integer innermost_of_tiles(const Formula& before, const Formula& after) {
    const auto first = last_operand_of_tile(before), second = last_operand_of_tile(after);
    if (!first || !second) return 0;
    for (const Formula& operand : {*first, *second})
        if (operand.is<Identity>()) return operand.rows();
    return 0;
}

/// Records  out = formula · in  for every iteration of `loops`; one member per payload, in the order of formula.hpp.
class LoopBuilder {
public:
    LoopBuilder(Recorder& recorder, const Request& request)
        : recorder_(recorder),
          lanes_(request.lanes),
          cache_entries_(request.cache_bytes / bytes_of(request.scalar) / 2),
          line_entries_(line_bytes / bytes_of(request.scalar) / (request.complex ? 2 : 1)),
          merge_columns_(request.merge_columns),
          smem_pad_interval_(request.smem_pad_interval),
          shared_entries_(request.shared_entries),
          nest_loops_inside_(request.nest_loops_inside) {
        if (request.auxiliary) auxiliary_layout_ = request.auxiliary->layout;
    }

    /// The formula after a copy from the caller's memory to a temporary, before a copy back, or both.
    void build_separate_ends(const Formula& f, const Endpoint& in, const Endpoint& out, CopiedEnds copied);

    void operator()(const Formula& f, const Endpoint& in, const Endpoint& out, const Loops& loops) {
        if (is_nonterminal(f)) return add_codelet(recorder_, codelet_of(f), in, out, loops);
        std::visit([&](const auto& payload) { build(payload, f, in, out, loops); }, f.payload());
    }

private:
    void build(const Identity&, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        add_copy(recorder_, f.rows(), in, out, loops);
    }
    template <class Term>
    void build(const Term&, const Formula& f, const Endpoint& in, const Endpoint& out, const Loops& loops) {
        add_codelet(recorder_, codelet_of(f), in, out, loops);
    }
    void build(const Permutation& p, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        add_copy(recorder_, f.rows(), in.through(p.map), out, loops);
    }
    void build(const Gather& g, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        add_copy(recorder_, f.rows(), in.through(g.map), out, loops);
    }
    void build(const Diagonal& d, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        add_copy(recorder_, f.rows(), in.through(placed(d)), out, loops);
    }
    void build(const Scatter& s, const Formula&, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        add_zeros(s.map, out, loops);
        add_copy(recorder_, s.map.domain(), in, out.through(s.map), loops);
    }
    void build(const Product&, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        build_product(f, in, out, loops);
    }
    void build(const Kronecker&, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        build_kronecker(f, in, out, loops, false);
    }
    void build(const DirectSum&, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        Integer row = 0, column = 0;
        for (const Formula& summand : f.children()) {
            (*this)(summand, in.through(View{column, 1}), out.through(View{row, 1}), loops);
            row += summand.rows();
            column += summand.columns();
        }
    }
    void build(const RealOf&, const Formula& f, const Endpoint& in, const Endpoint& out, const Loops& loops);
    void build(const Tagged& tagged, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        const Formula& child = f.children()[0];
        if (tagged.tag == formula::Tag::tile && child.is<Kronecker>())
            return build_kronecker(child, in, out, loops, true);
        if (tagged.tag == formula::Tag::tile && !recorder_.for_gpu())
            return build_buffered(child, in, out, loops);
        if (tagged.tag == formula::Tag::codelet)
            return add_codelet(recorder_, codelet_of(child), in, out, loops);
        if (const auto columns = merge_columns_ ? columns_of(f) : std::nullopt)
            return build_columns(*columns, in, out, loops);
        (*this)(child, in, out, loops);
    }
    void build(const IterativeSum&, const Formula& f, const Endpoint& in, const Endpoint& out,
               const Loops& loops) {
        add_codelet(recorder_, codelet_of(f), in, out, loops);
    }

    void add_zeros(const IndexMap& map, const Endpoint& out, const Loops& around) {
        for (const IndexMap& missed : piecewise_complement(map)) {
            const Integer count = missed.domain();
            Loops loops = around;
            loops.push_back({recorder_.new_variable(count), count});
            const Endpoint to = out.through(missed).through(View{Affine::of(loops.back().variable), 0});
            add_codelet(recorder_, zero_codelet(), out, to, loops);
        }
    }

    void build_buffered(const Formula& f, const Endpoint& in, const Endpoint& out, const Loops& loops);
    void copy_columns(Integer n, const Endpoint& from, const Endpoint& to, const Loop& column);
    void copy_in_blocks(Integer n, const Endpoint& from, const Endpoint& to, const Loop& column);
    bool are_neighbours(const Loop& loop, const Endpoint& in, Integer columns, const Endpoint& out,
                        Integer rows);
    std::optional<Variable> neighbours_across(const Endpoint& side, Integer entries, const Loops& loops);
    template <class Run> void over_blocks(const Loop& loop, Integer width, Run&& run);
    void build_columns(const Columns& columns, const Endpoint& in, const Endpoint& out, const Loops& loops);
    Temporary make_temporary_between(const MergedFactor& before, const MergedFactor& after,
                                     const Loops& loops, bool complex);

    void build_kronecker(const Formula& f, const Endpoint& in, const Endpoint& out, const Loops& loops,
                         bool tile);
    bool in_tile(const Loop& loop) const {
        return std::find(tile_loops_.begin(), tile_loops_.end(), loop.variable) != tile_loops_.end();
    }
    void build_product(const Formula& f, const Endpoint& in, const Endpoint& out, const Loops& loops);
    void build_chain(const std::vector<MergedFactor>& factors, const Endpoint& in, const Endpoint& out,
                     const Loops& loops);
    void build_chain_in_lanes(const Formula& product, const std::vector<MergedFactor>& factors,
                              const Endpoint& in, const Endpoint& out, const Loop& lane);
    void build_padded(const MergedFactor& merged, const std::vector<Integer>& missed, const Endpoint& in,
                      Endpoint out, const Loops& loops);
    void build_factor(const MergedFactor& merged, Endpoint in, Endpoint out, const Loops& loops);

    /// A caller's diagonal with its address in the whole vector; any other access map unchanged.
    AccessMap placed(const AccessMap& access_map) const {
        const auto* diagonal = std::get_if<Diagonal>(&access_map);
        if (!diagonal || !std::holds_alternative<ArgumentFunction>(diagonal->function)) return access_map;
        ensure(auxiliary_layout_.has_value(), "a diagonal of the caller's without its array");
        return AuxiliaryDiagonal{std::get<ArgumentFunction>(diagonal->function), diagonal->index, views_,
                                 *auxiliary_layout_};
    }

    Recorder& recorder_;
    std::optional<Layout> auxiliary_layout_; ///< of the caller's diagonal
    std::vector<View> views_;                ///< through which the whole vector is seen, outermost first
    Integer lanes_;                          ///< of a vector register
    Integer cache_entries_; ///< complex elements that fit into a core's private caches; 0: unknown
    Integer line_entries_;  ///< entries of a cache line
    bool merge_columns_;
    Integer smem_pad_interval_;        ///< see Request
    Integer shared_entries_;           ///< see Request
    bool nest_loops_inside_;           ///< see Request
    std::vector<Variable> tile_loops_; ///< run inside each factor of a product
};

void LoopBuilder::build_columns(const Columns& columns, const Endpoint& in, const Endpoint& out,
                                const Loops& loops) {
    const std::vector<MergedFactor>& factors = columns.factors;
    const Variable v = recorder_.new_variable(columns.count);
    Loops around = loops;
    around.push_back({v, columns.count});
    Endpoint from = in, to = out;
    for (const AccessMap& access_map : factors.front().before) from = from.through(placed(access_map));
    for (std::size_t k = factors.back().after.size(); k-- > 0;)
        to = to.through(placed(factors.back().after[k]));
    const View column{Affine::of(v), columns.count};
    Codelet codelet = codelet_of(factors.front().factor.children()[0]);
    std::vector<std::vector<std::vector<FoldedDiagonal>>> between;
    for (std::size_t k = 1; k < factors.size(); ++k) {
        const Formula& factor = factors[k].factor.children()[0];
        between.emplace_back(static_cast<std::size_t>(factor.columns()));
        for (const AccessMap& access_map : factors[k].before)
            for (Integer entry = 0; entry < factor.columns(); ++entry) {
                const auto location = Endpoint(in.memory())
                                          .through(placed(access_map))
                                          .locate(Affine::of(v) + entry * columns.count, recorder_.extents());
                ensure(location.has_value(), "a diagonal between columns at offsets that are not affine");
                between.back()[static_cast<std::size_t>(entry)].push_back(location->diagonals.front());
            }
        codelet.then.push_back(factor);
        codelet.rows = factor.rows();
    }
    add_codelet(recorder_, codelet, from.through(column), to.through(column), around, between);
}

/// I ⊗ A ⊗ I: loops around A. With several non-identity factors, A ⊗ B = (A ⊗ I)(I ⊗ B).
void LoopBuilder::build_kronecker(const Formula& f, const Endpoint& in, const Endpoint& out,
                                  const Loops& loops, bool tile) {
    const auto& factors = f.children();
    std::vector<std::size_t> working;
    for (std::size_t k = 0; k < factors.size(); ++k)
        if (!factors[k].is<Identity>()) working.push_back(k);
    if (working.empty()) return add_copy(recorder_, f.rows(), in, out, loops);
    if (working.size() > 1) {
        std::vector<Formula> first, rest;
        for (std::size_t k = 0; k < factors.size(); ++k) {
            first.push_back(k == working[0] ? factors[k] : I(factors[k].rows()));
            rest.push_back(k == working[0] ? I(factors[k].columns()) : factors[k]);
        }
        return (*this)(product({kron(first), kron(rest)}), in, out, loops);
    }
    const Formula& factor = factors[working[0]];
    Loops around = loops;
    Affine column = 0, row = 0;
    Integer stride = 1;
    for (std::size_t k = factors.size(); k-- > 0;) {
        if (k == working[0]) continue;
        const Integer count = factors[k].rows();
        const bool left = k < working[0];
        if (count > 1) {
            const Variable v = recorder_.new_variable(count);
            around.insert(around.begin() + static_cast<std::ptrdiff_t>(loops.size()), Loop{v, count});
            if (tile) tile_loops_.push_back(v);
            column += Affine::of(v, stride * (left ? factor.columns() : 1));
            row += Affine::of(v, stride * (left ? factor.rows() : 1));
        }
        stride *= count;
    }
    Integer right = 1;
    for (std::size_t k = working[0] + 1; k < factors.size(); ++k) right *= factors[k].rows();
    views_.push_back(View{row, right});
    (*this)(factor, in.through(View{column, right}), out.through(View{row, right}), around);
    views_.pop_back();
}

/// Complex entries are pairs of reals; if maps or real diagonals prevent pairing, the reals are copied first.
void LoopBuilder::build(const RealOf&, const Formula& f, const Endpoint& in, const Endpoint& out,
                        const Loops& loops) {
    const Formula& complex = f.children()[0];
    std::optional<Temporary> from, to;
    const ColumnLoops columns = column_loops(complex, merge_columns_);
    const bool reads_pairs = can_pair_in(recorder_, in, complex.columns(), columns.read, smem_pad_interval_);
    const bool writes_pairs =
        can_pair_in(recorder_, out, complex.rows(), columns.written, smem_pad_interval_);
    if ((!reads_pairs || !writes_pairs) && nests_in_iterations(recorder_, loops))
        return nest_by_iterations(recorder_, loops, in, [&] { (*this)(f, in, out, {}); });
    if (!reads_pairs) {
        from = make_temporary(recorder_, f.columns(), loops, false);
        add_copy(recorder_, f.columns(), in, from->endpoint, loops);
    }
    if (!writes_pairs) to = make_temporary(recorder_, f.rows(), loops, false);
    (*this)(complex, (from ? from->endpoint : in).through(Pairs{}),
            (to ? to->endpoint : out).through(Pairs{}), loops);
    if (to) add_copy(recorder_, f.rows(), to->endpoint, out, loops);
    if (from) recorder_.release(from->memory);
    if (to) recorder_.release(to->memory);
}

/// A codelet that writes its results and the zeros of the padding.
void LoopBuilder::build_padded(const MergedFactor& merged, const std::vector<Integer>& missed,
                               const Endpoint& in, Endpoint out, const Loops& loops) {
    const Integer n = merged.factor.rows(), padded = n + static_cast<Integer>(missed.size());
    std::vector<Integer> locations = merged.scattered->values();
    for (std::size_t k = merged.after.size(); k-- > 0;) {
        ensure(std::holds_alternative<IndexMap>(merged.after[k]), "a diagonal before padding");
        locations = compose(IndexMap::table(locations, merged.scattered->range()),
                            std::get<IndexMap>(merged.after[k]))
                        .values();
    }
    locations.insert(locations.end(), missed.begin(), missed.end());
    const Formula padding = scatter(IndexMap::strided(n, padded, 0, 1));
    add_codelet(recorder_, codelet_of(product({padding, merged.factor})), in,
                out.through(IndexMap::table(std::move(locations), merged.scattered->range())), loops);
}

/// Next to a complex transform of pairs of reals, a temporary stores the real components first, then the imaginary
/// ones, unless the transform reads some of an odd number of entries. Padded rows separate two such transforms or two
/// factors of one kind, but not where entries are combined with those at the same distance from the end, and not beside
/// a copy, which can be folded into the calls that compute. Between tiles and inside a tile, vectors are an odd number
/// of entries apart instead.
Temporary LoopBuilder::make_temporary_between(const MergedFactor& before, const MergedFactor& after,
                                              const Loops& loops, bool complex) {
    const Integer n = before.factor.rows();
    const bool from_pairs = !complex && before.factor.is<RealOf>();
    const bool to_pairs = !complex && after.factor.is<RealOf>() && n % 2 == 0;
    const bool is_shared = shared_entries_ == 0 || n <= shared_entries_;
    const auto copies = [](const Formula& f) {
        return f.is<formula::Identity>() || f.is<formula::Gather>() || f.is<formula::Scatter>();
    };
    Integer row = 0; // entries that lie together; each row begins an entry later
    if (const Integer innermost = innermost_of_tiles(before.factor, after.factor); innermost > 0) {
        if (innermost % 2 == 0) row = innermost;
    } else if (smem_pad_interval_ > 0 && from_pairs == to_pairs && !copies(before.factor) &&
               !copies(after.factor)) {
        const Integer vector = from_pairs ? n / 2 : n;
        if (vector > smem_pad_interval_ && vector % smem_pad_interval_ == 0) row = smem_pad_interval_;
    }
    if (smem_pad_interval_ > 0 && is_shared && loops.empty() && row > 0) {
        const Integer rows = n / row;
        Temporary temporary = make_temporary(recorder_, rows * (row + 1), loops, complex);
        temporary.endpoint = temporary.endpoint.through(Layout{{rows, row}, {row + 1, 1}});
        if (from_pairs || to_pairs) temporary.endpoint = temporary.endpoint.through(split_complex(n));
        return temporary;
    }
    const bool tile = !loops.empty() && in_tile(loops[0]);
    const Integer pitch = tile && smem_pad_interval_ > 0 ? n | 1 : n; // odd: vectors begin in different banks
    Temporary temporary = make_temporary(recorder_, pitch, loops, complex,
                                         tile ? Order::entries_fastest : Order::loops_fastest);
    if (from_pairs || to_pairs) temporary.endpoint = temporary.endpoint.through(split_complex(n));
    return temporary;
}

void LoopBuilder::build_factor(const MergedFactor& merged, Endpoint in, Endpoint out, const Loops& loops) {
    for (const AccessMap& access_map : merged.before) in = in.through(placed(access_map));
    if (merged.scattered) {
        if (is_nonterminal(merged.factor))
            if (const auto missed = complement(*merged.scattered))
                return build_padded(merged, missed->values(), in, out, loops);
        const Endpoint whole = out;
        out = out.through(*merged.scattered);
        for (std::size_t k = merged.after.size(); k-- > 0;) out = out.through(placed(merged.after[k]));
        (*this)(merged.factor, in, out, loops);
        return add_zeros(*merged.scattered, whole, loops);
    }
    for (std::size_t k = merged.after.size(); k-- > 0;) out = out.through(placed(merged.after[k]));
    (*this)(merged.factor, in, out, loops);
}

/// Runs several factors one after the other for each iteration of the outer loops, so that the intermediate vectors
/// stay in cache. The loops of a tile stay inside; otherwise a loop over neighbouring entries does, one vector
/// register at a time.
void LoopBuilder::build_product(const Formula& f, const Endpoint& in, const Endpoint& out,
                                const Loops& loops) {
    const std::vector<MergedFactor> factors = merge_loops(f, recorder_.for_gpu());
    if (factors.size() == 1) return build_factor(factors[0], in, out, loops);
    if (nest_loops_inside_ && recorder_.is_within_product()) return build_chain(factors, in, out, loops);
    Loops outer, tile;
    for (const Loop& loop : loops) (in_tile(loop) ? tile : outer).push_back(loop);
    std::optional<Loop> lane;
    for (std::size_t k = 0; k < outer.size() && !lane && tile.empty(); ++k) {
        if (!fills_vectors(outer[k].count, lanes_) ||
            !are_neighbours(outer[k], in, f.columns(), out, f.rows()))
            continue;
        lane = outer[k];
        outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(k));
    }
    const std::function<void(std::size_t)> nest = [&](std::size_t k) {
        if (k < outer.size()) return recorder_.nest(outer[k], [&] { nest(k + 1); });
        if (lane) return build_chain_in_lanes(f, factors, in, out, *lane);
        build_chain(factors, in, out, tile);
    };
    nest(0);
}

/// Whether lanes along the loop load neighbours: its iterations have entry 0 next to each other, or, as complex elements
/// in an array of reals, on both sides.
bool LoopBuilder::are_neighbours(const Loop& loop, const Endpoint& in, Integer columns, const Endpoint& out,
                                 Integer rows) {
    const auto first = in.locate(0, recorder_.extents());
    if (!first) return false;
    const Integer unit = first->im == first->re + 1 ? 2 : 1;
    return first->re.coefficient(loop.variable) == unit ||
           (neighbours_across(in, columns, {loop}) && neighbours_across(out, rows, {loop}));
}

/// The loop whose neighbouring iterations are closer in memory than the entries of one iteration, if there is one.
std::optional<Variable> LoopBuilder::neighbours_across(const Endpoint& side, Integer entries,
                                                       const Loops& loops) {
    const auto first = side.locate(0, recorder_.extents()),
               last = side.locate(entries - 1, recorder_.extents());
    if (!first || !last) return std::nullopt;
    const Affine span = last->re - first->re;
    constexpr Integer widest = 2; // scalars of an element
    if (!span.is_constant() || std::abs(span.constant()) <= widest * (entries - 1)) return std::nullopt;
    for (const Loop& loop : loops)
        if (loop.count > 1 && std::abs(first->re.coefficient(loop.variable)) <= widest &&
            first->re.coefficient(loop.variable) != 0)
            return loop.variable;
    return std::nullopt;
}

/// Runs blocks of `width` iterations of a loop, and those that are left: run(index of the first one, count).
template <class Run> void LoopBuilder::over_blocks(const Loop& loop, Integer width, Run&& run) {
    const Integer blocks = loop.count / width;
    if (blocks > 0) {
        const Loop over{recorder_.new_variable(blocks), blocks};
        recorder_.nest(over, [&] { run(Affine::of(over.variable, width), width); });
    }
    if (loop.count % width != 0) run(Affine(width * blocks), loop.count % width);
}

/// Copies n entries of each iteration of `column`: the iterations' entries together, so that a vector loop over entries
/// transposes whole rows in registers.
void LoopBuilder::copy_columns(Integer n, const Endpoint& from, const Endpoint& to, const Loop& column) {
    std::vector<Integer> cuts{0, n};
    for (const Endpoint* side : {&from, &to})
        for (const Integer cut : side->cuts_for(n, recorder_.extents(), recorder_.new_variable(n)))
            cuts.push_back(cut);
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<Call> copies;
    for (std::size_t k = 1; k < cuts.size(); ++k) {
        const Loop entries{recorder_.new_variable(cuts[k] - cuts[k - 1]), cuts[k] - cuts[k - 1]};
        const Affine entry = Affine::of(entries.variable) + cuts[k - 1];
        Placement placement;
        for (Integer iteration = 0; iteration < column.count; ++iteration) {
            auto source = from.substitute(column.variable, iteration).locate(entry, recorder_.extents());
            auto target = to.substitute(column.variable, iteration).locate(entry, recorder_.extents());
            if (!source || !target) return copy_in_blocks(n, from, to, column);
            placement.sources.push_back(std::move(*source));
            placement.targets.push_back(std::move(*target));
        }
        copies.push_back({codelet_of(I(column.count)),
                          from.memory(),
                          to.memory(),
                          to.is_complex(),
                          std::move(placement),
                          {entries}});
    }
    for (Call& copy : copies) recorder_.add(std::move(copy));
}

/// Copies n entries of each iteration of `column`, a block of the entries of all iterations after the other: blocks of a few
/// cache lines stay in cache.
void LoopBuilder::copy_in_blocks(Integer n, const Endpoint& from, const Endpoint& to, const Loop& column) {
    constexpr Integer block = 16;
    over_blocks({recorder_.new_variable(n), n}, block, [&](const Affine& first, Integer count) {
        add_copy(recorder_, count, from.through(View{first, 1}), to.through(View{first, 1}), {column});
    });
}

/// A cache line's width of transforms together: those whose neighbours lie across their entries go through contiguous
/// buffers.
void LoopBuilder::build_buffered(const Formula& f, const Endpoint& in, const Endpoint& out,
                                 const Loops& loops) {
    const auto across_in = neighbours_across(in, f.columns(), loops),
               across_out = neighbours_across(out, f.rows(), loops);
    if (!across_in && !across_out) return (*this)(f, in, out, loops);
    const Variable across = across_in ? *across_in : *across_out;
    const bool copies_in = across_in == across, copies_out = across_out == across;
    const auto at =
        std::find_if(loops.begin(), loops.end(), [&](const Loop& loop) { return loop.variable == across; });
    const auto block = [&](const Affine& first, Integer count) {
        const Loop column{recorder_.new_variable(count), count};
        const Affine index = first + Affine::of(column.variable);
        const Endpoint from = in.substitute(across, index), to = out.substitute(across, index);
        const std::vector<View> outside = views_;
        for (View& view : views_) view.base = view.base.substitute(across, index);
        std::optional<Temporary> read, written;
        if (copies_in) {
            read = make_temporary(recorder_, f.columns(), {column}, in.is_complex(), Order::entries_fastest);
            copy_columns(f.columns(), from, read->endpoint, column);
        }
        if (copies_out)
            written = make_temporary(recorder_, f.rows(), {column}, out.is_complex(), Order::entries_fastest);
        recorder_.nest(
            column, [&] { (*this)(f, read ? read->endpoint : from, written ? written->endpoint : to, {}); });
        if (copies_out) copy_columns(f.rows(), written->endpoint, to, column);
        for (const auto& temporary : {read, written})
            if (temporary) recorder_.release(temporary->memory);
        views_ = outside;
    };
    const std::function<void(std::size_t)> nest = [&](std::size_t k) {
        if (k == loops.size()) return over_blocks(*at, line_entries_, block);
        if (loops[k].variable == across) return nest(k + 1);
        recorder_.nest(loops[k], [&] { nest(k + 1); });
    };
    nest(0);
}

void LoopBuilder::build_chain_in_lanes(const Formula& product, const std::vector<MergedFactor>& factors,
                                       const Endpoint& in, const Endpoint& out, const Loop& lane) {
    const Integer width = block_width(recorder_, {lanes_, cache_entries_}, lane, {in, product.columns()},
                                      {out, product.rows()});
    if (lane.count <= width) return build_chain(factors, in, out, {lane});
    const auto run = [&](const Affine& first, Integer count) {
        const Loop block{recorder_.new_variable(count), count};
        const Affine index = first + Affine::of(block.variable);
        const std::vector<View> outside = views_;
        for (View& view : views_) view.base = view.base.substitute(lane.variable, index);
        build_chain(factors, in.substitute(lane.variable, index), out.substitute(lane.variable, index),
                    {block});
        views_ = outside;
    };
    const Loop blocks{recorder_.new_variable(lane.count / width), lane.count / width};
    recorder_.nest(blocks, [&] { run(Affine::of(blocks.variable, width), width); });
    if (lane.count % width) run(width * blocks.count, lane.count % width);
}

void LoopBuilder::build_chain(const std::vector<MergedFactor>& factors, const Endpoint& in,
                              const Endpoint& out, const Loops& loops) {
    std::optional<Temporary> previous;
    for (std::size_t k = 0; k < factors.size(); ++k) {
        std::optional<Temporary> next;
        if (k + 1 < factors.size())
            next = make_temporary_between(factors[k], factors[k + 1], loops, out.is_complex());
        recorder_.within_product([&] {
            build_factor(factors[k], previous ? previous->endpoint : in, next ? next->endpoint : out, loops);
        });
        if (previous) recorder_.release(previous->memory);
        previous = std::move(next);
    }
}

void LoopBuilder::build_separate_ends(const Formula& f, const Endpoint& in, const Endpoint& out,
                                      CopiedEnds copied) {
    if (f.is<Kronecker>() && f.children()[0].is<Identity>()) {
        const Loop loop{recorder_.new_variable(f.children()[0].rows()), f.children()[0].rows()};
        const Formula inner = kron({f.children().begin() + 1, f.children().end()});
        const View row{Affine::of(loop.variable, inner.rows()), 1};
        return recorder_.nest(loop, [&] {
            views_.push_back(row);
            build_separate_ends(inner, in.through(View{Affine::of(loop.variable, inner.columns()), 1}),
                                out.through(row), copied);
            views_.pop_back();
        });
    }
    std::optional<Temporary> from, to;
    if (copied.input) {
        from = make_temporary(recorder_, f.columns(), {}, in.is_complex());
        add_copy(recorder_, f.columns(), in, from->endpoint, {});
    }
    if (copied.output) to = make_temporary(recorder_, f.rows(), {}, out.is_complex());
    (*this)(f, from ? from->endpoint : in, to ? to->endpoint : out, {});
    if (to) add_copy(recorder_, f.rows(), to->endpoint, out, {});
    for (const auto& temporary : {from, to})
        if (temporary) recorder_.release(temporary->memory);
}

} // namespace

LoopProgram build(const Request& request) {
    Recorder recorder(request.for_gpu);
    const bool in_place = request.in_place;
    const bool complex = request.complex;
    const auto moved = [](const Reach& reach, Integer base) {
        return Reach{reach.low + base, reach.high + base};
    };
    const Reach read = request.input_reach.value_or(moved(reach_of(request.input), request.input_base));
    const Reach written = request.output_reach.value_or(moved(reach_of(request.output), request.output_base));
    using Role = Array::Role;
    const bool split_complex = request.output_split_complex;
    const Memory in = in_place
                          ? add_argument(recorder, Role::data, complex, split_complex, {read, written})
                          : add_argument(recorder, Role::input, complex, request.input_split_complex, {read});
    const Memory out =
        in_place ? in : add_argument(recorder, Role::output, complex, split_complex, {written});
    const auto laid_out = [](const Memory& memory, Integer base, const Layout& layout) {
        const Endpoint whole(memory);
        return (base == 0 ? whole : whole.through(View{base, 1})).through(layout);
    };
    Endpoint target = laid_out(out, request.output_base, request.output);
    if (request.scale != 1)
        target = target.through(
            Diagonal{ConstantFunction{request.scale}, IndexMap::identity(request.formula.rows())});
    const Endpoint source = laid_out(in, request.input_base, request.input);
    LoopBuilder builder{recorder, request};
    if (request.copied.input || request.copied.output)
        builder.build_separate_ends(request.formula, source, target, request.copied);
    else
        builder(request.formula, source, target, {});
    return recorder.finish();
}

} // namespace swirl::loops
