#include "loops/recorder.hpp"

#include "loops/build.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace swirl::loops {

namespace {

std::optional<std::vector<Location>> locate_all(const Endpoint& endpoint, Integer entries, Extents& extents) {
    std::vector<Location> locations;
    locations.reserve(static_cast<std::size_t>(entries));
    for (Integer entry = 0; entry < entries; ++entry) {
        auto location = endpoint.locate(entry, extents);
        if (!location) return std::nullopt;
        locations.push_back(std::move(*location));
    }
    return locations;
}

/// An iteration may overwrite its own inputs, never another's.
bool same_places(const std::vector<Location>& a, const std::vector<Location>& b) {
    std::vector<Affine> x, y;
    for (const Location& location : a) x.push_back(location.re);
    for (const Location& location : b) y.push_back(location.re);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    return x == y;
}

Endpoint at(const Endpoint& endpoint, const Affine& index) { return endpoint.through(View{index, 0}); }

bool is_affine(const Endpoint& endpoint, Extents& extents) { return endpoint.locate(0, extents).has_value(); }

/// Records the copy as loops over the digits of the given radices, if both sides are affine in them.
bool copy_by_digits(Recorder& recorder, const std::vector<Integer>& radices, const Endpoint& in,
                    const Endpoint& out, std::vector<Loop> loops) {
    Affine index = 0;
    Integer stride = 1;
    std::vector<Loop> digits;
    for (std::size_t q = radices.size(); q-- > 0; stride *= radices[q]) {
        digits.insert(digits.begin(), Loop{recorder.new_variable(radices[q]), radices[q]});
        index += Affine::of(digits[0].variable, stride);
    }
    loops.insert(loops.end(), digits.begin(), digits.end());
    const Endpoint from = at(in, index), to = at(out, index);
    if (!is_affine(from, recorder.extents()) || !is_affine(to, recorder.extents())) return false;
    add_codelet(recorder, copying_codelet(), from, to, loops);
    return true;
}

/// Uses index tables where a map is not affine; nothing if a table does not help either.
std::optional<std::vector<Location>> tabled_all(Recorder& recorder, const Endpoint& endpoint,
                                                Integer entries) {
    std::vector<Location> locations;
    for (Integer entry = 0; entry < entries; ++entry) {
        auto location = endpoint.locate(entry, recorder.extents(), recorder.new_variable(1));
        if (!location) return std::nullopt;
        locations.push_back(std::move(*location));
    }
    return locations;
}

/// Entry 0, through an index table if a map is not affine.
std::vector<Location> tabled(Recorder& recorder, const Endpoint& endpoint) {
    auto locations = tabled_all(recorder, endpoint, 1);
    if (!locations) throw UnfollowedMap();
    return std::move(*locations);
}

} // namespace

Memory Recorder::add_argument(const Array& array) {
    program_.arrays.push_back(array);
    in_use_.push_back(true);
    return {array.kind, static_cast<int>(program_.arrays.size()) - 1};
}

Memory Recorder::acquire(Integer elements, bool complex) {
    const auto kind = complex ? Memory::Kind::planar : Memory::Kind::real;
    for (std::size_t k = 0; !for_gpu_ && k < program_.arrays.size(); ++k) {
        Array& array = program_.arrays[k];
        if (in_use_[k] || array.kind != kind || array.nest_depth != nest_depth_) continue;
        in_use_[k] = true;
        array.elements = std::max(array.elements, elements);
        return {kind, static_cast<int>(k)};
    }
    return add_argument({Array::Role::temporary, kind, 0, elements, nest_depth_});
}

Reach reach_of(const Layout& layout) {
    Integer low = 0, high = 0;
    for (std::size_t k = 0; k < layout.lengths.size(); ++k) {
        const Integer span = layout.strides[k] * (layout.lengths[k] - 1);
        (span < 0 ? low : high) += span;
    }
    return {low, high};
}

Memory add_argument(Recorder& recorder, Array::Role role, bool complex, bool split_complex,
                    std::initializer_list<Reach> reaches) {
    Integer low = 0, high = 0;
    for (const auto& [lowest, highest] : reaches) {
        low = std::min(low, lowest);
        high = std::max(high, highest);
    }
    const auto kind = complex ? Memory::Kind::interleaved : Memory::Kind::real;
    Array array{role, kind, low, high - low + 1};
    array.split_complex = split_complex && !complex;
    return recorder.add_argument(array);
}

void Recorder::release(const Memory& memory) { in_use_[static_cast<std::size_t>(memory.array)] = false; }

Temporary make_temporary(Recorder& recorder, Integer n, const std::vector<Loop>& loops, bool complex,
                         Order order) {
    const bool entries_fastest = order == Order::entries_fastest;
    Affine base = 0;
    Integer stride = entries_fastest ? n : 1;
    for (std::size_t k = loops.size(); k-- > 0; stride *= loops[k].count)
        base += Affine::of(loops[k].variable, stride);
    const Memory memory = recorder.acquire(entries_fastest ? stride : n * stride, complex);
    return {memory, Endpoint(memory).through(View{base, entries_fastest ? 1 : stride})};
}

namespace {

/// The same loops with one of them split.
struct SplitLoops {
    Endpoint in;
    Endpoint out;
    std::vector<Loop> loops;
    std::vector<std::pair<Variable, Affine>> forms = {}; ///< replacements of removed loops, in order
};

bool is_located(const Endpoint& endpoint, Integer entries, Extents& extents) {
    return locate_all(endpoint, entries, extents).has_value();
}

/// One loop split into two, in every way that may make an end affine.
std::vector<SplitLoops> splits_of(Recorder& recorder, const Endpoint& in, const Endpoint& out,
                                  const std::vector<Loop>& loops) {
    std::vector<SplitLoops> splits;
    for (std::size_t k = 0; k < loops.size(); ++k)
        for (const Endpoint* side : {&in, &out})
            for (const Integer count : side->split_counts(loops[k].variable, recorder.extents())) {
                const Loop outer{recorder.new_variable(loops[k].count / count), loops[k].count / count};
                const Loop inner{recorder.new_variable(count), count};
                const Affine form = Affine::of(outer.variable, count) + Affine::of(inner.variable);
                SplitLoops split{in.substitute(loops[k].variable, form),
                                 out.substitute(loops[k].variable, form),
                                 loops,
                                 {{loops[k].variable, form}}};
                split.loops[k] = outer;
                split.loops.insert(split.loops.begin() + static_cast<std::ptrdiff_t>(k) + 1, inner);
                splits.push_back(std::move(split));
            }
    return splits;
}

/// Splits one loop into two if that makes both ends affine; otherwise splits two loops, or one into three.
std::optional<SplitLoops> split_loop(Recorder& recorder, const Codelet& codelet, const Endpoint& in,
                                     const Endpoint& out, const std::vector<Loop>& loops, int times = 2) {
    const auto locates = [&](const SplitLoops& split) {
        return is_located(split.in, codelet.columns, recorder.extents()) &&
               is_located(split.out, codelet.rows, recorder.extents());
    };
    const std::vector<SplitLoops> splits = splits_of(recorder, in, out, loops);
    for (const SplitLoops& split : splits)
        if (locates(split)) return split;
    for (const SplitLoops& split : splits)
        if (times > 1)
            if (auto further = split_loop(recorder, codelet, split.in, split.out, split.loops, times - 1)) {
                further->forms.insert(further->forms.begin(), split.forms.begin(), split.forms.end());
                return further;
            }
    return std::nullopt;
}

using DiagonalsBetween = std::vector<std::vector<std::vector<FoldedDiagonal>>>;
DiagonalsBetween with_forms(DiagonalsBetween between, const std::vector<std::pair<Variable, Affine>>& forms) {
    for (auto& entries : between)
        for (auto& diagonals : entries)
            for (FoldedDiagonal& met : diagonals)
                for (const auto& [variable, form] : forms) met.index = met.index.substitute(variable, form);
    return between;
}

} // namespace

void add_codelet(Recorder& recorder, const Codelet& codelet, const Endpoint& in, const Endpoint& out,
                 const std::vector<Loop>& loops,
                 const std::vector<std::vector<std::vector<FoldedDiagonal>>>& between) {
    auto sources = locate_all(in, codelet.columns, recorder.extents());
    auto targets = locate_all(out, codelet.rows, recorder.extents());
    if (!sources || !targets)
        if (const auto split = split_loop(recorder, codelet, in, out, loops))
            return add_codelet(recorder, codelet, split->in, split->out, split->loops,
                               with_forms(between, split->forms));
    if (!sources && recorder.for_gpu()) sources = tabled_all(recorder, in, codelet.columns);
    if (!targets && recorder.for_gpu()) targets = tabled_all(recorder, out, codelet.rows);
    const bool overlapping = sources && targets && !sources->empty() &&
                             in.memory().array == out.memory().array && !same_places(*sources, *targets);
    const bool copies = !sources || !targets || overlapping;
    if (copies && nests_in_iterations(recorder, loops))
        return nest_by_iterations(recorder, loops, in,
                                  [&] { add_codelet(recorder, codelet, in, out, {}, between); });
    if (!sources || overlapping) {
        const Temporary copy = make_temporary(recorder, codelet.columns, loops, in.is_complex());
        add_copy(recorder, codelet.columns, in, copy.endpoint, loops);
        add_codelet(recorder, codelet, copy.endpoint, out, loops, between);
        return recorder.release(copy.memory);
    }
    if (!targets) {
        const Temporary copy = make_temporary(recorder, codelet.rows, loops, out.is_complex());
        add_codelet(recorder, codelet, in, copy.endpoint, loops, between);
        add_copy(recorder, codelet.rows, copy.endpoint, out, loops);
        return recorder.release(copy.memory);
    }
    recorder.add({codelet, in.memory(), out.memory(), out.is_complex(),
                  Placement{std::move(*sources), std::move(*targets), between}, loops});
}

namespace {

/// Whether iteration i of a loop over `variable` accesses an imaginary component. Outer loops are taken at their first
/// iterations, as they move by whole elements.
bool is_imaginary(const Location& location, Variable variable, Integer i) {
    const auto lookup = [&](Variable v) { return v == variable ? i : 0; };
    const Integer at = location.re.evaluate([&](Variable v) {
        return location.table && v == location.table->symbol ? location.table->value(lookup) : lookup(v);
    });
    return modulo(at, Integer{2}) == 1;
}

/// The iterations of the last loop, grouped by the components they access on both sides, where the components are in
/// separate arrays.
std::vector<std::vector<Integer>> by_component(const Recorder& recorder, const Call& copy) {
    const Loop& loop = copy.loops.back();
    std::map<std::array<bool, 2>, std::vector<Integer>> groups;
    for (Integer i = 0; i < loop.count; ++i) {
        const auto component = [&](const Memory& memory, const Location& location) {
            return recorder.array(memory).split_complex && is_imaginary(location, loop.variable, i);
        };
        groups[{component(copy.input, copy.placement.sources[0]),
                component(copy.output, copy.placement.targets[0])}]
            .push_back(i);
    }
    std::vector<std::vector<Integer>> result;
    for (auto& [components, iterations] : groups) result.push_back(std::move(iterations));
    return result;
}

} // namespace

namespace {

/// Splits the copy at the cuts; false if there are none.
bool copy_cut(Recorder& recorder, Integer n, std::vector<Integer> cuts, const Endpoint& in,
              const Endpoint& out, const std::vector<Loop>& loops) {
    if (cuts.empty()) return false;
    cuts.push_back(n);
    Integer begin = 0;
    for (const Integer end : cuts) {
        const View range{begin, 1};
        add_copy(recorder, end - begin, in.through(range), out.through(range), loops);
        begin = end;
    }
    return true;
}

/// Splits a long copy into ranges that diagonals multiply by one constant each: their table would be as long as the
/// copy.
bool copy_by_constants(Recorder& recorder, Integer n, const Endpoint& in, const Endpoint& out,
                       const std::vector<Loop>& loops) {
    constexpr Integer shortest = Integer{1} << 16;
    if (n < shortest) return false;
    for (const Endpoint* side : {&in, &out})
        if (copy_cut(recorder, n, side->diagonal_cuts_for(n, recorder.extents(), recorder.new_variable(n)),
                     in, out, loops))
            return true;
    return false;
}

/// Splits the copy into single entries, and the longest surrounding loop at the pieces of a map, if that gives a few
/// long copies.
bool copy_by_entries(Recorder& recorder, Integer n, const Endpoint& in, const Endpoint& out,
                     const std::vector<Loop>& loops) {
    constexpr Integer most_entries = 64, shortest = 1024;
    const auto longest = std::max_element(loops.begin(), loops.end(),
                                          [](const Loop& a, const Loop& b) { return a.count < b.count; });
    if (recorder.for_gpu() || n > most_entries || longest == loops.end() || longest->count < shortest)
        return false;
    struct Copy {
        Endpoint from, to;
        std::vector<Loop> loops;
    };
    std::vector<Copy> copies;
    for (Integer entry = 0; entry < n; ++entry) {
        std::vector<Integer> cuts{0, longest->count};
        for (const Endpoint* side : {&in, &out})
            for (const Integer cut : side->cuts_of(longest->variable, entry, recorder.extents()))
                cuts.push_back(cut);
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        for (std::size_t k = 1; k < cuts.size(); ++k) {
            const Loop own{recorder.new_variable(cuts[k] - cuts[k - 1]), cuts[k] - cuts[k - 1]};
            const Affine form = Affine::of(own.variable) + cuts[k - 1];
            Copy copy{at(in.substitute(longest->variable, form), entry),
                      at(out.substitute(longest->variable, form), entry), loops};
            copy.loops[static_cast<std::size_t>(longest - loops.begin())] = own;
            if (!is_affine(copy.from, recorder.extents()) || !is_affine(copy.to, recorder.extents()))
                return false;
            copies.push_back(std::move(copy));
        }
    }
    for (const Copy& copy : copies) add_codelet(recorder, copying_codelet(), copy.from, copy.to, copy.loops);
    return true;
}

/// Splits the copy by all digits but the largest, if that gives a few long copies.
bool copy_by_largest_digit(Recorder& recorder, const std::vector<Integer>& radices, const Endpoint& in,
                           const Endpoint& out, const std::vector<Loop>& loops) {
    constexpr Integer most_copies = 8, shortest = 1024;
    const auto largest = std::max_element(radices.begin(), radices.end());
    if (radices.size() < 2 || *largest < shortest) return false;
    Integer copies = 1, stride = 1;
    for (auto radix = radices.begin(); radix != radices.end(); ++radix) {
        if (radix != largest) copies *= *radix;
        if (radix > largest) stride *= *radix;
    }
    if (copies == 1 || copies > most_copies) return false;
    for (Integer k = 0; k < copies; ++k) {
        const View view{k / stride * stride * *largest + k % stride, stride};
        add_copy(recorder, *largest, in.through(view), out.through(view), loops);
    }
    return true;
}

} // namespace

void add_copy(Recorder& recorder, Integer n, const Endpoint& in, const Endpoint& out,
              const std::vector<Loop>& loops) {
    if (n == 1 && recorder.for_gpu())
        return add_codelet(recorder, copying_codelet(), at(in, 0), at(out, 0), loops);
    if (copy_by_constants(recorder, n, in, out, loops)) return;
    if (copy_by_digits(recorder, {n}, in, out, loops)) return;
    for (const Endpoint* side : {&in, &out}) {
        const auto radices = side->radices_for(n, recorder.extents(), recorder.new_variable(n));
        if (radices.size() > 1 && copy_by_digits(recorder, radices, in, out, loops)) return;
    }
    for (const Endpoint* side : {&in, &out})
        if (copy_cut(recorder, n, side->cuts_for(n, recorder.extents(), recorder.new_variable(n)), in, out,
                     loops))
            return;
    if (copy_by_entries(recorder, n, in, out, loops)) return;
    for (const Endpoint* side : {&in, &out})
        if (copy_by_largest_digit(
                recorder, side->radices_for(n, recorder.extents(), recorder.new_variable(n)), in, out, loops))
            return;
    std::vector<Loop> all = loops;
    all.push_back({recorder.new_variable(n), n});
    const Affine index = Affine::of(all.back().variable);
    Placement placement{tabled(recorder, at(in, index)), tabled(recorder, at(out, index))};
    Call copy{copying_codelet(), in.memory(), out.memory(), out.is_complex(), std::move(placement), all};
    const bool may_be_planar =
        recorder.array(copy.input).split_complex || recorder.array(copy.output).split_complex;
    const auto groups = may_be_planar ? by_component(recorder, copy) : std::vector<std::vector<Integer>>(1);
    if (groups.size() == 1) return recorder.add(std::move(copy));
    for (const std::vector<Integer>& entries : groups) {
        const formula::IndexMap own = formula::IndexMap::table(entries, n).canonical();
        add_copy(recorder, own.domain(), in.through(own), out.through(own), loops);
    }
}

bool nests_in_iterations(const Recorder& recorder, const std::vector<Loop>& loops) {
    return recorder.for_gpu() && !recorder.is_within_product() && !loops.empty();
}

void nest_by_iterations(Recorder& recorder, std::vector<Loop> loops, const Endpoint& endpoint,
                        const std::function<void()>& body) {
    const auto location = endpoint.locate(0, recorder.extents());
    const Integer unit = location && location->im == location->re + 1 ? 2 : 1;
    const auto has_neighbours = [&](const Loop& loop) {
        return location && location->re.coefficient(loop.variable) == unit;
    };
    const auto lane = std::find_if(loops.begin(), loops.end(), has_neighbours);
    if (lane != loops.end()) std::rotate(lane, lane + 1, loops.end());
    const std::function<void(std::size_t)> nest = [&](std::size_t k) {
        if (k == loops.size()) return recorder.within_product(body);
        recorder.nest(loops[k], [&] { nest(k + 1); });
    };
    nest(0);
}

namespace {

/// For a range of blocks: tries it at once, then in halves, since maps of a few pieces may separate blocks.
bool can_pair_blocks(Recorder& recorder, const Endpoint& endpoint, Integer begin, Integer count,
                     Integer block, const Affine& within) {
    const Affine first = block * begin + within;
    if (count == 1) return endpoint.can_pair(1, block, first, recorder.extents());
    const Affine index = Affine::of(recorder.new_variable(count), block) + first;
    if (endpoint.can_pair(1, block * count, index, recorder.extents())) return true;
    const Integer half = count / 2;
    return can_pair_blocks(recorder, endpoint, begin, half, block, within) &&
           can_pair_blocks(recorder, endpoint, begin + half, count - half, block, within);
}

} // namespace

bool can_pair_in(Recorder& recorder, const Endpoint& endpoint, Integer entries, std::vector<Integer> counts,
                 Integer row) {
    const auto holds = [&](const std::vector<Integer>& loops) {
        Affine within = 0;
        Integer block = 1;
        for (std::size_t k = loops.size(); k-- > 0; block *= loops[k])
            within += Affine::of(recorder.new_variable(loops[k]), block);
        constexpr Integer most_one_by_one = 1024;
        const Integer blocks = entries / block;
        if (blocks <= most_one_by_one) return endpoint.can_pair(blocks, block, within, recorder.extents());
        return can_pair_blocks(recorder, endpoint, 0, blocks, block, within);
    };
    if (counts.empty()) counts = {entries};
    if (holds(counts)) return true;
    for (std::size_t k = 0; k < counts.size(); ++k)
        for (Integer inner = 2; inner <= row && inner < counts[k]; ++inner) {
            if (row % inner != 0 || counts[k] % inner != 0) continue;
            std::vector<Integer> split = counts;
            split[k] = inner;
            split.insert(split.begin() + static_cast<std::ptrdiff_t>(k), counts[k] / inner);
            if (holds(split)) return true;
        }
    return false;
}

} // namespace swirl::loops
