#include "api/c.hpp"

#include <swirl/device.hpp>
#include <swirl/threads.hpp>
#include <swirl/version.hpp>

namespace swirl::api {
namespace {

thread_local std::string last_error;

} // namespace

swirl_status failed(swirl_status status, const char* message) noexcept {
    try {
        last_error = message;
    } catch (...) {
        last_error.clear(); // no memory for the message; the status is still returned
    }
    return status;
}

void copy_text(const std::string& whole, char* text, std::size_t size, std::size_t* length) {
    if (size > 0) require(text, "text");
    if (length != nullptr) *length = whole.size();
    if (size == 0) return;
    const std::size_t copied = std::min(whole.size(), size - 1);
    std::memcpy(text, whole.data(), copied);
    text[copied] = '\0';
}

Device device_of(int device, int ordinal) {
    if (device != SWIRL_CPU && device != SWIRL_GPU)
        throw UserError("device is {}; use SWIRL_CPU or SWIRL_GPU", device);
    return device == SWIRL_GPU ? Device::gpu(ordinal) : Device::cpu();
}

} // namespace swirl::api

using namespace swirl::api;

extern "C" {

const char* swirl_last_error(void) { return last_error.c_str(); }

const char* swirl_version(void) {
    return swirl::version().data(); // a literal, thus null-terminated
}

void swirl_set_parallel_loop(swirl_parallel_loop loop, void* data) { swirl::set_parallel_loop(loop, data); }

int swirl_gpu_count(void) { return swirl::gpu_count(); }

swirl_status swirl_gpu_available(void) {
    return guarded([] {
        const std::string reason = swirl::why_no_gpu();
        if (!reason.empty()) throw swirl::Unavailable(reason);
    });
}

swirl_status swirl_device_name(int device, int ordinal, char* text, size_t size, size_t* length) {
    return guarded([&] { copy_text(device_of(device, ordinal).name(), text, size, length); });
}

swirl_status swirl_device_memory(int device, int ordinal, size_t* all, size_t* free_bytes) {
    return guarded([&] {
        const swirl::Device which = device_of(device, ordinal);
        const std::size_t total = which.memory_bytes();
        const std::size_t available = free_bytes == nullptr ? 0 : which.free_memory_bytes();
        if (all != nullptr) *all = total;
        if (free_bytes != nullptr) *free_bytes = available;
    });
}

} // extern "C"
