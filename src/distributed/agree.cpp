#include "distributed/agree.hpp"

#include "base/error.hpp"
#include "distributed/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

namespace swirl::distributed {

namespace {

/// First byte of what a rank tells the others: its text follows, or the message of its error.
enum class Outcome : char {
    text,
    user_error,
    unavailable,
    unsupported,
    out_of_memory,
    out_of_time,
    cancelled,
    system_error,
    internal_error,
};

std::string failed(Outcome outcome, const char* message) {
    return static_cast<char>(outcome) + std::string(message);
}

std::string outcome_of(const std::function<std::string()>& make) {
    try {
        return static_cast<char>(Outcome::text) + make();
    } catch (const UserError& error) {
        return failed(Outcome::user_error, error.what());
    } catch (const Unavailable& error) {
        return failed(Outcome::unavailable, error.what());
    } catch (const Unsupported& error) {
        return failed(Outcome::unsupported, error.what());
    } catch (const OutOfMemory& error) {
        return failed(Outcome::out_of_memory, error.what());
    } catch (const OutOfTime& error) {
        return failed(Outcome::out_of_time, error.what());
    } catch (const Cancelled& error) {
        return failed(Outcome::cancelled, error.what());
    } catch (const SystemError& error) {
        return failed(Outcome::system_error, error.what());
    } catch (const std::bad_alloc&) {
        return failed(Outcome::out_of_memory, "not enough memory");
    } catch (const std::exception& error) {
        return failed(Outcome::internal_error, error.what());
    }
}

[[noreturn]] void throw_error(Outcome outcome, const std::string& message) {
    switch (outcome) {
    case Outcome::user_error: throw UserError(message);
    case Outcome::unavailable: throw Unavailable(message);
    case Outcome::unsupported: throw Unsupported(message);
    case Outcome::out_of_memory: throw OutOfMemory(message);
    case Outcome::out_of_time: throw OutOfTime(message);
    case Outcome::cancelled: throw Cancelled(message);
    case Outcome::system_error: throw SystemError(message);
    case Outcome::internal_error:
    case Outcome::text: break;
    }
    throw InternalError(message);
}

} // namespace

std::vector<std::string> agree(Communicator& communicator, const std::function<std::string()>& make) {
    const std::string own = outcome_of(make);
    const auto all = communicator.gather_all(message_of(own));
    std::vector<std::string> texts;
    for (const std::vector<std::byte>& bytes : all)
        texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        const auto outcome = static_cast<Outcome>(texts[rank].at(0));
        texts[rank].erase(0, 1);
        if (outcome != Outcome::text) throw_error(outcome, fmt::format("rank {}: {}", rank, texts[rank]));
    }
    return texts;
}

std::string agree_on_first(Communicator& communicator, const std::function<std::string()>& make) {
    return agree(communicator, [&] { return communicator.rank() == 0 ? make() : std::string(); }).front();
}

double largest_of_ranks(Communicator& communicator, double value) {
    for (const std::string& text : agree(communicator, [&] { return fmt::format("{}", value); }))
        value = std::max(value, std::stod(text));
    return value;
}

} // namespace swirl::distributed
