// The adaptor to MPI, compiled for each MPI by itself (cmake/Mpi.cmake): public headers only, and no other library
// than libswirl.

#include <swirl/distributed/mpi.hpp>

#include <swirl/distributed/check.hpp>
#include <swirl/distributed/device_memory.hpp>
#include <swirl/error.hpp>

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Where an MPI has it. It says whether this process may give it memory of a GPU.
extern "C" __attribute__((weak)) int MPIX_Query_cuda_support(void);

namespace swirl::distributed {
namespace {

using Clock = std::chrono::steady_clock;

/// MPI 3 counts with int: longer blocks are several messages of this many bytes, which arrive in order.
constexpr Integer bytes_of_message = Integer{1} << 30;

constexpr int tag_of_abort = 0;
constexpr int first_tag = 1; ///< of exchanges
constexpr std::size_t bytes_of_reason = 1000;
/// Polls of the data's requests for one of the abort message's.
constexpr int polls_for_abort = 16;
/// Polls before other processes get the processor, of which there may be fewer than ranks.
constexpr int polls_before_yield = 50;
/// How long an aborting rank waits until its message is on its way.
constexpr std::chrono::seconds time_for_abort{2};
/// How long a call that ends by an error waits for transfers in progress, which use the caller's arrays.
constexpr std::chrono::seconds time_for_transfers{1};

std::string text_of(int result) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    if (MPI_Error_string(result, text.data(), &length) != MPI_SUCCESS)
        return "error " + std::to_string(result);
    return {text.data(), static_cast<std::size_t>(length)};
}

int error_class(int result) {
    int result_class = MPI_ERR_UNKNOWN;
    MPI_Error_class(result, &result_class);
    return result_class;
}

/// While alive, errors of MPI_Test are returned: MPICH passes them to the handler of MPI_COMM_WORLD, whichever
/// communicator the request is of.
class ErrorsAreReturned {
public:
    ErrorsAreReturned() {
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    ~ErrorsAreReturned() {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
        MPI_Errhandler_free(&before_);
    }
    ErrorsAreReturned(const ErrorsAreReturned&) = delete;
    ErrorsAreReturned& operator=(const ErrorsAreReturned&) = delete;

private:
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// Whether all complete by then.
bool complete(std::vector<MPI_Request>& requests, Clock::time_point deadline) {
    const ErrorsAreReturned returned;
    for (MPI_Request& request : requests)
        for (int is_done = 0; is_done == 0;) {
            if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
            if (is_done == 0 && Clock::now() > deadline) return false;
            if (is_done == 0) sched_yield();
        }
    return true;
}

bool is_running() {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
}

/// What all groups share that were split from one: its ranks, and the news that one of them failed.
class World {
public:
    explicit World(MPI_Comm of_program);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    MPI_Comm communicator() const { return communicator_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    int largest_tag() const { return largest_tag_; }

    /// Throws SystemError if a rank has failed.
    void throw_abort();
    bool is_aborted() const { return !abort_.empty(); }
    void abort(const std::string& reason) noexcept;

    /// Transfers never end: MPI_Finalize, where it would wait for them forever, ends the program instead.
    void give_up_transfers() noexcept;

    /// Throws SystemError unless the call succeeded; the other ranks' calls end.
    void check(int result, const char* call);

private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 0, largest_tag_ = 32767;
    MPI_Request news_ = MPI_REQUEST_NULL;
    std::array<char, bytes_of_reason> reason_{};
    std::string abort_;
    bool has_given_up_ = false;
};

World::World(MPI_Comm of_program) {
    const auto require = [](int result, const char* call) {
        if (result != MPI_SUCCESS) throw SystemError(std::string(call) + " failed: " + text_of(result));
    };
    require(MPI_Comm_dup(of_program, &communicator_), "MPI_Comm_dup");
    require(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    require(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    require(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
    void* value = nullptr;
    int is_set = 0;
    require(MPI_Comm_get_attr(communicator_, MPI_TAG_UB, static_cast<void*>(&value), &is_set),
            "MPI_Comm_get_attr");
    if (is_set != 0) largest_tag_ = *static_cast<int*>(value);
    require(MPI_Irecv(reason_.data(), static_cast<int>(reason_.size()), MPI_CHAR, MPI_ANY_SOURCE,
                      tag_of_abort, communicator_, &news_),
            "MPI_Irecv");
}

World::~World() {
    if (!is_running()) return;
    if (news_ != MPI_REQUEST_NULL) {
        MPI_Cancel(&news_);
        MPI_Wait(&news_, MPI_STATUS_IGNORE);
    }
    if (!is_aborted()) MPI_Comm_free(&communicator_);
}

void World::throw_abort() {
    if (news_ != MPI_REQUEST_NULL) {
        int has_arrived = 0;
        MPI_Status status;
        const int result = MPI_Test(&news_, &has_arrived, &status);
        if (result != MPI_SUCCESS)
            abort_ = "MPI_Test failed: " + text_of(result);
        else if (has_arrived != 0)
            abort_ = "rank " + std::to_string(status.MPI_SOURCE) +
                     " failed: " + std::string(reason_.data(), strnlen(reason_.data(), reason_.size()));
    }
    if (is_aborted()) throw SystemError(abort_);
}

void World::abort(const std::string& reason) noexcept {
    if (is_aborted() || !is_running()) return;
    try {
        abort_ = "rank " + std::to_string(rank_) + " failed: " + reason;
        std::vector<char> message(reason.begin(), reason.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                       reason.size(), bytes_of_reason)));
        message.resize(bytes_of_reason);
        std::vector<MPI_Request> requests;
        for (int k = 1; k < size_; ++k) {
            requests.push_back(MPI_REQUEST_NULL);
            MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_CHAR, (rank_ + k) % size_,
                      tag_of_abort, communicator_, &requests.back());
        }
        const bool are_sent = complete(requests, Clock::now() + time_for_abort);
        if (!are_sent) new std::vector<char>(std::move(message)); // MPI may still read it
    } catch (...) {
        if (abort_.empty()) abort_ = "failed";
    }
}

/// OpenMPI's MPI_Finalize does not wait for transfers that were given up; its mpirun may hang when several processes
/// exit in it.
#if defined(OPEN_MPI)
constexpr bool finalize_waits_for_transfers = false;
#else
constexpr bool finalize_waits_for_transfers = true;
#endif

/// Called by MPI_Finalize, first of all.
int end_program(MPI_Comm, int, void* reason, void*) {
    std::fprintf(
        stderr,
        "swirl: %s; MPI_Finalize would wait for transfers that were given up: the process ends without it\n",
        static_cast<const char*>(reason));
    std::_Exit(EXIT_FAILURE);
}

void World::give_up_transfers() noexcept {
    if (!finalize_waits_for_transfers || std::exchange(has_given_up_, true) || !is_running()) return;
    char* const reason = strdup(is_aborted() ? abort_.c_str() : "a rank ended by an exception");
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_program, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, reason);
    MPI_Comm_free_keyval(&key);
}

void World::check(int result, const char* call) {
    if (result == MPI_SUCCESS) return;
    const std::string reason = std::string(call) + " failed: " + text_of(result);
    const bool is_first = !is_aborted();
    abort(reason);
    throw SystemError(is_first ? reason : abort_);
}

/// Ranks that exchange.
struct Group {
    Group(std::shared_ptr<World> shared, MPI_Comm communicator, bool owned)
        : world(std::move(shared)), ranks(communicator), is_owned(owned) {
        MPI_Comm_rank(ranks, &rank);
        MPI_Comm_size(ranks, &size);
    }
    ~Group() {
        if (is_owned && is_running() && !world->is_aborted()) MPI_Comm_free(&ranks);
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int next_tag() {
        const int tag = tag_;
        tag_ = tag == world->largest_tag() ? first_tag : tag + 1;
        return tag;
    }

    std::shared_ptr<World> world;
    MPI_Comm ranks;
    bool is_owned;
    int rank = 0, size = 0;

private:
    int tag_ = first_tag;
};

/// Messages on their way.
class Transfers {
public:
    explicit Transfers(std::shared_ptr<Group> group) : group_(std::move(group)) {}
    Transfers(Transfers&&) = default;

    void receive(std::byte* at, Integer bytes, int from, int tag);
    void send(const std::byte* at, Integer bytes, int to, int tag);
    MPI_Request& collective() { // of MPI
        messages_.push_back({-1, 0});
        return requests_.emplace_back(MPI_REQUEST_NULL);
    }
    void check(int result, const char* call) { group_->world->check(result, call); }

    /// Until all have arrived. On an error, those that have not are given up before it is thrown.
    void wait();
    /// Lets MPI go on; whether all have arrived. Throws as `wait` does.
    bool progress();
    /// Gives up those that have not arrived.
    void release() noexcept;
    bool are_complete() const { return requests_.empty(); }

private:
    struct Message {
        int from; ///< -1 for those that this rank sends
        int bytes;
    };
    /// Whether all have arrived.
    bool test();
    /// Throws the error of a message, which `MPI_Test` returned.
    void check_message(const Message& message, int result, const MPI_Status& status);
    [[noreturn]] void throw_mismatch(const Message& message, const std::string& amount,
                                     const std::string& found);

    std::shared_ptr<Group> group_;
    std::vector<MPI_Request> requests_;
    std::vector<Message> messages_;
    std::size_t arrived_ = 0; ///< the first of them
};

void Transfers::receive(std::byte* at, Integer bytes, int from, int tag) {
    for (Integer first = 0; first < bytes; first += bytes_of_message) {
        const int length = static_cast<int>(std::min(bytes - first, bytes_of_message));
        messages_.push_back({from, length});
        requests_.push_back(MPI_REQUEST_NULL);
        check(MPI_Irecv(at + first, length, MPI_BYTE, from, tag, group_->ranks, &requests_.back()),
              "MPI_Irecv");
    }
}

void Transfers::send(const std::byte* at, Integer bytes, int to, int tag) {
    for (Integer first = 0; first < bytes; first += bytes_of_message) {
        const int length = static_cast<int>(std::min(bytes - first, bytes_of_message));
        messages_.push_back({-1, length});
        requests_.push_back(MPI_REQUEST_NULL);
        check(MPI_Isend(at + first, length, MPI_BYTE, to, tag, group_->ranks, &requests_.back()),
              "MPI_Isend");
    }
}

void Transfers::throw_mismatch(const Message& message, const std::string& amount, const std::string& found) {
    const std::string reason = "rank " + std::to_string(message.from) + " sends " + amount +
                               " bytes to rank " + std::to_string(group_->rank) + " than the " +
                               std::to_string(message.bytes) + " that it expects" + found;
    group_->world->abort(reason);
    throw UserError(reason);
}

void Transfers::check_message(const Message& message, int result, const MPI_Status& status) {
    if (message.from >= 0 && error_class(result) == MPI_ERR_TRUNCATE) throw_mismatch(message, "more", "");
    group_->world->check(result, "a transfer of MPI");
    int received = 0;
    if (message.from >= 0 && MPI_Get_count(&status, MPI_BYTE, &received) == MPI_SUCCESS &&
        received != message.bytes)
        throw_mismatch(message, "fewer", ": " + std::to_string(received));
}

bool Transfers::test() {
    for (; arrived_ < requests_.size(); ++arrived_) {
        int is_done = 0;
        MPI_Status status;
        const int result = MPI_Test(&requests_[arrived_], &is_done, &status);
        if (result == MPI_SUCCESS && is_done == 0) return false;
        check_message(messages_[arrived_], result, status);
    }
    return true;
}

void Transfers::wait() {
    if (requests_.empty()) return;
    const ErrorsAreReturned returned;
    try {
        for (int polls = 1; !test(); ++polls) {
            if (polls % polls_for_abort == 0) group_->world->throw_abort();
            if (polls > polls_before_yield) sched_yield();
        }
        requests_.clear();
    } catch (...) {
        release();
        throw;
    }
}

bool Transfers::progress() {
    if (requests_.empty()) return true;
    const ErrorsAreReturned returned;
    try {
        if (!test()) return false;
        requests_.clear();
        return true;
    } catch (...) {
        release();
        throw;
    }
}

void Transfers::release() noexcept {
    if (requests_.empty() || !is_running()) return;
    for (std::size_t k = 0; k < requests_.size(); ++k)
        if (requests_[k] != MPI_REQUEST_NULL && messages_[k].from >= 0) MPI_Cancel(&requests_[k]);
    if (!complete(requests_, Clock::now() + time_for_transfers)) group_->world->give_up_transfers();
    requests_.clear();
}

class PendingTransfers final : public PendingExchange {
public:
    explicit PendingTransfers(Transfers transfers)
        : transfers_(std::move(transfers)), exceptions_(std::uncaught_exceptions()) {}
    ~PendingTransfers() override {
        if (std::uncaught_exceptions() > exceptions_) {
            transfers_.release();
            return;
        }
        try {
            transfers_.wait();
        } catch (const Error&) {} // the next call throws it, too
    }
    void wait() override { transfers_.wait(); }
    bool progress() override { return transfers_.progress(); }

private:
    Transfers transfers_;
    int exceptions_; ///< being thrown when it was made
};

class MpiCommunicator final : public Communicator {
public:
    explicit MpiCommunicator(std::shared_ptr<Group> group)
        : group_(std::move(group)), exceptions_(std::uncaught_exceptions()) {}
    ~MpiCommunicator() override {
        if (!group_->is_owned && std::uncaught_exceptions() > exceptions_) abort("it ended by an exception");
    }

    int rank() const override { return group_->rank; }
    int size() const override { return group_->size; }
    std::string engine() const override { return "mpi"; }
    SharedMemory shared_memory() const override { return SharedMemory::may_map; }
    bool takes_device_memory() const override {
        return MPIX_Query_cuda_support != nullptr && MPIX_Query_cuda_support() == 1;
    }

    void exchange(const void* send, void* receive, const ExchangeBlocks& blocks, gpu::Stream) override {
        start(send, receive, blocks).wait();
    }
    std::unique_ptr<PendingExchange> start_exchange(const void* send, void* receive,
                                                    const ExchangeBlocks& blocks, gpu::Stream) override {
        return std::make_unique<PendingTransfers>(start(send, receive, blocks));
    }
    std::vector<std::vector<std::byte>> gather_all(const std::vector<std::byte>& mine) override;
    void barrier() override {
        group_->world->throw_abort();
        Transfers transfers(group_);
        transfers.check(MPI_Ibarrier(group_->ranks, &transfers.collective()), "MPI_Ibarrier");
        transfers.wait();
    }
    std::unique_ptr<Communicator> split(int color, int key) override;
    void abort(const std::string& reason) noexcept override { group_->world->abort(reason); }
    void check_aborted() override { group_->world->throw_abort(); }

private:
    Transfers start(const void* send, void* receive, const ExchangeBlocks& blocks);

    std::shared_ptr<Group> group_;
    int exceptions_; ///< being thrown when it was made
};

Transfers MpiCommunicator::start(const void* send, void* receive, const ExchangeBlocks& blocks) {
    group_->world->throw_abort();
    const int size = group_->size, own = group_->rank;
    if (const std::string error = error_in(blocks, send, receive, size); !error.empty())
        throw UserError("rank " + std::to_string(own) + ": " + error);
    const auto* const sent = static_cast<const std::byte*>(send);
    auto* const received = static_cast<std::byte*>(receive);
    const int tag = group_->next_tag();
    const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
    Transfers transfers(group_);
    try {
        // In an order in which each pair of ranks meets at the same time, so that no rank is sent everything at once.
        for (int k = 1; k < size; ++k) {
            const int from = (own + size - k) % size;
            transfers.receive(received + blocks.receive_offsets[at(from)], blocks.receive_bytes[at(from)],
                              from, tag);
        }
        for (int k = 1; k < size; ++k) {
            const int to = (own + k) % size;
            transfers.send(sent + blocks.send_offsets[at(to)], blocks.send_bytes[at(to)], to, tag);
        }
        // Blocks for this rank itself. Of a GPU's memory MPI alone knows how to copy it.
        if (const Integer bytes = blocks.send_bytes[at(own)]; bytes != blocks.receive_bytes[at(own)]) {
            throw UserError("rank " + std::to_string(own) + " sends " + std::to_string(bytes) +
                            " bytes to itself, and expects " + std::to_string(blocks.receive_bytes[at(own)]));
        } else if (takes_device_memory()) {
            transfers.receive(received + blocks.receive_offsets[at(own)], bytes, own, tag);
            transfers.send(sent + blocks.send_offsets[at(own)], bytes, own, tag);
        } else if (bytes > 0) {
            std::memcpy(received + blocks.receive_offsets[at(own)], sent + blocks.send_offsets[at(own)],
                        static_cast<std::size_t>(bytes));
        }
    } catch (...) {
        transfers.release();
        throw;
    }
    return transfers;
}

std::vector<std::vector<std::byte>> MpiCommunicator::gather_all(const std::vector<std::byte>& mine) {
    group_->world->throw_abort();
    const auto size = static_cast<std::size_t>(group_->size);
    const auto own_length = static_cast<Integer>(mine.size());
    std::vector<Integer> lengths(size), offsets(size);
    {
        Transfers transfers(group_);
        transfers.check(MPI_Iallgather(&own_length, sizeof(Integer), MPI_BYTE, lengths.data(),
                                       sizeof(Integer), MPI_BYTE, group_->ranks, &transfers.collective()),
                        "MPI_Iallgather");
        transfers.wait();
    }
    Integer total = 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
        offsets[rank] = total;
        total += lengths[rank];
    }
    std::vector<std::byte> gathered(static_cast<std::size_t>(total));
    if (total <= INT_MAX) {
        const std::vector<int> counts(lengths.begin(), lengths.end()), starts(offsets.begin(), offsets.end());
        Transfers transfers(group_);
        transfers.check(
            MPI_Iallgatherv(mine.data(), static_cast<int>(own_length), MPI_BYTE, gathered.data(),
                            counts.data(), starts.data(), MPI_BYTE, group_->ranks, &transfers.collective()),
            "MPI_Iallgatherv");
        transfers.wait();
    } else {
        exchange(mine.data(), gathered.data(),
                 {std::vector<Integer>(size, own_length), std::vector<Integer>(size), lengths, offsets}, {});
    }
    std::vector<std::vector<std::byte>> result;
    for (std::size_t rank = 0; rank < size; ++rank)
        result.emplace_back(gathered.begin() + offsets[rank],
                            gathered.begin() + offsets[rank] + lengths[rank]);
    return result;
}

std::unique_ptr<Communicator> MpiCommunicator::split(int color, int key) {
    // MPI_Comm_split cannot be interrupted: it begins when all ranks have arrived.
    const auto* const bytes = reinterpret_cast<const std::byte*>(&color);
    for (const std::vector<std::byte>& message : gather_all({bytes, bytes + sizeof color})) {
        int given = 0;
        std::memcpy(&given, message.data(), sizeof given);
        if (given < -1)
            throw UserError("color is " + std::to_string(given) +
                            "; it must be 0 or more, or -1 for no group");
    }
    MPI_Comm part = MPI_COMM_NULL;
    group_->world->check(MPI_Comm_split(group_->ranks, color < 0 ? MPI_UNDEFINED : color, key, &part),
                         "MPI_Comm_split");
    if (part == MPI_COMM_NULL) return nullptr;
    group_->world->check(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return std::make_unique<MpiCommunicator>(std::make_shared<Group>(group_->world, part, true));
}

} // namespace

std::unique_ptr<Communicator> on_mpi(MPI_Comm communicator) {
    if (!is_running()) throw UserError("MPI is not running; call on_mpi between MPI_Init and MPI_Finalize");
    if (communicator == MPI_COMM_NULL)
        throw UserError("the communicator is MPI_COMM_NULL; give one of this process");
    int has_two_groups = 0;
    MPI_Comm_test_inter(communicator, &has_two_groups);
    if (has_two_groups != 0)
        throw UserError(
            "the communicator is an intercommunicator; make one group of its two by MPI_Intercomm_merge");
    auto world = std::make_shared<World>(communicator);
    const MPI_Comm ranks = world->communicator();
    return with_device_memory(
        std::make_unique<MpiCommunicator>(std::make_shared<Group>(std::move(world), ranks, false)));
}

} // namespace swirl::distributed
