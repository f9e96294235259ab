#include "mpi/shared/ranks.hpp"

#include <swirl/distributed/mpi.hpp>
#include <swirl/error.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace swirl::mpi {
namespace {

/// Engines by communicator. MPI tells by deletion of attributes when a communicator is freed, and when MPI ends.
class Registry {
public:
    static Registry& of_process() {
        static auto* const registry = new Registry; // MPI may be ended by a destructor of the program
        return *registry;
    }

    std::shared_ptr<Ranks> ranks(MPI_Comm communicator) {
        const std::lock_guard lock(mutex_);
        const auto known = known_.find(communicator);
        if (known != known_.end()) return known->second;
        auto made = std::make_shared<Ranks>(Ranks{distributed::on_mpi(communicator)});
        if (key_ == MPI_KEYVAL_INVALID)
            MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key_, nullptr);
        mark(MPI_COMM_SELF);
        mark(communicator);
        known_.emplace(communicator, made);
        const auto is_gone = [](const std::weak_ptr<Ranks>& each) { return each.expired(); };
        all_.erase(std::remove_if(all_.begin(), all_.end(), is_gone), all_.end());
        all_.emplace_back(made);
        return made;
    }

    void forget() {
        const std::lock_guard lock(mutex_);
        known_.clear();
    }

private:
    /// Not twice: a second attribute would delete the first one.
    void mark(MPI_Comm communicator) {
        void* value = nullptr;
        int is_marked = 0;
        MPI_Comm_get_attr(communicator, key_, static_cast<void*>(&value), &is_marked);
        if (is_marked == 0) MPI_Comm_set_attr(communicator, key_, this);
    }

    /// MPI_COMM_SELF's attributes are deleted first of all in MPI_Finalize, while MPI still works.
    static int deleted(MPI_Comm communicator, int, void*, void*) {
        Registry& registry = of_process();
        const std::lock_guard lock(registry.mutex_);
        registry.known_.erase(communicator);
        if (communicator != MPI_COMM_SELF) return MPI_SUCCESS;
        registry.known_.clear();
        for (const std::weak_ptr<Ranks>& each : registry.all_)
            if (const std::shared_ptr<Ranks> ranks = each.lock()) ranks->engine.reset();
        registry.all_.clear();
        return MPI_SUCCESS;
    }

    std::mutex mutex_;
    int key_ = MPI_KEYVAL_INVALID;
    std::map<MPI_Comm, std::shared_ptr<Ranks>> known_;
    std::vector<std::weak_ptr<Ranks>> all_;
};

} // namespace

std::shared_ptr<Ranks> ranks_of(MPI_Comm communicator) { return Registry::of_process().ranks(communicator); }

void forget_ranks() { Registry::of_process().forget(); }

} // namespace swirl::mpi
