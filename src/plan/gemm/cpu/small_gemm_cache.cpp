#include "plan/gemm/cpu/small_gemm_cache.hpp"

#include "base/fork_gate.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"

#include <algorithm>
#include <limits>

namespace swirl::planning {

namespace {

/// A specialised kernel is compiled after this many multiply-adds in general kernels, which take about as long as
/// compilation; but after no fewer and no more calls than these.
constexpr double worth_a_kernel = 5e6;
constexpr double fewest_calls = 2, most_calls = 64;

/// The stride of a matrix that is not 1, and whether it is the column stride.
struct Stride {
    Integer value;
    bool is_of_columns;
};
std::optional<Stride> stride_of(const MatrixLayout& layout) {
    const bool by_columns = layout.row_stride == 1;
    if (!by_columns && layout.column_stride != 1) return std::nullopt;
    const Integer stride = by_columns ? layout.column_stride : layout.row_stride;
    if (stride != static_cast<std::int32_t>(stride)) return std::nullopt;
    return Stride{stride, by_columns};
}

char letter_of(const MatrixLayout& layout, bool is_of_columns) {
    return layout.conjugated ? 'C' : is_of_columns ? 'N' : 'T';
}

MatrixLayout layout_of(std::uint32_t letter, Integer stride) {
    if (letter == 0) return {.row_stride = 1, .column_stride = stride};
    return {.row_stride = stride, .column_stride = 1, .conjugated = letter == 2};
}

jit::MachineCode compiled(const gemm::SmallGemm& small, const target::Cpu& cpu) {
    return jit::compile(passes::run_codegen_passes(gemm::small_gemm(small), cpu), cpu);
}

} // namespace

SmallKernel::SmallKernel(const gemm::SmallGemm& small, const target::Cpu& cpu, KernelCheck check)
    : small_(small),
      code_(compiled(small, cpu)),
      function_(code_.function()),
      packed_bytes_(static_cast<std::size_t>(gemm::packed_bytes(small))) {
    if (check == KernelCheck::off) return;
    const gemm::SmallGemm sample = sample_of(small);
    if (sample == small) {
        check_small(small, function_);
    } else {
        const runtime::ExecutableCode code(compiled(sample, cpu));
        check_small(sample, code.function());
    }
}

void SmallKernel::run(const MatrixArguments& arguments, const EpilogueCall& epilogue) const {
    std::array<void*, 6 + most_operands> buffers = {
        const_cast<void*>(arguments.a), const_cast<void*>(arguments.b), arguments.c,
        const_cast<void*>(arguments.alpha), const_cast<void*>(arguments.beta)};
    std::size_t count = 5;
    if (packed_bytes_ > 0) buffers[count++] = packing_buffer(0, packed_bytes_);
    for (std::size_t k = 0; k < epilogue.epilogue->code().operands.size(); ++k)
        buffers[count++] = const_cast<void*>(epilogue.operand(k, 0, 0));
    function_(buffers.data(), nullptr);
}

std::optional<SmallKey> SmallKey::of(const MatrixProduct& product, gemm::Update update, bool alpha_is_one,
                                     Integer kc) {
    constexpr Integer most = std::numeric_limits<std::int32_t>::max();
    const std::optional<Stride> a = stride_of(product.a), b = stride_of(product.b), c = stride_of(product.c);
    const bool is_known =
        a && b && c && c->is_of_columns && std::max({product.rows, product.columns, product.k}) <= most &&
        !(product.a.conjugated && a->is_of_columns) && !(product.b.conjugated && b->is_of_columns);
    if (!is_known) return std::nullopt;
    const auto narrow = [](Integer value) { return static_cast<std::int32_t>(value); };
    return SmallKey{narrow(product.rows),
                    narrow(product.columns),
                    narrow(product.k),
                    narrow(a->value),
                    narrow(b->value),
                    narrow(c->value),
                    narrow(kc),
                    kind_of(product.data_type, letter_of(product.a, a->is_of_columns),
                            letter_of(product.b, b->is_of_columns), update, alpha_is_one)};
}

gemm::SmallGemm SmallKey::described(const target::Cpu& cpu) const {
    MatrixProduct product{
        .data_type = static_cast<DataType>(kind & 0xff), .rows = rows, .columns = columns, .k = k_extent};
    product.a = layout_of(kind >> 8 & 3, a_stride);
    product.b = layout_of(kind >> 10 & 3, b_stride);
    product.c = layout_of(0, c_stride);
    return gemm::model_small_gemm(product, static_cast<gemm::Update>(kind >> 12 & 3), (kind >> 14 & 1) != 0,
                                  kc, cpu);
}

/// Counts the call. Concurrent calls may lose a count.
bool SmallGemmCache::is_frequent(std::uint64_t hash, const SmallKey& key) {
    const double work =
        static_cast<double>(key.rows) * static_cast<double>(key.columns) * static_cast<double>(key.k_extent);
    const auto needed =
        static_cast<std::uint64_t>(std::clamp(worth_a_kernel / work, fewest_calls, most_calls));
    std::atomic<std::uint64_t>& slot = calls_[hash % slots];
    const std::uint64_t known = slot.load(std::memory_order_relaxed);
    const std::uint64_t tag = known >> 8;
    std::uint64_t calls = known & 0xff;
    if (tag == hash) {
        slot.store(hash << 8 | std::min<std::uint64_t>(calls + 1, needed), std::memory_order_relaxed);
        return calls + 1 >= needed;
    }
    slot.store(calls > 1 ? tag << 8 | (calls - 1) : hash << 8 | 1, std::memory_order_relaxed);
    return needed <= 1;
}

const SmallKernel* SmallGemmCache::make(std::uint64_t hash, const SmallKey& key) {
    const std::lock_guard lock(making_);
    for (std::size_t probe = 0; probe < probes; ++probe) {
        std::atomic<const Entry*>& slot = table_[(hash + probe) % slots];
        if (const Entry* there = slot.load(std::memory_order_relaxed)) {
            if (there->key == key) return &there->kernel;
            continue;
        }
        const target::Cpu& cpu = target::host_cpu();
        // Never removed: other threads may be running it.
        entries_.emplace_back(new Entry{key, SmallKernel(key.described(cpu), cpu, KernelCheck::on)});
        const Entry* const entry = entries_.back().get();
        slot.store(entry, std::memory_order_release);
        return &entry->kernel;
    }
    return nullptr;
}

SmallGemmCache& SmallGemmCache::of_host() {
    static constinit LazyValue<SmallGemmCache> all;
    return all.get([] { return SmallGemmCache(); });
}

} // namespace swirl::planning
