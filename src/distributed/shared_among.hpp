#pragma once

#include <swirl/distributed/communicator.hpp>

#include "distributed/message.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace swirl::distributed {

/// Collective, of ranks that are threads of one process: one object for all, which rank 0 makes.
template <class T, class Make> std::shared_ptr<T> shared_among(Communicator& threads, Make&& make) {
    std::shared_ptr<T> object;
    if (threads.rank() == 0) object = std::forward<Make>(make)();
    const std::shared_ptr<T>* own = &object;
    const auto addresses = threads.gather_all(message_of(std::span(&own, 1)));
    const std::shared_ptr<T>* of_rank_0 = nullptr;
    std::memcpy(&of_rank_0, addresses[0].data(), sizeof of_rank_0);
    std::shared_ptr<T> result = *of_rank_0;
    threads.barrier(); // until all have read it
    return result;
}

} // namespace swirl::distributed
