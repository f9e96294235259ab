// Products of tiles, and fences of what reads tiles.
#include "ir/interpreter_machine.hpp"
#include "ir/tile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace swirl::ir {

using namespace interpreted;

namespace {

/// The value whose fraction, as a float32's, has zeros for the lowest bits.
double without_bits(double value, int ignored) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<float>(bits & ~((1U << ignored) - 1U));
}

std::vector<TensorCoreFactor> factors_of(const std::vector<double>& values, const TileInstruction& entry) {
    std::vector<TensorCoreFactor> result;
    result.reserve(values.size());
    for (const double value : values) result.push_back(tensor_core_factor(value, entry.least_exponent));
    return result;
}

} // namespace

void Interpreter::Machine::tile_product(const Step& step, Threads threads) {
    const TileOperation& tile = *step.source->tile;
    const auto team = static_cast<std::size_t>(tile.instruction->threads);
    const auto differs = [&](int t, int from) {
        return std::any_of(step.places.begin(), step.places.end(),
                           [&](const Place& place) { return base(place, t) != base(place, from); });
    };
    for (std::size_t first = 0; first < threads.size(); first += team) {
        const int thread = threads[first];
        for (std::size_t t = 1; t < team; ++t)
            if (differs(threads[first + t], thread)) report_team(step, threads[first + t]);
        const bool takes_registers = views_[static_cast<std::size_t>(step.places[0].buffer)].sums != nullptr;
        const std::vector<double> a =
            takes_registers ? read_registers(step, thread) : read_factor(step, 0, thread);
        const std::vector<double> b = read_factor(step, 1, thread);
        add_products(step, thread, a, b);
        report_.flops += tile.instruction->flops();
    }
}

/// Element (i, k) at i·depth + k. The threads of the team read it until all have waited.
std::vector<double> Interpreter::Machine::read_factor(const Step& step, std::size_t factor, int thread) {
    const TileOperation& tile = *step.source->tile;
    const TileInstruction& entry = *tile.instruction;
    const Place& place = step.places[factor];
    const View& view = views_[static_cast<std::size_t>(place.buffer)];
    const int rows = factor == 0 ? entry.rows : entry.columns;
    const Integer first = base(place, thread);
    if (modulo(first * view.element_bytes, tile_piece_bytes) != 0)
        report(Finding::Kind::misaligned, step, place.buffer, first, thread);
    auto reading =
        std::make_shared<Reading>(Reading{&step, place.buffer, {}, entry.threads, true, factor == 0});
    std::vector<double> values;
    Clock known;
    const Doer team = team_doer(thread, known);
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < entry.depth; ++k) {
            const Integer inside = first + place_in_tile(tile.layouts[factor], view.element_bytes, i, k);
            const Integer index = inside < 0 ? inside : swizzled(inside, view.element_bytes);
            if (index < view.low || index >= view.high) {
                report(Finding::Kind::out_of_bounds, step, place.buffer, index, thread);
                values.push_back(std::nan(""));
                continue;
            }
            const Integer at = position(view, index, thread);
            const double value = read_for_tile(step, place.buffer, index, at, team, thread);
            values.push_back(without_bits(value, entry.ignored_bits));
            reading->positions.push_back(at);
        }
    for (int t = 0; t < entry.threads; ++t)
        products_[static_cast<std::size_t>(thread + t)].open.push_back(reading);
    return values;
}

/// The first factor where it is in the registers of a team's threads, which are not to be accessed until waited for. Of what threads
/// load from shared memory nothing comes before what they have loaded before it.
std::vector<double> Interpreter::Machine::read_registers(const Step& step, int first_thread) {
    const TileInstruction& entry = *step.source->tile->instruction;
    const Place& place = step.places[0];
    const View& view = views_[static_cast<std::size_t>(place.buffer)];
    std::vector<double> values(static_cast<std::size_t>(entry.rows) * static_cast<std::size_t>(entry.depth));
    const auto reading =
        std::make_shared<Reading>(Reading{&step, place.buffer, {}, entry.threads, true, true});
    for (int t = 0; t < entry.threads; ++t) {
        const int thread = first_thread + t;
        std::int32_t& filled = reading->loads.emplace_back(0);
        for (int r = 0; r < entry.factor_registers(); ++r) {
            const Integer index = base(place, thread) + r, at = position(view, index, thread);
            use_register(step, place.buffer, index, thread);
            filled = std::max(filled, view.sums[at].filled);
            const double value = view.written[at] == 0 ? std::nan("") : view.cells[at].real;
            const int element = row_of_factor(t, r) * entry.depth + step_of_factor(t, r);
            values[static_cast<std::size_t>(element)] = without_bits(value, entry.ignored_bits);
        }
        products_[static_cast<std::size_t>(thread)].open.push_back(reading);
    }
    return values;
}

/// A product that begins now reads, or adds to, or sets, a register.
void Interpreter::Machine::use_register(const Step& step, Buffer buffer, Integer index, int thread) {
    const View& view = views_[static_cast<std::size_t>(buffer)];
    const Integer at = position(view, index, thread);
    Sum& used = view.sums[at];
    const bool is_read = buffer != step.buffer || step.source->tile->instruction->adds;
    if (is_read && view.written[at] == 0) report(Finding::Kind::unwritten_read, step, buffer, index, thread);
    if (used.products == 0 && used.touched > begins_[static_cast<std::size_t>(thread)])
        report(Finding::Kind::missing_begin, step, buffer, index, thread);
    ++used.products;
}

/// What the copy engine or a product reads, from now on until it is waited for.
double Interpreter::Machine::read_for_tile(const Step& step, Buffer buffer, Integer index, Integer position,
                                           const Doer& by, int thread) {
    const View& view = views_[static_cast<std::size_t>(buffer)];
    Element& element = view.elements[position];
    ++element.readers;
    if (view.written[position] == 0) {
        report(Finding::Kind::unwritten_read, step, buffer, index, thread);
        return std::nan("");
    }
    if (!by.comes_after(element.stored) || !element.added.all_before(by)) {
        report(Finding::Kind::race, step, buffer, index, thread);
    } else if (element.publication >= 0) {
        const auto& publications = publications_[static_cast<std::size_t>(element.stored.agent)];
        const auto wanted = static_cast<std::size_t>(element.publication);
        if (wanted >= publications.size() || !by.comes_after(publications[wanted]))
            report(Finding::Kind::unpublished_read, step, buffer, index, thread);
    }
    return view.cells[position].real;
}

void Interpreter::Machine::add_products(const Step& step, int first_thread, const std::vector<double>& a,
                                        const std::vector<double>& b) {
    const TileInstruction& entry = *step.source->tile->instruction;
    View& sums = view(step);
    const std::vector<TensorCoreFactor> lefts = factors_of(a, entry), rights = factors_of(b, entry);
    const auto depth = static_cast<std::size_t>(entry.depth);
    for (int t = 0; t < entry.threads; ++t) {
        const int thread = first_thread + t;
        for (int r = 0; r < entry.registers(); ++r) {
            const Integer index = base(step, thread) + r, at = position(sums, index, thread);
            use_register(step, step.buffer, index, thread);
            const std::span left(lefts.data() + row_of_sum(t, r) * entry.depth, depth);
            const std::span right(rights.data() + column_of_sum(t, r) * entry.depth, depth);
            const bool adds = entry.adds && sums.written[at] != 0;
            const float before = adds ? static_cast<float>(sums.cells[at].real) : 0.0F;
            sums.cells[at].real = tensor_core_sum(left, right, before, entry.sums);
            sums.written[at] = 1;
        }
    }
}

/// A register is stored to, which may become a product's factor: what comes of loads from here on is not in it.
void Interpreter::Machine::fill(const View& view, Integer position, int thread) {
    Clock& clock = clocks_[static_cast<std::size_t>(thread)];
    const std::int32_t loads = loads_of(thread);
    view.sums[position].filled = clock[loads];
    clock.set(loads, clock[loads] + 1);
}

/// Whether an access to a register that is no product's comes while one adds to it.
bool Interpreter::Machine::touch(const View& view, Integer position, int thread) const {
    Sum& sum = view.sums[position];
    sum.touched = begins_[static_cast<std::size_t>(thread)] + 1;
    return sum.products > 0;
}

void Interpreter::Machine::execute_tile_fence(const CopyFence& fence, int thread) {
    const auto t = static_cast<std::size_t>(thread);
    Readings& readings = fence.what == CopyFence::What::tile_products ? products_[t] : tile_stores_[t];
    switch (fence.kind) {
    case CopyFence::Kind::begin: ++begins_[t]; return;
    case CopyFence::Kind::publish: publications_[t].push_back(doer(thread).deed); return;
    case CopyFence::Kind::commit:
        readings.groups.push_back(std::move(readings.open));
        readings.open.clear();
        return;
    case CopyFence::Kind::wait:
        for (; std::ssize(readings.groups) > fence.pending; readings.groups.pop_front())
            for (const auto& reading : readings.groups.front()) finish(*reading, thread);
        return;
    }
}

/// A thread has waited; what it has read may be written when the others of its team have, too.
void Interpreter::Machine::finish(Reading& reading, int thread) {
    if (reading.adds) {
        const TileInstruction& entry = *reading.step->source->tile->instruction;
        const auto give_back = [&](const View& registers, Integer index, int count) {
            if (registers.sums == nullptr) return;
            const Integer first = position(registers, index, thread);
            for (int r = 0; r < count; ++r) --registers.sums[first + r].products;
        };
        const Place& a = reading.step->places[0];
        give_back(view(*reading.step), base(*reading.step, thread), entry.registers());
        give_back(views_[static_cast<std::size_t>(a.buffer)], base(a, thread), entry.factor_registers());
    }
    if (--reading.threads > 0) return;
    Clock known;
    Doer by = doer(thread);
    if (reading.by_team) {
        const int in_block = thread % static_cast<int>(code_.block_threads);
        const int team_threads = reading.step->source->tile->instruction->threads;
        const int first = thread - in_block % team_threads;

        by = team_doer(first, known);
        for (int t = first; t < first + team_threads; ++t) {
            Clock& clock = clocks_[static_cast<std::size_t>(t)];
            clock.set(by.deed.agent, by.deed.time);
            for (int other = 0; other < std::ssize(reading.loads); ++other) {
                const std::int32_t loads = loads_of(first + other);
                clock.set(loads, std::max(clock[loads], reading.loads[static_cast<std::size_t>(other)]));
            }
        }
    }
    Element* const elements = views_[static_cast<std::size_t>(reading.buffer)].elements;
    for (const Integer position : reading.positions) {
        --elements[position].readers;
        elements[position].loaded.add(by);
    }
}

void Interpreter::Machine::expect_no_readings(int thread) {
    for (auto* all : {&products_, &tile_stores_}) {
        Readings& readings = (*all)[static_cast<std::size_t>(thread)];
        const auto unfinished = [&](const Readings::Group& group) {
            for (const auto& reading : group)
                report(Finding::Kind::unfinished_copy, *reading->step, base(*reading->step, thread), thread);
        };
        for (const Readings::Group& group : readings.groups) unfinished(group);
        unfinished(readings.open);
        readings = {};
    }
}

} // namespace swirl::ir
