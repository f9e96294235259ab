#include "cufft/status_of.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "cufft/planning_options.hpp"
#include "cufft/refusal.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>

namespace swirl::cufft {
namespace {

Status told(Status status, const std::exception& error) {
    if (prints_plans())
        fmt::print(stderr, "swirl: cufft: status {}: {}\n", static_cast<int>(status), error.what());
    return status;
}

} // namespace

Status status_of_exception() noexcept {
    try {
        try {
            throw;
        } catch (const Refusal& refusal) {
            return refusal.status();
        } catch (const Unavailable& error) {
            return told(Status::setup_failed, error);
        } catch (const Unsupported& error) {
            return told(Status::not_supported, error);
        } catch (const UserError& error) {
            return told(Status::invalid_value, error);
        } catch (const OutOfMemory& error) {
            return told(Status::alloc_failed, error);
        } catch (const std::bad_alloc& error) {
            return told(Status::alloc_failed, error);
        } catch (const SystemError& error) {
            return told(Status::exec_failed, error);
        } catch (const std::exception& bug) {
            log_warning(bug.what());
        }
    } catch (...) { // nothing can be printed
    }
    return Status::internal_error;
}

} // namespace swirl::cufft
