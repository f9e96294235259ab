#include "lower/gpu_staging.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::lower {

namespace {

bool is_of(const std::vector<Loop>& loops, Variable variable) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const Loop& loop) { return loop.variable == variable; });
}

/// Scalars of an entry as addresses count them.
Integer scalars_of(const Memory& memory) { return memory.kind == Memory::Kind::interleaved ? 2 : 1; }

/// One side of a part: where it touches an array.
struct Touch {
    Memory* memory;
    std::vector<Location>* places;
    const Call* call;
};

std::vector<Touch> touches_of(GpuPart& part, int array, bool reading) {
    std::vector<Touch> touches;
    for (Call& call : part.calls) {
        Memory& memory = reading ? call.input : call.output;
        auto& places = reading ? call.placement.sources : call.placement.targets;
        if (memory.array == array && !places.empty()) touches.push_back({&memory, &places, &call});
    }
    return touches;
}

/// The entries first + step·i, i < count, of each iteration of the loops around; `around` has these loops' part.
struct Run {
    Affine around;
    Integer first = 0;
    Integer step = 1;
    Integer count = 0;
};

Affine part_of(const Affine& form, const std::vector<Loop>& loops) {
    Affine result = 0;
    for (const auto& [variable, coefficient] : form.terms())
        if (is_of(loops, variable)) result += Affine::of(variable, coefficient);
    return result;
}

/// Of a run that is read, the share of entries that may serve nothing.
constexpr Integer least_read = 3, of_entries = 4;

/// Finds the run of entries that the touches make up, each entry touched once; where they are read, some of them not at all.
class RunFinder {
public:
    RunFinder(const std::vector<Touch>& touches, const std::vector<Loop>& around, const LoopProgram& loops,
              bool reading)
        : touches_(touches), around_(around), loops_(loops), extents_(loops.extents), reading_(reading) {}

    std::optional<Run> find() const {
        Run run;
        run.around = part_of(touches_.front().places->front().re, around_);
        const Integer scalars = scalars_of(*touches_.front().memory);
        Integer lowest = 0, highest = 0, divisor = 0;
        bool is_first = true;
        for (const Touch& touch : touches_)
            for (const Location& place : *touch.places) {
                if (part_of(place.re, around_) != run.around) return std::nullopt;
                // What depends on the place may say that memory is not to be touched there.
                if (!place.forms.empty() && !place.forms.front().empty()) return std::nullopt;
                if (place.limit) return std::nullopt;
                if (scalars == 2 && place.im != place.re + 1) return std::nullopt;
                for (const Affine* form : {&place.re, &place.im}) {
                    if (scalars == 2 && form == &place.im) continue;
                    const Affine own = *form - run.around;
                    const auto [low, high] = bounds(own, extents_);
                    if (is_first) run.first = own.constant();
                    lowest = is_first ? low : std::min(lowest, low);
                    highest = is_first ? high : std::max(highest, high);
                    is_first = false;
                    divisor = std::gcd(divisor, own.constant() - run.first);
                    for (const auto& term : own.terms()) divisor = std::gcd(divisor, term.coefficient);
                }
            }
        run.first = lowest;
        run.step = std::max<Integer>(divisor, 1);
        run.count = (highest - lowest) / run.step + 1;
        if (!trim_to_what_is_touched(run)) return std::nullopt;
        if (reading_) fill_up(run);
        return run;
    }

private:
    /// Reads all from where the iteration of the innermost loop around begins to where the next one does, if these are near and in
    /// the array.
    void fill_up(Run& run) const {
        if (around_.empty()) return;
        const Integer distance = run.around.coefficient(around_.back().variable);
        if (const Integer before = run.first / run.step;
            run.first > 0 && run.first % run.step == 0 && before <= run.count / 8) {
            run.first = 0;
            run.count += before;
        }
        const Integer more = distance / run.step - run.count;
        if (distance % run.step != 0 || more <= 0 || more > run.count / 8) return;
        const Memory& memory = *touches_.front().memory;
        const Array& array = loops_.arrays[static_cast<std::size_t>(memory.array)];
        const Integer end = scalars_of(memory) * (array.first + array.elements);
        if (bounds(run.around, extents_).second + run.first + run.step * (run.count + more - 1) < end)
            run.count += more;
    }

    /// Of a run that the steps touch enough of. Indices in tables may seem to go anywhere.
    Integer most_entries(const Run& run) const {
        Integer touched = 0;
        for (const Touch& touch : touches_) {
            Integer iterations = 1;
            for (const Loop& loop : touch.call->loops) iterations *= loop.count;
            touched += 2 * std::min(iterations, run.count) * std::ssize(*touch.places);
        }
        return touched * of_entries / least_read;
    }

    /// Leaves out the ends that nothing touches, which tables of indices seem to reach; whether each of the rest is touched once.
    bool trim_to_what_is_touched(Run& run) const {
        if (run.count > most_entries(run)) return false;
        std::vector<bool> touched(static_cast<std::size_t>(run.count));
        Integer total = 0;
        for (const Touch& touch : touches_)
            for (const Location& place : *touch.places) {
                const bool in_parts = place.im != place.re && scalars_of(*touch.memory) == 1;
                for (const Affine* form : {&place.re, &place.im}) {
                    if (form == &place.im && !in_parts) continue;
                    if (!mark(*form - run.around, place.table, *touch.call, run, touched, total))
                        return false;
                }
            }
        const auto first = std::find(touched.begin(), touched.end(), true);
        const auto last = std::find(touched.rbegin(), touched.rend(), true);
        run.first += run.step * (first - touched.begin());
        run.count -= (first - touched.begin()) + (last - touched.rbegin());
        return reading_ ? of_entries * total >= least_read * run.count : total == run.count;
    }

    static bool mark(const Affine& own, const std::optional<IndexTable>& table, const Call& call,
                     const Run& run, std::vector<bool>& touched, Integer& total) {
        Integer iterations = 1;
        for (const Loop& loop : call.loops) iterations *= loop.count;
        if (iterations > run.count) return false;
        for (Integer iteration = 0; iteration < iterations; ++iteration) {
            const IndexTable::Lookup lookup = [&](Variable variable) {
                if (table && variable == table->symbol) return table->value(lookup);
                Integer rest = iteration;
                for (const Loop& loop : call.loops) {
                    if (loop.variable == variable) return rest % loop.count;
                    rest /= loop.count;
                }
                return Integer{0};
            };
            const Integer at = own.evaluate(lookup);
            const auto entry = static_cast<std::size_t>((at - run.first) / run.step);
            if (touched[entry]) return false;
            touched[entry] = true;
            ++total;
        }
        return true;
    }

    const std::vector<Touch>& touches_;
    const std::vector<Loop>& around_;
    const LoopProgram& loops_;
    const Extents& extents_;
    bool reading_;
};

/// What a form of scalars of the run's array is as an entry of the run.
Affine entry_of(const Affine& form, const Run& run) {
    const Affine own = form - run.around - run.first;
    Affine entry = own.constant() / run.step;
    for (const auto& [variable, coefficient] : own.terms())
        entry += Affine::of(variable, coefficient / run.step);
    return entry;
}

bool is_even(const Affine& form) {
    return form.constant() % 2 == 0 &&
           std::all_of(form.terms().begin(), form.terms().end(),
                       [](const Affine::Term& term) { return term.coefficient % 2 == 0; });
}

/// Whether pairs of neighbours make up the run, at even places.
bool goes_by_pairs(const Run& run) {
    return run.step == 1 && run.count % 2 == 0 && run.first % 2 == 0 && is_even(run.around);
}

/// Whether a copy of the run goes along either part of numbers alone, real or imaginary.
bool keeps_to_one_part(const Run& run) { return run.step % 2 == 0 && is_even(run.around); }

/// Shared memory in place of the array, and the copy between the two; nothing where there is no such run.
std::optional<Call> stage(LoopProgram& loops, GpuPart& part, int array, bool reading) {
    const std::vector<Touch> touches = touches_of(part, array, reading);
    if (touches.empty()) return std::nullopt;
    const auto run = RunFinder(touches, part.around, loops, reading).find();
    if (!run) return std::nullopt;
    if (loops.arrays[static_cast<std::size_t>(array)].parts_apart && !goes_by_pairs(*run) &&
        !keeps_to_one_part(*run))
        return std::nullopt;
    const Memory whole = *touches.front().memory;
    const bool complex = whole.kind == Memory::Kind::interleaved;
    const Memory staged{complex ? Memory::Kind::planar : Memory::Kind::real,
                        static_cast<int>(loops.arrays.size())};
    Array vector{Array::Role::temporary, staged.kind, 0, run->count};
    vector.residence = Array::Residence::shared;
    vector.gapless = !complex && goes_by_pairs(*run) && run->count / 2 % 2 != 0;
    loops.arrays.push_back(vector);
    for (const Touch& touch : touches) {
        *touch.memory = staged;
        for (Location& place : *touch.places) {
            place.im = complex ? entry_of(place.re, *run) : entry_of(place.im, *run);
            place.re = entry_of(place.re, *run);
        }
    }
    const Integer together = !complex && goes_by_pairs(*run) ? 2 : 1;
    const Loop loop{static_cast<Variable>(loops.extents.size()), run->count / together};
    loops.extents.set(loop.variable, loop.count);
    Location outside, inside;
    outside.re = run->around + run->first + Affine::of(loop.variable, together * run->step);
    outside.im = complex || together == 2 ? outside.re + 1 : outside.re;
    inside.re = Affine::of(loop.variable, together);
    inside.im = together == 2 ? inside.re + 1 : inside.re;
    const bool numbers = complex || together == 2;
    Call copy{copying_codelet(), reading ? whole : staged, reading ? staged : whole, numbers, {}, {}};
    copy.placement.sources = {reading ? outside : inside};
    copy.placement.targets = {reading ? inside : outside};
    copy.loops = {loop};
    return copy;
}

} // namespace

void stage(LoopProgram& loops, GpuPart& part, bool in, bool out) {
    std::vector<Call> before, after;
    const std::size_t arrays = loops.arrays.size();
    for (std::size_t k = 0; k < arrays; ++k) {
        const Array& array = loops.arrays[k];
        if (array.role == Array::Role::temporary && array.residence == Array::Residence::shared) continue;
        const auto of_side = [&](bool staged, bool reading) {
            return staged ? stage(loops, part, static_cast<int>(k), reading) : std::nullopt;
        };
        if (auto copy = of_side(in, true)) before.push_back(std::move(*copy));
        if (auto copy = of_side(out, false)) after.push_back(std::move(*copy));
    }
    part.calls.insert(part.calls.begin(), before.begin(), before.end());
    part.calls.insert(part.calls.end(), after.begin(), after.end());
}

std::optional<Call> over_all_transforms(const LoopProgram& loops, const GpuPart& part, const Call& call,
                                        Integer transforms) {
    if (part.around.empty() || transforms == 1) return std::nullopt;
    if (call.codelet.formula || call.placement.sources.size() != 1 || call.loops.size() != 1)
        return std::nullopt;
    const bool reading = is_shared(loops, call.output);
    const Location& inside = reading ? call.placement.targets[0] : call.placement.sources[0];
    const Location& outside = reading ? call.placement.sources[0] : call.placement.targets[0];
    const Memory& shared = reading ? call.output : call.input;
    if (is_shared(loops, reading ? call.input : call.output) || !is_shared(loops, shared))
        return std::nullopt;
    for (const Location* place : {&inside, &outside})
        if (place->table || !place->diagonals.empty() || !place->forms.empty() || place->re_negative ||
            place->im_negative)
            return std::nullopt;
    const Loop& loop = call.loops.front();
    const Integer step = outside.re.coefficient(loop.variable);
    const Integer together = inside.re.coefficient(loop.variable);
    const bool in_order =
        inside.re == Affine::of(loop.variable, together) &&
        loops.arrays[static_cast<std::size_t>(shared.array)].pitch == together * loop.count &&
        outside.re.coefficient(part.around.back().variable) == step * loop.count;
    if (!in_order) return std::nullopt;
    Call whole = call;
    whole.loops.front().count *= transforms;
    return whole;
}

} // namespace swirl::lower
