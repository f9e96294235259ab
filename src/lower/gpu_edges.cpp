#include "lower/gpu_edges.hpp"

#include "lower/gpu_fusion.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

using formula::Complex;

/// The steps around a matrix.
struct Edge {
    StepPlace before; ///< writes the entries but the first
    StepPlace in;     ///< moves the caller's entry to the first
    StepPlace matrix;
    StepPlace out;   ///< moves the first entry to the caller
    StepPlace after; ///< reads the entries but the first
    std::vector<Complex> entries;
};

bool is_single(const Call& call) {
    return !call.limit && std::all_of(call.loops.begin(), call.loops.end(),
                                      [](const Loop& loop) { return loop.count == 1; });
}

/// What the step moves, if it moves a single entry to, or from, entry 0 of the array.
bool moves_first(const Call& call, const std::vector<Location>& near, const std::vector<Location>& far) {
    return !call.codelet.formula && is_single(call) && call.complex && near.size() == 1 && far.size() == 1 &&
           near[0].re == Affine(0) && is_plain(near[0]) && is_plain(far[0]) && near[0].diagonals.empty();
}

bool touches_all_but_first(const std::vector<Location>& places, const Extents& extents) {
    return std::all_of(places.begin(), places.end(), [&](const Location& place) {
        return is_plain(place) && bounds(place.re, extents).first >= 1;
    });
}

const formula::Matrix* matrix_of(const Call& call) {
    if (!call.codelet.formula || !call.codelet.then.empty() || !is_single(call) || !call.complex)
        return nullptr;
    const auto* matrix = call.codelet.formula->get_if<formula::Matrix>();
    const auto &sources = call.placement.sources, &targets = call.placement.targets;
    if (!matrix || sources.size() != 2 || targets.size() != 2) return nullptr;
    for (const auto* places : {&sources, &targets})
        for (std::size_t k = 0; k < 2; ++k)
            if ((*places)[k].re != Affine(static_cast<Integer>(k)) || !is_plain((*places)[k]) ||
                !(*places)[k].diagonals.empty())
                return nullptr;
    return matrix;
}

class EdgeFinder {
public:
    EdgeFinder(const LoopProgram& loops, std::vector<GpuPart>& parts, int array)
        : loops_(loops), parts_(parts), array_(array) {}

    std::optional<Edge> find() {
        const Users users = users_of(parts_, array_);
        if (users.writers.size() != 3 || users.readers.size() != 3) return std::nullopt;
        Edge edge;
        int found = 0;
        for (const StepPlace& place : users.writers) found += add_writer(edge, place);
        for (const StepPlace& place : users.readers) found += add_reader(edge, place);
        if (found != 0b11111 || !(edge.before < edge.matrix && edge.matrix < edge.after)) return std::nullopt;
        return edge;
    }

private:
    Array::Role role_of(const Memory& memory) const {
        return loops_.arrays[static_cast<std::size_t>(memory.array)].role;
    }

    int add_writer(Edge& edge, const StepPlace& place) {
        const Call& call = call_at(parts_, place);
        if (const auto* matrix = matrix_of(call); matrix && call.input.array == array_) {
            edge.matrix = place;
            edge.entries = matrix->entries;
            return 0b1;
        }
        if (moves_first(call, call.placement.targets, call.placement.sources) &&
            role_of(call.input) == Array::Role::input) {
            edge.in = place;
            return 0b10;
        }
        if (!call.codelet.formula || !touches_all_but_first(call.placement.targets, loops_.extents)) return 0;
        edge.before = place;
        return 0b100;
    }

    int add_reader(Edge& edge, const StepPlace& place) {
        const Call& call = call_at(parts_, place);
        if (matrix_of(call) != nullptr) return 0;
        Call cleared = call;
        for (Location& source : cleared.placement.sources) source.diagonals.clear();
        if (moves_first(cleared, cleared.placement.sources, cleared.placement.targets) &&
            role_of(call.output) == Array::Role::output) {
            edge.out = place;
            return 0b1000;
        }
        if (!call.codelet.formula || !touches_all_but_first(call.placement.sources, loops_.extents)) return 0;
        edge.after = place;
        return 0b10000;
    }

    const LoopProgram& loops_;
    std::vector<GpuPart>& parts_;
    int array_;
};

/// Takes steps out, none of which is one of the two that stay; these are then where they are afterwards.
void take_out(std::vector<GpuPart>& parts, std::vector<StepPlace> gone, StepPlace& first, StepPlace& second) {
    std::sort(gone.begin(), gone.end());
    for (auto place = gone.rbegin(); place != gone.rend(); ++place) {
        std::vector<Call>& calls = parts[place->part].calls;
        calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(place->step));
        for (StepPlace* const stays : {&first, &second})
            if (stays->part == place->part && stays->step > place->step) --stays->step;
    }
    for (std::size_t p = parts.size(); p-- > 0;) {
        if (!parts[p].calls.empty()) continue;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(p));
        for (StepPlace* const stays : {&first, &second})
            if (stays->part > p) --stays->part;
    }
}

/// Two fused steps, with the matrix between the caller's entry and what was entry 1 of the vector between them, which the
/// codelet has first where `index`, of no negative coefficients, is 0.
void add_edge(Call& call, const Edge& edge, const Affine& index, Integer entries, const Call& in,
              const Call& out) {
    const Integer r = call.codelet.rows;
    const Complex a = edge.entries[0], b = edge.entries[1], c = edge.entries[2], d = edge.entries[3];
    std::vector<formula::Formula> steps;
    steps.push_back(formula::direct_sum(
        std::vector<formula::Formula>{formula::matrix(2, 2, {a, b, c / d, 1}), formula::I(r - 1)}));
    steps.push_back(
        formula::direct_sum(std::vector<formula::Formula>{formula::I(1), call.codelet.then.front()}));
    call.codelet.formula =
        formula::direct_sum(std::vector<formula::Formula>{formula::I(1), *call.codelet.formula});
    call.codelet.then = std::move(steps);
    std::vector<std::vector<MetDiagonal>> none(static_cast<std::size_t>(r));
    call.placement.between.insert(call.placement.between.begin(), std::move(none));
    std::vector<Complex> scales(static_cast<std::size_t>(entries), 1);
    scales.front() = d;
    const formula::Formula scale = formula::diagonal(std::move(scales));
    call.placement.between.back().front().push_back({*scale.get_if<formula::Diagonal>(), index, {}});
    call.first_source = CallersEntry{in.input, in.placement.sources.front()};
    call.first_target = CallersEntry{out.output, out.placement.targets.front()};
    auto& diagonals = call.first_target->place.diagonals;
    const auto& more = out.placement.sources.front().diagonals;
    diagonals.insert(diagonals.end(), more.begin(), more.end());
    call.first_source->place.limit = call.first_target->place.limit = index - 1;
}

void fuse_edge(LoopProgram& loops, std::vector<GpuPart>& parts, int array) {
    const auto edge = EdgeFinder(loops, parts, array).find();
    if (!edge) return;
    std::vector<GpuPart> changed = parts;
    const Call first = call_at(parts, edge->before), second = call_at(parts, edge->after);
    const Call in = call_at(parts, edge->in), out = call_at(parts, edge->out);
    if (!first.codelet.then.empty() || !second.codelet.then.empty() || edge->entries[3] == Complex(0)) return;
    const bool is_around = is_within(changed[edge->before.part], changed[edge->in.part]) &&
                           is_within(changed[edge->after.part], changed[edge->out.part]);
    const Affine index = first.placement.targets.front().re - 1;
    if (!is_around || index.constant() != 0 ||
        std::any_of(index.terms().begin(), index.terms().end(),
                    [](const Affine::Term& term) { return term.coefficient < 0; }))
        return;
    StepPlace before = edge->before, after = edge->after;
    take_out(changed, {edge->in, edge->matrix, edge->out}, before, after);
    LoopProgram extended = loops;
    const auto entries = fuse_two_steps(extended, changed, before, after);
    if (!entries || !std::is_sorted(entries->order.begin(), entries->order.end())) return;
    add_edge(call_at(changed, before), *edge, entries->first_target - 1,
             loops.arrays[static_cast<std::size_t>(array)].elements, in, out);
    loops = std::move(extended);
    parts = std::move(changed);
}

} // namespace

void fuse_edges(LoopProgram& loops, std::vector<GpuPart>& parts) {
    for (int array = 0; array < static_cast<int>(loops.arrays.size()); ++array)
        if (is_vector_of_numbers(loops, array)) fuse_edge(loops, parts, array);
}

} // namespace swirl::lower
