#include "ir/cache_misses.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

#include <algorithm>

namespace swirl::ir {

namespace {

constexpr Integer page_bytes = 4096;
constexpr std::int32_t none = -1;

/// LRU lists of the cache lines in each set, most recently used first.
class Cache {
public:
    Cache(const CacheShape& shape, Integer lines)
        : ways_(shape.ways > 0 ? shape.ways : shape.bytes / shape.line_bytes),
          sets_(std::max<Integer>(1, shape.bytes / shape.line_bytes / ways_)),
          links_(static_cast<std::size_t>(lines)),
          lists_(static_cast<std::size_t>(sets_)) {}

    /// Whether the access misses.
    bool touch(std::int32_t line) {
        List& list = lists_[static_cast<std::size_t>(line % sets_)];
        if (list.front == line) return false;
        const bool was_there = at(line).is_cached;
        if (was_there)
            take_out(list, line);
        else if (list.count == ways_)
            take_out(list, list.back);
        at(line) = {none, list.front, true};
        (list.front == none ? list.back : at(list.front).before) = line;
        list.front = line;
        ++list.count;
        return !was_there;
    }

private:
    struct Link {
        std::int32_t before = none, behind = none;
        bool is_cached = false;
    };
    struct List {
        std::int32_t front = none, back = none;
        Integer count = 0;
    };

    Link& at(std::int32_t line) { return links_[static_cast<std::size_t>(line)]; }
    void take_out(List& list, std::int32_t line) {
        Link& link = at(line);
        (link.before == none ? list.front : at(link.before).behind) = link.behind;
        (link.behind == none ? list.back : at(link.behind).before) = link.before;
        link.is_cached = false;
        --list.count;
    }

    Integer ways_;
    Integer sets_;
    std::vector<Link> links_; ///< by cache line
    std::vector<List> lists_; ///< by set
};

/// Start of each buffer in bytes, followed by the end of the last one.
std::vector<Integer> starts_of_buffers(const Program& program) {
    std::vector<Integer> starts{0};
    for (const BufferInfo& buffer : program.buffers)
        starts.push_back(starts.back() +
                         ceil_divide(buffer.elements * bytes_of(buffer.element), page_bytes) * page_bytes);
    return starts;
}

class Walk {
public:
    Walk(const Program& program, const CacheShape& shape)
        : program_(program),
          line_bytes_(shape.line_bytes),
          starts_(starts_of_buffers(program)),
          cache_(shape, starts_.back() / shape.line_bytes),
          variables_(program.variables.size()) {
        for (const VariableInfo& variable : program.variables)
            ensure(variable.kind == VariableInfo::Kind::loop, "variable {} of {} is of no loop",
                   variable.name, program.name);
    }

    CacheMisses run() {
        walk(prepared(program_.body));
        return loads_;
    }

private:
    struct Access {
        Affine first; ///< byte
        Integer lanes;
        Integer lane_bytes; ///< distance between lanes
    };
    struct Node {
        const For* loop = nullptr;
        std::vector<Access> accesses; ///< of a straight-line block
        std::vector<Node> body;       ///< of a loop
    };

    std::vector<Node> prepared(const Body& body) const {
        std::vector<Node> nodes;
        for (const Statement& statement : body) {
            Node node;
            if (const auto* loop = std::get_if<For>(&statement.node)) {
                ensure(loop->inductions.empty(), "a loop of {} has inductions", program_.name);
                node.loop = loop;
                node.body = prepared(loop->body);
            } else if (const auto* block = std::get_if<StraightLineBlock>(&statement.node)) {
                for (const Value value : block->operations) add_access(program_[value], node.accesses);
                if (node.accesses.empty()) continue;
            } else {
                ensure(false, "{} has statements other than loops and straight-line blocks", program_.name);
            }
            nodes.push_back(std::move(node));
        }
        return nodes;
    }

    void add_access(const Operation& operation, std::vector<Access>& accesses) const {
        if (!accesses_memory(operation.opcode)) return;
        const Address& address = operation.address;
        ensure(address.dynamic == no_value, "an address of {} depends on data", program_.name);
        const auto buffer = static_cast<std::size_t>(address.buffer);
        const BufferInfo& info = program_.buffers[buffer];
        if (info.space == Space::local) return;
        const Integer bytes = bytes_of(info.element);
        accesses.push_back({(address.index - info.first) * bytes + starts_[buffer],
                            operation.active > 0 ? operation.active : operation.type.lanes,
                            address.lane_stride * bytes});
    }

    Integer value_of(const Affine& form) const {
        return form.evaluate(
            [&](Variable variable) { return variables_[static_cast<std::size_t>(variable)]; });
    }

    void walk(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            for (const Access& access : node.accesses) touch(access);
            if (node.loop == nullptr) continue;
            Integer& variable = variables_[static_cast<std::size_t>(node.loop->variable)];
            const Integer end = value_of(node.loop->end);
            for (variable = value_of(node.loop->begin); variable < end; variable += node.loop->step)
                walk(node.body);
        }
    }

    void touch(const Access& access) {
        ++loads_.accesses;
        const Integer first = value_of(access.first);
        Integer last_line = none;
        for (Integer lane = 0; lane < access.lanes; ++lane) {
            const Integer line = (first + lane * access.lane_bytes) / line_bytes_;
            if (line != last_line && cache_.touch(static_cast<std::int32_t>(line))) ++loads_.lines;
            last_line = line;
        }
    }

    const Program& program_;
    Integer line_bytes_;
    std::vector<Integer> starts_;
    Cache cache_;
    std::vector<Integer> variables_;
    CacheMisses loads_;
};

} // namespace

CacheMisses count_cache_misses(const Program& program, const CacheShape& cache) {
    return Walk(program, cache).run();
}

} // namespace swirl::ir
