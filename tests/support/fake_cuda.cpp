#include "support/fake_cuda_call.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

// SWIRL_FAKE_CUDA_VERSION is the CUDA version that this library claims to support.

namespace swirl::support::driver {

std::recursive_mutex mutex;
thread_local std::vector<runtime::cuda::Context> stack;

namespace {

/// Programs other than tests set a GPU's memory size in the environment.
FakeCuda initial_state() {
    FakeCuda state;
    if (const char* mebibytes = std::getenv("SWIRL_FAKE_CUDA_MIB"))
        state.free_bytes = static_cast<std::size_t>(std::atoll(mebibytes)) << 20;
    return state;
}

} // namespace

FakeCuda& fake() {
    static FakeCuda state = initial_state();
    return state;
}

} // namespace swirl::support::driver

namespace {

using namespace swirl::runtime::cuda;
using namespace swirl::support::driver;
using swirl::support::FakeCuda;
using swirl::support::FakeLaunch;

int device_of(Context context) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 100; }

void* at(Address address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

std::string bytes_of_arguments(void** arguments) {
    std::string result;
    for (std::size_t k = 0; k < fake().argument_bytes.size(); ++k)
        result.append(static_cast<const char*>(arguments[k]), fake().argument_bytes[k]);
    return result;
}

constexpr std::chrono::milliseconds compile_time{2};

/// The one string of this content: the handle of the modules loaded from it.
const std::string* interned(const std::string& text) {
    static auto& images = *new std::set<std::string>;
    return &*images.insert(text).first;
}
const std::string& image_of(Function function) { return *reinterpret_cast<const std::string*>(function); }

/// Records options, and writes the compiler's log to the given buffers.
void take_options(unsigned count, const CompileOption* names, void** values) {
    fake().options.clear();
    for (unsigned k = 0; k < count; ++k) {
        fake().options[static_cast<int>(names[k])] = reinterpret_cast<std::uintptr_t>(values[k]);
        const bool is_log = names[k] == CompileOption::errors || names[k] == CompileOption::information;
        if (is_log) { // the next option is its size
            const auto capacity = reinterpret_cast<std::uintptr_t>(values[k + 1]);
            std::copy_n(fake().log.begin(), std::min(fake().log.size(), capacity),
                        static_cast<char*>(values[k]));
        }
    }
}

/// Whether the allocation fits. Addresses are multiples of 256, as on a GPU. A gap follows each block, so that
/// out-of-bounds accesses do not hit another block.
bool allocate(Address* address, std::size_t bytes) {
    if (bytes > fake().free_bytes) return false;
    constexpr std::size_t alignment = 256, gap = 1 << 16;
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    *address = reinterpret_cast<std::uintptr_t>(std::aligned_alloc(alignment, whole + gap));
    fake().blocks[*address] = {bytes, device_of(stack.back())};
    fake().free_bytes -= bytes;
    return true;
}

void release(Address address) {
    fake().free_bytes += fake().blocks.at(address).bytes;
    fake().blocks.erase(address);
    std::free(at(address));
}

} // namespace

EXPORT FakeCuda* fake_cuda() {
    fake().stack_depth = [] { return static_cast<int>(stack.size()); };
    return &fake();
}

EXPORT Result cuInit(unsigned) {
    return Call("cuInit", Call::nothing)([] { fake().is_initialised = true; });
}
EXPORT Result cuDriverGetVersion(int* version) {
    return Call("cuDriverGetVersion", Call::nothing)([=] { *version = SWIRL_FAKE_CUDA_VERSION; });
}
EXPORT Result cuGetErrorName(Result result, const char** name) {
    if (result == 999) return invalid_value;
    *name = result == out_of_memory     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : result == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                        : "CUDA_ERROR_SOME";
    return success;
}
EXPORT Result cuGetErrorString(Result, const char** text) {
    *text = "some text";
    return success;
}

EXPORT Result cuDeviceGetCount(int* count) {
    return Call("cuDeviceGetCount", Call::initialised)([=] { *count = fake().devices; });
}
EXPORT Result cuDeviceGet(DeviceHandle* device, int ordinal) {
    return Call("cuDeviceGet", Call::initialised)([=] { *device = ordinal; });
}
EXPORT Result cuDeviceGetName(char* name, int length, DeviceHandle) {
    return Call("cuDeviceGetName", Call::initialised)(
        [=] { std::strncpy(name, "Fake H100", static_cast<std::size_t>(length)); });
}
EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle) {
    return Call("cuDeviceTotalMem", Call::initialised)([=] { *bytes = std::size_t{3} << 29; });
}
EXPORT Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceHandle) {
    return Call("cuDeviceGetAttribute", Call::initialised)([=] {
        switch (attribute) {
        case DeviceAttribute::capability_major: *value = 9; break;
        case DeviceAttribute::multiprocessors: *value = 132; break;
        case DeviceAttribute::clock_khz: *value = 1755000; break;
        case DeviceAttribute::memory_clock_khz: *value = 1593000; break;
        case DeviceAttribute::memory_bus_bits: *value = 5120; break;
        case DeviceAttribute::max_shared_bytes_per_block: *value = 232448; break;
        case DeviceAttribute::memory_pools: *value = fake().has_memory_pools ? 1 : 0; break;
        default: *value = 0;
        }
    });
}
EXPORT Result cuDevicePrimaryCtxRetain(Context* context, DeviceHandle device) {
    return Call("cuDevicePrimaryCtxRetain", Call::initialised)([=] {
        *context = handle<Context>(static_cast<std::uintptr_t>(device) + 100);
        ++fake().retained;
    });
}
#if SWIRL_FAKE_CUDA_VERSION >= 11000
EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) {
    return Call("cuDevicePrimaryCtxRelease", Call::initialised)([] { --fake().retained; });
}
#endif
EXPORT Result cuCtxGetCurrent(Context* current) {
    return Call("cuCtxGetCurrent",
                Call::initialised)([=] { *current = stack.empty() ? nullptr : stack.back(); });
}
EXPORT Result cuCtxPushCurrent_v2(Context pushed) {
    return Call("cuCtxPushCurrent", Call::initialised)([=] { stack.push_back(pushed); });
}
EXPORT Result cuCtxPopCurrent_v2(Context* popped) {
    return Call("cuCtxPopCurrent", Call::context)([=] {
        *popped = stack.back();
        stack.pop_back();
    });
}
EXPORT Result cuCtxGetDevice(DeviceHandle* device) {
    return Call("cuCtxGetDevice", Call::context)([=] { *device = device_of(stack.back()); });
}
EXPORT Result cuCtxSynchronize() {
    return Call("cuCtxSynchronize", Call::context)([] {});
}

EXPORT Result cuDeviceCanAccessPeer(int* can, DeviceHandle device, DeviceHandle peer) {
    return Call("cuDeviceCanAccessPeer",
                Call::initialised)([=] { *can = fake().are_peers && device != peer ? 1 : 0; });
}
EXPORT Result cuCtxEnablePeerAccess(Context peer, unsigned) {
    bool is_new = true;
    const Result result = Call("cuCtxEnablePeerAccess", Call::context)([&] {
        is_new = fake().peers.insert({device_of(stack.back()), device_of(peer)}).second;
    });
    return is_new ? result : peer_access_already_enabled;
}

EXPORT Result cuModuleLoadDataEx(Module* module, const void* image, unsigned count, CompileOption* names,
                                 void** values) {
    Call call("cuModuleLoadDataEx", Call::context);
    take_options(count, names, values);
    const std::string text = static_cast<const char*>(image);
    const auto bad = fake().bad_code.find(text);
    if (bad != fake().bad_code.end()) return bad->second;
    return call([&] {
        fake().image = text;
        ++fake().modules;
        *module = reinterpret_cast<Module>(const_cast<std::string*>(interned(text)));
    });
}
EXPORT Result cuLinkCreate_v2(unsigned count, CompileOption* names, void** values, Link* link) {
    return Call("cuLinkCreate", Call::context)([=] {
        take_options(count, names, values);
        *link = reinterpret_cast<Link>(new std::string);
        ++fake().links;
    });
}
EXPORT Result cuLinkAddData_v2(Link link, int type, void* data, std::size_t bytes, const char*, unsigned,
                               CompileOption*, void**) {
    const std::string ptx(static_cast<const char*>(data), bytes - 1);
    {
        Call call("cuLinkAddData", Call::context);
        const auto bad = fake().bad_ptx.find(ptx);
        if (bad != fake().bad_ptx.end()) return bad->second;
        if (type != link_input_ptx || static_cast<const char*>(data)[bytes - 1] != '\0') return invalid_value;
        const Result result = call([=] {
            *reinterpret_cast<std::string*>(link) =
                "\x7f"
                "ELF of " +
                ptx;
            fake().compiled.push_back(ptx);
            fake().max_compiling = std::max(fake().max_compiling, ++fake().compiling);
        });
        if (result != success) return result;
    }
    // Without a lock, as the driver's compiler runs on many threads.
    std::this_thread::sleep_for(compile_time);
    const std::lock_guard lock(mutex);
    --fake().compiling;
    return success;
}
EXPORT Result cuLinkComplete(Link link, void** code, std::size_t* bytes) {
    return Call("cuLinkComplete", Call::context)([=] {
        auto& text = *reinterpret_cast<std::string*>(link);
        *code = text.data();
        *bytes = text.size() + 1;
    });
}
EXPORT Result cuLinkDestroy(Link link) {
    return Call("cuLinkDestroy", Call::context)([=] {
        delete reinterpret_cast<std::string*>(link);
        --fake().links;
    });
}
EXPORT Result cuModuleUnload(Module) {
    return Call("cuModuleUnload", Call::context)([] { --fake().modules; });
}
/// A module has one kernel, of the same handle.
EXPORT Result cuModuleGetFunction(Function* function, Module module, const char*) {
    return Call("cuModuleGetFunction",
                Call::context)([=] { *function = reinterpret_cast<Function>(module); });
}
EXPORT Result cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function) {
    return Call("cuFuncGetAttribute", Call::context)([=] { *value = 40 + static_cast<int>(attribute); });
}
EXPORT Result cuFuncSetAttribute(Function, FunctionAttribute attribute, int value) {
    return Call("cuFuncSetAttribute",
                Call::context)([=] { fake().kernel_attributes[static_cast<int>(attribute)] = value; });
}
EXPORT Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int threads, std::size_t) {
    return Call("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                Call::context)([=] { *blocks = 2048 / threads; });
}
EXPORT Result cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             Stream stream, void** arguments, void**) {
    return Call("cuLaunchKernel", Call::context)([=] {
        fake().launches.push_back({{grid_x, grid_y, grid_z},
                                   {block_x, block_y, block_z},
                                   {1, 1, 1},
                                   shared_bytes,
                                   stream,
                                   bytes_of_arguments(arguments),
                                   image_of(function)});
        if (fake().kernel) fake().kernel();
    });
}
#if SWIRL_FAKE_CUDA_VERSION >= 11080
EXPORT Result cuLaunchKernelEx(const LaunchConfiguration* c, Function function, void** arguments, void**) {
    return Call("cuLaunchKernelEx", Call::context)([=] {
        FakeLaunch launch{{c->grid_x, c->grid_y, c->grid_z},
                          {c->block_x, c->block_y, c->block_z},
                          {1, 1, 1},
                          c->shared_bytes,
                          c->stream,
                          bytes_of_arguments(arguments),
                          image_of(function)};
        for (unsigned k = 0; k < c->attribute_count; ++k) {
            const LaunchAttribute& attribute = c->attributes[k];
            if (attribute.id == LaunchAttribute::cooperative_launch)
                launch.cooperative = attribute.cooperative != 0;
            if (attribute.id == LaunchAttribute::programmatic_stream_serialization)
                launch.starts_early = attribute.starts_early != 0;
            if (attribute.id != LaunchAttribute::cluster_dimension) continue;
            launch.cluster[0] = attribute.cluster.x;
            launch.cluster[1] = attribute.cluster.y;
            launch.cluster[2] = attribute.cluster.z;
        }
        fake().launches.push_back(launch);
        if (fake().kernel) fake().kernel();
    });
}
#endif

EXPORT Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
    bool fits = true;
    const Result result = Call("cuMemAlloc", Call::context)([&] { fits = allocate(address, bytes); });
    return fits ? result : out_of_memory;
}
EXPORT Result cuMemFree_v2(Address address) {
    return Call("cuMemFree", Call::context)([=] { release(address); });
}
EXPORT Result cuMemAllocHost_v2(void** memory, std::size_t bytes) {
    return Call("cuMemAllocHost", Call::context)([=] {
        *memory = std::malloc(bytes);
        ++fake().pinned_blocks;
    });
}
EXPORT Result cuMemFreeHost(void* memory) {
    return Call("cuMemFreeHost", Call::context)([=] {
        std::free(memory);
        --fake().pinned_blocks;
    });
}
#if SWIRL_FAKE_CUDA_VERSION >= 11020
EXPORT Result cuMemAllocAsync(Address* address, std::size_t bytes, Stream) {
    bool fits = true;
    const Result result = Call("cuMemAllocAsync", Call::context)([&] { fits = allocate(address, bytes); });
    return fits ? result : out_of_memory;
}
EXPORT Result cuMemFreeAsync(Address address, Stream) {
    return Call("cuMemFreeAsync", Call::context)([=] { release(address); });
}
#endif
EXPORT Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return Call("cuMemGetInfo", Call::context)([=] {
        *free = fake().free_bytes;
        *total = 1 << 20;
    });
}
EXPORT Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
    return Call("cuMemcpyHtoD", Call::context)([=] { std::memcpy(at(to), from, bytes); });
}
EXPORT Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
    return Call("cuMemcpyDtoH", Call::context)([=] { std::memcpy(to, at(from), bytes); });
}
EXPORT Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream) {
    return Call("cuMemcpyHtoDAsync", Call::context)([=] { std::memcpy(at(to), from, bytes); });
}
EXPORT Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream) {
    return Call("cuMemcpyDtoHAsync", Call::context)([=] { std::memcpy(to, at(from), bytes); });
}
EXPORT Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream) {
    return Call("cuMemcpyDtoDAsync", Call::context)([=] { std::memcpy(at(to), at(from), bytes); });
}
EXPORT Result cuMemcpyPeerAsync(Address to, Context, Address from, Context, std::size_t bytes, Stream) {
    return Call("cuMemcpyPeerAsync", Call::context)([=] { std::memcpy(at(to), at(from), bytes); });
}
EXPORT Result cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, Stream) {
    return Call("cuMemsetD8Async", Call::context)([=] { std::memset(at(to), value, bytes); });
}
#if SWIRL_FAKE_CUDA_VERSION >= 12000
EXPORT Result cuTensorMapEncodeTiled(void* map, TensorElement element, std::uint32_t rank, void* address,
                                     const std::uint64_t* extents, const std::uint64_t* byte_strides,
                                     const std::uint32_t* box, const std::uint32_t* element_strides, int,
                                     int swizzle, int, int) {
    return Call("cuTensorMapEncodeTiled", Call::nothing)([=] {
        const auto pointer = reinterpret_cast<Address>(address);
        fake().tensors.push_back({element,
                                  pointer,
                                  {extents, extents + rank},
                                  {byte_strides, byte_strides + rank - 1},
                                  {box, box + rank},
                                  {element_strides, element_strides + rank},
                                  swizzle});
        std::memcpy(map, &pointer, sizeof pointer);
    });
}
#endif
EXPORT Result cuPointerGetAttributes(unsigned count, PointerAttribute* names, void** values,
                                     Address address) {
    return Call("cuPointerGetAttributes", Call::initialised)([=] {
        auto type = MemoryType::unknown;
        int device = -2;
        const bool is_managed = address != 0 && at(address) == fake().managed;
        Address range = 0;
        std::size_t bytes = 0;
        for (const auto& [begin, block] : fake().blocks)
            if (address >= begin && address < begin + block.bytes) {
                type = MemoryType::device;
                device = block.device;
                range = begin;
                bytes = block.bytes;
            }
        if (address != 0 && at(address) == fake().pinned) type = MemoryType::host;
        for (unsigned k = 0; k < count; ++k) switch (names[k]) {
            case PointerAttribute::memory_type: *static_cast<MemoryType*>(values[k]) = type; break;
            case PointerAttribute::is_managed: *static_cast<unsigned*>(values[k]) = is_managed; break;
            case PointerAttribute::device_ordinal: *static_cast<int*>(values[k]) = device; break;
            case PointerAttribute::range_begin: *static_cast<Address*>(values[k]) = range; break;
            case PointerAttribute::range_bytes: *static_cast<std::size_t*>(values[k]) = bytes; break;
            }
    });
}

EXPORT Result cuStreamCreate(Stream* stream, unsigned) {
    return Call("cuStreamCreate", Call::context)(
        [=] { *stream = handle<Stream>(static_cast<std::uintptr_t>(++fake().streams)); });
}
EXPORT Result cuStreamDestroy_v2(Stream) {
    return Call("cuStreamDestroy", Call::context)([] { --fake().streams; });
}
EXPORT Result cuStreamSynchronize(Stream) {
    return Call("cuStreamSynchronize", Call::context)([] {});
}
EXPORT Result cuStreamQuery(Stream) {
    return Call("cuStreamQuery", Call::context)([] {});
}
EXPORT Result cuStreamWaitEvent(Stream, Event, unsigned) {
    return Call("cuStreamWaitEvent", Call::context)([] {});
}
EXPORT Result cuStreamIsCapturing(Stream, int* status) {
    return Call("cuStreamIsCapturing", Call::context)([=] { *status = fake().is_capturing ? 1 : 0; });
}
EXPORT Result cuEventCreate(Event* event, unsigned) {
    return Call("cuEventCreate",
                Call::context)([=] { *event = handle<Event>(static_cast<std::uintptr_t>(++fake().events)); });
}
EXPORT Result cuEventDestroy_v2(Event) {
    return Call("cuEventDestroy", Call::context)([] { --fake().events; });
}
EXPORT Result cuEventRecord(Event, Stream) {
    return Call("cuEventRecord", Call::context)([] {});
}
EXPORT Result cuEventSynchronize(Event) {
    return Call("cuEventSynchronize", Call::context)([] {});
}
EXPORT Result cuEventElapsedTime(float* milliseconds, Event, Event) {
    return Call("cuEventElapsedTime", Call::context)([=] { *milliseconds = 2.5F; });
}
