#include "fuzz/callback_transforms.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::fuzz {
namespace {

Integer points_of(const Transform& problem) {
    Integer points = 1;
    for (const Dimension& dimension : problem.dimensions) points *= dimension.length;
    return points;
}

/// Avoids infinities and subnormals of float16: spectra of values around 1 grow with the root of the length, what is
/// made of these with all of it.
void suit_float16(Transform& problem) {
    const auto points = static_cast<double>(points_of(problem));
    const bool makes_reals =
        problem.kind == TransformKind::real_dft && problem.direction == Direction::backward;
    problem.scale = is_convolution(problem) ? 1 : makes_reals ? 1 / points : 1 / std::sqrt(points);
}

} // namespace

Transform draw_callback_transform(Random& random, const Limits& limits) {
    Limits own = limits;
    const auto precision = random.one_of(
        {DataType::float32, DataType::float32, DataType::float64, DataType::float16, DataType::bfloat16});
    if (precision == DataType::float16) own.points = std::min<Integer>(own.points, 1 << 14);
    Transform problem = draw_transform(random, own);
    if (problem.kind == TransformKind::dft && random.chance(15)) {
        problem.kind = TransformKind::convolution;
        problem.direction = Direction::forward;
        problem.spectrum = random.one_of({Sharing::shared, Sharing::each});
    }
    if (is_real_to_real(problem.kind) && random.chance(15)) {
        problem.kind = TransformKind::real_convolution;
        problem.spectrum = random.one_of({Sharing::shared, Sharing::each});
    }
    problem.precision = precision;
    if (precision == DataType::float16) suit_float16(problem);
    if (problem.dimensions.size() == 1 && random.chance(10))
        problem.load = Expression(
            fmt::format("x where i < {}", random.integer(1, std::max<Integer>(points_of(problem), 2) - 1)));
    else if (problem.dimensions.size() == 1 && random.chance(10))
        problem.load = Expression(weighted);
    if (random.chance(10)) problem.store = Expression(random.one_of({"0.5 * x", "x - 3 * x", "-x"}));
    return problem;
}

long double factor_of(const Expression& store) {
    if (store.is_identity()) return 1;
    if (store == Expression("0.5 * x")) return 0.5L;
    return store == Expression("-x") ? -1 : -2;
}

namespace {

/// A guarded array where it is.
class OnHost {
public:
    explicit OnHost(GuardedMemory& memory) : memory_(&memory) {}
    template <class T> T* as() const { return reinterpret_cast<T*>(memory_->origin()); }
    void fetch() {}

private:
    GuardedMemory* memory_;
};

class WorkspaceOnHost {
public:
    explicit WorkspaceOnHost(std::size_t bytes)
        : bytes_(bytes), memory_("workspace", 0, static_cast<Integer>(bytes)) {
        memory_.save();
    }
    Workspace given(bool bring) const {
        return bring && bytes_ > 0 ? Workspace{memory_.origin(), bytes_} : Workspace{};
    }
    void fetch() { memory_.allow(0, static_cast<Integer>(bytes_)); }
    void require_unharmed() { memory_.require_unharmed(); }
    GuardedMemory& host() { return memory_; }

private:
    std::size_t bytes_;
    GuardedMemory memory_;
};

} // namespace

void fuzz_callbacks(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    const Transform problem = draw_callback_transform(random, setting.limits);
    journal.doing(to_text(problem));
    if (!is_valid(problem)) return journal.refused();
    const Options options{.threads = static_cast<int>(random.one_of({1, 1, 1, 2, 3})),
                          .cpu = setting.cpu,
                          .check = random.chance(75),
                          .use_wisdom = false};
    CallbackTransformRun<OnHost, WorkspaceOnHost>(problem, random, setting, journal).run(options);
}

} // namespace swirl::fuzz
