#pragma once

#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/amx/route.hpp"
#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/cpu/multiply.hpp"

#include "gemm/cpu/tile_writer.hpp"

#include <vector>

namespace swirl::planning {

/// C = α·A·B + β·C in float32 or int32 by these kernels, on the calling thread. `update` says how β applies. One matrix,
/// C with row stride 1, no extent zero. `kc` must be the same for all subproblems of a product. An epilogue must have
/// AMX kernels.
void multiply_amx(AmxKernels& kernels, const AmxRoute& route, const MatrixProduct& product,
                  const MatrixArguments& arguments, gemm::Update update, Integer kc,
                  const EpilogueCall& epilogue = {});

/// k indices accumulated in tile registers before C is updated.
Integer amx_kc(const AmxKernels& kernels, const MatrixProduct& product);

/// The programs of a product's whole tiles, with the update of C by its only or last block along K, and of packing.
/// `epilogue`: the kernels that finish tiles, if others do.
std::vector<ir::Program> amx_programs(const AmxKernels& kernels, const MatrixProduct& product,
                                      const AmxKernels* epilogue);

} // namespace swirl::planning
