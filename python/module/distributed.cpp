/// Distributed plans for Python. Arrays are addresses: swirl.distributed checks shapes and types of NumPy's arrays.
#include "distributed.hpp"

#include "planning.hpp"

#include <swirl/distributed/box.hpp>
#include <swirl/distributed/communicator.hpp>
#include <swirl/distributed/matrix_product.hpp>
#include <swirl/distributed/nccl.hpp>
#include <swirl/distributed/plan.hpp>
#include <swirl/distributed/threads.hpp>
#include <swirl/error.hpp>
#include <swirl/problem.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace swirl::python {
namespace {

using distributed::Box;
using distributed::Communicator;

/// Lower and upper indices, and the order of axes in memory, as Python states a box.
using BoxTuple = std::tuple<std::vector<Integer>, std::vector<Integer>, std::vector<int>>;
Box box_of(const BoxTuple& box) { return {std::get<0>(box), std::get<1>(box), std::get<2>(box)}; }
BoxTuple tuple_of(const Box& box) { return {box.lower, box.upper, box.order}; }
std::vector<Box> boxes_of(const std::vector<BoxTuple>& boxes) {
    std::vector<Box> result;
    for (const BoxTuple& box : boxes) result.push_back(box_of(box));
    return result;
}
std::vector<BoxTuple> tuples_of(const std::vector<Box>& boxes) {
    std::vector<BoxTuple> result;
    for (const Box& box : boxes) result.push_back(tuple_of(box));
    return result;
}

/// Calls an engine's method with the interpreter's lock. Its exceptions, which belong to the interpreter, become SystemError.
template <class F> auto with_interpreter(F&& f) {
    const nb::gil_scoped_acquire locked;
    try {
        return f();
    } catch (const nb::python_error& error) {
        throw SystemError(std::string(error.what()));
    }
}

/// An object of Python that an engine's threads may let go of.
class EngineObject {
public:
    explicit EngineObject(nb::object object) : object_(std::move(object)) {}
    ~EngineObject() {
        if (!Py_IsInitialized()) {
            object_.release(); // with the interpreter
            return;
        }
        const nb::gil_scoped_acquire locked;
        object_.reset();
    }
    EngineObject(const EngineObject&) = delete;
    EngineObject& operator=(const EngineObject&) = delete;
    const nb::object& get() const { return object_; }

private:
    nb::object object_;
};

class PendingOfPython final : public distributed::PendingExchange {
public:
    explicit PendingOfPython(nb::object pending) : pending_(std::move(pending)) {}
    ~PendingOfPython() override {
        try {
            wait();
        } catch (const Error&) {} // the next call throws it, too
    }
    void wait() override {
        if (!std::exchange(is_waited_for_, true)) with_interpreter([&] { pending_.get().attr("wait")(); });
    }

private:
    EngineObject pending_;
    bool is_waited_for_ = false;
};

/// Ranks whose engine is written in Python: swirl/distributed/_engine.py states its methods.
class PythonCommunicator final : public Communicator {
public:
    explicit PythonCommunicator(nb::object engine)
        : rank_(nb::cast<int>(engine.attr("rank"))),
          size_(nb::cast<int>(engine.attr("size"))),
          name_(nb::cast<std::string>(engine.attr("name"))),
          engine_(std::move(engine)) {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string engine() const override { return name_; }
    bool takes_device_memory() const override { return false; }

    void exchange(const void* send, void* receive, const distributed::ExchangeBlocks& blocks,
                  gpu::Stream stream) override {
        start_exchange(send, receive, blocks, stream)->wait();
    }
    std::unique_ptr<distributed::PendingExchange> start_exchange(const void* send, void* receive,
                                                                 const distributed::ExchangeBlocks& blocks,
                                                                 gpu::Stream) override {
        return with_interpreter([&]() -> std::unique_ptr<distributed::PendingExchange> {
            return std::make_unique<PendingOfPython>(engine_.get().attr("start_exchange")(
                reinterpret_cast<std::uintptr_t>(send), reinterpret_cast<std::uintptr_t>(receive),
                blocks.send_bytes, blocks.send_offsets, blocks.receive_bytes, blocks.receive_offsets));
        });
    }
    std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) override {
        return with_interpreter([&] {
            const nb::object texts = engine_.get().attr("gather_all")(nb::bytes(mine.data(), mine.size()));
            std::vector<std::vector<std::byte>> result;
            for (const nb::handle text : texts) {
                const auto bytes = nb::cast<nb::bytes>(text);
                const auto* const data = reinterpret_cast<const std::byte*>(bytes.c_str());
                result.emplace_back(data, data + bytes.size());
            }
            return result;
        });
    }
    void barrier() override {
        with_interpreter([&] { engine_.get().attr("barrier")(); });
    }
    std::unique_ptr<Communicator> split(int color, int key) override {
        return with_interpreter([&]() -> std::unique_ptr<Communicator> {
            nb::object part = engine_.get().attr("split")(color, key);
            if (part.is_none()) return nullptr;
            return std::make_unique<PythonCommunicator>(std::move(part));
        });
    }
    void abort(const std::string& reason) noexcept override {
        try {
            with_interpreter([&] { engine_.get().attr("abort")(reason); });
        } catch (...) {} // the others cannot be told
    }
    void check_aborted() override {
        with_interpreter([&] { engine_.get().attr("check_aborted")(); });
    }

private:
    int rank_, size_;
    std::string name_;
    EngineObject engine_;
};

struct CommunicatorObject {
    std::shared_ptr<Communicator> ranks;
};

struct PlanObjectOfRanks {
    std::shared_ptr<Communicator> ranks; // which outlives the plan
    distributed::DistributedPlan plan;
};

struct ProductObjectOfRanks {
    std::shared_ptr<Communicator> ranks;
    distributed::DistributedProduct product;
};

void abort(Communicator& ranks, const std::string& reason) {
    const nb::gil_scoped_release released;
    ranks.abort(reason);
}

/// Figures of a machine by name, as a dictionary has them.
distributed::Machine machine_of(nb::handle figures) {
    distributed::Machine machine;
    if (figures.is_none()) return machine;
    for (const auto& [key, value] : nb::borrow<nb::dict>(figures)) {
        const auto name = nb::cast<std::string>(key);
        const auto take = [&](const char* member, auto& target) {
            if (name != member) return false;
            target = nb::cast<std::remove_reference_t<decltype(target)>>(value);
            return true;
        };
        const bool is_known =
            take("ranks_per_node", machine.ranks_per_node) || take("node_latency", machine.node_latency) ||
            take("node_bandwidth", machine.node_bandwidth) ||
            take("network_latency", machine.network_latency) ||
            take("network_bandwidth", machine.network_bandwidth) ||
            take("memory_bandwidth", machine.memory_bandwidth) || take("flops", machine.flops);
        if (!is_known)
            throw UserError("machine has no figure '" + name +
                            "'; it has ranks_per_node, node_latency, node_bandwidth, network_latency, "
                            "network_bandwidth, memory_bandwidth and flops");
    }
    return machine;
}

distributed::DistributedOptions options_of(int threads, const std::string& effort, double time_budget,
                                           const std::string& schedule, nb::handle machine) {
    PlanOptions local;
    local.threads = threads;
    local.effort = effort;
    local.time_budget = time_budget;
    distributed::DistributedOptions options;
    options.local = library_options(local);
    options.schedule = schedule;
    options.machine = machine_of(machine);
    return options;
}

/// "complex128".
std::string element_name(DataType precision, bool is_complex) {
    const bool is_single = precision == DataType::float32;
    if (precision == DataType::float16 || precision == DataType::bfloat16)
        throw Unsupported("arrays of 16-bit types are not divided among ranks in Python\n  use float32");
    return std::string(is_complex ? "complex" : "float") + (is_complex == is_single ? "64"
                                                            : is_single             ? "32"
                                                                                    : "128");
}
std::string element_of_side(const Transform& problem, bool is_input) {
    const bool is_half =
        problem.kind == TransformKind::real_dft && (problem.direction == Direction::forward) != is_input;
    return element_name(problem.precision, problem.kind == TransformKind::dft || is_half);
}

MatrixProduct product_named(const std::string& text) {
    const Problem problem = parse_problem(text);
    if (const auto* const product = std::get_if<MatrixProduct>(&problem)) return *product;
    throw UserError("'" + text + "' is a transform; use swirl.distributed.plan");
}

std::string data_type_name(DataType type) {
    switch (type) {
    case DataType::float32: return "float32";
    case DataType::float64: return "float64";
    case DataType::complex64: return "complex64";
    case DataType::complex128: return "complex128";
    default: return "";
    }
}

void define_communicators(nb::module_& module) {
    nb::class_<CommunicatorObject>(module, "Communicator")
        .def_prop_ro("rank", [](const CommunicatorObject& c) { return c.ranks->rank(); })
        .def_prop_ro("size", [](const CommunicatorObject& c) { return c.ranks->size(); })
        .def_prop_ro("engine", [](const CommunicatorObject& c) { return c.ranks->engine(); })
        .def("barrier",
             [](const CommunicatorObject& c) {
                 const nb::gil_scoped_release released;
                 c.ranks->barrier();
             })
        .def(
            "split",
            [](const CommunicatorObject& c, int color, int key) -> std::optional<CommunicatorObject> {
                const nb::gil_scoped_release released;
                std::shared_ptr<Communicator> part = c.ranks->split(color, key);
                if (part == nullptr) return std::nullopt;
                return CommunicatorObject{std::move(part)};
            },
            nb::arg("color"), nb::arg("key") = 0)
        .def("gather_all",
             [](const CommunicatorObject& c, const nb::bytes& mine) {
                 const auto* const data = reinterpret_cast<const std::byte*>(mine.c_str());
                 const std::vector<std::byte> bytes(data, data + mine.size());
                 std::vector<std::vector<std::byte>> all;
                 {
                     const nb::gil_scoped_release released;
                     all = c.ranks->gather_all(bytes);
                 }
                 nb::list result;
                 for (const std::vector<std::byte>& each : all)
                     result.append(nb::bytes(each.data(), each.size()));
                 return result;
             })
        .def("abort",
             [](const CommunicatorObject& c, const std::string& reason) { abort(*c.ranks, reason); });
    module.def("communicators_on_threads", [](int ranks) {
        nb::list result;
        for (auto& each : distributed::on_threads(ranks))
            result.append(nb::cast(CommunicatorObject{std::move(each)}));
        return result;
    });
    module.def("communicator_on_engine", [](nb::object engine) {
        return CommunicatorObject{std::make_shared<PythonCommunicator>(std::move(engine))};
    });
    module.def("make_nccl_id", [] {
        const distributed::NcclId id = distributed::make_nccl_id();
        return nb::bytes(id.bytes.data(), id.bytes.size());
    });
    module.def("communicator_on_nccl", [](const nb::bytes& id, int rank, int size, int gpu) {
        distributed::NcclId given;
        if (id.size() != given.bytes.size())
            throw UserError("the id has " + std::to_string(id.size()) + " bytes; nccl_id() makes one of " +
                            std::to_string(given.bytes.size()));
        std::memcpy(given.bytes.data(), id.c_str(), id.size());
        const nb::gil_scoped_release released;
        return CommunicatorObject{distributed::on_nccl(given, rank, size, gpu)};
    });
}

using Lengths = std::vector<Integer>;
void check_axis(std::size_t axis, const Lengths& lengths) {
    if (axis >= lengths.size())
        throw UserError("the axis is " + std::to_string(axis) + "; there are " +
                        std::to_string(lengths.size()));
}

void define_boxes(nb::module_& module) {
    module.def("slab_boxes", [](const Lengths& lengths, int ranks, std::size_t axis) {
        check_axis(axis, lengths);
        return tuples_of(distributed::slabs(lengths, ranks, axis));
    });
    module.def("pencil_boxes", [](const Lengths& lengths, int ranks, std::size_t axis) {
        check_axis(axis, lengths);
        return tuples_of(distributed::pencils(lengths, ranks, axis));
    });
    module.def("brick_boxes", [](const Lengths& lengths, int ranks) {
        return tuples_of(distributed::bricks(lengths, ranks));
    });
    module.def("grid_boxes", [](const Lengths& lengths, const Lengths& parts, int ranks) {
        return tuples_of(distributed::divide(lengths, {parts}, ranks));
    });
    module.def("fftw_block_boxes", [](const Lengths& lengths, int ranks, std::size_t axis) {
        check_axis(axis, lengths);
        return tuples_of(distributed::fftw_blocks(lengths, ranks, axis));
    });
}

void define_plans(nb::module_& module) {
    using nb::arg;
    nb::class_<PlanObjectOfRanks>(module, "DistributedPlan")
        .def_prop_ro("problem", [](const PlanObjectOfRanks& p) { return to_text(p.plan.problem()); })
        .def_prop_ro("input_box", [](const PlanObjectOfRanks& p) { return tuple_of(p.plan.input_box()); })
        .def_prop_ro("output_box", [](const PlanObjectOfRanks& p) { return tuple_of(p.plan.output_box()); })
        .def_prop_ro("input_type",
                     [](const PlanObjectOfRanks& p) { return element_of_side(p.plan.problem(), true); })
        .def_prop_ro("output_type",
                     [](const PlanObjectOfRanks& p) { return element_of_side(p.plan.problem(), false); })
        .def_prop_ro("schedule", [](const PlanObjectOfRanks& p) { return p.plan.schedule(); })
        .def_prop_ro("description", [](const PlanObjectOfRanks& p) { return p.plan.description(); })
        .def_prop_ro("derivation", [](const PlanObjectOfRanks& p) { return p.plan.derivation(); })
        .def_prop_ro("seconds", [](const PlanObjectOfRanks& p) { return p.plan.seconds(); })
        .def_prop_ro("exchanges", [](const PlanObjectOfRanks& p) { return p.plan.exchanges(); })
        .def_prop_ro("bytes_sent", [](const PlanObjectOfRanks& p) { return p.plan.bytes_sent(); })
        .def_prop_ro("messages_sent", [](const PlanObjectOfRanks& p) { return p.plan.messages_sent(); })
        .def_prop_ro("workspace_bytes", [](const PlanObjectOfRanks& p) { return p.plan.workspace_bytes(); })
        .def("abort", [](const PlanObjectOfRanks& p, const std::string& reason) { abort(*p.ranks, reason); })
        .def("execute", [](const PlanObjectOfRanks& p, std::uintptr_t input, std::uintptr_t output) {
            const nb::gil_scoped_release released;
            p.plan.execute(reinterpret_cast<const void*>(input), reinterpret_cast<void*>(output));
        });
    module.def(
        "plan_distributed",
        [](const std::string& problem, const CommunicatorObject& communicator, const BoxTuple& input,
           const std::optional<BoxTuple>& output, int threads, const std::string& effort, double time_budget,
           const std::string& schedule, nb::handle machine) {
            distributed::RankBoxes boxes{box_of(input)};
            if (output) boxes.output = box_of(*output);
            const auto options = options_of(threads, effort, time_budget, schedule, machine);
            const Transform transform = parse_transform(problem);
            std::shared_ptr<Communicator> ranks = communicator.ranks;
            const nb::gil_scoped_release released;
            distributed::DistributedPlan plan = distributed::plan(transform, *ranks, boxes, options);
            return PlanObjectOfRanks{std::move(ranks), std::move(plan)};
        },
        arg("problem"), arg("communicator"), arg("input"), arg("output").none(), arg("threads"),
        arg("effort"), arg("time_budget"), arg("schedule"), arg("machine").none());
}

void define_matrix_products(nb::module_& module) {
    using nb::arg;
    nb::class_<ProductObjectOfRanks>(module, "DistributedProduct")
        .def_prop_ro(
            "dtype",
            [](const ProductObjectOfRanks& p) { return data_type_name(p.product.problem().data_type); })
        .def_prop_ro("grid",
                     [](const ProductObjectOfRanks& p) {
                         const distributed::ProductGrid grid = p.product.grid();
                         return std::tuple(grid.rows, grid.columns, grid.k);
                     })
        .def_prop_ro("description", [](const ProductObjectOfRanks& p) { return p.product.description(); })
        .def_prop_ro("bytes_sent", [](const ProductObjectOfRanks& p) { return p.product.bytes_sent(); })
        .def_prop_ro("messages_sent", [](const ProductObjectOfRanks& p) { return p.product.messages_sent(); })
        .def("abort",
             [](const ProductObjectOfRanks& p, const std::string& reason) { abort(*p.ranks, reason); })
        .def("execute", [](const ProductObjectOfRanks& p, std::complex<double> alpha, std::uintptr_t a,
                           std::uintptr_t b, std::complex<double> beta, std::uintptr_t c) {
            const nb::gil_scoped_release released;
            p.product.execute(alpha, reinterpret_cast<const void*>(a), reinterpret_cast<const void*>(b), beta,
                              reinterpret_cast<void*>(c));
        });
    module.def(
        "plan_distributed_product",
        [](const std::string& problem, const CommunicatorObject& communicator, const std::vector<BoxTuple>& a,
           const std::vector<BoxTuple>& b, const std::vector<BoxTuple>& c, int threads,
           const std::string& effort, double time_budget, const std::string& schedule, nb::handle machine) {
            const distributed::MatrixBoxes boxes{boxes_of(a), boxes_of(b), boxes_of(c)};
            const auto options = options_of(threads, effort, time_budget, schedule, machine);
            const MatrixProduct product = product_named(problem);
            if (data_type_name(product.type_of_a()).empty() || product.type_of_a() != product.type_of_b())
                throw Unsupported("A and B are float32, float64, complex64 or complex128, both the same");
            std::shared_ptr<Communicator> ranks = communicator.ranks;
            const nb::gil_scoped_release released;
            distributed::DistributedProduct made = distributed::plan(product, *ranks, boxes, options);
            return ProductObjectOfRanks{std::move(ranks), std::move(made)};
        },
        arg("problem"), arg("communicator"), arg("a"), arg("b"), arg("c"), arg("threads"), arg("effort"),
        arg("time_budget"), arg("schedule"), arg("machine").none());
    module.def("product_boxes", [](const std::string& problem, int ranks) {
        nb::list result;
        for (const distributed::MatrixBoxes& each : distributed::product_boxes(product_named(problem), ranks))
            result.append(nb::make_tuple(tuples_of(each.a), tuples_of(each.b), tuples_of(each.c)));
        return result;
    });
}

} // namespace

void define_distributed(nb::module_& module) {
    nb::module_ part = module.def_submodule("distributed");
    define_communicators(part);
    define_boxes(part);
    define_plans(part);
    define_matrix_products(part);
}

} // namespace swirl::python
