#pragma once

#include <swirl/distributed/plan.hpp>
#include <swirl/distributed/threads.hpp>
#include <swirl/plan.hpp>

#include "support/instrumented_communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace swirl::support {

using distributed::Box;

/// Conversions by way of float, as 16-bit types have them.
template <class Real> Real as(double value) {
    if constexpr (std::is_floating_point_v<Real>)
        return static_cast<Real>(value);
    else
        return Real(static_cast<float>(value));
}
template <class Real> double value_of(Real value) {
    if constexpr (std::is_floating_point_v<Real>)
        return static_cast<double>(value);
    else
        return static_cast<double>(static_cast<float>(value));
}

/// Numbers of a global array, row-major, as one array: one or two for each element.
struct GlobalArray {
    std::vector<Integer> lengths;
    int components;
    std::vector<double> numbers;

    Integer size() const {
        return std::accumulate(lengths.begin(), lengths.end(), Integer{1}, std::multiplies<>());
    }
    /// Calls visit(position in the rank's array, position in the global array) for the elements of a box.
    template <class Visit> void for_each(const Box& box, Visit&& visit) const {
        if (elements(box) == 0) return;
        std::vector<int> order = box.order;
        if (order.empty()) {
            order.resize(lengths.size());
            std::iota(order.begin(), order.end(), 0);
        }
        std::vector<Integer> index = box.lower;
        for (Integer at = 0; at < elements(box); ++at) {
            Integer position = 0;
            for (std::size_t axis = 0; axis < lengths.size(); ++axis)
                position = position * lengths[axis] + index[axis];
            visit(at, position);
            for (std::size_t i = order.size(); i-- > 0;) {
                const auto axis = static_cast<std::size_t>(order[i]);
                if (++index[axis] < box.upper[axis]) break;
                index[axis] = box.lower[axis];
            }
        }
    }
    template <class Real> std::vector<Real> local(const Box& box) const {
        std::vector<Real> result(static_cast<std::size_t>(elements(box) * components));
        for_each(box, [&](Integer at, Integer position) {
            for (int c = 0; c < components; ++c)
                result[static_cast<std::size_t>(at * components + c)] =
                    as<Real>(numbers[static_cast<std::size_t>(position * components + c)]);
        });
        return result;
    }
    template <class Real> void put(const Box& box, const std::vector<Real>& local) {
        for_each(box, [&](Integer at, Integer position) {
            for (int c = 0; c < components; ++c)
                numbers[static_cast<std::size_t>(position * components + c)] =
                    value_of(local[static_cast<std::size_t>(at * components + c)]);
        });
    }
};

/// A transform on ranks that are threads, and its result by one plan.
struct DistributedCase {
    std::string problem;
    std::vector<Box> input;
    std::optional<std::vector<Box>> output = {};
    distributed::DistributedOptions options = {};
    bool is_in_place = false;
    distributed::SharedMemory shared_memory = distributed::SharedMemory::none;
    int executions = 1;
    std::function<void(int, Integer)> before_call = {}; ///< as Instruments has it
};

struct DistributedResult {
    GlobalArray values;
    double relative_error; ///< to the plan of one process
    std::string schedule;
    std::string steps; ///< of rank 0
    Integer exchanges = 0, bytes_copied = 0;
    Integer bytes = 0, messages = 0;                   ///< that were sent to other ranks
    Integer promised_bytes = 0, promised_messages = 0; ///< the sums of what the plans say
};

inline int components_of(const Transform& problem, bool is_input) {
    if (problem.kind == TransformKind::dft) return 2;
    if (problem.kind != TransformKind::real_dft) return 1;
    return is_input == (problem.direction == Direction::backward) ? 2 : 1;
}

template <class Real>
DistributedResult run_distributed(const DistributedCase& c, std::uint64_t seed,
                                  GlobalArray* input = nullptr) {
    const Transform problem = swirl::problem(c.problem);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    GlobalArray x{distributed::input_lengths(problem), components_of(problem, true), {}};
    GlobalArray y{distributed::output_lengths(problem), components_of(problem, false), {}};
    x.numbers.resize(static_cast<std::size_t>(x.size() * x.components));
    y.numbers.resize(static_cast<std::size_t>(y.size() * y.components));
    for (double& value : x.numbers) value = value_of(as<Real>(number(random)));
    DistributedResult result{y, 0, "", "", 0, 0, 0, 0, 0, 0};
    if (problem.kind == TransformKind::real_dft && problem.direction == Direction::backward) {
        // the half spectrum of reals
        Transform forward = problem;
        forward.direction = Direction::forward;
        forward.placement = Placement::out_of_place;
        const Transform plain = swirl::problem([&] {
            std::string text = to_text(problem);
            text.erase(text.find(" backward"), 9);
            return text;
        }());
        std::vector<Real> reals(y.numbers.size()), spectrum(x.numbers.size());
        for (Real& value : reals) value = as<Real>(number(random));
        swirl::plan(plain).execute(static_cast<const void*>(reals.data()),
                                   static_cast<void*>(spectrum.data()));
        for (std::size_t i = 0; i < spectrum.size(); ++i) x.numbers[i] = value_of(spectrum[i]);
    }
    std::vector<Real> global_x, global_y(y.numbers.size());
    for (const double value : x.numbers) global_x.push_back(as<Real>(value));
    swirl::plan(problem).execute(static_cast<const void*>(global_x.data()),
                                 static_cast<void*>(global_y.data()));

    if (input != nullptr) *input = x;

    std::mutex mutex;
    auto instruments = std::make_shared<Instruments>();
    instruments->shared_memory = c.shared_memory;
    instruments->before_call = c.before_call;
    distributed::run_ranks(static_cast<int>(c.input.size()), [&](distributed::Communicator& inner) {
        InstrumentedCommunicator communicator(inner, instruments);
        const auto rank = static_cast<std::size_t>(communicator.rank());
        distributed::RankBoxes boxes{c.input[rank], {}};
        if (c.output) boxes.output = (*c.output)[rank];
        const distributed::DistributedPlan plan = distributed::plan(problem, communicator, boxes, c.options);
        std::vector<Real> in = x.local<Real>(plan.input_box());
        std::vector<Real> out(static_cast<std::size_t>(elements(plan.output_box()) * y.components));
        const std::vector<Real> given = in;
        if (c.is_in_place) {
            in.resize(std::max(in.size(), out.size()));
            plan.execute(static_cast<const void*>(in.data()), static_cast<void*>(in.data()));
            in.resize(out.size());
            out = in;
        } else {
            // each of another multiple of the input, so that what an execution takes from another one shows
            std::vector<std::vector<Real>> results;
            for (int i = c.executions - 1; i >= 0; --i) {
                std::vector<Real> multiple;
                for (const Real value : in) multiple.push_back(as<Real>(std::ldexp(value_of(value), i)));
                std::fill(out.begin(), out.end(), Real{});
                plan.execute(static_cast<const void*>((i == 0 ? in : multiple).data()),
                             static_cast<void*>(out.data()));
                results.push_back(out);
            }
            for (int i = c.executions - 1; i > 0; --i) {
                const std::vector<Real>& multiple = results[static_cast<std::size_t>(c.executions - 1 - i)];
                for (std::size_t k = 0; k < out.size(); ++k)
                    EXPECT_EQ(value_of(multiple[k]), std::ldexp(value_of(out[k]), i)) << "multiple " << i;
            }
            EXPECT_EQ(std::memcmp(in.data(), given.data(), in.size() * sizeof(Real)), 0)
                << "the input of rank " << rank << " was changed";
        }
        const std::lock_guard lock(mutex);
        result.values.put(plan.output_box(), out);
        result.promised_bytes += plan.bytes_sent();
        result.promised_messages += plan.messages_sent();
        result.bytes_copied += plan.bytes_copied();
        if (rank == 0) {
            result.schedule = plan.schedule();
            result.steps = plan.description();
            result.exchanges = plan.exchanges();
        }
    });
    result.bytes = instruments->bytes;
    result.messages = instruments->messages;
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < global_y.size(); ++i) {
        const double expected = value_of(global_y[i]);
        difference += (result.values.numbers[i] - expected) * (result.values.numbers[i] - expected);
        norm += expected * expected;
    }
    result.relative_error = std::sqrt(difference / std::max(norm, 1e-300));
    return result;
}

/// Boxes that hold each element once: an index space cut at random, until there is a box for each rank; some are empty.
inline std::vector<Box> random_boxes(const std::vector<Integer>& lengths, int ranks,
                                     std::mt19937_64& random) {
    std::vector<Box> boxes{{std::vector<Integer>(lengths.size(), 0), lengths}};
    const auto draw = [&](std::uint64_t n) { return static_cast<std::size_t>(random() % n); };
    while (boxes.size() < static_cast<std::size_t>(ranks)) {
        const std::size_t at = draw(boxes.size()), axis = draw(lengths.size());
        Box& box = boxes[at];
        if (box.lower.empty() || draw(8) == 0) {
            boxes.emplace_back();
            continue;
        }
        const Integer length = box.upper[axis] - box.lower[axis];
        const Integer cut =
            box.lower[axis] + static_cast<Integer>(draw(static_cast<std::uint64_t>(length + 1)));
        Box rest = box;
        rest.lower[axis] = cut;
        box.upper[axis] = cut;
        boxes.push_back(rest);
    }
    std::shuffle(boxes.begin(), boxes.end(), random);
    for (Box& box : boxes) {
        if (box.lower.empty() || draw(2) == 0) continue;
        box.order.resize(lengths.size());
        std::iota(box.order.begin(), box.order.end(), 0);
        std::shuffle(box.order.begin(), box.order.end(), random);
    }
    return boxes;
}

} // namespace swirl::support
