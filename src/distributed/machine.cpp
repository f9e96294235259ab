#include "distributed/machine.hpp"

#include "distributed/agree.hpp"
#include "distributed/arguments.hpp"
#include "distributed/work_array.hpp"
#include "runtime/timer.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "target/cpu.hpp"

#include <swirl/plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>

namespace swirl::distributed {

namespace {

constexpr Integer megabyte = 1 << 20;

/// Collective: least seconds of some runs, of the slowest rank in each.
double least_seconds(Communicator& communicator, const std::function<void()>& run, int runs = 7) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= runs; ++i) {
        communicator.barrier();
        const double begin = runtime::monotonic_seconds();
        run();
        const double slowest = largest_of_ranks(communicator, runtime::monotonic_seconds() - begin);
        if (i > 0) least = std::min(least, slowest); // the first one touches memory and code
    }
    return least;
}

/// Each rank sends so many bytes to each rank of its node, or to each rank of other nodes.
class Exchanges {
public:
    Exchanges(Communicator& communicator, int per_node, bool in_node)
        : communicator_(communicator), size_(static_cast<std::size_t>(communicator.size())) {
        const int own = communicator.rank();
        for (int other = 0; other < communicator.size(); ++other)
            is_partner_.push_back(other != own && (other / per_node == own / per_node) == in_node);
        partners_ = std::count(is_partner_.begin(), is_partner_.end(), true);
    }
    Integer partners() const { return partners_; }

    double seconds(Integer bytes) {
        ExchangeBlocks blocks;
        blocks.send_bytes.assign(size_, 0);
        blocks.send_offsets = blocks.receive_offsets = blocks.send_bytes;
        Integer offset = 0;
        for (std::size_t other = 0; other < size_; ++other) {
            if (!is_partner_[other]) continue;
            blocks.send_bytes[other] = bytes;
            blocks.send_offsets[other] = blocks.receive_offsets[other] = offset;
            offset += bytes;
        }
        blocks.receive_bytes = blocks.send_bytes;
        const WorkArray send(static_cast<std::size_t>(offset)), receive(static_cast<std::size_t>(offset));
        std::fill_n(send.data(), offset, std::byte{1});
        std::fill_n(receive.data(), offset, std::byte{0});
        return least_seconds(communicator_,
                             [&] { communicator_.exchange(send.data(), receive.data(), blocks); });
    }

private:
    Communicator& communicator_;
    std::size_t size_;
    std::vector<bool> is_partner_;
    Integer partners_ = 0;
};

/// Collective. Latency of a message and bytes per second that a rank sends, all ranks sending to all others at once: what the model
/// of an exchange adds up.
void measure_messages(Communicator& communicator, int per_node, bool in_node, double& latency,
                      double& bandwidth) {
    Exchanges exchanges(communicator, per_node, in_node);
    const auto most =
        static_cast<Integer>(largest_of_ranks(communicator, static_cast<double>(exchanges.partners())));
    if (most == 0) return;
    constexpr Integer short_message = 64;
    const Integer long_message = std::max<Integer>(16 * megabyte / most, 64 * 1024);
    const double of_short = exchanges.seconds(short_message), of_long = exchanges.seconds(long_message);
    latency = of_short / static_cast<double>(most);
    bandwidth = static_cast<double>(most * long_message) / std::max(of_long - of_short, 1e-9);
}

double measure_copies(Communicator& communicator) {
    constexpr std::size_t bytes = 32 * megabyte;
    const WorkArray from(bytes), to(bytes);
    std::fill_n(from.data(), bytes, std::byte{1});
    std::fill_n(to.data(), bytes, std::byte{2});
    return 2.0 * bytes /
           least_seconds(
               communicator, [&] { std::memcpy(to.data(), from.data(), bytes); }, 4);
}

/// Of transforms that stay in a cache.
double measure_flops(Communicator& communicator) {
    constexpr int points = 1024, batch = 16, repetitions = 8;
    std::vector<std::complex<double>> x(points * batch, 0.5), y(x.size());
    std::optional<Plan> fft;
    agree(communicator, [&]() -> std::string {
        fft = swirl::plan(fmt::format("dft {} batch={}", points, batch));
        return "";
    });
    const double seconds = least_seconds(communicator, [&] {
        for (int i = 0; i < repetitions; ++i) fft->execute(x, y);
    });
    return 5.0 * points * 10 * batch * repetitions / seconds;
}

std::optional<Machine> parsed(const std::string& text, int ranks_per_node) {
    std::istringstream stream(text);
    Machine m;
    stream >> m.ranks_per_node >> m.node_latency >> m.node_bandwidth >> m.network_latency >>
        m.network_bandwidth >> m.memory_bandwidth >> m.flops;
    m.ranks_per_node = ranks_per_node;
    if (!stream) return std::nullopt;
    try {
        check_options({{}, m});
    } catch (const Error&) {
        return std::nullopt;
    }
    return m;
}

bool is_default(Machine machine) {
    machine.ranks_per_node = 0;
    return text_of(machine) == text_of(Machine{});
}

std::string fact_name(const Communicator& communicator, const Machine& machine) {
    return "machine of ranks, " + group_key(communicator, machine);
}

/// Collective.
std::optional<Machine> known_machine(Communicator& communicator, const DistributedOptions& options) {
    const std::string text = agree_on_first(communicator, [&]() -> std::string {
        search::Wisdom* const wisdom = options.local.use_wisdom ? search::shared_wisdom(false) : nullptr;
        if (wisdom == nullptr) return "";
        return wisdom->fact(machine_key(), fact_name(communicator, options.machine)).value_or("");
    });
    if (text.empty()) return std::nullopt;
    return parsed(text, options.machine.ranks_per_node);
}

} // namespace

std::string machine_key() { return search::host_key(search::this_host()); }

std::string group_key(const Communicator& communicator, const Machine& machine) {
    const int per_node = machine.ranks_per_node;
    std::string key = fmt::format("engine={}, ranks={}", communicator.engine(), communicator.size());
    if (per_node > 0 && per_node < communicator.size()) key += fmt::format(", ranks_per_node={}", per_node);
    return key;
}

Machine measure_machine(Communicator& communicator, int ranks_per_node) {
    Machine machine;
    machine.ranks_per_node = ranks_per_node;
    const int size = communicator.size(),
              per_node = ranks_per_node > 0 ? std::min(ranks_per_node, size) : size;
    measure_messages(communicator, per_node, true, machine.node_latency, machine.node_bandwidth);
    measure_messages(communicator, per_node, false, machine.network_latency, machine.network_bandwidth);
    machine.memory_bandwidth = measure_copies(communicator);
    machine.flops = measure_flops(communicator);
    agree_on_first(communicator, [&]() -> std::string {
        if (search::Wisdom* const wisdom = search::shared_wisdom(true))
            wisdom->store_fact(machine_key(), fact_name(communicator, machine), text_of(machine));
        return "";
    });
    return machine;
}

Machine machine_in_use(Communicator& communicator, const DistributedOptions& options) {
    if (!is_default(options.machine)) return options.machine;
    if (const auto known = known_machine(communicator, options)) return *known;
    const Effort effort = options.local.effort;
    if ((effort == Effort::measure || effort == Effort::exhaustive) && options.local.use_wisdom &&
        options.schedule.empty())
        return measure_machine(communicator, options.machine.ranks_per_node);
    return options.machine;
}

} // namespace swirl::distributed
