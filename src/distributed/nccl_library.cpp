#include "distributed/nccl_library.hpp"

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"

#include <dlfcn.h>

#include <string>
#include <type_traits>

namespace swirl::distributed::nccl {
namespace {

Functions load() {
    const char* named = environment_variable("SWIRL_NCCL");
    const std::string file = named != nullptr && *named != '\0' ? named : "libnccl.so.2";
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* const reason = dlerror();
        throw Unavailable("there is no NCCL: {}; install it, or let SWIRL_NCCL name its library",
                          reason == nullptr ? file : reason);
    }
    Functions f{};
    const auto need = [&](auto*& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        if (function != nullptr) return;
        int version = 0;
        if (f.ncclGetVersion != nullptr) f.ncclGetVersion(&version);
        throw Unavailable("{} lacks {}; NCCL 2.18 or later is needed, and this is version {}", file, name,
                          version);
    };
    need(f.ncclGetVersion, "ncclGetVersion");
    need(f.ncclGetErrorString, "ncclGetErrorString");
    need(f.ncclGetLastError, "ncclGetLastError");
    need(f.ncclGetUniqueId, "ncclGetUniqueId");
    need(f.ncclCommInitRankConfig, "ncclCommInitRankConfig");
    need(f.ncclCommSplit, "ncclCommSplit");
    need(f.ncclCommUserRank, "ncclCommUserRank");
    need(f.ncclCommCount, "ncclCommCount");
    need(f.ncclCommGetAsyncError, "ncclCommGetAsyncError");
    need(f.ncclCommFinalize, "ncclCommFinalize");
    need(f.ncclCommDestroy, "ncclCommDestroy");
    need(f.ncclCommAbort, "ncclCommAbort");
    need(f.ncclGroupStart, "ncclGroupStart");
    need(f.ncclGroupEnd, "ncclGroupEnd");
    need(f.ncclSend, "ncclSend");
    need(f.ncclRecv, "ncclRecv");
    need(f.ncclAllGather, "ncclAllGather");
    return f;
}

} // namespace

const Functions& library() {
    static constinit LazyValue<Functions> functions;
    return functions.get(load);
}

std::string text_of(Result result) {
    const Functions& f = library();
    const char* const text = f.ncclGetErrorString(result);
    const char* const last = f.ncclGetLastError(nullptr);
    std::string message = text == nullptr ? fmt::format("error {}", result) : text;
    if (last != nullptr && *last != '\0') message += fmt::format(": {}", last);
    return message;
}

} // namespace swirl::distributed::nccl
