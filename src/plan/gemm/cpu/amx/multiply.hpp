#pragma once

#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/amx/route.hpp"
#include "plan/gemm/cpu/extras.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "plan/gemm/cpu/packed_matrix.hpp"

#include "gemm/cpu/tile_writer.hpp"

#include <vector>

namespace swirl::planning {

/// C = α·A·B + β·C in float32 or int32 by these kernels, on the calling thread. `update` says how β applies. One matrix,
/// C with row stride 1, no extent zero. `kc` must be the same for all subproblems of a product. An epilogue among the
/// extras must have AMX kernels.
void multiply_amx(AmxKernels& kernels, const AmxRoute& route, const MatrixProduct& product,
                  const MatrixArguments& arguments, gemm::Update update, Integer kc,
                  const MatrixExtras& extras = {});

/// An operand as AMX kernels pack it.
struct AmxOperand {
    PanelSource panels;
    DataType data_type;
    float scale;

    AmxOperand(gemm::Operand operand, const AmxRoute& route, const MatrixProduct& product,
               const MatrixArguments& arguments);
};

/// Panels of blocks of this k extent.
PanelShape amx_panel_shape(const AmxKernels& kernels, Integer kc);
/// Packs panels, each panel_bytes() after the one before.
void pack_amx_panels(AmxKernels& kernels, const AmxOperand& source, const PanelRange& range, std::byte* to);

/// k indices accumulated in tile registers before C is updated.
Integer amx_kc(const AmxKernels& kernels, const MatrixProduct& product);

/// The programs of a product's whole tiles, with the update of C by its only or last block along K, and of packing.
/// `epilogue`: the kernels that finish tiles, if others do.
std::vector<ir::Program> amx_programs(const AmxKernels& kernels, const MatrixProduct& product,
                                      const AmxKernels* epilogue);

} // namespace swirl::planning
