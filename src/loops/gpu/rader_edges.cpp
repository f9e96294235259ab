#include "loops/gpu/rader_edges.hpp"

#include "loops/gpu/fusion.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

using formula::Complex;

/// The calls around a matrix.
struct Edge {
    CallIndex before; ///< writes all entries but the first
    CallIndex in;     ///< moves the caller's entry to entry 0
    CallIndex matrix;
    CallIndex out;   ///< moves entry 0 to the caller's vector
    CallIndex after; ///< reads all entries but the first
    std::vector<Complex> entries;
};

bool is_single(const Call& call) {
    return !call.limit && std::all_of(call.loops.begin(), call.loops.end(),
                                      [](const Loop& loop) { return loop.count == 1; });
}

/// Whether the call moves a single entry to, or from, entry 0 of the array.
bool moves_first(const Call& call, const std::vector<Location>& near, const std::vector<Location>& far) {
    return !call.codelet.formula && is_single(call) && call.complex && near.size() == 1 && far.size() == 1 &&
           near[0].re == Affine(0) && is_plain(near[0]) && is_plain(far[0]) && near[0].diagonals.empty();
}

bool touches_all_but_first(const std::vector<Location>& locations, const Extents& extents) {
    return std::all_of(locations.begin(), locations.end(), [&](const Location& location) {
        return is_plain(location) && bounds(location.re, extents).first >= 1;
    });
}

const formula::Matrix* matrix_of(const Call& call) {
    if (!call.codelet.formula || !call.codelet.then.empty() || !is_single(call) || !call.complex)
        return nullptr;
    const auto* matrix = call.codelet.formula->get_if<formula::Matrix>();
    const auto &sources = call.placement.sources, &targets = call.placement.targets;
    if (!matrix || sources.size() != 2 || targets.size() != 2) return nullptr;
    for (const auto* locations : {&sources, &targets})
        for (std::size_t k = 0; k < 2; ++k)
            if ((*locations)[k].re != Affine(static_cast<Integer>(k)) || !is_plain((*locations)[k]) ||
                !(*locations)[k].diagonals.empty())
                return nullptr;
    return matrix;
}

class EdgeFinder {
public:
    EdgeFinder(const LoopProgram& loops, std::vector<KernelRegion>& regions, int array)
        : loops_(loops), regions_(regions), array_(array) {}

    std::optional<Edge> find() {
        const Users users = users_of(regions_, array_);
        if (users.writers.size() != 3 || users.readers.size() != 3) return std::nullopt;
        Edge edge;
        int found = 0;
        for (const CallIndex& index : users.writers) found += add_writer(edge, index);
        for (const CallIndex& index : users.readers) found += add_reader(edge, index);
        if (found != 0b11111 || !(edge.before < edge.matrix && edge.matrix < edge.after)) return std::nullopt;
        return edge;
    }

private:
    Array::Role role_of(const Memory& memory) const {
        return loops_.arrays[static_cast<std::size_t>(memory.array)].role;
    }

    int add_writer(Edge& edge, const CallIndex& index) {
        const Call& call = call_at(regions_, index);
        if (const auto* matrix = matrix_of(call); matrix && call.input.array == array_) {
            edge.matrix = index;
            edge.entries = matrix->entries;
            return 0b1;
        }
        if (moves_first(call, call.placement.targets, call.placement.sources) &&
            role_of(call.input) == Array::Role::input) {
            edge.in = index;
            return 0b10;
        }
        if (!call.codelet.formula || !touches_all_but_first(call.placement.targets, loops_.extents)) return 0;
        edge.before = index;
        return 0b100;
    }

    int add_reader(Edge& edge, const CallIndex& index) {
        const Call& call = call_at(regions_, index);
        if (matrix_of(call) != nullptr) return 0;
        Call cleared = call;
        for (Location& source : cleared.placement.sources) source.diagonals.clear();
        if (moves_first(cleared, cleared.placement.sources, cleared.placement.targets) &&
            role_of(call.output) == Array::Role::output) {
            edge.out = index;
            return 0b1000;
        }
        if (!call.codelet.formula || !touches_all_but_first(call.placement.sources, loops_.extents)) return 0;
        edge.after = index;
        return 0b10000;
    }

    const LoopProgram& loops_;
    std::vector<KernelRegion>& regions_;
    int array_;
};

/// Removes calls other than `first` and `second`, and updates these two positions.
void take_out(std::vector<KernelRegion>& regions, std::vector<CallIndex> gone, CallIndex& first,
              CallIndex& second) {
    std::sort(gone.begin(), gone.end());
    for (auto index = gone.rbegin(); index != gone.rend(); ++index) {
        std::vector<Call>& calls = regions[index->region].calls;
        calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(index->call));
        for (CallIndex* const stays : {&first, &second})
            if (stays->region == index->region && stays->call > index->call) --stays->call;
    }
    for (std::size_t p = regions.size(); p-- > 0;) {
        if (!regions[p].calls.empty()) continue;
        regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(p));
        for (CallIndex* const stays : {&first, &second})
            if (stays->region > p) --stays->region;
    }
}

/// Adds the matrix to the codelet of two fused calls. It acts on the caller's entry and on entry 1 of the vector
/// between the calls, which the codelet has first where `index`, with non-negative coefficients, is 0.
void add_edge(Call& call, const Edge& edge, const Affine& index, Integer entries, const Call& in,
              const Call& out) {
    const Integer r = call.codelet.rows;
    const Complex a = edge.entries[0], b = edge.entries[1], c = edge.entries[2], d = edge.entries[3];
    std::vector<formula::Formula> factors;
    factors.push_back(formula::direct_sum(
        std::vector<formula::Formula>{formula::matrix(2, 2, {a, b, c / d, 1}), formula::I(r - 1)}));
    factors.push_back(
        formula::direct_sum(std::vector<formula::Formula>{formula::I(1), call.codelet.then.front()}));
    call.codelet.formula =
        formula::direct_sum(std::vector<formula::Formula>{formula::I(1), *call.codelet.formula});
    call.codelet.then = std::move(factors);
    std::vector<std::vector<FoldedDiagonal>> none(static_cast<std::size_t>(r));
    call.placement.between.insert(call.placement.between.begin(), std::move(none));
    std::vector<Complex> scales(static_cast<std::size_t>(entries), 1);
    scales.front() = d;
    const formula::Formula scale = formula::diagonal(std::move(scales));
    call.placement.between.back().front().push_back({*scale.get_if<formula::Diagonal>(), index, {}});
    call.first_source = BoundaryEntry{in.input, in.placement.sources.front()};
    call.first_target = BoundaryEntry{out.output, out.placement.targets.front()};
    auto& diagonals = call.first_target->location.diagonals;
    const auto& more = out.placement.sources.front().diagonals;
    diagonals.insert(diagonals.end(), more.begin(), more.end());
    call.first_source->location.limit = call.first_target->location.limit = index - 1;
}

void fuse_edge(LoopProgram& loops, std::vector<KernelRegion>& regions, int array) {
    const auto edge = EdgeFinder(loops, regions, array).find();
    if (!edge) return;
    std::vector<KernelRegion> changed = regions;
    const Call first = call_at(regions, edge->before), second = call_at(regions, edge->after);
    const Call in = call_at(regions, edge->in), out = call_at(regions, edge->out);
    if (!first.codelet.then.empty() || !second.codelet.then.empty() || edge->entries[3] == Complex(0)) return;
    const bool is_around = is_within(changed[edge->before.region], changed[edge->in.region]) &&
                           is_within(changed[edge->after.region], changed[edge->out.region]);
    const Affine index = first.placement.targets.front().re - 1;
    if (!is_around || index.constant() != 0 ||
        std::any_of(index.terms().begin(), index.terms().end(),
                    [](const Affine::Term& term) { return term.coefficient < 0; }))
        return;
    CallIndex before = edge->before, after = edge->after;
    take_out(changed, {edge->in, edge->matrix, edge->out}, before, after);
    LoopProgram extended = loops;
    const auto entries = fuse_two_calls(extended, changed, before, after);
    if (!entries || !std::is_sorted(entries->order.begin(), entries->order.end())) return;
    add_edge(call_at(changed, before), *edge, entries->first_target - 1,
             loops.arrays[static_cast<std::size_t>(array)].elements, in, out);
    loops = std::move(extended);
    regions = std::move(changed);
}

} // namespace

void fuse_edges(KernelRegions& kernels, const RegionRequest&) {
    LoopProgram& loops = kernels.loops;
    std::vector<KernelRegion>& regions = kernels.regions;
    for (int array = 0; array < static_cast<int>(loops.arrays.size()); ++array)
        if (is_complex_temporary(loops, array)) fuse_edge(loops, regions, array);
}

} // namespace swirl::loops
