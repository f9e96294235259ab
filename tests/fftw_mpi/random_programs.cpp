// Runs as each rank of MPI: test_fftw_mpi_<name> SEED CASES. Draws problems of FFTW's MPI interface and compares what each rank
// gets with the plan of one process, in the layout that FFTW's manual documents. It is linked with FFTW's libraries, and runs
// with these or with swirl's. Rank 0 prints a line for each case, which scripts/check_mpi compares. Ends with 0 if all results are
// right.

#include "fftw_mpi/precision.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace swirl::test {
namespace {

using Integer = std::ptrdiff_t;
using Draw = std::mt19937_64;

Integer between(Draw& draw, Integer least, Integer most) {
    return least + static_cast<Integer>(draw() % static_cast<std::uint64_t>(most - least + 1));
}
bool one_in(Draw& draw, Integer count) { return between(draw, 1, count) == 1; }

enum class Kind { dft, r2c, c2r, r2r, transpose, scrambled };
constexpr const char* names[] = {"dft", "r2c", "c2r", "r2r", "transpose", "scrambled"};

/// The same on all ranks.
struct Case {
    Kind kind = Kind::dft;
    std::vector<Integer> n = {};
    Integer howmany = 1;
    Integer input_block = 0, output_block = 0;
    bool is_transposed_in = false, is_transposed_out = false;
    bool has_one_block = false;
    bool is_in_place = false, has_new_arrays = false, is_basic = false;
    int sign = FFTW_FORWARD;
    unsigned effort = FFTW_ESTIMATE;
    std::vector<int> kinds = {};
    unsigned values = 0; ///< seed

    unsigned flags() const {
        return effort | (is_transposed_in ? FFTW_MPI_TRANSPOSED_IN : 0U) |
               (is_transposed_out ? FFTW_MPI_TRANSPOSED_OUT : 0U);
    }
    int rank() const { return static_cast<int>(n.size()); }
    bool is_half() const { return kind == Kind::r2c || kind == Kind::c2r; }
    std::string text(int ranks) const {
        std::string text = names[static_cast<int>(kind)];
        for (std::size_t i = 0; i < n.size(); ++i) text += (i == 0 ? " " : "x") + std::to_string(n[i]);
        text += " howmany=" + std::to_string(howmany) + " blocks=" + std::to_string(input_block) + "," +
                std::to_string(output_block) + " ranks=" + std::to_string(ranks);
        if (is_transposed_in) text += " transposed-in";
        if (is_transposed_out) text += " transposed-out";
        if (is_in_place) text += " in-place";
        if (has_new_arrays) text += " new-arrays";
        if (is_basic) text += " basic";
        if (has_one_block) text += " one-block";
        for (const int each : kinds) text += " kind=" + std::to_string(each);
        return text + " sign=" + std::to_string(sign) + " flags=" + std::to_string(flags());
    }
};

/// A valid block of an axis: at most `ranks` of them. `has_all` becomes true where it is the whole axis and there may be other ranks.
Integer drawn_block(Draw& draw, Integer n, int ranks, int most_ranks, bool& has_all) {
    const Integer least = (n - 1) / ranks + 1;
    const Integer block = one_in(draw, 2) ? 0 : between(draw, least, least + between(draw, 0, 3));
    has_all = has_all || (most_ranks > 1 && (block == 0 ? least : block) >= n);
    return block;
}

Case drawn(Draw& draw, int ranks, int most_ranks) {
    Case c;
    c.kind = static_cast<Kind>(between(draw, 0, 5));
    const bool is_1d = c.kind == Kind::scrambled;
    const Integer dimensions = is_1d                       ? 1
                               : c.kind == Kind::transpose ? 2
                                                           : between(draw, c.kind == Kind::dft ? 1 : 2, 4);
    const Integer most = dimensions == 1 ? 600 : dimensions == 2 ? 40 : dimensions == 3 ? 16 : 9;
    for (Integer i = 0; i < dimensions; ++i) c.n.push_back(between(draw, one_in(draw, 8) ? 1 : 2, most));
    if (!one_in(draw, 3))
        c.howmany = 1;
    else
        c.howmany = between(draw, 1, 4);
    if (c.kind != Kind::transpose && dimensions > 1) {
        // reals of r2c and c2r are transposed by rows only
        c.is_transposed_in = one_in(draw, 2) && (c.kind != Kind::r2c || dimensions > 2);
        c.is_transposed_out = one_in(draw, 2) && (c.kind != Kind::c2r || dimensions > 2);
    }
    if (c.kind == Kind::transpose) {
        c.is_transposed_in = one_in(draw, 3);
        c.is_transposed_out = one_in(draw, 3);
    }
    for (Integer i = 0; c.kind == Kind::r2r && i < dimensions; ++i)
        c.kinds.push_back(static_cast<int>(between(draw, 0, 10)));
    for (std::size_t i = 0; i < c.kinds.size(); ++i) c.n[i] = std::max<Integer>(c.n[i], 2); // REDFT00
    const auto length = [&](std::size_t axis, bool is_spectrum) {
        return axis + 1 == c.n.size() && is_spectrum ? c.n[axis] / 2 + 1 : c.n[axis];
    };
    const bool is_transposition = c.kind == Kind::transpose;
    c.input_block =
        drawn_block(draw, length(c.is_transposed_in && !is_transposition ? 1 : 0, c.kind == Kind::c2r), ranks,
                    most_ranks, c.has_one_block);
    c.output_block =
        drawn_block(draw, length(c.is_transposed_out || is_transposition ? 1 : 0, c.kind == Kind::r2c), ranks,
                    most_ranks, c.has_one_block);
    // FFTW's function for sizes of one dimension knows default blocks alone
    if (dimensions == 1) c.input_block = c.output_block = 0;
    c.is_basic = one_in(draw, 3);
    if (c.is_basic) {
        c.howmany = 1;
        c.input_block = c.output_block = 0;
        for (std::size_t axis = 0; axis < std::min<std::size_t>(c.n.size(), 2); ++axis)
            c.has_one_block = c.has_one_block || length(axis, c.is_half()) == 1;
    }
    c.is_in_place = one_in(draw, 2);
    c.has_new_arrays = one_in(draw, 3);
    c.sign = one_in(draw, 2) ? FFTW_FORWARD : FFTW_BACKWARD;
    c.effort = one_in(draw, 40) ? FFTW_MEASURE : FFTW_ESTIMATE;
    if (one_in(draw, 4)) c.effort |= one_in(draw, 2) ? FFTW_DESTROY_INPUT : FFTW_UNALIGNED;
    c.values = static_cast<unsigned>(draw());
    return c;
}

/// What a rank has of one side, and where.
struct Side {
    std::vector<Integer> n;
    Integer howmany = 1;
    Integer row = 1; ///< elements from a row to the next along the last dimension
    std::size_t divided = 0;
    bool is_swapped = false; ///< the first two axes in memory
    Integer begin = 0, count = 0;

    /// visit(position in the rank's array, position in the global array of contiguous rows), for each element.
    template <class Visit> void for_each(Visit&& visit) const {
        std::vector<Integer> index(n.size(), 0);
        const std::size_t d = n.size();
        Integer all = howmany;
        for (const Integer length : n) all *= length;
        for (Integer position = 0; position < all / howmany; ++position) {
            if (index[divided] >= begin && index[divided] < begin + count) {
                Integer at = 0;
                for (std::size_t i = 0; i < d; ++i) {
                    const std::size_t axis = is_swapped && i < 2 ? 1 - i : i;
                    const Integer extent = axis == divided ? count : axis + 1 == d ? row : n[axis];
                    at = at * (axis + 1 == d && axis != divided ? row : extent) + index[axis] -
                         (axis == divided ? begin : 0);
                }
                for (Integer h = 0; h < howmany; ++h) visit(at * howmany + h, position * howmany + h);
            }
            for (std::size_t i = d; i-- > 0;) {
                if (++index[i] < n[i]) break;
                index[i] = 0;
            }
        }
    }
    Integer global_elements() const {
        return std::accumulate(n.begin(), n.end(), howmany, std::multiplies<>());
    }
};

/// Memory that FFTW's kernels may expect to be aligned.
template <class R> class Array {
public:
    explicit Array(Integer numbers)
        : begin_(static_cast<R*>(Fftw<R>::allocate(static_cast<std::size_t>(numbers) * sizeof(R)))) {
        std::fill(begin_, begin_ + numbers, R(77));
    }
    ~Array() { Fftw<R>::free(begin_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    R* data() { return begin_; }
    R& operator[](Integer i) { return begin_[i]; }

private:
    R* begin_;
};

template <class R> const char* version() { return sizeof(R) == 4 ? fftwf_version : fftw_version; }

template <class R> class Run {
public:
    using F = Fftw<R>;
    Run(const Case& given, MPI_Comm comm) : c_(given), comm_(comm) {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &ranks_);
    }

    /// The relative error of this rank's results; −1 without a plan.
    double error() { return c_.kind == Kind::scrambled ? scrambled() : planned(); }
    const std::vector<Integer>& sizes() const { return sizes_; }

private:
    static typename F::Complex* pairs(R* reals) { return reinterpret_cast<typename F::Complex*>(reals); }

    std::vector<Integer> spectrum_lengths() const {
        std::vector<Integer> n = c_.n;
        n.back() = n.back() / 2 + 1;
        return n;
    }
    /// Numbers in an element.
    Integer components(bool is_input) const {
        if (c_.kind == Kind::dft) return 2;
        return c_.kind == (is_input ? Kind::c2r : Kind::r2c) ? 2 : 1;
    }

    Side side(bool is_input) {
        Side side{c_.n, c_.howmany};
        const bool is_spectrum = c_.kind == (is_input ? Kind::c2r : Kind::r2c);
        if (is_spectrum) side.n = spectrum_lengths();
        side.row = side.n.back();
        if (c_.is_half() && !is_spectrum) side.row = 2 * (side.row / 2 + 1);
        const bool is_transposed = is_input ? c_.is_transposed_in : c_.is_transposed_out;
        side.is_swapped = is_transposed;
        if (c_.kind == Kind::transpose) side.is_swapped = is_input ? is_transposed : !is_transposed;
        const bool is_second = c_.kind == Kind::transpose ? !is_input : is_transposed;
        side.divided = is_second ? 1 : 0;
        const Integer block = is_input ? c_.input_block : c_.output_block;
        ask_for_size(side.n, is_second, block, side.begin, side.count);
        return side;
    }

    /// By one of the functions that answer this, and remembers what is to be allocated.
    void ask_for_size(const std::vector<Integer>& lengths, bool is_second, Integer block, Integer& begin,
                      Integer& count) {
        Integer n0 = 0, s0 = 0, n1 = 0, s1 = 0, elements = 0;
        const int d = static_cast<int>(lengths.size());
        const Integer* const n = lengths.data();
        const bool is_plain = c_.howmany == 1 && block == 0;
        if (d == 1)
            elements = c_.is_basic ? F::local_size_1d(n[0], comm_, c_.sign, c_.flags(), &n0, &s0, &n1, &s1)
                                   : F::local_size_many_1d(n[0], c_.howmany, comm_, c_.sign, c_.flags(), &n0,
                                                           &s0, &n1, &s1);
        else if (is_plain && d == 2 && c_.is_basic)
            elements = is_second ? F::local_size_2d_transposed(n[0], n[1], comm_, &n0, &s0, &n1, &s1)
                                 : F::local_size_2d(n[0], n[1], comm_, &n0, &s0);
        else if (is_plain && d == 3 && c_.is_basic)
            elements = is_second ? F::local_size_3d_transposed(n[0], n[1], n[2], comm_, &n0, &s0, &n1, &s1)
                                 : F::local_size_3d(n[0], n[1], n[2], comm_, &n0, &s0);
        else if (is_plain)
            elements = is_second ? F::local_size_transposed(d, n, comm_, &n0, &s0, &n1, &s1)
                                 : F::local_size(d, n, comm_, &n0, &s0);
        else if (is_second)
            elements = F::local_size_many_transposed(d, n, c_.howmany, 0, block, comm_, &n0, &s0, &n1, &s1);
        else
            elements = F::local_size_many(d, n, c_.howmany, block, comm_, &n0, &s0);
        begin = is_second ? s1 : s0;
        count = is_second ? n1 : n0;
        sizes_.insert(sizes_.end(), {count, begin});
        allocated_ = std::max({allocated_, elements, Integer{1}});
        Integer needed = c_.howmany * count;
        for (std::size_t axis = 0; axis < lengths.size(); ++axis)
            if (axis != (is_second ? 1 : 0)) needed *= lengths[axis];
        // FFTW's own answer is too small where one rank has a whole axis
        if (elements < needed && std::strstr(version<R>(), "swirl") != nullptr) too_few_ = true;
    }

    std::vector<R> random_values(Integer count) const {
        std::mt19937 draw(c_.values);
        std::uniform_real_distribution<R> values(-1, 1);
        std::vector<R> result(static_cast<std::size_t>(count));
        for (R& value : result) value = values(draw);
        return result;
    }
    /// Of one process: contiguous rows, howmany interleaved.
    std::vector<R> transformed(std::vector<R> x, Kind kind, Integer output_numbers) const {
        std::vector<R> y(static_cast<std::size_t>(output_numbers));
        std::vector<int> n(c_.n.begin(), c_.n.end());
        const int many = static_cast<int>(c_.howmany), d = c_.rank();
        typename F::Plan plan = nullptr;
        std::vector<typename F::Kind> kinds;
        switch (kind) {
        case Kind::r2c:
            plan = F::serial_r2c(d, n.data(), many, x.data(), nullptr, many, 1, pairs(y.data()), nullptr,
                                 many, 1, FFTW_ESTIMATE);
            break;
        case Kind::c2r:
            plan = F::serial_c2r(d, n.data(), many, pairs(x.data()), nullptr, many, 1, y.data(), nullptr,
                                 many, 1, FFTW_ESTIMATE);
            break;
        case Kind::r2r:
            for (const int each : c_.kinds) kinds.push_back(static_cast<typename F::Kind>(each));
            plan = F::serial_r2r(d, n.data(), many, x.data(), nullptr, many, 1, y.data(), nullptr, many, 1,
                                 kinds.data(), FFTW_ESTIMATE);
            break;
        case Kind::transpose: return x;
        default:
            plan = F::serial_dft(d, n.data(), many, pairs(x.data()), nullptr, many, 1, pairs(y.data()),
                                 nullptr, many, 1, c_.sign, FFTW_ESTIMATE);
        }
        F::execute(plan);
        F::destroy(plan);
        return y;
    }

    typename F::Plan plan(R* in, R* out) const {
        const int d = c_.rank();
        const Integer* const n = c_.n.data();
        const unsigned flags = c_.flags();
        const Integer ib = c_.input_block, ob = c_.output_block;
        std::vector<typename F::Kind> kinds;
        for (const int each : c_.kinds) kinds.push_back(static_cast<typename F::Kind>(each));
        const auto of_spectrum = [&](const auto& many, const auto& any, const auto& of_2d, const auto& of_3d,
                                     auto* from, auto* to) {
            if (!c_.is_basic) return many(d, n, c_.howmany, ib, ob, from, to, comm_, flags);
            if (d == 2) return of_2d(n[0], n[1], from, to, comm_, flags);
            if (d == 3) return of_3d(n[0], n[1], n[2], from, to, comm_, flags);
            return any(d, n, from, to, comm_, flags);
        };
        switch (c_.kind) {
        case Kind::r2c: return of_spectrum(F::many_r2c, F::r2c, F::r2c_2d, F::r2c_3d, in, pairs(out));
        case Kind::c2r: return of_spectrum(F::many_c2r, F::c2r, F::c2r_2d, F::c2r_3d, pairs(in), out);
        case Kind::r2r:
            if (!c_.is_basic)
                return F::many_r2r(d, n, c_.howmany, ib, ob, in, out, comm_, kinds.data(), flags);
            if (d == 2) return F::r2r_2d(n[0], n[1], in, out, comm_, kinds[0], kinds[1], flags);
            if (d == 3)
                return F::r2r_3d(n[0], n[1], n[2], in, out, comm_, kinds[0], kinds[1], kinds[2], flags);
            return F::r2r(d, n, in, out, comm_, kinds.data(), flags);
        case Kind::transpose:
            if (c_.is_basic) return F::transpose(n[0], n[1], in, out, comm_, flags);
            return F::many_transpose(n[0], n[1], c_.howmany, ib, ob, in, out, comm_, flags);
        default:
            if (!c_.is_basic)
                return F::many_dft(d, n, c_.howmany, ib, ob, pairs(in), pairs(out), comm_, c_.sign, flags);
            if (d == 1) return F::dft_1d(n[0], pairs(in), pairs(out), comm_, c_.sign, flags);
            if (d == 2) return F::dft_2d(n[0], n[1], pairs(in), pairs(out), comm_, c_.sign, flags);
            if (d == 3) return F::dft_3d(n[0], n[1], n[2], pairs(in), pairs(out), comm_, c_.sign, flags);
            return F::dft(d, n, pairs(in), pairs(out), comm_, c_.sign, flags);
        }
    }
    void execute(typename F::Plan plan, R* in, R* out) const {
        if (!c_.has_new_arrays) return F::execute(plan);
        switch (c_.kind) {
        case Kind::r2c: return F::execute_r2c(plan, in, pairs(out));
        case Kind::c2r: return F::execute_c2r(plan, pairs(in), out);
        case Kind::r2r:
        case Kind::transpose: return F::execute_r2r(plan, in, out);
        default: return F::execute_dft(plan, pairs(in), pairs(out));
        }
    }

    double planned() {
        const Side input = side(true), output = side(false);
        if (too_few_) return 1e10;
        // FFTW computes on the way with default blocks of both axes, too.
        const Integer numbers = 2 * allocated_ + 4 * input.global_elements() + 64;
        const Integer in_global = input.global_elements() * components(true),
                      out_global = output.global_elements() * components(false);
        std::vector<R> x;
        if (c_.kind == Kind::c2r) // the spectrum of reals
            x = transformed(random_values(output.global_elements()), Kind::r2c, in_global);
        else
            x = random_values(in_global);
        const std::vector<R> expected = transformed(x, c_.kind, out_global);

        Array<R> a(numbers), b(numbers), a2(numbers), b2(numbers);
        const typename F::Plan made = plan(a.data(), c_.is_in_place ? a.data() : b.data());
        if (made == nullptr) return -1;
        Array<R>& in = c_.has_new_arrays ? a2 : a;
        Array<R>& out = c_.is_in_place ? in : c_.has_new_arrays ? b2 : b;
        // twice: the second time must not depend on what the first one left
        double worst = 0;
        for (int time = 0; time < 2; ++time) {
            const Integer from = components(true), to = components(false);
            input.for_each([&](Integer at, Integer position) {
                for (Integer k = 0; k < from; ++k)
                    in[at * from + k] = x[static_cast<std::size_t>(position * from + k)];
            });
            execute(made, in.data(), out.data());
            double difference = 0, norm = 0;
            for (const R value : expected) norm += static_cast<double>(value) * static_cast<double>(value);
            output.for_each([&](Integer at, Integer position) {
                for (Integer k = 0; k < to; ++k)
                    difference = std::max(
                        difference,
                        std::abs(static_cast<double>(out[at * to + k]) -
                                 static_cast<double>(expected[static_cast<std::size_t>(position * to + k)])));
            });
            const double scale =
                std::sqrt(norm / static_cast<double>(std::max<std::size_t>(expected.size(), 1)));
            worst = std::max(worst, difference / (scale > 0 ? scale : 1));
        }
        F::destroy(made);
        return worst;
    }

    /// Forward to scrambled order, and back.
    double scrambled() {
        const Integer n = c_.n[0], many = c_.howmany;
        Integer ni = 0, si = 0, no = 0, so = 0, ni2 = 0, si2 = 0, no2 = 0, so2 = 0;
        const unsigned effort = c_.effort;
        const Integer elements =
            std::max(F::local_size_many_1d(n, many, comm_, FFTW_FORWARD, effort | FFTW_MPI_SCRAMBLED_OUT, &ni,
                                           &si, &no, &so),
                     F::local_size_many_1d(n, many, comm_, FFTW_BACKWARD, effort | FFTW_MPI_SCRAMBLED_IN,
                                           &ni2, &si2, &no2, &so2));
        const Integer numbers = 2 * std::max<Integer>(elements, 1);
        Array<R> a(numbers), b(numbers);
        R* const second = c_.is_in_place ? a.data() : b.data();
        const auto forward = F::many_dft(1, &n, many, 0, 0, pairs(a.data()), pairs(second), comm_,
                                         FFTW_FORWARD, effort | FFTW_MPI_SCRAMBLED_OUT);
        const auto backward = F::many_dft(1, &n, many, 0, 0, pairs(second), pairs(a.data()), comm_,
                                          FFTW_BACKWARD, effort | FFTW_MPI_SCRAMBLED_IN);
        if (forward == nullptr || backward == nullptr) return -1;
        if (no != ni2 || so != si2 || ni != no2 || si != so2) return 1e10;
        const std::vector<R> x = random_values(2 * n * many);
        const auto own = [&](Integer i) { return x[static_cast<std::size_t>(2 * si * many + i)]; };
        for (Integer i = 0; i < 2 * ni * many; ++i) a[i] = own(i);
        F::execute(forward);
        F::execute(backward);
        double worst = 0;
        for (Integer i = 0; i < 2 * ni * many; ++i)
            worst = std::max(worst, std::abs(static_cast<double>(a[i]) / static_cast<double>(n) -
                                             static_cast<double>(own(i))));
        F::destroy(forward);
        F::destroy(backward);
        return worst;
    }

    Case c_;
    MPI_Comm comm_;
    int rank_ = 0, ranks_ = 0;
    std::vector<Integer> sizes_;
    Integer allocated_ = 1;
    bool too_few_ = false;
};

/// Whole communicators, halves whose ranks are in reverse, one rank alone.
MPI_Comm drawn_communicator(Draw& draw) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (between(draw, 0, 5)) {
    case 0: {
        MPI_Comm half = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
        return half;
    }
    case 1: return MPI_COMM_SELF;
    default: return MPI_COMM_WORLD;
    }
}

constexpr double most_errors_in_epsilon = 40;

template <class R> bool run_case(Draw& draw, int number) {
    int world = 0, own = 0, ranks = 0, smallest = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm comm = drawn_communicator(draw);
    MPI_Comm_size(comm, &ranks);
    MPI_Allreduce(&ranks, &smallest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD); // blocks suit all groups
    const Case c = drawn(draw, smallest, world);
    Run<R> run(c, comm);
    double error = run.error(), worst = 0;
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    std::vector<Integer> sizes = run.sizes();
    sizes.resize(4);
    std::vector<Integer> all(4 * static_cast<std::size_t>(world));
    MPI_Gather(sizes.data(), 4 * sizeof(Integer), MPI_BYTE, all.data(), 4 * sizeof(Integer), MPI_BYTE, 0,
               MPI_COMM_WORLD);
    Integer points = 2;
    for (const Integer length : c.n) points *= length;
    const double bound =
        most_errors_in_epsilon * Fftw<R>::epsilon * std::log2(static_cast<double>(points) + 2);
    const bool is_right = worst <= bound;
    if (own == 0) {
        std::string text;
        for (const Integer size : all) text += " " + std::to_string(size);
        std::printf("case %d %s %s: %s, sizes%s\n", number, sizeof(R) == 4 ? "single" : "double",
                    c.text(ranks).c_str(),
                    worst < 0  ? "no plan"
                    : is_right ? "right"
                               : "WRONG",
                    text.c_str());
        if (!is_right) std::printf("   error %g, bound %g\n", worst, bound);
        std::fflush(stdout);
    }
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) MPI_Comm_free(&comm);
    return is_right;
}

/// What one rank knows is known to rank 0 after gathering, and to all after broadcasting.
bool shares_wisdom() {
    using F = Fftw<double>;
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    F::forget_wisdom();
    const int n = 30;
    std::vector<double> x(60), y(60);
    const auto serial = [&](unsigned flags) {
        return F::serial_dft(1, &n, 1, reinterpret_cast<fftw_complex*>(x.data()), nullptr, 1, 1,
                             reinterpret_cast<fftw_complex*>(y.data()), nullptr, 1, 1, FFTW_FORWARD, flags);
    };
    if (rank == ranks - 1) F::destroy(serial(FFTW_MEASURE));
    F::gather_wisdom(MPI_COMM_WORLD);
    F::broadcast_wisdom(MPI_COMM_WORLD);
    const auto plan = serial(FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (plan != nullptr) F::destroy(plan);
    return plan != nullptr;
}

} // namespace
} // namespace swirl::test

int main(int count, char** words) {
    if (count != 3) return 2;
    MPI_Init(nullptr, nullptr);
    using namespace swirl::test;
    Fftw<double>::init();
    Fftw<float>::init();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("%s, %s\n", version<double>(), version<float>());
    bool is_right = shares_wisdom();
    Draw draw(std::strtoull(words[1], nullptr, 10));
    const int cases = std::atoi(words[2]);
    for (int number = 0; number < cases; ++number) {
        Draw of_case(draw());
        is_right = (number % 3 == 2 ? run_case<float>(of_case, number) : run_case<double>(of_case, number)) &&
                   is_right;
        if (number == cases / 2) Fftw<double>::cleanup();
        if (number == cases / 2) Fftw<double>::init();
    }
    // On a communicator that is freed before the plan, which outlives MPI.
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    std::vector<double> array(2 * 12 * 12);
    auto* const pairs = reinterpret_cast<fftw_complex*>(array.data());
    const fftw_plan plan = fftw_mpi_plan_dft_2d(12, 12, pairs, pairs, copy, FFTW_FORWARD, FFTW_ESTIMATE);
    MPI_Comm_free(&copy);
    array[0] = 1;
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    MPI_Finalize();
    return is_right ? 0 : 1;
}
