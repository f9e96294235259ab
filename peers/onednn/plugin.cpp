// oneDNN's matmul as a library that is opened at run time: its interface for primitives is a header of C++.

#include "peers/onednn/plugin.hpp"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdio>
#include <memory>

namespace {

using dnnl::memory;
using swirl::peers::OnednnRequest;
using Type = memory::data_type;
using Tag = memory::format_tag;

/// Stored by rows the matrices are the transposes: Cᵀ = Bᵀ·Aᵀ, so that A is what oneDNN calls weights.
class Plan {
public:
    explicit Plan(const OnednnRequest& request)
        : packs_(request.packs),
          engine_(dnnl::engine::kind::cpu, 0),
          stream_(engine_),
          type_(request.of_int8 ? Type::s8 : Type::bf16),
          b_description_({request.columns, request.k}, type_, Tag::ab),
          a_description_({request.k, request.rows}, type_, Tag::ab),
          c_description_({request.columns, request.rows}, request.of_int8 ? Type::s32 : Type::f32, Tag::ab) {
        const memory::desc any({request.k, request.rows}, type_, Tag::any);
        const memory::desc& weights = packs_ ? any : a_description_;
#if DNNL_VERSION_MAJOR >= 3
        const dnnl::matmul::primitive_desc chosen(engine_, b_description_, weights, c_description_);
#else
        const dnnl::matmul::primitive_desc chosen(dnnl::matmul::desc(b_description_, weights, c_description_),
                                                  engine_);
#endif
        matmul_ = dnnl::matmul(chosen);
        packed_description_ = chosen.weights_desc();
        a_ = memory(packed_description_, engine_, packs_ ? DNNL_MEMORY_ALLOCATE : DNNL_MEMORY_NONE);
        b_ = memory(b_description_, engine_, DNNL_MEMORY_NONE);
        c_ = memory(c_description_, engine_, DNNL_MEMORY_NONE);
    }

    void execute(const void* a, const void* b, void* c) {
        if (!packs_)
            a_.set_data_handle(const_cast<void*>(a));
        else if (a != packed_)
            pack(a);
        b_.set_data_handle(const_cast<void*>(b));
        c_.set_data_handle(c);
        matmul_.execute(stream_, {{DNNL_ARG_SRC, b_}, {DNNL_ARG_WEIGHTS, a_}, {DNNL_ARG_DST, c_}});
        stream_.wait();
    }

private:
    void pack(const void* a) {
        memory as_given(a_description_, engine_, const_cast<void*>(a));
        dnnl::reorder(as_given, a_).execute(stream_, as_given, a_);
        stream_.wait();
        packed_ = a;
    }

    bool packs_;
    dnnl::engine engine_;
    dnnl::stream stream_;
    Type type_; ///< of A and B
    memory::desc b_description_, a_description_, c_description_, packed_description_;
    dnnl::matmul matmul_;
    memory a_, b_, c_;
    const void* packed_ = nullptr;
};

} // namespace

extern "C" {

[[gnu::visibility("default")]] void* swirl_onednn_plan(const OnednnRequest* request, char* error,
                                                       std::size_t error_size) {
    try {
        return new Plan(*request);
    } catch (const std::exception& failure) {
        std::snprintf(error, error_size, "%s", failure.what());
        return nullptr;
    }
}

[[gnu::visibility("default")]] int swirl_onednn_execute(void* plan, const void* a, const void* b, void* c) {
    try {
        static_cast<Plan*>(plan)->execute(a, b, c);
        return 0;
    } catch (const std::exception&) {
        return 1;
    }
}

[[gnu::visibility("default")]] void swirl_onednn_destroy(void* plan) { delete static_cast<Plan*>(plan); }
}
