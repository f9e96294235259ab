#include "loops/callbacks.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace swirl::loops {

namespace {

/// The form modulo 2 if that is the same for all values of its variables.
std::optional<Integer> parity(const Affine& form) {
    for (const Affine::Term& term : form.terms())
        if (term.coefficient % 2 != 0) return std::nullopt;
    return modulo(form.constant(), Integer{2});
}

/// One component of a location as a real.
ElementAccess real_at(const std::vector<Location>& locations, std::size_t position, bool imaginary) {
    Location location = locations[position];
    location.re = location.im = imaginary ? location.im : location.re;
    location.forms = {location.forms.at(imaginary ? 1 : 0)};
    return {std::move(location), false, ElementAccess::Component{position, imaginary}, std::nullopt};
}

} // namespace

std::optional<std::vector<ElementAccess>> element_accesses(const std::vector<Location>& locations,
                                                           bool complex,
                                                           const std::optional<Pointwise>& pointwise) {
    std::vector<ElementAccess> accesses;
    // By address of the real component, and by the element's indices: with strides of 0 elements share an address.
    std::map<std::pair<Affine, std::vector<Affine>>, std::size_t> known;
    for (std::size_t position = 0; position < locations.size(); ++position) {
        if (complex && locations[position].forms.size() == 1) {
            accesses.push_back({locations[position], true, ElementAccess::Component{position, false},
                                ElementAccess::Component{position, true}});
            continue;
        }
        for (const bool imaginary : {false, true}) {
            if (imaginary && !complex) continue;
            ElementAccess component = real_at(locations, position, imaginary);
            if (!pointwise->half) {
                accesses.push_back(std::move(component));
                continue;
            }
            const auto odd = parity(component.location.re);
            if (!odd || component.location.table) return std::nullopt;
            component.location.re -= *odd;
            component.location.im = component.location.re + 1;
            component.whole = true;
            const auto [at, is_new] = known.emplace(
                std::pair(component.location.re, component.location.forms.front()), accesses.size());
            if (is_new) accesses.push_back({component.location, true, std::nullopt, std::nullopt});
            ElementAccess& element = accesses[at->second];
            (*odd == 1 ? element.im : element.re) = ElementAccess::Component{position, imaginary};
        }
    }
    return accesses;
}

bool is_real_element(const ElementAccess& element, const Pointwise::HalfSpectrum& half,
                     const Extents& extents) {
    const Affine& form = element.location.forms.front()[static_cast<std::size_t>(half.form)];
    const auto is_real = [&](Integer at) { return at == 0 || 2 * at == half.n; };
    if (form.is_constant()) return is_real(form.constant());
    const auto [low, high] = bounds(form, extents);
    const bool two_values = form.terms().size() == 1 && extents[form.terms().front().variable] == 2;
    return two_values && is_real(low) && is_real(high);
}

bool has_complete_elements(const Call& call, const Extents& extents, const std::optional<Pointwise>& load,
                           const std::optional<Pointwise>& store) {
    const auto is_whole = [&](const ElementAccess& element) {
        return (element.re && element.im) || is_real_element(element, *store->half, extents);
    };
    const auto& [sources, targets, between] = call.placement;
    const bool reads = !sources.empty() && !sources.front().forms.empty();
    if (reads && load->half && !element_accesses(sources, call.complex, load)) return false;
    // Another iteration may read an element while this one writes one of its components.
    const bool in_place = call.input.array == call.output.array;
    if (reads && load->half && in_place && !call.loops.empty()) return false;
    if (targets.front().forms.empty() || !store->half) return true;
    const auto accesses = element_accesses(targets, call.complex, store);
    return accesses && std::all_of(accesses->begin(), accesses->end(), is_whole);
}

bool are_exact_in_lanes(const Pointwise& pointwise, const std::vector<Location>& locations,
                        const Extents& extents, DataType scalar) {
    const Integer limit = scalar == DataType::float64 ? Integer{1} << 53 : Integer{1} << 24;
    std::vector<int> forms;
    for (const auto* conditions : {&pointwise.needed, &pointwise.where})
        for (const Pointwise::Condition& condition : *conditions) forms.push_back(condition.form);
    for (const Pointwise::Node& node : pointwise.nodes)
        if (node.op == Pointwise::Op::form || node.op == Pointwise::Op::form_negative ||
            node.op == Pointwise::Op::form_nonnegative || node.op == Pointwise::Op::form_zero)
            forms.push_back(node.form);
    return std::all_of(forms.begin(), forms.end(), [&](int form) {
        return std::all_of(locations.begin(), locations.end(), [&](const Location& location) {
            return std::all_of(location.forms.begin(), location.forms.end(), [&](const auto& own) {
                const auto [low, high] = bounds(own[static_cast<std::size_t>(form)], extents);
                return -limit < low && high < limit;
            });
        });
    });
}

namespace {

bool suits_callbacks(const Request& request, const Extents& extents, const Nodes& nodes) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
        if (const auto* nest = std::get_if<Nest>(&node.node))
            return suits_callbacks(request, extents, nest->body);
        const Call& call = std::get<Call>(node.node);
        const auto& [sources, targets, between] = call.placement;
        const bool is_looked_up = is_tabled(sources) || is_tabled(targets);
        const bool is_at_end = has_callback(sources) || has_callback(targets);
        return !(is_looked_up && is_at_end) &&
               has_complete_elements(call, extents, request.load, request.store);
    });
}

void remove_inexact_tags(const Request& request, const Extents& extents, Nodes& nodes) {
    const auto suits = [&](const std::optional<Pointwise>& pointwise,
                           const std::vector<Location>& locations) {
        return !has_callback(locations) || are_exact_in_lanes(*pointwise, locations, extents, request.scalar);
    };
    for (Node& node : nodes) {
        if (auto* const nest = std::get_if<Nest>(&node.node)) {
            remove_inexact_tags(request, extents, nest->body);
            continue;
        }
        Call& call = std::get<Call>(node.node);
        if (suits(request.load, call.placement.sources) && suits(request.store, call.placement.targets))
            continue;
        for (Loop& loop : call.loops) loop.vec.reset();
    }
}

} // namespace

bool suits_callbacks(const LoopProgram& program, const Request& request) {
    return suits_callbacks(request, program.extents, program.body);
}

std::vector<Request> variants_for_callbacks(const Request& request) {
    if (!request.load && !request.store) return {request};
    std::vector<formula::Formula> formulas{request.formula};
    if (request.by_complex_entries) formulas.push_back(*request.by_complex_entries);
    std::vector<Request> variants;
    const auto add = [&](const formula::Formula& formula, CopiedEnds copied) {
        variants.push_back(request);
        variants.back().formula = formula;
        variants.back().copied = copied;
    };
    for (const formula::Formula& formula : formulas) add(formula, {});
    for (const formula::Formula& formula : formulas)
        for (const CopiedEnds copied : {CopiedEnds{true, false}, {false, true}, {true, true}})
            add(formula, copied);
    return variants;
}

void remove_inexact_vector_tags(LoopProgram& program, const Request& request) {
    if (request.load || request.store) remove_inexact_tags(request, program.extents, program.body);
}

} // namespace swirl::loops
