#include <swirl/wisdom.hpp>

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/kernel_cache.hpp"
#include "runtime/kernel_pack.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "search/wisdom/wisdom.hpp"

#include <istream>
#include <iterator>
#include <ostream>
#include <span>
#include <string_view>

namespace swirl {

namespace wisdom {

std::string path() {
    const ForkSection section;
    search::Wisdom* const known = search::shared_wisdom(false);
    return known == nullptr ? search::Wisdom::default_file().string() : known->file().string();
}

Integer export_to(std::ostream& out) {
    const ForkSection section;
    search::Wisdom* const known = search::shared_wisdom(false);
    return known == nullptr ? 0 : known->export_lines(out);
}

Imported import_from(std::istream& in) {
    const ForkSection section;
    const search::Wisdom::Imported imported = search::shared_wisdom(true)->import_lines(in);
    return {imported.stored, imported.unchanged, static_cast<Integer>(imported.unreadable.size())};
}

Integer forget(const Problem& problem) {
    const ForkSection section;
    search::Wisdom* const known = search::shared_wisdom(false);
    return known == nullptr ? 0 : known->erase_problem(to_text(problem));
}

Integer forget_all() {
    const ForkSection section;
    search::Wisdom* const known = search::shared_wisdom(false);
    return known == nullptr ? 0 : known->erase_all();
}

} // namespace wisdom

namespace kernel_cache {

std::string path() {
    const runtime::KernelCache* const cache = runtime::KernelCache::of_user();
    return cache == nullptr ? std::string() : cache->folder().string();
}

Integer export_to(std::ostream& out) {
    const runtime::KernelCache* const cache = runtime::KernelCache::of_user();
    if (cache == nullptr) return 0;
    const runtime::KernelPack pack = runtime::pack(*cache);
    out.write(pack.bytes.data(), static_cast<std::streamsize>(pack.bytes.size()));
    return static_cast<Integer>(pack.kernels);
}

Integer import_from(std::istream& in) {
    runtime::KernelCache* const cache = runtime::KernelCache::of_user();
    if (cache == nullptr)
        throw UserError(
            "there is no kernel cache: SWIRL_KERNEL_CACHE is off, or there is no home directory\n"
            "  let SWIRL_KERNEL_CACHE name a folder");
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    Integer stored = 0;
    for (const runtime::PackedKernel& kernel : runtime::unpack(bytes, "the pack"))
        if (cache->store(kernel.key, kernel.label, kernel.code)) ++stored;
    return stored;
}

Integer forget_all() {
    const runtime::KernelCache* const cache = runtime::KernelCache::of_user();
    return cache == nullptr ? 0 : static_cast<Integer>(cache->clear().removed);
}

} // namespace kernel_cache

} // namespace swirl
