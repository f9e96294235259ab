// Transforms divided among ranks of MPI, beside FFTW's library for MPI and the time that MPI itself takes to exchange as much. Started by
// mpirun; public headers only, as the adaptors to MPI.

#include <swirl/distributed/mpi.hpp>
#include <swirl/distributed/plan.hpp>
#include <swirl/error.hpp>

#include <fftw3-mpi.h>
#include <mpi.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

using distributed::Box;
using Complex = std::complex<double>;
using Lengths = std::vector<Integer>;

struct Options {
    std::vector<std::string> shapes; ///< "256x256x256"
    int draw = 0;
    std::uint64_t seed = 1;
    double seconds = 10;
    bool messages = false;
    bool network = false;
    bool patient = false;
    bool measure = false;
    bool machine = false;
    std::string schedule = {};
};

Lengths parsed(const std::string& text) {
    Lengths lengths;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t used = 0;
        lengths.push_back(std::stoll(text.substr(at), &used));
        at += used + 1;
    }
    return lengths;
}

bool has_only_small_factors(Integer n) {
    for (const Integer factor : {2, 3, 5, 7})
        while (n % factor == 0) n /= factor;
    return n == 1;
}

/// Three dimensions whose lengths have no factor above 7, of 2¹⁸ to 2²³ elements.
std::vector<Lengths> drawn(int count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Lengths candidates;
    for (Integer n = 32; n <= 256; ++n)
        if (has_only_small_factors(n)) candidates.push_back(n);
    std::vector<Lengths> result;
    while (result.size() < static_cast<std::size_t>(count)) {
        const auto next = [&] { return candidates[static_cast<std::size_t>(random() % candidates.size())]; };
        Lengths lengths{next(), next(), next()};
        const Integer points = lengths[0] * lengths[1] * lengths[2];
        if (points >= 1 << 18 && points <= 1 << 23) result.push_back(std::move(lengths));
    }
    return result;
}

std::string to_text(const Lengths& lengths) {
    std::string text;
    for (const Integer n : lengths) text += (text.empty() ? "" : "x") + std::to_string(n);
    return text;
}

/// Memory that FFTW likes.
class Array {
public:
    explicit Array(Integer elements) : data_(fftw_alloc_complex(static_cast<std::size_t>(elements + 1))) {
        std::fill_n(data(), elements, Complex(0.5, -0.25));
    }
    ~Array() { fftw_free(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    Complex* data() const { return reinterpret_cast<Complex*>(data_); }
    fftw_complex* fftw() const { return data_; }

private:
    fftw_complex* data_;
};

struct Variant {
    std::string name;
    std::function<void()> run;
    std::vector<double> times = {};
    std::string note = {};
};

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}
double least_of(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

/// The elements that rank r sends to rank s where slabs of axis 0 become slabs of axis 1.
std::vector<int> counts_of_transposition(const Lengths& n, int own, int ranks) {
    std::vector<int> counts;
    const auto rows = distributed::fftw_blocks(n, ranks, 0), columns = distributed::fftw_blocks(n, ranks, 1);
    const auto extent = [](const Box& box, std::size_t axis) {
        return elements(box) == 0 ? 0 : box.upper[axis] - box.lower[axis];
    };
    for (int other = 0; other < ranks; ++other)
        counts.push_back(static_cast<int>(extent(rows[static_cast<std::size_t>(own)], 0) *
                                          extent(columns[static_cast<std::size_t>(other)], 1) * n[2]));
    return counts;
}

std::vector<int> sums_before(const std::vector<int>& counts) {
    std::vector<int> sums{0};
    for (const int count : counts) sums.push_back(sums.back() + count);
    sums.pop_back();
    return sums;
}

/// Ratios of least times: FFTW's to swirl's with a given and with a free output, and those of MPI's exchanges to swirl's.
struct Ratios {
    double given, free, limit_given, limit_free;
};

Ratios measure(const Lengths& n, const Options& options) {
    int own = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto rank = static_cast<std::size_t>(own);
    const auto communicator = distributed::on_mpi(MPI_COMM_WORLD);
    distributed::DistributedOptions choice;
    choice.messages = options.messages;
    choice.schedule = options.schedule;
    if (options.measure) {
        choice.local.effort = Effort::measure;
        choice.local.time_budget_seconds = options.seconds;
    }
    if (options.network) choice.machine.ranks_per_node = 1;
    const std::vector<Box> boxes = distributed::fftw_blocks(n, ranks, 0);
    const std::string problem = "dft " + to_text(n);
    const auto given = distributed::plan(problem, *communicator, {boxes[rank], boxes[rank]}, choice);
    choice.schedule.clear();
    const auto free = distributed::plan(problem, *communicator, {boxes[rank], {}}, choice);

    const std::ptrdiff_t lengths[] = {n[0], n[1], n[2]};
    std::ptrdiff_t own_rows = 0, first_row = 0, own_columns = 0, first_column = 0;
    const std::ptrdiff_t alloc = fftw_mpi_local_size_3d_transposed(
        n[0], n[1], n[2], MPI_COMM_WORLD, &own_rows, &first_row, &own_columns, &first_column);
    const Array x(std::max<Integer>(alloc, elements(given.input_box())));
    const Array y(std::max<Integer>({alloc, elements(given.output_box()), elements(free.output_box())}));
    const Array z(x.data() != nullptr ? std::max<Integer>(alloc, 1) : 1);
    const unsigned effort = options.patient ? FFTW_PATIENT : FFTW_MEASURE;
    const auto fftw = [&](unsigned layout) {
        return fftw_mpi_plan_dft(3, lengths, x.fftw(), z.fftw(), MPI_COMM_WORLD, FFTW_FORWARD,
                                 effort | layout);
    };
    const fftw_plan whole = fftw(0), transposed = fftw(FFTW_MPI_TRANSPOSED_OUT);
    std::fill_n(x.data(), elements(given.input_box()), Complex(0.5, -0.25));
    std::mt19937 random(static_cast<unsigned>(own));
    for (Integer i = 0; i < elements(given.input_box()); ++i)
        x.data()[i] = {static_cast<double>(random() % 1000) / 1000,
                       static_cast<double>(random() % 1000) / 1000};

    const std::vector<int> sent = counts_of_transposition(n, own, ranks);
    std::vector<int> received;
    for (int other = 0; other < ranks; ++other)
        received.push_back(counts_of_transposition(n, other, ranks)[rank]);
    const std::vector<int> sent_at = sums_before(sent), received_at = sums_before(received);
    Integer arrives = 1;
    for (const int count : received) arrives += count;
    const Array exchanged(arrives);
    const auto run = [](const distributed::DistributedPlan& plan, const Array& in, const Array& out) {
        plan.execute(static_cast<const void*>(in.data()), static_cast<void*>(out.data()));
    };
    std::vector<Variant> variants{
        {"swirl", [&] { run(given, x, y); }, {}, given.schedule()},
        {"fftw", [&] { fftw_execute(whole); }},
        {"swirl, output free", [&] { run(free, x, y); }, {}, free.schedule()},
        {"fftw, transposed", [&] { fftw_execute(transposed); }},
        {"MPI_Alltoallv",
         [&] {
             MPI_Alltoallv(x.data(), sent.data(), sent_at.data(), MPI_C_DOUBLE_COMPLEX, exchanged.data(),
                           received.data(), received_at.data(), MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
         }},
    };
    run(given, x, y);
    fftw_execute(whole);
    double difference = 0, all = 0;
    for (Integer i = 0; i < elements(given.output_box()); ++i)
        difference = std::max(difference, std::abs(y.data()[i] - z.data()[i]));
    MPI_Allreduce(&difference, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!(all < 1e-7)) throw Error("swirl's and FFTW's results differ by " + std::to_string(all));

    const double start = MPI_Wtime();
    for (int round = 0;; ++round) {
        int goes_on = round < 4 || MPI_Wtime() - start < options.seconds ? 1 : 0;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (goes_on == 0) break;
        for (Variant& variant : variants) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            variant.run();
            double seconds = MPI_Wtime() - begin, slowest = 0;
            MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (round > 0) variant.times.push_back(slowest);
        }
    }
    fftw_destroy_plan(whole);
    fftw_destroy_plan(transposed);
    const auto ratio = [&](std::size_t a, std::size_t b, double times) {
        return times * least_of(variants[a].times) / least_of(variants[b].times);
    };
    const Ratios ratios{ratio(1, 0, 1), ratio(3, 2, 1), ratio(4, 0, static_cast<double>(given.exchanges())),
                        ratio(4, 2, static_cast<double>(free.exchanges()))};
    if (own == 0) {
        std::printf("dft %s on %d ranks, %zu rounds\n", to_text(n).c_str(), ranks, variants[0].times.size());
        for (const Variant& variant : variants)
            std::printf("  %-20s%10.3f ms least%10.3f ms median  %s\n", variant.name.c_str(),
                        1e3 * least_of(variant.times), 1e3 * median_of(variant.times), variant.note.c_str());
        std::printf(
            "  speed (least): %.2f of fftw, %.2f of fftw transposed; exchanges are %.2f and %.2f of the "
            "time\n",
            ratios.given, ratios.free, ratios.limit_given, ratios.limit_free);
        std::fflush(stdout);
    }
    return ratios;
}

void print_machine(const Options& options) {
    const auto communicator = distributed::on_mpi(MPI_COMM_WORLD);
    const distributed::Machine m = distributed::measure_machine(*communicator, options.network ? 1 : 0);
    if (communicator->rank() == 0)
        std::printf(
            "{\"node_latency\": %.3g, \"node_bandwidth\": %.3g, \"network_latency\": %.3g, "
            "\"network_bandwidth\": %.3g, \"memory_bandwidth\": %.3g, \"flops\": %.3g}\n",
            m.node_latency, m.node_bandwidth, m.network_latency, m.network_bandwidth, m.memory_bandwidth,
            m.flops);
}

void run_all(const Options& options) {
    if (options.machine) print_machine(options);
    std::vector<Lengths> problems = drawn(options.draw, options.seed);
    for (const std::string& shape : options.shapes) problems.push_back(parsed(shape));
    std::vector<double> given, free;
    for (const Lengths& lengths : problems) {
        const Ratios ratios = measure(lengths, options);
        given.push_back(ratios.given);
        free.push_back(ratios.free);
    }
    int own = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (own == 0 && problems.size() > 1)
        std::printf(
            "%zu shapes, seed %llu: speed in fftw's, median %.2f, least %.2f; transposed %.2f, %.2f\n",
            problems.size(), static_cast<unsigned long long>(options.seed), median_of(given), least_of(given),
            median_of(free), least_of(free));
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    MPI_Init(&count, &values);
    fftw_mpi_init();
    swirl::bench::Options options;
    CLI::App program("Time transforms divided among ranks of MPI, beside FFTW; start it by mpirun");
    program.add_option("SHAPE", options.shapes, "Such as 256x256x256");
    program.add_option("--draw", options.draw, "Draw so many shapes of three dimensions");
    program.add_option("--seed", options.seed, "Of the draw")->capture_default_str();
    program.add_option("--seconds", options.seconds, "For each shape")->capture_default_str();
    program.add_flag("--messages", options.messages, "Exchange messages, though ranks share memory");
    program.add_flag("--network", options.network, "Each rank is a machine: the model, and messages only");
    program.add_flag("--measure", options.measure, "Schedules by Effort::measure, within --seconds");
    program.add_flag("--machine", options.machine,
                     "Measure the machine with these ranks first, for wisdom and for 'swirl plan --machine'");
    program.add_option("--schedule", options.schedule, "Of the plan whose output is given; default: chosen");
    program.add_flag("--patient", options.patient, "FFTW's plans with FFTW_PATIENT");
    int status = 0;
    try {
        program.parse(count, values);
        swirl::bench::run_all(options);
    } catch (const CLI::ParseError& error) {
        status = program.exit(error);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_mpi: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return status;
}
