#include "tensor.hpp"

#include "dlpack.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace swirl::python {
namespace {

[[noreturn]] void refuse_type(const std::string& name) {
    throw nb::type_error(("swirl has no data type for the elements of " + name).c_str());
}

/// JAX's arrays never change, which their capsules do not say.
bool is_immutable(nb::handle object) {
    return std::string_view(nb::inst_name(object).c_str()).starts_with("jax");
}

/// Strides in bytes as strides in elements.
std::vector<Integer> in_elements(const std::vector<Integer>& strides, const std::vector<Integer>& shape,
                                 DataType type, const std::string& name) {
    std::vector<Integer> result;
    for (std::size_t d = 0; d < strides.size(); ++d) {
        if (strides[d] % bytes_of(type) != 0 && shape[d] > 1)
            throw nb::value_error(("the strides of " + name + " are no multiples of an element").c_str());
        result.push_back(strides[d] / bytes_of(type));
    }
    return result;
}

Tensor of_numpy(nb::handle object, const std::string& name) {
    const Array array = Array::borrowed(object);
    if (!PyArray_ISBEHAVED_RO(array.get()))
        throw nb::value_error(
            ("the elements of " + name + " must be aligned and in native byte order").c_str());
    const std::optional<DataType> type = data_type_of(array);
    if (!type) refuse_type(name);
    Tensor result;
    result.object = nb::borrow<nb::object>(object);
    result.data = array.data();
    result.type = *type;
    result.shape.assign(array.shape(), array.shape() + array.dimensions());
    result.strides =
        in_elements({array.strides(), array.strides() + array.dimensions()}, result.shape, *type, name);
    result.is_writable = PyArray_ISWRITEABLE(array.get());
    return result;
}

std::optional<DataType> type_of(dlpack::DataType type) {
    constexpr std::pair<dlpack::DataType, DataType> types[] = {
        {{dlpack::signed_integer, 8, 1}, DataType::int8},
        {{dlpack::unsigned_integer, 8, 1}, DataType::uint8},
        {{dlpack::signed_integer, 32, 1}, DataType::int32},
        {{dlpack::floating, 16, 1}, DataType::float16},
        {{dlpack::brain_floating, 16, 1}, DataType::bfloat16},
        {{dlpack::floating, 32, 1}, DataType::float32},
        {{dlpack::floating, 64, 1}, DataType::float64},
        {{dlpack::complex, 32, 1}, DataType::complex32},
        {{dlpack::complex, 64, 1}, DataType::complex64},
        {{dlpack::complex, 128, 1}, DataType::complex128}};
    for (const auto& [known, result] : types)
        if (known.code == type.code && known.bits == type.bits && known.lanes == type.lanes) return result;
    return std::nullopt;
}

/// A capsule is consumed: from then on swirl calls its deleter.
template <class Managed> nb::object owner_of(Managed* managed) {
    return nb::capsule(managed, [](void* pointer) noexcept {
        auto* const taken = static_cast<Managed*>(pointer);
        if (taken->release != nullptr) taken->release(taken);
    });
}

void fill(Tensor& result, const dlpack::Tensor& tensor, const std::string& name) {
    const std::optional<DataType> type = type_of(tensor.type);
    if (!type) refuse_type(name);
    result.type = *type;
    result.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
    result.shape.assign(tensor.shape, tensor.shape + tensor.dimensions);
    result.strides = tensor.strides == nullptr
                         ? row_major(result.shape)
                         : std::vector<Integer>(tensor.strides, tensor.strides + tensor.dimensions);
    result.is_managed = tensor.device.type == dlpack::cuda_managed;
    if (tensor.device.type == dlpack::cuda || result.is_managed)
        result.device = Device::gpu(tensor.device.ordinal);
}

Tensor of_dlpack(nb::handle object, const std::string& name, void* stream) {
    Tensor result;
    result.object = nb::borrow<nb::object>(object);
    const bool is_on_gpu = device_of(object).is_gpu();
    // The legacy default stream has the number 1 here.
    nb::dict options;
    if (is_on_gpu) options["stream"] = stream == nullptr ? 1 : reinterpret_cast<std::intptr_t>(stream);
    nb::object capsule;
    const nb::object method = nb::getattr(object, "__dlpack__");
    options["max_version"] = nb::make_tuple(1, 0);
    try {
        capsule = method(**options);
    } catch (const nb::python_error& error) {
        if (!error.matches(PyExc_TypeError)) throw;
        nb::del(options["max_version"]); // a library of before DLPack 1
        capsule = method(**options);
    }
    if (auto* const managed = static_cast<dlpack::VersionedTensor*>(
            PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")
                ? PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned")
                : nullptr)) {
        PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
        result.memory = owner_of(managed);
        if (managed->major != 1)
            throw nb::type_error((name + " comes by an unknown version of DLPack").c_str());
        result.is_writable = (managed->flags & dlpack::is_read_only) == 0 && !is_immutable(object);
        fill(result, managed->tensor, name);
        return result;
    }
    auto* const managed =
        static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (managed == nullptr) throw nb::python_error();
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    result.memory = owner_of(managed);
    result.is_writable = !is_immutable(object);
    fill(result, managed->tensor, name);
    return result;
}

/// PyTorch's tensors by their attributes: their capsules cost tens of microseconds.
Tensor of_torch(nb::handle object, const std::string& name) {
    Tensor result;
    result.object = nb::borrow<nb::object>(object);
    const std::string type = nb::str(nb::getattr(object, "dtype")).c_str(); // "torch.float32"
    constexpr std::pair<const char*, DataType> types[] = {
        {"torch.int8", DataType::int8},           {"torch.uint8", DataType::uint8},
        {"torch.int32", DataType::int32},         {"torch.float16", DataType::float16},
        {"torch.bfloat16", DataType::bfloat16},   {"torch.float32", DataType::float32},
        {"torch.float64", DataType::float64},     {"torch.complex32", DataType::complex32},
        {"torch.complex64", DataType::complex64}, {"torch.complex128", DataType::complex128}};
    const auto* const known = std::find_if(std::begin(types), std::end(types),
                                           [&](const auto& each) { return type == each.first; });
    if (known == std::end(types)) refuse_type(name);
    result.type = known->second;
    if (nb::cast<bool>(nb::getattr(object, "requires_grad")) ||
        nb::cast<bool>(nb::getattr(object, "is_conj")()) || nb::cast<bool>(nb::getattr(object, "is_neg")()))
        throw nb::type_error((name + " is a tensor that requires a gradient, or a lazy conjugate: give its "
                                     "detach() or resolve_conj(), or use swirl.torch")
                                 .c_str());
    result.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(nb::getattr(object, "data_ptr")()));
    const auto integers = [](nb::handle tuple) {
        std::vector<Integer> values;
        for (const nb::handle value : nb::borrow<nb::tuple>(tuple))
            values.push_back(nb::cast<Integer>(value));
        return values;
    };
    result.shape = integers(nb::getattr(object, "shape"));
    result.strides = integers(nb::getattr(object, "stride")());
    if (nb::cast<bool>(nb::getattr(object, "is_cuda")))
        result.device = Device::gpu(nb::cast<int>(nb::getattr(object, "get_device")()));
    else if (!nb::cast<bool>(nb::getattr(object, "is_cpu")))
        throw nb::type_error((name + " is in no memory that swirl knows").c_str());
    return result;
}

bool is_torch_tensor(nb::handle object) {
    return std::string_view(nb::inst_name(object).c_str()) == "torch.Tensor";
}

/// "<f4" and the like, as NumPy writes them.
DataType type_of(std::string_view text, const std::string& name) {
    constexpr std::pair<std::string_view, DataType> types[] = {
        {"|i1", DataType::int8},      {"|u1", DataType::uint8},      {"<i4", DataType::int32},
        {"<f2", DataType::float16},   {"<f4", DataType::float32},    {"<f8", DataType::float64},
        {"<c8", DataType::complex64}, {"<c16", DataType::complex128}};
    for (const auto& [known, type] : types)
        if (known == text) return type;
    refuse_type(name);
}

Tensor of_cuda_interface(nb::handle object, const std::string& name) {
    Tensor result;
    result.object = nb::borrow<nb::object>(object);
    const auto interface = nb::cast<nb::dict>(nb::getattr(object, "__cuda_array_interface__"));
    const auto integers = [](nb::handle sequence) {
        std::vector<Integer> values;
        for (const nb::handle value : nb::borrow<nb::sequence>(sequence))
            values.push_back(nb::cast<Integer>(value));
        return values;
    };
    result.type = type_of(std::string_view(nb::cast<nb::str>(interface["typestr"]).c_str()), name);
    result.shape = integers(interface["shape"]);
    const nb::object strides = interface.contains("strides") ? nb::object(interface["strides"]) : nb::none();
    result.strides = strides.is_none() ? row_major(result.shape)
                                       : in_elements(integers(strides), result.shape, result.type, name);
    const auto data = nb::cast<nb::tuple>(interface["data"]);
    result.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
    result.is_writable = !nb::cast<bool>(data[1]);
    result.device = device_of(object);
    return result;
}

} // namespace

std::vector<Integer> row_major(const std::vector<Integer>& shape) {
    std::vector<Integer> strides(shape.size());
    Integer elements = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        strides[d] = elements;
        elements *= shape[d];
    }
    return strides;
}

bool Tensor::is_numpy() const { return PyArray_Check(object.ptr()); }

Integer Tensor::size() const {
    return std::accumulate(shape.begin(), shape.end(), Integer{1},
                           [](Integer a, Integer b) { return a * b; });
}

bool Tensor::is_contiguous() const {
    const std::vector<Integer> dense = row_major(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 0) return true;
        if (shape[d] > 1 && strides[d] != dense[d]) return false;
    }
    return true;
}

Device device_of(nb::handle object) {
    if (PyArray_Check(object.ptr())) return {};
    if (nb::hasattr(object, "__dlpack_device__")) {
        const auto device = nb::cast<nb::tuple>(nb::getattr(object, "__dlpack_device__")());
        const int type = nb::cast<int>(nb::int_(nb::object(device[0])));
        if (type != dlpack::cuda && type != dlpack::cuda_managed) return {};
        return Device::gpu(nb::cast<int>(nb::int_(nb::object(device[1]))));
    }
    if (nb::hasattr(object, "__cuda_array_interface__"))
        return Device::gpu(); // which says nothing about the GPU
    return {};
}

Tensor tensor_of(nb::handle object, const std::string& name, void* stream) {
    if (PyArray_Check(object.ptr())) return of_numpy(object, name);
    if (is_torch_tensor(object)) return of_torch(object, name);
    if (nb::hasattr(object, "__dlpack__")) return of_dlpack(object, name, stream);
    if (nb::hasattr(object, "__cuda_array_interface__")) return of_cuda_interface(object, name);
    throw nb::type_error(
        (name + " must be an array: of NumPy, or with __dlpack__ or __cuda_array_interface__").c_str());
}

void* current_stream(nb::handle array, Device device) {
    const nb::object stream =
        nb::module_::import_("swirl._arrays").attr("current_stream")(array, device.ordinal());
    return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(stream));
}

} // namespace swirl::python
