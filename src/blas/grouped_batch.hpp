#pragma once

#include "blas/routines.hpp"

#include <vector>

/// gemm_batch: groups of products. The products of a group share shape, scalars and leading dimensions.
namespace swirl::blas {

/// Arrays have one entry per group; arrays of matrices have one entry per product, group by group.
template <class T, class I> struct GroupedBatch {
    const char *transpose_a, *transpose_b;
    const I *m, *n, *k;
    const T* alpha;
    const T* const* a;
    const I* lda;
    const T* const* b;
    const I* ldb;
    const T* beta;
    T* const* c;
    const I* ldc;
    Integer groups;
    const I* sizes;

    Gemm<T> group(Integer g) const {
        return {transpose_a[g], transpose_b[g], m[g],   n[g],    k[g],    alpha[g], nullptr,
                lda[g],         nullptr,        ldb[g], beta[g], nullptr, ldc[g]};
    }
    int first_wrong() const {
        if (groups < 0) return 14;
        for (Integer g = 0; g < groups; ++g) {
            if (const int position = group(g).first_wrong(); position != 0) return position;
            if (sizes[g] < 0) return 15;
        }
        return 0;
    }
};

constexpr auto run_groups = []<class T, class I>(const GroupedBatch<T, I>& batch, int threads) {
    std::vector<PointerBatch<T>> groups;
    Integer first = 0;
    for (Integer g = 0; g < batch.groups; ++g) {
        groups.push_back(
            {batch.group(g), {batch.a + first, batch.b + first, batch.c + first, batch.sizes[g]}});
        first += batch.sizes[g];
    }
    gemm_batch<T>(groups, threads);
};

} // namespace swirl::blas
