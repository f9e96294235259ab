#include "plan/portable/kernel.hpp"

#include "base/error.hpp"
#include "base/overloaded.hpp"
#include "emit/cpp/builtin.hpp"
#include "loops/passes.hpp"
#include "plan/portable/builtin.hpp"
#include "plan/portable/call.hpp"
#include "plan/stored_types.hpp"

#include <algorithm>
#include <variant>

namespace swirl::planning {

namespace {

template <class T> class PortableKernel final : public Kernel {
public:
    PortableKernel(const PortableDerivation& derivation, const Transform& problem, const DimensionPass& pass);

    /// There is one phase, for one thread.
    void run_phase(const PhaseRun&, runtime::IterationRange, const Pointers& pointers) const override {
        run(pointers);
    }
    void run(const Pointers& pointers) const override;

private:
    struct Node;
    using Nodes = std::vector<Node>;
    struct Nest {
        loops::Loop loop;
        Nodes body;
    };
    struct Node {
        std::variant<std::unique_ptr<PortableCall<T>>, Nest> node;
    };
    struct ArrayBinding {
        Binding::Source first;
        std::optional<Binding::Source> second; ///< of planar arrays and those split in two
        std::size_t first_offset = 0;          ///< bytes into the workspace
        std::size_t second_offset = 0;
        DataType type = data_type_of<T>();
    };

    std::size_t reserve(std::size_t bytes) {
        const std::size_t offset = workspace_bytes_;
        workspace_bytes_ += in_whole_lines(bytes);
        return offset;
    }
    void bind(const loops::LoopProgram& program, int array, const Transform& problem,
              const DimensionPass& pass);
    void bind_argument(const loops::Array& array, const std::string& name, const Transform& problem,
                       const DimensionPass& pass);
    void bind_temporary(const loops::Array& array, const std::string& name);
    Nodes prepare(const loops::Nodes& nodes, const PortableDerivation& derivation,
                  std::vector<loops::Loop>& around);
    void count(const PortableCall<T>& call, const std::vector<loops::Loop>& around);
    void run(const Nodes& nodes, const PortableState<T>& state) const;
    static constexpr DataType scalar = std::is_same_v<T, float> ? DataType::float32 : DataType::float64;

    std::vector<bool> split_; ///< by array
    std::vector<ArrayBinding> arrays_;
    std::vector<DataType> auxiliary_types_;
    Nodes body_;
    std::size_t max_forms_ = 0;
    std::size_t max_lane_elements_ = 0;
    std::size_t array_pointers_ = 0; ///< workspace offsets of mutable state
    std::size_t values_ = 0;
    std::size_t bases_ = 0;
    std::size_t lanes_ = 0;
};

template <class T>
PortableKernel<T>::PortableKernel(const PortableDerivation& derivation, const Transform& problem,
                                  const DimensionPass& pass) {
    const loops::LoopProgram& program = derivation.loops;
    info_.name = kernel_name(problem, pass);
    for (const loops::Array& array : program.arrays) {
        using Role = loops::Array::Role;
        const bool is_target = array.role == Role::output || array.role == Role::data;
        split_.push_back(
            (array.role == Role::input && is_planar(problem, pass.source)) ||
            (is_target && (is_planar(problem, pass.target) || stores_reals_at(problem, pass.target))));
        bind(program, static_cast<int>(split_.size()) - 1, problem, pass);
    }
    std::vector<loops::Loop> around;
    body_ = prepare(program.body, derivation, around);
    for (const AuxiliaryArray& array : arrays_of(problem)) auxiliary_types_.push_back(array.precision);
    array_pointers_ = reserve(arrays_.size() * sizeof(ArrayPointers));
    values_ = reserve(program.extents.size() * sizeof(Integer));
    bases_ = reserve(max_forms_ * sizeof(LaneBases));
    lanes_ = reserve(max_lane_elements_ * sizeof(T));
    info_.workspace_bytes = static_cast<Integer>(workspace_bytes_);
}

template <class T>
void PortableKernel<T>::bind(const loops::LoopProgram& program, int index, const Transform& problem,
                             const DimensionPass& pass) {
    const loops::Array& array = program.arrays[static_cast<std::size_t>(index)];
    const std::string name = loops::name_of(program, index);
    if (array.role == loops::Array::Role::temporary)
        bind_temporary(array, name);
    else
        bind_argument(array, name, problem, pass);
}

template <class T>
void PortableKernel<T>::bind_argument(const loops::Array& array, const std::string& name,
                                      const Transform& problem, const DimensionPass& pass) {
    const bool split = split_[arrays_.size()];
    const ir::ArgumentRole role = lower::argument_role(array.role);
    const DataType type =
        stored_type(problem, array.role == loops::Array::Role::input ? pass.source : pass.target);
    ArrayBinding binding{.first = source_of({role}, pass), .second = std::nullopt, .type = type};
    const bool reals = array.role == loops::Array::Role::output && stores_reals_at(problem, pass.target);
    if (split && !reals) binding.second = source_of({role, 0, ir::Component::imaginary}, pass);
    ir::KernelBuffer buffer{.name = split && !reals ? name + "_re" : name, .element = type};
    const Integer factor = array.kind == loops::Memory::Kind::interleaved ? 2 : 1;
    const Integer buffers = split ? 2 : 1;
    buffer.elements = factor * array.elements / buffers;
    buffer.first = factor * array.first / buffers;
    buffer.bytes = buffer.elements * bytes_of(type);
    buffer.written = array.role != loops::Array::Role::input;
    info_.buffers.push_back(buffer);
    if (reals) { // imaginary components go to memory that nobody reads
        binding.second = Binding::Source::workspace;
        binding.second_offset = reserve(static_cast<std::size_t>(buffer.bytes)) -
                                static_cast<std::size_t>(buffer.first * bytes_of(type));
    }
    arrays_.push_back(binding);
    if (!split || reals) return;
    buffer.name = name + "_im";
    info_.buffers.push_back(buffer);
}

template <class T>
void PortableKernel<T>::bind_temporary(const loops::Array& array, const std::string& name) {
    const bool planar = array.kind == loops::Memory::Kind::planar;
    const std::size_t bytes = static_cast<std::size_t>(array.elements) * sizeof(T);
    ArrayBinding binding{Binding::Source::workspace, std::nullopt, reserve(bytes), 0};
    if (planar) {
        binding.second = Binding::Source::workspace;
        // Components a multiple of the page size apart would compete for the same cache sets.
        binding.second_offset = reserve(bytes + cache_line);
    }
    arrays_.push_back(binding);
    for (const char* suffix : {"_re", "_im"}) {
        ir::KernelBuffer buffer{.name = planar ? name + suffix : name,
                                .space = ir::Space::scratch,
                                .element = scalar,
                                .elements = array.elements,
                                .bytes = static_cast<Integer>(bytes),
                                .written = true};
        info_.buffers.push_back(std::move(buffer));
        if (!planar) break;
    }
}

template <class T>
auto PortableKernel<T>::prepare(const loops::Nodes& nodes, const PortableDerivation& derivation,
                                std::vector<loops::Loop>& around) -> Nodes {
    Nodes result;
    for (const loops::Node& node : nodes)
        std::visit(Overloaded{[&](const loops::Call& call) {
                                  auto made = std::make_unique<PortableCall<T>>(
                                      call, derivation.request, derivation.loops, around, split_);
                                  count(*made, around);
                                  result.push_back({std::move(made)});
                              },
                              [&](const loops::Nest& nest) {
                                  around.push_back(nest.loop);
                                  result.push_back({Nest{nest.loop, prepare(nest.body, derivation, around)}});
                                  around.pop_back();
                              }},
                   node.node);
    return result;
}

template <class T>
void PortableKernel<T>::count(const PortableCall<T>& call, const std::vector<loops::Loop>& around) {
    max_forms_ = std::max(max_forms_, call.forms());
    max_lane_elements_ = std::max(max_lane_elements_, call.lane_elements());
    const Integer times = loops::iterations_of(around);
    info_.flops += times * call.flops();
    info_.bytes_loaded += times * call.elements_loaded() * static_cast<Integer>(sizeof(T));
    info_.bytes_stored += times * call.elements_stored() * static_cast<Integer>(sizeof(T));
    info_.table_bytes += static_cast<Integer>(call.table_bytes());
}

template <class T> void PortableKernel<T>::run(const Pointers& pointers) const {
    const auto pointer = [&](Binding::Source source, std::size_t offset) {
        return static_cast<std::byte*>(pointers[source]) + offset;
    };
    auto* const arrays =
        reinterpret_cast<ArrayPointers*>(pointer(Binding::Source::workspace, array_pointers_));
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const ArrayBinding& array = arrays_[k];
        arrays[k] = {pointer(array.first, array.first_offset),
                     array.second ? pointer(*array.second, array.second_offset) : nullptr, array.type};
    }
    const auto in_workspace = [&](std::size_t offset) { return pointer(Binding::Source::workspace, offset); };
    run(body_, {{arrays, pointers.arrays, auxiliary_types_.data()},
                reinterpret_cast<Integer*>(in_workspace(values_)),
                reinterpret_cast<LaneBases*>(in_workspace(bases_)),
                reinterpret_cast<T*>(in_workspace(lanes_))});
}

template <class T> void PortableKernel<T>::run(const Nodes& nodes, const PortableState<T>& state) const {
    for (const Node& node : nodes)
        std::visit(Overloaded{[&](const std::unique_ptr<PortableCall<T>>& call) { call->run(state); },
                              [&](const Nest& nest) {
                                  for (Integer i = 0; i < nest.loop.count; ++i) {
                                      state.values[nest.loop.variable] = i;
                                      run(nest.body, state);
                                  }
                              }},
                   node.node);
}

} // namespace

PortableDerivation derive_portable(const Transform& problem, const ExpandedPass& expanded) {
    lower::KernelRequest request = kernel_request(problem, expanded, target::portable_cpu());
    request.loops.formula = with_builtin_codelets(request.loops.formula, request.loops.scalar);
    if (auto& other = request.loops.by_complex_entries)
        other = with_builtin_codelets(*other, request.loops.scalar);
    request.loops.lanes = emit::builtin_lanes;
    request.loops.merge_columns = false;
    loops::LoopProgram loops = loops::portable_loops(request.loops);
    return {std::move(request), std::move(loops)};
}

std::unique_ptr<Kernel> make_portable_kernel(const Transform& problem, const ExpandedPass& expanded) {
    const PortableDerivation derivation = derive_portable(problem, expanded);
    if (arithmetic_of(problem.precision) == DataType::float32)
        return std::make_unique<PortableKernel<float>>(derivation, problem, expanded.pass);
    return std::make_unique<PortableKernel<double>>(derivation, problem, expanded.pass);
}

} // namespace swirl::planning
