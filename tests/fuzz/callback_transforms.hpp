#pragma once

#include "base/error.hpp"
#include "fuzz/reference.hpp"
#include "fuzz/transforms.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"

#include <swirl/swirl.hpp>

#include <fmt/format.h>

#include <optional>

/// Transforms with load and store callbacks, convolutions and 16-bit types, on CPUs and GPUs.
namespace swirl::fuzz {

/// A load expression with an array of reals, one for each element of a transform's input.
constexpr const char* weighted = "x * w[i]";

/// A transform as draw_transform draws them, often as a convolution, of 16-bit types or with callbacks.
Transform draw_callback_transform(Random& random, const Limits& limits);

/// By how much the results are multiplied by the store expressions that are drawn.
long double factor_of(const Expression& store);

template <class T> struct ComplexOf { using type = std::complex<T>; };
template <> struct ComplexOf<float16> { using type = complex_half<float16>; };
template <> struct ComplexOf<bfloat16> { using type = complex_half<bfloat16>; };

/// One problem. Array and WorkspaceArray: guarded memory where the plan runs, as Array and WorkspaceArray.
template <class Array, class WorkspaceArray> class CallbackTransformRun {
public:
    CallbackTransformRun(const Transform& problem, Random& random, const Setting& setting, Journal& journal)
        : problem_(problem),
          random_(random),
          setting_(setting),
          journal_(journal),
          data_(problem, random, true) {}

    void run(const Options& options) {
        journal_.doing(fmt::format("{}{} threads={} check={}", setting_.on_gpu ? "gpu " : "",
                                   to_text(problem_), options.threads, options.check));
        const Plan plan = swirl::plan(problem_, options);
        input_ = random_input(data_.transform(), data_.transforms(), random_);
        data_.set(From::input, input_);
        make_spectrum();
        make_weights();
        const Expected expected = this->expected();
        const bool bring_workspace = random_.chance(50);
        execute(plan, bring_workspace);
        const Values output = data_.elements(From::output);
        const double tolerance = setting_.tolerance * (is_convolution(problem_) ? 2 : 1);
        require_close(problem_, output, expected, tolerance);
        if (random_.chance(20)) run_from_schedule(plan, options, output);
    }

private:
    void run_from_schedule(const Plan& plan, Options options, const Values& output) {
        options.schedule = plan.schedule();
        options.check = false;
        const Plan again = swirl::plan(problem_, options);
        if (again.schedule() != plan.schedule())
            throw Failure("schedule", fmt::format("'{}' became '{}'", plan.schedule(), again.schedule()));
        data_.set(From::input, input_);
        execute(again, random_.chance(50));
        require_same(data_.elements(From::output), output, "from the schedule");
    }

    void make_spectrum() {
        if (!is_convolution(problem_)) return;
        // A contiguous transform has its elements where the spectrum has them.
        std::vector<Integer> lengths;
        for (const Dimension& dimension : problem_.dimensions) lengths.push_back(dimension.length);
        TransformOptions options{.precision = problem_.precision, .layout = problem_.layout};
        if (problem_.spectrum == Sharing::each)
            options.batches.push_back({.count = static_cast<Integer>(data_.transforms())});
        const bool is_half = problem_.kind == TransformKind::real_convolution;
        if (is_half) options.direction = Direction::backward;
        spectrum_.emplace(is_half ? Transform::real_dft(lengths, options) : Transform::dft(lengths, options),
                          random_, true);
        spectrum_->set(From::input, random_input(spectrum_->transform(), spectrum_->transforms(), random_));
    }

    bool has_weights() const { return !problem_.load.is_identity() && problem_.load == Expression(weighted); }

    void make_weights() {
        if (!has_weights()) return;
        Transform one =
            Transform::make(TransformKind::dct2, {static_cast<Integer>(input_.size() / data_.transforms())},
                            {.precision = problem_.precision}); // its input is an array of reals
        weights_.emplace(one, random_, true);
        weights_->set(From::input, random_input(weights_->transform(), 1, random_));
    }

    Expected expected() {
        Values input = data_.elements(From::input);
        const std::size_t stored = input.size() / data_.transforms();
        if (has_weights()) {
            const Values weights = weights_->elements(From::input);
            for (std::size_t k = 0; k < input.size(); ++k) input[k] *= weights[k % stored];
        } else if (!problem_.load.is_identity()) {
            const Integer end = std::stoll(problem_.load.text().substr(problem_.load.text().find('<') + 1));
            for (std::size_t k = 0; k < input.size(); ++k)
                if (static_cast<Integer>(k % stored) >= end) input[k] = 0;
        }
        const auto scale = static_cast<long double>(problem_.scale) * factor_of(problem_.store);
        const Values spectrum = spectrum_ ? spectrum_->elements(From::input) : Values{};
        Expected result;
        for (std::size_t k = 0; k < data_.transforms(); ++k) {
            const auto first = input.begin() + static_cast<std::ptrdiff_t>(k * stored);
            const Values one(first, first + static_cast<std::ptrdiff_t>(stored));
            if (spectrum_)
                append_convolution(
                    result, one,
                    spectrum.data() +
                        (problem_.spectrum == Sharing::each ? k * (spectrum.size() / data_.transforms()) : 0),
                    scale);
            else
                append_outputs(result, data_.transform(), one, scale, random_);
        }
        return result;
    }

    /// Rounding errors of the input's spectrum X are spread evenly over its n entries, and are multiplied by S: in the
    /// outputs they have the norm ε·‖X‖·‖S‖/n. Where S is small at the few large entries of X, the outputs have less.
    void append_convolution(Expected& expected, const Values& input, const Complex* spectrum,
                            long double scale) {
        const bool is_half = problem_.kind == TransformKind::real_convolution;
        TransformDefinition transform{is_half ? TransformKind::real_dft : TransformKind::dft,
                                      Direction::forward, data_.transform().lengths};
        Values product = reference(transform, input, random_);
        const auto n = static_cast<long double>(transform.points());
        const long double norm = (is_half ? 2 : 1) * norm_of(product.data(), product.size()) *
                                 norm_of(spectrum, product.size()) / n;
        for (std::size_t i = 0; i < product.size(); ++i) product[i] *= spectrum[i] / n;
        transform.direction = Direction::backward;
        append_outputs(expected, transform, product, scale, random_);
        expected.norms.back() = norm * std::abs(scale);
    }

    void execute(const Plan& plan, bool bring_workspace) {
        data_.save();
        switch (problem_.precision) {
        case DataType::float32: return execute_as<float>(plan, bring_workspace);
        case DataType::float64: return execute_as<double>(plan, bring_workspace);
        case DataType::float16: return execute_as<float16>(plan, bring_workspace);
        case DataType::bfloat16: return execute_as<bfloat16>(plan, bring_workspace);
        default: throw InternalError("a transform of {}", name_of(problem_.precision));
        }
    }

    template <class T> void execute_as(Plan plan, bool bring_workspace) {
        std::vector<Array> in, out, spectrum;
        for (GuardedMemory* array : data_.arrays(From::input)) in.emplace_back(*array);
        const bool in_place = problem_.placement == Placement::in_place;
        if (!in_place)
            for (GuardedMemory* array : data_.arrays(From::output)) out.emplace_back(*array);
        if (spectrum_) {
            spectrum_->save();
            for (GuardedMemory* array : spectrum_->arrays(From::input)) spectrum.emplace_back(*array);
            plan = plan_with<T>(plan, spectrum);
        }
        std::vector<Array> weights;
        if (weights_) {
            weights_->save();
            weights.emplace_back(*weights_->arrays(From::input)[0]);
            plan = plan.with("w", weights[0].template as<const T>());
        }
        WorkspaceArray workspace(plan.workspace_bytes());
        run_on<T>(plan, in, in_place ? in : out, workspace.given(bring_workspace));
        for (std::vector<Array>* arrays : {&in, &out, &spectrum, &weights})
            for (Array& array : *arrays) array.fetch();
        workspace.fetch();
        if (setting_.tampering.transform) setting_.tampering.transform(data_, workspace.host());
        workspace.require_unharmed();
        data_.require_unharmed();
        for (const std::optional<TransformData>* read : {&spectrum_, &weights_})
            if (*read)
                for (GuardedMemory* array : (*read)->arrays(From::input)) array->require_unharmed();
    }

    template <class T> Plan plan_with(const Plan& plan, const std::vector<Array>& spectrum) const {
        using C = typename ComplexOf<T>::type;
        if (spectrum.size() == 1) return plan.with("spectrum", spectrum[0].template as<const C>());
        return plan.with("spectrum", spectrum[0].template as<const T>(), spectrum[1].template as<const T>());
    }

    template <class T>
    void run_on(const Plan& plan, const std::vector<Array>& in, const std::vector<Array>& out,
                Workspace workspace) const {
        using C = typename ComplexOf<T>::type;
        const T* const re = in[0].template as<const T>();
        T* const to = out[0].template as<T>();
        if (in.size() == 2 && out.size() == 2)
            return plan.execute(re, in[1].template as<const T>(), to, out[1].template as<T>(), {}, workspace);
        if (in.size() == 2) return plan.execute(re, in[1].template as<const T>(), to, {}, workspace);
        if (out.size() == 2) return plan.execute(re, to, out[1].template as<T>(), {}, workspace);
        if (problem_.kind == TransformKind::dft || problem_.kind == TransformKind::convolution)
            return plan.execute(in[0].template as<const C>(), out[0].template as<C>(), {}, workspace);
        if (problem_.kind != TransformKind::real_dft) return plan.execute(re, to, {}, workspace);
        if (problem_.direction == Direction::forward)
            return plan.execute(re, out[0].template as<C>(), {}, workspace);
        plan.execute(in[0].template as<const C>(), to, {}, workspace);
    }

    const Transform& problem_;
    Random& random_;
    const Setting& setting_;
    Journal& journal_;
    TransformData data_;
    std::optional<TransformData> spectrum_; ///< its input is the spectrum
    std::optional<TransformData> weights_;  ///< and of this one the array of the load expression
    Values input_;
};

} // namespace swirl::fuzz
