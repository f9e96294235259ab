#include "passes/schedule_for_registers.hpp"

#include "ir/analysis.hpp"
#include "passes/dependences.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace swirl::passes {
namespace {

using namespace ir;

using Node = int; ///< position of an operation in the straight-line block before scheduling
using Edge = std::pair<Node, Node>;

/// Lists of nodes, by node, in one array.
class Adjacency {
public:
    /// The end of each edge, by its start.
    Adjacency(std::size_t nodes, const std::vector<Edge>& edges) : begins_(nodes + 1, 0), sizes_(nodes, 0) {
        for (const auto& [from, to] : edges) ++sizes_[at(from)];
        for (std::size_t i = 0; i < nodes; ++i) begins_[i + 1] = begins_[i] + std::exchange(sizes_[i], 0);
        ends_.resize(edges.size());
        for (const auto& [from, to] : edges) ends_[at(begins_[at(from)] + sizes_[at(from)]++)] = to;
    }
    std::span<const Node> of(Node node) const {
        return {ends_.data() + begins_[at(node)], at(sizes_[at(node)])};
    }
    /// Removes the nodes that are not wanted from a list.
    template <class IsWanted> void filter(Node node, IsWanted&& is_wanted) {
        Node* const list = ends_.data() + begins_[at(node)];
        int kept = 0;
        for (int i = 0; i < sizes_[at(node)]; ++i)
            if (is_wanted(list[i])) list[kept++] = list[i];
        sizes_[at(node)] = kept;
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    std::vector<int> begins_, sizes_; ///< of the lists
    std::vector<Node> ends_;
};

/// Recursive bisection of a graph whose nodes are numbered in a topological order.
class Bisection {
public:
    /// An edge goes from a node to one before it.
    Bisection(std::size_t nodes, const std::vector<Edge>& edges)
        : before_(nodes, edges), states_(nodes), copy_(nodes) {}

    /// Reorders the ascending `nodes`: one connected component after the other, and in each those nearer to its inputs first,
    /// then those nearer to its outputs.
    void order(std::span<Node> nodes) {
        if (nodes.size() <= 2) return;
        enter(nodes);
        const std::size_t first = parts_.size();
        count_parts(nodes, first);
        gather(nodes, first);
        const std::size_t last = parts_.size();
        std::size_t begin = 0;
        for (std::size_t i = first; i < last; ++i) {
            const auto [size, early] = parts_[i];
            if (size > 2) {
                order(nodes.subspan(begin, early));
                order(nodes.subspan(begin + early, size - early));
            }
            begin += size;
        }
        parts_.resize(first);
    }

private:
    struct State {
        int subset = -1;   ///< the latest call of `order` that included the node
        Node root = 0;     ///< a node of its connected component, towards the first one
        int component = 0; ///< of a root: its number
        int depth = 0;     ///< longest path from an input of the component, in nodes
        int height = 0;    ///< to an output

        bool is_early() const { return depth <= height; }
    };
    struct Part { ///< a connected component
        std::size_t size = 0;
        std::size_t early = 0; ///< nodes nearer to its inputs
    };
    State& of(Node node) { return states_[static_cast<std::size_t>(node)]; }

    Node root_of(Node node) {
        while (of(node).root != node) node = of(node).root = of(of(node).root).root;
        return node;
    }

    /// Finds depths, heights and components, and forgets edges to other nodes, which no later bisection needs.
    void enter(std::span<const Node> nodes) {
        const int subset = ++subsets_;
        for (const Node node : nodes) {
            State& state = of(node);
            state = {subset, node, 0, 1, 1};
            before_.filter(node, [&](Node other) {
                const State& before = of(other);
                if (before.subset != subset) return false;
                state.depth = std::max(state.depth, before.depth + 1);
                const auto [low, high] = std::minmax({root_of(node), root_of(other)});
                of(high).root = low;
                return true;
            });
        }
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
            const int height = of(*node).height + 1;
            for (const Node other : before_.of(*node)) of(other).height = std::max(of(other).height, height);
        }
    }

    /// Appends the connected components.
    void count_parts(std::span<const Node> nodes, std::size_t first) {
        for (const Node node : nodes) {
            State& state = of(node);
            state.root = root_of(node);
            if (state.root == node) {
                state.component = static_cast<int>(parts_.size() - first);
                parts_.emplace_back();
            }
            Part& part = part_of(state, first);
            ++part.size;
            part.early += state.is_early() ? 1 : 0;
        }
    }

    Part& part_of(const State& state, std::size_t first) {
        return parts_[first + static_cast<std::size_t>(of(state.root).component)];
    }

    /// Sorts by part, and within those of more than two nodes the early ones first; stable.
    void gather(std::span<Node> nodes, std::size_t first) {
        starts_.clear();
        std::size_t start = 0;
        for (std::size_t i = first; i < parts_.size(); start += parts_[i++].size) {
            const bool is_split = parts_[i].size > 2;
            starts_.push_back({start, is_split ? start + parts_[i].early : start, is_split});
        }
        std::copy(nodes.begin(), nodes.end(), copy_.begin());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const State& state = of(copy_[i]);
            Starts& of_part = starts_[static_cast<std::size_t>(of(state.root).component)];
            const bool is_late = of_part.is_split && !state.is_early();
            nodes[is_late ? of_part.late++ : of_part.early++] = copy_[i];
        }
    }

    struct Starts {
        std::size_t early, late;
        bool is_split;
    };

    Adjacency before_;
    std::vector<State> states_; ///< by node
    int subsets_ = 0;
    std::vector<Part> parts_; ///< a stack
    std::vector<Starts> starts_;
    std::vector<Node> copy_;
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
                if (p >= 0 && roles_[at(p)] == Role::node) edges.emplace_back(n, p);
            });
        }
        for (const Edge& edge : dependences_)
            if (explicit_[at(edge.first)]) edges.emplace_back(edge.second, edge.first);
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
        const Adjacency tails(size_, stores);
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
    return program;
}

} // namespace swirl::passes
