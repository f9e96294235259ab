#include "target/x86/lane_functions.hpp"

namespace swirl::target::x86 {

namespace {

int unpack(int lane, int lanes, int per_block, bool high) {
    const int block = lane / per_block * per_block;
    const int within = lane % per_block;
    return block + within / 2 + (high ? per_block / 2 : 0) + (within % 2) * lanes;
}

} // namespace

int unpack_low_32(int lane, int, int lanes) { return unpack(lane, lanes, 4, false); }
int unpack_high_32(int lane, int, int lanes) { return unpack(lane, lanes, 4, true); }
int unpack_low_64(int lane, int, int lanes) { return unpack(lane, lanes, 2, false); }
int unpack_high_64(int lane, int, int lanes) { return unpack(lane, lanes, 2, true); }

int shuffle_32(int lane, int immediate, int lanes) {
    const int within = lane % 4;
    return lane - within + (immediate >> (2 * within) & 3) + (within / 2) * lanes;
}

int shuffle_64(int lane, int immediate, int lanes) {
    const int within = lane % 2;
    return lane - within + (immediate >> lane & 1) + within * lanes;
}

int permute_in_block_32(int lane, int immediate, int) {
    const int within = lane % 4;
    return lane - within + (immediate >> (2 * within) & 3);
}

int permute_in_block_64(int lane, int immediate, int) { return lane - lane % 2 + (immediate >> lane & 1); }

int permute_in_256(int lane, int immediate, int lanes) { return permute_in_block_32(lane, immediate, lanes); }

int blend(int lane, int immediate, int lanes) { return lane + (immediate >> lane & 1) * lanes; }

int align(int lane, int immediate, int lanes) {
    const int position = lane + immediate;
    return position < lanes ? lanes + position : position - lanes;
}

} // namespace swirl::target::x86
