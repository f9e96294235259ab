#include <swirl/distributed.h>

#include <swirl/distributed/box.hpp>
#include <swirl/distributed/c.hpp>
#include <swirl/distributed/matrix_product.hpp>
#include <swirl/distributed/nccl.hpp>
#include <swirl/distributed/plan.hpp>
#include <swirl/distributed/threads.hpp>

#include "api/c.hpp"
#include "base/error.hpp"
#include "distributed/agree.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"

#include <array>
#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using swirl::api::guarded;
using swirl::api::require;
using swirl::distributed::Box;
using swirl::distributed::Communicator;

struct swirl_communicator {
    std::shared_ptr<Communicator> ranks;
};

struct swirl_distributed_plan {
    std::shared_ptr<Communicator> ranks;
    swirl::distributed::DistributedPlan plan;
    std::string schedule = {}, description = {}, derivation = {};
};

struct swirl_product_boxes {
    /// The boxes of one matrix that a rank holds, and what C has of them.
    struct List {
        std::vector<Box> boxes = {};
        std::vector<swirl_box> views = {};
    };
    struct Rank {
        List a, b, c;
    };
    std::vector<Rank> ranks;
};

struct swirl_distributed_product {
    std::shared_ptr<Communicator> ranks;
    swirl::distributed::DistributedProduct product;
    std::string description = {};
};

namespace swirl::distributed {
namespace {

constexpr std::size_t most_axes = 128; // 64 batch loops and 64 dimensions
constexpr std::size_t most_boxes = 1U << 20;
constexpr int most_ranks = 1 << 24;

swirl_box view_of(const Box& box) {
    return {box.lower.size(), box.lower.data(), box.upper.data(),
            box.order.empty() ? nullptr : box.order.data()};
}

Box box_from(const swirl_box& box, const char* name) {
    if (box.axes == 0) return {};
    const auto list = [&](const auto* values, const char* member) {
        if (values == nullptr)
            throw UserError("member '{}' of argument '{}' is a null pointer", member, name);
        return api::list_of(values, member, box.axes, most_axes, "a box");
    };
    const auto lower = list(box.lower, "lower"), upper = list(box.upper, "upper");
    Box result{{lower.begin(), lower.end()}, {upper.begin(), upper.end()}};
    if (box.order != nullptr) result.order.assign(box.order, box.order + box.axes);
    return result;
}

std::vector<Box> boxes_from(const swirl_box* boxes, std::size_t count, const char* name) {
    std::vector<Box> result;
    for (const swirl_box& box : api::list_of(boxes, name, count, most_boxes, "a rank"))
        result.push_back(box_from(box, name));
    return result;
}

DistributedOptions options_from(const swirl_distributed_options* options) {
    const auto given = api::versioned<swirl_distributed_options>(options, SWIRL_DISTRIBUTED_OPTIONS_INIT,
                                                                 "argument 'options'");
    DistributedOptions result;
    result.local = api::options_of(given.local);
    if (given.schedule != nullptr) result.schedule = given.schedule;
    result.machine = {
        given.ranks_per_node,    given.node_latency,     given.node_bandwidth, given.network_latency,
        given.network_bandwidth, given.memory_bandwidth, given.flops};
    return result;
}

Transform transform_in(const swirl_problem* problem) {
    require(problem, "problem");
    const Problem given = api::problem_of(*problem);
    if (const auto* const transform = std::get_if<Transform>(&given)) return *transform;
    throw UserError("the problem is a matrix multiplication\n  use swirl_distributed_product_create");
}

MatrixProduct product_in(const swirl_problem* problem) {
    require(problem, "problem");
    const Problem given = api::problem_of(*problem);
    if (const auto* const product = std::get_if<MatrixProduct>(&given)) return *product;
    throw UserError("the problem is a transform\n  use swirl_distributed_plan_create");
}

/// Collective: `make`, which reads a rank's arguments. All ranks throw the error of the first that cannot.
template <class Make> auto arguments_of_all(Communicator& ranks, Make&& make) {
    decltype(make()) result;
    agree(ranks, [&]() -> std::string {
        result = make();
        return "";
    });
    return result;
}

struct PlanArguments {
    Transform problem = {};
    RankBoxes boxes = {};
    DistributedOptions options = {};
};

template <class MakeProblem>
swirl_status plan_for_c(MakeProblem&& problem, swirl_communicator* communicator, const swirl_box* input,
                        const swirl_box* output, const swirl_distributed_options* options,
                        swirl_distributed_plan** plan) {
    return guarded([&] {
        require(communicator, "communicator");
        const std::shared_ptr<Communicator> ranks = communicator->ranks;
        const auto given = arguments_of_all(*ranks, [&] {
            require(plan, "plan");
            require(input, "input");
            PlanArguments arguments{problem(), {box_from(*input, "input")}, options_from(options)};
            if (output != nullptr) arguments.boxes.output = box_from(*output, "output");
            return arguments;
        });
        auto made = std::make_unique<swirl_distributed_plan>(swirl_distributed_plan{
            ranks, distributed::plan(given.problem, *ranks, given.boxes, given.options)});
        made->schedule = made->plan.schedule();
        made->description = made->plan.description();
        if (ranks->size() <= 16) made->derivation = made->plan.derivation();
        *plan = made.release();
    });
}

/// Writes the box of one rank.
template <class Divide>
swirl_status write_box(std::size_t axes, const std::int64_t* lengths, int ranks, int rank,
                       std::int64_t* lower, std::int64_t* upper, Divide&& divide) {
    return guarded([&] {
        const auto list = api::list_of(lengths, "lengths", axes, most_axes, "a box");
        require(lower, "lower");
        require(upper, "upper");
        if (ranks < 1 || ranks > most_ranks)
            throw UserError("argument 'ranks' is {}; it is from 1 to {}", ranks, most_ranks);
        if (rank < 0 || rank >= ranks)
            throw UserError("argument 'rank' is {}; it is from 0 to {}", rank, ranks - 1);
        const std::vector<Box> boxes = divide(std::vector<Integer>(list.begin(), list.end()));
        const Box& box = boxes[static_cast<std::size_t>(rank)];
        for (std::size_t axis = 0; axis < axes; ++axis) {
            // an empty box has no axes
            lower[axis] = box.lower.empty() ? 0 : box.lower[axis];
            upper[axis] = box.upper.empty() ? 0 : box.upper[axis];
        }
    });
}

std::size_t checked_axis(std::size_t axis, std::size_t axes) {
    if (axis >= axes) throw UserError("the axis is {}, but there are {}", axis, axes);
    return axis;
}

template <class Real> Scalar scalar_of(const void* pointer, bool is_complex) {
    Real values[2] = {0, 0};
    std::memcpy(values, pointer, (is_complex ? 2 : 1) * sizeof(Real));
    return std::complex<double>(values[0], values[1]);
}

Scalar scalar_at(const void* pointer, const char* name, DataType type) {
    require(pointer, name);
    switch (type) {
    case DataType::float32: return scalar_of<float>(pointer, false);
    case DataType::complex64: return scalar_of<float>(pointer, true);
    case DataType::float64: return scalar_of<double>(pointer, false);
    case DataType::complex128: return scalar_of<double>(pointer, true);
    default: throw InternalError("a scalar of {}", name_of(type));
    }
}

/// An error before the execution begins ends the calls of the other ranks, as one during it does.
template <class Prepare> void prepare_or_abort(Communicator& ranks, Prepare&& prepare) {
    try {
        prepare();
    } catch (const std::exception& error) {
        ranks.abort(error.what());
        throw;
    }
}

} // namespace

swirl_status communicator_for_c(const std::function<std::unique_ptr<Communicator>()>& make,
                                swirl_communicator** communicator) noexcept {
    return guarded([&] {
        require(communicator, "communicator");
        *communicator = new swirl_communicator{make()};
    });
}

} // namespace swirl::distributed

namespace distributed = swirl::distributed;

extern "C" {

// --- ranks

swirl_status swirl_communicators_on_threads(int ranks, swirl_communicator** communicators) {
    return guarded([&] {
        require(communicators, "communicators");
        auto made = distributed::on_threads(ranks);
        std::vector<std::unique_ptr<swirl_communicator>> handles;
        for (auto& each : made)
            handles.push_back(std::make_unique<swirl_communicator>(swirl_communicator{std::move(each)}));
        for (std::size_t rank = 0; rank < handles.size(); ++rank)
            communicators[rank] = handles[rank].release();
    });
}

swirl_status swirl_nccl_id_make(swirl_nccl_id* id) {
    return guarded([&] {
        require(id, "id");
        const distributed::NcclId made = distributed::make_nccl_id();
        static_assert(sizeof made.bytes == sizeof id->bytes);
        std::memcpy(id->bytes, made.bytes.data(), sizeof id->bytes);
    });
}

swirl_status swirl_communicator_on_nccl(const swirl_nccl_id* id, int rank, int size, int gpu,
                                        swirl_communicator** communicator) {
    return distributed::communicator_for_c(
        [&] {
            require(id, "id");
            distributed::NcclId given;
            std::memcpy(given.bytes.data(), id->bytes, sizeof id->bytes);
            return distributed::on_nccl(given, rank, size, gpu);
        },
        communicator);
}

void swirl_communicator_destroy(swirl_communicator* communicator) { delete communicator; }

int swirl_communicator_rank(const swirl_communicator* communicator) {
    return communicator == nullptr ? -1 : communicator->ranks->rank();
}

int swirl_communicator_size(const swirl_communicator* communicator) {
    return communicator == nullptr ? 0 : communicator->ranks->size();
}

swirl_status swirl_communicator_engine(const swirl_communicator* communicator, char* text, size_t size,
                                       size_t* length) {
    return guarded([&] {
        require(communicator, "communicator");
        swirl::api::copy_text(communicator->ranks->engine(), text, size, length);
    });
}

swirl_status swirl_communicator_barrier(swirl_communicator* communicator) {
    return guarded([&] {
        require(communicator, "communicator");
        communicator->ranks->barrier();
    });
}

swirl_status swirl_communicator_split(swirl_communicator* communicator, int color, int key,
                                      swirl_communicator** part) {
    return guarded([&] {
        require(communicator, "communicator");
        distributed::prepare_or_abort(*communicator->ranks, [&] { require(part, "part"); });
        auto made = communicator->ranks->split(color, key);
        *part = made == nullptr ? nullptr : new swirl_communicator{std::move(made)};
    });
}

void swirl_communicator_abort(swirl_communicator* communicator, const char* reason) {
    if (communicator != nullptr) communicator->ranks->abort(reason == nullptr ? "no reason given" : reason);
}

// --- boxes

swirl_status swirl_slab_box(size_t axes, const int64_t* lengths, int ranks, int rank, size_t axis,
                            int64_t* lower, int64_t* upper) {
    return distributed::write_box(axes, lengths, ranks, rank, lower, upper, [&](const auto& all) {
        return distributed::slabs(all, ranks, distributed::checked_axis(axis, axes));
    });
}

swirl_status swirl_pencil_box(size_t axes, const int64_t* lengths, int ranks, int rank, size_t whole_axis,
                              int64_t* lower, int64_t* upper) {
    return distributed::write_box(axes, lengths, ranks, rank, lower, upper, [&](const auto& all) {
        return distributed::pencils(all, ranks, distributed::checked_axis(whole_axis, axes));
    });
}

swirl_status swirl_brick_box(size_t axes, const int64_t* lengths, int ranks, int rank, int64_t* lower,
                             int64_t* upper) {
    return distributed::write_box(axes, lengths, ranks, rank, lower, upper,
                                  [&](const auto& all) { return distributed::bricks(all, ranks); });
}

swirl_status swirl_grid_box(size_t axes, const int64_t* lengths, const int64_t* parts, int ranks, int rank,
                            int64_t* lower, int64_t* upper) {
    return distributed::write_box(axes, lengths, ranks, rank, lower, upper, [&](const auto& all) {
        const auto list = swirl::api::list_of(parts, "parts", axes);
        return distributed::divide(all, {{list.begin(), list.end()}}, ranks);
    });
}

swirl_status swirl_fftw_block_box(size_t axes, const int64_t* lengths, int ranks, int rank, size_t axis,
                                  int64_t* lower, int64_t* upper) {
    return distributed::write_box(axes, lengths, ranks, rank, lower, upper, [&](const auto& all) {
        return distributed::fftw_blocks(all, ranks, distributed::checked_axis(axis, axes));
    });
}

int64_t swirl_box_elements(const swirl_box* box) {
    if (box == nullptr || box->axes == 0 || box->lower == nullptr || box->upper == nullptr) return 0;
    return distributed::elements(
        {{box->lower, box->lower + box->axes}, {box->upper, box->upper + box->axes}});
}

// --- transforms

swirl_status swirl_distributed_plan_create(const swirl_problem* problem, swirl_communicator* communicator,
                                           const swirl_box* input, const swirl_box* output,
                                           const swirl_distributed_options* options,
                                           swirl_distributed_plan** plan) {
    return distributed::plan_for_c([&] { return distributed::transform_in(problem); }, communicator, input,
                                   output, options, plan);
}

swirl_status swirl_distributed_plan_from_text(const char* problem, swirl_communicator* communicator,
                                              const swirl_box* input, const swirl_box* output,
                                              const swirl_distributed_options* options,
                                              swirl_distributed_plan** plan) {
    return distributed::plan_for_c(
        [&] {
            require(problem, "problem");
            return swirl::parse_transform(problem);
        },
        communicator, input, output, options, plan);
}

void swirl_distributed_plan_destroy(swirl_distributed_plan* plan) { delete plan; }

swirl_status swirl_distributed_execute(const swirl_distributed_plan* plan, const void* input, void* output) {
    return guarded([&] {
        require(plan, "plan");
        plan->plan.execute(input, output);
    });
}

swirl_status swirl_distributed_plan_box(const swirl_distributed_plan* plan, int side, swirl_box* box) {
    return guarded([&] {
        require(plan, "plan");
        require(box, "box");
        if (side != SWIRL_INPUT && side != SWIRL_OUTPUT)
            throw swirl::UserError("argument 'side' is {}; use SWIRL_INPUT or SWIRL_OUTPUT", side);
        *box = distributed::view_of(side == SWIRL_INPUT ? plan->plan.input_box() : plan->plan.output_box());
    });
}

const char* swirl_distributed_plan_schedule(const swirl_distributed_plan* plan) {
    return plan == nullptr ? nullptr : plan->schedule.c_str();
}
const char* swirl_distributed_plan_description(const swirl_distributed_plan* plan) {
    return plan == nullptr ? nullptr : plan->description.c_str();
}
const char* swirl_distributed_plan_derivation(const swirl_distributed_plan* plan) {
    return plan == nullptr ? nullptr : plan->derivation.c_str();
}
double swirl_distributed_plan_seconds(const swirl_distributed_plan* plan) {
    return plan == nullptr ? 0 : plan->plan.seconds();
}
int64_t swirl_distributed_plan_exchanges(const swirl_distributed_plan* plan) {
    return plan == nullptr ? 0 : plan->plan.exchanges();
}
int64_t swirl_distributed_plan_bytes_sent(const swirl_distributed_plan* plan) {
    return plan == nullptr ? 0 : plan->plan.bytes_sent();
}
int64_t swirl_distributed_plan_messages_sent(const swirl_distributed_plan* plan) {
    return plan == nullptr ? 0 : plan->plan.messages_sent();
}
size_t swirl_distributed_plan_workspace_bytes(const swirl_distributed_plan* plan) {
    return plan == nullptr ? 0 : plan->plan.workspace_bytes();
}

// --- matrix multiplication

swirl_status swirl_product_boxes_create(const swirl_problem* problem, int ranks,
                                        const swirl_distributed_options* options,
                                        swirl_product_boxes** boxes) {
    return guarded([&] {
        require(boxes, "boxes");
        if (ranks < 1 || ranks > distributed::most_ranks)
            throw swirl::UserError("argument 'ranks' is {}; it is from 1 to {}", ranks,
                                   distributed::most_ranks);
        auto made = std::make_unique<swirl_product_boxes>();
        for (distributed::MatrixBoxes& rank : distributed::product_boxes(
                 distributed::product_in(problem), ranks, distributed::options_from(options)))
            made->ranks.push_back({{std::move(rank.a)}, {std::move(rank.b)}, {std::move(rank.c)}});
        for (swirl_product_boxes::Rank& rank : made->ranks)
            for (swirl_product_boxes::List* list : {&rank.a, &rank.b, &rank.c})
                for (const Box& box : list->boxes) list->views.push_back(distributed::view_of(box));
        *boxes = made.release();
    });
}

void swirl_product_boxes_destroy(swirl_product_boxes* boxes) { delete boxes; }

swirl_status swirl_product_boxes_of(const swirl_product_boxes* boxes, int rank, swirl_matrix_boxes* of_rank) {
    return guarded([&] {
        require(boxes, "boxes");
        require(of_rank, "of_rank");
        const auto count = static_cast<int>(boxes->ranks.size());
        if (rank < 0 || rank >= count)
            throw swirl::UserError("argument 'rank' is {}; it is from 0 to {}", rank, count - 1);
        const swirl_product_boxes::Rank& lists = boxes->ranks[static_cast<std::size_t>(rank)];
        *of_rank = {lists.a.views.data(), lists.b.views.data(), lists.c.views.data(),
                    lists.a.views.size(), lists.b.views.size(), lists.c.views.size()};
    });
}

swirl_status swirl_distributed_product_create(const swirl_problem* problem, swirl_communicator* communicator,
                                              const swirl_matrix_boxes* boxes,
                                              const swirl_distributed_options* options,
                                              swirl_distributed_product** product) {
    return guarded([&] {
        require(communicator, "communicator");
        const std::shared_ptr<Communicator> ranks = communicator->ranks;
        struct Arguments {
            swirl::MatrixProduct problem = {};
            distributed::MatrixBoxes boxes = {};
            distributed::DistributedOptions options = {};
        };
        const auto given = distributed::arguments_of_all(*ranks, [&] {
            require(product, "product");
            require(boxes, "boxes");
            return Arguments{distributed::product_in(problem),
                             {distributed::boxes_from(boxes->a, boxes->a_count, "boxes->a"),
                              distributed::boxes_from(boxes->b, boxes->b_count, "boxes->b"),
                              distributed::boxes_from(boxes->c, boxes->c_count, "boxes->c")},
                             distributed::options_from(options)};
        });
        auto made = std::make_unique<swirl_distributed_product>(swirl_distributed_product{
            ranks, distributed::plan(given.problem, *ranks, given.boxes, given.options)});
        made->description = made->product.description();
        *product = made.release();
    });
}

void swirl_distributed_product_destroy(swirl_distributed_product* product) { delete product; }

swirl_status swirl_distributed_product_execute(const swirl_distributed_product* product, const void* alpha,
                                               const void* a, const void* b, const void* beta, void* c) {
    return guarded([&] {
        require(product, "product");
        swirl::Scalar by, keep;
        distributed::prepare_or_abort(*product->ranks, [&] {
            by = distributed::scalar_at(alpha, "alpha", product->product.problem().data_type);
            keep = distributed::scalar_at(beta, "beta", product->product.problem().data_type);
        });
        product->product.execute(by, a, b, keep, c);
    });
}

const char* swirl_distributed_product_description(const swirl_distributed_product* product) {
    return product == nullptr ? nullptr : product->description.c_str();
}
int64_t swirl_distributed_product_bytes_sent(const swirl_distributed_product* product) {
    return product == nullptr ? 0 : product->product.bytes_sent();
}

} // extern "C"
