#include "passes/change_layout.hpp"

#include "ir/analysis.hpp"
#include "ir/print.hpp"
#include "ir/ranges.hpp"
#include "passes/remove_dead_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace swirl::passes {
namespace {

using namespace ir;

void require_buffer(const Program& program, Buffer buffer) {
    ensure(buffer >= 0 && static_cast<std::size_t>(buffer) < program.buffers.size(),
           "program '{}' has no buffer {}", program.name, buffer);
}

/// index · numerator / denominator, for an index that is a multiple of the denominator.
struct Ratio {
    Integer numerator;
    Integer denominator;

    bool divides(Integer n) const { return n % denominator == 0; }
    Integer operator()(Integer n) const { return n / denominator * numerator; }
    bool divides_variables(const Affine& form) const {
        return std::all_of(form.terms().begin(), form.terms().end(),
                           [&](const Affine::Term& term) { return divides(term.coefficient); });
    }
    Affine operator()(const Affine& form) const {
        Affine result = (*this)(form.constant());
        for (const Affine::Term& term : form.terms())
            result += Affine::of(term.variable, (*this)(term.coefficient));
        return result;
    }
};

/// Rewrites the addresses of some buffers, and creates the scaled dynamic indices they need.
class LayoutChange {
public:
    LayoutChange(Program& program, Ratio ratio) : program_(program), ratio_(ratio) {
        bool has_index_tables = false;
        for (std::size_t b = 0; b < program.buffers.size(); ++b)
            has_index_tables = has_index_tables || !integers_of(static_cast<Buffer>(b)).empty();
        if (!has_index_tables) return;
        VariableRanges ranges(program);
        look_at_tables(program.body, ranges);
    }

    /// Calls visit(access) for all loads and stores; it calls `move` for those that change.
    template <class Visit> void run(Visit&& visit) {
        std::vector<Value> accesses;
        for_each_operation(program_, [&](Value value) {
            if (accesses_memory(program_[value].opcode)) accesses.push_back(value);
        });
        for (const Value value : accesses) visit(value);
        if (!after_.empty()) insert();
    }

    /// The constant remainder of the dynamic part of an access's index modulo the denominator.
    Integer remainder_of_dynamic(Value access) const {
        const Address& address = program_[access].address;
        return address.dynamic == no_value ? 0
                                           : address.dynamic_scale * remainder_of(access, address.dynamic);
    }

    /// Redirects the access to buffer `to`; its index becomes (index − remainder) · ratio + added.
    void move(Value access, Buffer to, Integer remainder, Integer added) {
        Operation& operation = program_[access];
        if (operation.type.lanes != 1) fail(access, "is a vector access");
        const Affine index = operation.address.index + remainder_of_dynamic(access) - remainder;
        if (!ratio_.divides_variables(index)) fail(access, "has an odd coefficient");
        Affine scaled = ratio_(index) + added;
        const Value dynamic = operation.address.dynamic == no_value
                                  ? no_value
                                  : scaled_dynamic(access, operation.address.dynamic);
        Address& address = program_[access].address; // the table of operations may have moved
        address.index = std::move(scaled);
        address.dynamic = dynamic;
        address.buffer = to;
    }

    [[noreturn]] void fail(Value access, std::string_view why) const {
        throw InternalError("change of layout: {} {}", to_string(program_, access), why);
    }

private:
    /// An affine form plus multiples of table entries.
    struct Sum {
        Affine form = 0;
        std::vector<std::pair<Value, Integer>> entries;

        void add(const Sum& other, Integer sign) {
            form += sign * other.form;
            for (const auto& [entry, times] : other.entries) {
                const auto known = std::find_if(entries.begin(), entries.end(),
                                                [&, e = entry](const auto& own) { return own.first == e; });
                if (known == entries.end())
                    entries.emplace_back(entry, sign * times);
                else
                    known->second += sign * times;
            }
        }
    };

    Sum sum_of(Value access, Value dynamic) const {
        const Operation& operation = program_[dynamic];
        if (operation.opcode == Opcode::index) return {operation.address.index, {}};
        if (operation.opcode == Opcode::add || operation.opcode == Opcode::subtract) {
            Sum sum = sum_of(access, operation.operands[0]);
            sum.add(sum_of(access, operation.operands[1]), operation.opcode == Opcode::add ? 1 : -1);
            return sum;
        }
        if (operation.opcode != Opcode::load || integers_of(operation.address.buffer).empty())
            fail(access, "has a dynamic index that is no sum of affine forms and entries of tables");
        return {0, {{dynamic, 1}}};
    }

    /// Finds which entries of index tables each load may read: several tables may share a buffer.
    void look_at_tables(const Body& body, VariableRanges& ranges) {
        for (const Statement& statement : body) {
            if (const auto* const run = std::get_if<StraightLineBlock>(&statement.node)) {
                for (const Value value : run->operations) {
                    const Operation& operation = program_[value];
                    if (operation.opcode != Opcode::load || operation.address.dynamic != no_value) continue;
                    if (integers_of(operation.address.buffer).empty()) continue;
                    if (const auto range = ranges.range(operation.address.index))
                        entries_read_.emplace(value, *range);
                }
            } else if (const auto* const loop = std::get_if<For>(&statement.node)) {
                ranges.enter(*loop);
                look_at_tables(loop->body, ranges);
                ranges.leave(*loop);
            } else if (const auto* const condition = std::get_if<If>(&statement.node)) {
                look_at_tables(condition->then, ranges);
                look_at_tables(condition->otherwise, ranges);
            }
        }
    }

    /// The entries of a table that a load may read.
    std::span<const Integer> entries_of(Value load) const {
        const std::span<const Integer> all = integers_of(program_[load].address.buffer);
        const auto range = entries_read_.find(load);
        if (range == entries_read_.end()) return all;
        const auto [low, high] = range->second;
        if (low < 0 || high >= std::ssize(all)) return all;
        return all.subspan(static_cast<std::size_t>(low), static_cast<std::size_t>(high - low + 1));
    }

    /// The common remainder of all entries that a load may read.
    Integer remainder_of_table(Value access, Value load) const {
        const std::span<const Integer> entries = entries_of(load);
        const auto remainder = [&](Integer entry) { return modulo(entry, ratio_.denominator); };
        for (const Integer entry : entries)
            if (remainder(entry) != remainder(entries.front()))
                fail(access, "has a dynamic index from a table with even and odd entries");
        return entries.empty() ? 0 : remainder(entries.front());
    }

    Integer remainder_of(Value access, Value dynamic) const {
        const Operation& operation = program_[dynamic];
        if (operation.opcode == Opcode::select) {
            const Integer remainder = remainder_of(access, operation.operands[1]);
            if (remainder_of(access, operation.operands[2]) != remainder)
                fail(access, "has a dynamic index that is even or odd");
            return remainder;
        }
        const Sum sum = sum_of(access, dynamic);
        Integer remainder = sum.form.constant();
        for (const auto& [entry, times] : sum.entries)
            if (!ratio_.divides(times)) remainder += times * remainder_of_table(access, entry);
        return modulo(remainder, ratio_.denominator);
    }

    /// (dynamic − its remainder) · ratio.
    Value scaled_dynamic(Value access, Value dynamic) {
        if (const auto known = scaled_.find(dynamic); known != scaled_.end()) return known->second;
        const Value result = program_[dynamic].opcode == Opcode::select ? scaled_select(access, dynamic)
                                                                        : scaled_sum(access, dynamic);
        return scaled_[dynamic] = result;
    }

    /// For a select between two dynamic indices.
    Value scaled_select(Value access, Value dynamic) {
        Operation operation = program_[dynamic];
        for (const std::size_t k : {1U, 2U})
            operation.operands[k] = scaled_dynamic(access, operation.operands[k]);
        return insert_after(dynamic, std::move(operation));
    }

    Value scaled_sum(Value access, Value dynamic) {
        const Integer remainder = remainder_of(access, dynamic);
        const Sum sum = sum_of(access, dynamic);
        Affine form = sum.form - remainder;
        if (!ratio_.divides_variables(form)) fail(access, "has a dynamic index with an odd coefficient");
        std::vector<std::pair<Value, Integer>> entries;
        for (const auto& [entry, times] : sum.entries) {
            if (times != 0 && ratio_.divides(times)) {
                entries.emplace_back(entry, ratio_(times));
            } else if (times != 0) {
                form += times * remainder_of_table(access, entry);
                entries.emplace_back(scaled_entry(entry), times);
            }
        }
        form = ratio_(form);
        if (form == Affine(0) && entries.size() == 1 && entries.front().second == 1)
            return entries.front().first;
        Operation whole;
        whole.opcode = Opcode::index;
        whole.type = program_[dynamic].type;
        whole.address.index = std::move(form);
        Value result = insert_after(dynamic, whole);
        for (const auto& [entry, times] : entries)
            for (Integer k = 0; k < std::abs(times); ++k) {
                Operation next;
                next.opcode = times > 0 ? Opcode::add : Opcode::subtract;
                next.type = whole.type;
                next.operands = {result, entry, no_value};
                result = insert_after(dynamic, std::move(next));
            }
        return result;
    }

    /// For an entry of an index table: loads from the scaled table.
    Value scaled_entry(Value load) {
        if (const auto known = scaled_entries_.find(load); known != scaled_entries_.end())
            return known->second;
        Operation operation = program_[load];
        operation.address.buffer = scaled_table(operation.address.buffer);
        return scaled_entries_[load] = insert_after(load, std::move(operation));
    }

    Value insert_after(Value old, Operation operation) {
        const Value added = program_.append(std::move(operation));
        after_[old].push_back(added);
        return added;
    }

    /// Contents of an index table; empty for other buffers.
    std::span<const Integer> integers_of(Buffer buffer) const {
        const BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer)];
        const bool is_table = info.contents != nullptr && info.element == DataType::int64;
        return is_table ? info.contents->integers() : std::span<const Integer>();
    }

    /// The entries minus their remainder, scaled.
    Buffer scaled_table(Buffer table) {
        if (const auto known = tables_.find(table); known != tables_.end()) return known->second;
        const std::span<const Integer> entries = integers_of(table);
        Table contents(DataType::int64, std::ssize(entries));
        for (Integer i = 0; i < contents.size(); ++i) {
            const Integer entry = entries[static_cast<std::size_t>(i)];
            contents.set_integer(i, ratio_(entry - modulo(entry, ratio_.denominator)));
        }
        BufferInfo info = program_.buffers[static_cast<std::size_t>(table)];
        info.name = fmt::format("{}_by_{}_over_{}", info.name, ratio_.numerator, ratio_.denominator);
        info.contents = shared(std::move(contents));
        program_.buffers.push_back(std::move(info));
        return tables_[table] = static_cast<Buffer>(program_.buffers.size() - 1);
    }

    void insert() {
        for_each_straight_line_block(program_, [&](StraightLineBlock& run) {
            std::vector<Value> operations;
            for (const Value value : run.operations) {
                operations.push_back(value);
                if (const auto found = after_.find(value); found != after_.end())
                    operations.insert(operations.end(), found->second.begin(), found->second.end());
            }
            run.operations = std::move(operations);
        });
    }

    Program& program_;
    Ratio ratio_;
    std::unordered_map<Value, Range> entries_read_; ///< by load from an index table, where known
    std::unordered_map<Value, Value> scaled_,
        scaled_entries_;                                  ///< by the original dynamic index or load
    std::unordered_map<Value, std::vector<Value>> after_; ///< insertions, by the operation they follow
    std::map<Buffer, Buffer> tables_;                     ///< scaled copies
};

/// Splits accesses to both components of a complex element, as GPU kernels make them, into one access per component.
class PairSplitter {
public:
    PairSplitter(Program& program, Buffer buffer) : program_(program), buffer_(buffer) {}

    void run() {
        for_each_straight_line_block(program_, [&](StraightLineBlock& straight) {
            operations_.clear();
            for (const Value value : straight.operations)
                if (is_pair(program_[value]))
                    program_[value].opcode == Opcode::load ? split_load(value) : split_store(value);
                else
                    operations_.push_back(value);
            straight.operations = operations_;
        });
    }

private:
    bool is_pair(const Operation& operation) const {
        return (operation.opcode == Opcode::load || operation.opcode == Opcode::store) &&
               operation.address.buffer == buffer_ && operation.type.lanes == 2 && operation.active == 2 &&
               operation.address.lane_stride == 1;
    }

    Value add(Operation operation) {
        operations_.push_back(program_.append(std::move(operation)));
        return operations_.back();
    }

    Operation component_of(Value access, int component) const {
        Operation operation = program_[access];
        operation.type.lanes = operation.active = 1;
        operation.address.index += component;
        return operation;
    }

    Operation shuffle_of(Value a, Value b, std::vector<std::int8_t> lane_map, DataType scalar) const {
        Operation operation;
        operation.opcode = Opcode::shuffle;
        operation.type = {scalar, static_cast<int>(lane_map.size())};
        operation.operands = {a, b, no_value};
        operation.lane_map = std::move(lane_map);
        return operation;
    }

    /// The value keeps its identity: it becomes the combination of the components.
    void split_load(Value value) {
        const Value re = add(component_of(value, 0)), im = add(component_of(value, 1));
        program_[value] = shuffle_of(re, im, {0, 1}, program_[value].type.scalar);
        operations_.push_back(value);
    }

    void split_store(Value value) {
        const Value both = program_[value].operands[0];
        for (std::int8_t component = 0; component < 2; ++component) {
            Operation store = component_of(value, component);
            store.operands[0] = add(shuffle_of(both, both, {component}, store.type.scalar));
            add(std::move(store));
        }
    }

    Program& program_;
    Buffer buffer_;
    std::vector<Value> operations_; ///< of the current straight-line block
};

/// Renumbers buffers: `number` gives the new index of each old one.
template <class Number> void renumber_buffers(Program& program, Number&& number) {
    for (Operation& operation : program.operations)
        if (accesses_memory(operation.opcode)) operation.address.buffer = number(operation.address.buffer);
    for_each_statement(program.body, [&](Statement& statement) {
        if (auto* barrier = std::get_if<Barrier>(&statement.node);
            barrier != nullptr && barrier->of_cooperative_group)
            barrier->counter.buffer = number(barrier->counter.buffer);
    });
}

} // namespace

Program interleaved_to_planar(Program program, Buffer interleaved) {
    require_buffer(program, interleaved);
    const BufferInfo old = program.buffers[static_cast<std::size_t>(interleaved)];
    ensure(is_floating(old.element) && old.elements % 2 == 0 && old.first % 2 == 0,
           "buffer '{}' does not hold pairs of floating-point elements", old.name);
    ensure(old.contents == nullptr, "tables are split where they are made");
    const auto im = static_cast<Buffer>(program.buffers.size());
    BufferInfo half = old;
    half.elements /= 2;
    half.first /= 2;
    half.alignment = old.alignment == 0 ? 0 : bytes_of(old.element);
    const auto component = [&](Component which) {
        half.name = fmt::format("{}{}", old.name, suffix_of(which));
        half.role.component = which;
        return half;
    };
    program.buffers.push_back(component(Component::imaginary));
    program.buffers[static_cast<std::size_t>(interleaved)] = component(Component::real);
    PairSplitter(program, interleaved).run();
    LayoutChange change(program, {1, 2});
    change.run([&](Value value) {
        const Address& address = program[value].address;
        if (address.buffer != interleaved) return;
        const Integer remainder = modulo(address.index.constant() + change.remainder_of_dynamic(value), 2);
        change.move(value, remainder == 0 ? interleaved : im, remainder, 0);
    });
    // Moves the imaginary component's buffer next to the real one.
    std::rotate(program.buffers.begin() + interleaved + 1, program.buffers.begin() + im,
                program.buffers.begin() + im + 1);
    renumber_buffers(program, [&](Buffer b) {
        return b == im ? interleaved + 1 : b > interleaved && b < im ? b + 1 : b;
    });
    return program;
}

Program real_components(Program program, Buffer interleaved) {
    require_buffer(program, interleaved);
    BufferInfo& buffer = program.buffers[static_cast<std::size_t>(interleaved)];
    ensure(is_floating(buffer.element) && buffer.elements % 2 == 0 && buffer.first % 2 == 0,
           "buffer '{}' does not hold pairs of floating-point elements", buffer.name);
    buffer.elements /= 2;
    buffer.first /= 2;
    if (buffer.alignment != 0) buffer.alignment = bytes_of(buffer.element);
    PairSplitter(program, interleaved).run();
    LayoutChange change(program, {1, 2});
    std::vector<Value> removed;
    change.run([&](Value value) {
        const Operation& operation = program[value];
        if (operation.address.buffer != interleaved) return;
        if (operation.opcode != Opcode::store) change.fail(value, "reads what is stored as reals");
        const Integer remainder =
            modulo(operation.address.index.constant() + change.remainder_of_dynamic(value), 2);
        if (remainder == 0)
            change.move(value, interleaved, 0, 0);
        else
            removed.push_back(value);
    });
    std::sort(removed.begin(), removed.end());
    for_each_straight_line_block(program, [&](StraightLineBlock& block) {
        std::erase_if(block.operations,
                      [&](Value value) { return std::binary_search(removed.begin(), removed.end(), value); });
    });
    erase_dead_code(program);
    compact(program);
    return program;
}

Program planar_to_interleaved(Program program, Buffer re, Buffer im, std::string name) {
    require_buffer(program, re);
    require_buffer(program, im);
    BufferInfo& info = program.buffers[static_cast<std::size_t>(re)];
    const BufferInfo& other = program.buffers[static_cast<std::size_t>(im)];
    ensure(re != im && info.element == other.element && info.elements == other.elements &&
               info.first == other.first && info.space == other.space,
           "buffers '{}' and '{}' are not the components of one array", info.name, other.name);
    ensure(info.contents == nullptr && other.contents == nullptr,
           "tables are interleaved where they are made");
    info.name = std::move(name);
    info.role.component = Component::both;
    info.elements *= 2;
    info.first *= 2;
    info.alignment = std::min<Integer>(info.alignment, bytes_of(info.element));
    info.written = info.written || other.written;
    LayoutChange change(program, {2, 1});
    change.run([&](Value value) {
        const Buffer buffer = program[value].address.buffer;
        if (buffer == re || buffer == im) change.move(value, re, 0, buffer == im ? 1 : 0);
    });
    program.buffers.erase(program.buffers.begin() + im);
    renumber_buffers(program, [&](Buffer b) { return b > im ? b - 1 : b; });
    return program;
}

} // namespace swirl::passes
