#pragma once

/// Shape of AMX tile registers; swirl configures all of them alike (Intel SDM volume 1, chapter 18).
namespace swirl::target::x86 {

constexpr int tile_registers = 8, tile_rows = 16, tile_row_bytes = 64;
constexpr int tile_bytes = tile_rows * tile_row_bytes;

} // namespace swirl::target::x86
