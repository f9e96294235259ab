#include "passes/schedule_for_registers.hpp"

#include "ir/analysis.hpp"
#include "passes/dependences.hpp"

#include <algorithm>
#include <span>

namespace swirl::passes {
namespace {

using namespace ir;

using Node = int; ///< position of an operation in the straight-line block before scheduling
using Edge = std::pair<Node, Node>;

/// Adjacency lists of all nodes in one array.
class Adjacency {
public:
    /// Groups edge targets by source, or the reverse.
    Adjacency(std::size_t nodes, const std::vector<Edge>& edges, bool reversed) : begins_(nodes + 1, 0) {
        for (const Edge& edge : edges)
            ++begins_[static_cast<std::size_t>(reversed ? edge.second : edge.first) + 1];
        for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
        ends_.resize(edges.size());
        std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
        for (const Edge& edge : edges)
            ends_[next[static_cast<std::size_t>(reversed ? edge.second : edge.first)]++] =
                reversed ? edge.first : edge.second;
    }
    std::span<const Node> of(Node node) const {
        const auto n = static_cast<std::size_t>(node);
        return {ends_.data() + begins_[n], begins_[n + 1] - begins_[n]};
    }

private:
    std::vector<std::size_t> begins_;
    std::vector<Node> ends_;
};

/// Recursive bisection of a graph whose nodes are numbered in a topological order.
class Bisection {
public:
    Bisection(std::size_t nodes, const std::vector<Edge>& edges)
        : before_(nodes, edges, true),
          after_(nodes, edges, false),
          subset_(nodes, -1),
          label_(nodes),
          depth_(nodes),
          height_(nodes) {}

    /// Reorders the ascending `nodes`.
    void order(std::span<Node> nodes) {
        if (nodes.size() <= 2) return;
        const int subset = ++subsets_;
        for (const Node node : nodes) {
            subset_[at(node)] = subset;
            label_[at(node)] = -1;
        }
        const std::size_t first_size = sizes_.size();
        label_components(nodes, subset);
        const std::size_t last_size = sizes_.size();
        if (last_size - first_size > 1) gather_components(nodes, first_size);
        std::size_t begin = 0;
        for (std::size_t i = first_size; i < last_size; ++i) {
            split(nodes.subspan(begin, sizes_[i]), subset);
            begin += sizes_[i];
        }
        sizes_.resize(first_size);
    }

private:
    static std::size_t at(Node node) { return static_cast<std::size_t>(node); }

    /// Appends the sizes of the connected components to sizes_, and labels the nodes with their component, from 0 on.
    void label_components(std::span<const Node> nodes, int subset) {
        int label = 0;
        for (const Node root : nodes) {
            if (label_[at(root)] >= 0) continue;
            std::size_t size = 0;
            label_[at(root)] = label;
            stack_.push_back(root);
            while (!stack_.empty()) {
                const Node node = stack_.back();
                stack_.pop_back();
                ++size;
                for (const Adjacency* neighbours : {&before_, &after_})
                    for (const Node other : neighbours->of(node))
                        if (subset_[at(other)] == subset && label_[at(other)] < 0) {
                            label_[at(other)] = label;
                            stack_.push_back(other);
                        }
            }
            sizes_.push_back(size);
            ++label;
        }
    }

    /// Sorts by label; stable.
    void gather_components(std::span<Node> nodes, std::size_t first_size) {
        starts_.clear();
        std::size_t start = 0;
        for (std::size_t i = first_size; i < sizes_.size(); ++i) {
            starts_.push_back(start);
            start += sizes_[i];
        }
        scratch_.assign(nodes.begin(), nodes.end());
        for (const Node node : scratch_) nodes[starts_[at(label_[at(node)])]++] = node;
    }

    /// Bisects a connected component: the nodes nearer to its inputs first, then those nearer to its outputs.
    void split(std::span<Node> nodes, int subset) {
        if (nodes.size() <= 2) return;
        for (const Node node : nodes) depth_[at(node)] = 1 + highest(before_.of(node), depth_, subset);
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
            height_[at(*node)] = 1 + highest(after_.of(*node), height_, subset);
        scratch_.clear();
        std::size_t early = 0;
        for (const Node node : nodes) {
            if (depth_[at(node)] <= height_[at(node)])
                nodes[early++] = node;
            else
                scratch_.push_back(node);
        }
        std::copy(scratch_.begin(), scratch_.end(), nodes.begin() + static_cast<std::ptrdiff_t>(early));
        order(nodes.first(early));
        order(nodes.subspan(early));
    }

    int highest(std::span<const Node> nodes, const std::vector<int>& values, int subset) const {
        int highest = 0;
        for (const Node node : nodes)
            if (subset_[at(node)] == subset) highest = std::max(highest, values[at(node)]);
        return highest;
    }

    Adjacency before_, after_;
    std::vector<int> subset_;         ///< by node: the latest call of `order` that included it
    std::vector<int> label_;          ///< by node: its connected component
    std::vector<int> depth_, height_; ///< longest path from an input, to an output, in nodes
    int subsets_ = 0;
    std::vector<std::size_t> sizes_, starts_; ///< of connected components; sizes_ is a stack
    std::vector<Node> stack_, scratch_;
};

/// One straight-line block.
class BlockScheduler {
public:
    BlockScheduler(const Program& program, const StraightLineBlock& block, std::vector<Node>& positions)
        : program_(program), block_(block), positions_(positions), size_(block.operations.size()) {
        for (std::size_t p = 0; p < size_; ++p) positions_[at(block_.operations[p])] = static_cast<Node>(p);
    }
    ~BlockScheduler() {
        for (const Value value : block_.operations) positions_[at(value)] = -1;
    }
    BlockScheduler(const BlockScheduler&) = delete;
    BlockScheduler& operator=(const BlockScheduler&) = delete;

    std::vector<Value> schedule() {
        dependences_ = memory_dependences(program_, block_);
        explicit_.assign(size_, false);
        std::vector<Value> result = attempt();
        if (keeps_dependences(result)) return result;
        for (const Edge& edge : dependences_) explicit_[at(edge.first)] = explicit_[at(edge.second)] = true;
        return attempt();
    }

private:
    enum class Role : std::uint8_t {
        node, ///< ordered by the bisection
        leaf, ///< comes before its first use
        tail, ///< store: comes after its value
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const Operation& operation(Node node) const { return program_[block_.operations[at(node)]]; }
    Node position(Value value) const { return positions_[at(value)]; }

    std::vector<Value> attempt() {
        assign_roles();
        std::vector<Edge> edges;
        edges.reserve(2 * size_);
        for (Node n = 0; at(n) < size_; ++n) {
            if (roles_[at(n)] != Role::node) continue;
            for_each_operand(operation(n), [&](Value operand) {
                const Node p = position(operand);
                if (p >= 0 && roles_[at(p)] == Role::node) edges.emplace_back(p, n);
            });
        }
        for (const Edge& edge : dependences_)
            if (explicit_[at(edge.first)]) edges.push_back(edge);
        std::vector<Node> nodes;
        for (Node n = 0; at(n) < size_; ++n)
            if (roles_[at(n)] == Role::node) nodes.push_back(n);
        Bisection(size_, edges).order(nodes);
        return list_schedule(nodes);
    }

    void assign_roles() {
        roles_.assign(size_, Role::node);
        for (Node n = 0; at(n) < size_; ++n) {
            if (explicit_[at(n)]) continue;
            const Operation& op = operation(n);
            switch (op.opcode) {
            case Opcode::constant:
            case Opcode::index:
            case Opcode::load:
            case Opcode::splat: {
                bool from_leaves = true;
                for_each_operand(op, [&](Value operand) {
                    const Node p = position(operand);
                    from_leaves = from_leaves && (p < 0 || roles_[at(p)] == Role::leaf);
                });
                if (from_leaves) roles_[at(n)] = Role::leaf;
                break;
            }
            case Opcode::store: {
                const Node stored = position(op.operands[0]);
                const Node dynamic = op.address.dynamic == no_value ? -1 : position(op.address.dynamic);
                if (stored >= 0 && roles_[at(stored)] == Role::node &&
                    (dynamic < 0 || roles_[at(dynamic)] == Role::leaf))
                    roles_[at(n)] = Role::tail;
                break;
            }
            default: break;
            }
        }
    }

    std::vector<Value> list_schedule(const std::vector<Node>& nodes) {
        std::vector<Edge> stores;
        for (Node n = 0; at(n) < size_; ++n)
            if (roles_[at(n)] == Role::tail) stores.emplace_back(position(operation(n).operands[0]), n);
        const Adjacency tails(size_, stores, false);
        placed_.assign(size_, false);
        result_.clear();
        result_.reserve(size_);
        for (const Node node : nodes) {
            place_with_leaves(node);
            for (const Node tail : tails.of(node)) place_with_leaves(tail);
        }
        for (Node n = 0; at(n) < size_; ++n) // leaves that only other straight-line blocks use
            if (!placed_[at(n)]) place_with_leaves(n);
        return result_;
    }

    void place_with_leaves(Node node) {
        for_each_operand(operation(node), [&](Value operand) {
            const Node p = position(operand);
            if (p >= 0 && !placed_[at(p)]) place_with_leaves(p);
        });
        placed_[at(node)] = true;
        result_.push_back(block_.operations[at(node)]);
    }

    bool keeps_dependences(const std::vector<Value>& order) const {
        if (dependences_.empty()) return true;
        std::vector<int> position_of(size_);
        for (std::size_t i = 0; i < order.size(); ++i)
            position_of[at(position(order[i]))] = static_cast<int>(i);
        for (const Edge& edge : dependences_)
            if (position_of[at(edge.first)] > position_of[at(edge.second)]) return false;
        return true;
    }

    const Program& program_;
    const StraightLineBlock& block_;
    std::vector<Node>& positions_; ///< by value: its position in the straight-line block; −1 outside
    std::size_t size_;
    std::vector<Edge> dependences_;
    std::vector<char> explicit_; ///< accesses that the bisection itself must order
    std::vector<Role> roles_;
    std::vector<char> placed_;
    std::vector<Value> result_;
};

} // namespace

Program schedule_for_registers(Program program) {
    std::vector<Node> positions(program.operations.size(), -1);
    for_each_straight_line_block(program, [&](StraightLineBlock& block) {
        std::vector<Value> order = BlockScheduler(program, block, positions).schedule();
        block.operations = std::move(order);
    });
    compact(program);
    return program;
}

} // namespace swirl::passes
