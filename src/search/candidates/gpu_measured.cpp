#include "search/candidates/gpu_measured.hpp"

#include "search/cost/gpu_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

// Measured on an H100 80GB HBM3 (driver 580, CUDA 13.0) over 512 MiB each way, each kernel among the candidates for its
// problem: `bench --device gpu PROBLEM --candidates 14`, and hand-made grids of threads and transforms.
// `copy_fraction` is relative to a copy of the same bytes.

namespace swirl::search {

namespace {

/// Data layout of the transforms: contiguous vectors (rows) or interleaved ones (columns); contiguous squares of n by
/// n, or cubes; reals to half spectra, or half spectra to reals, each contiguous; convolutions of contiguous vectors.
enum class Form : std::uint8_t { rows, columns, planes, volumes, reals, spectra, convolutions };

struct MeasuredPass {
    Integer n;
    DataType precision;
    Form form;
    double copy_fraction; ///< fraction of copy bandwidth
    const char* pass;
};

constexpr double min_bytes = 64e6; ///< minimum size of the data for which these figures hold
/// Size of data that stays in the GPU's L2 cache and keeps all multiprocessors busy.
constexpr double min_bytes_in_cache = 6e6, max_bytes_in_cache = 20e6;

constexpr int multiprocessors = 132;  ///< of the measured GPU
constexpr Integer min_iterations = 4; ///< per cooperative group: with fewer the load is uneven

/// If several match a problem, the first usable one counts.
constexpr MeasuredPass passes_in_memory[] = {
    {8, DataType::float16, Form::rows, 1.000, "codelet on 64x64 pitch 1 resident 32 staged"},
    {16, DataType::float16, Form::rows, 1.000, "codelet on 64x64 pitch 1 single_buffer staged"},
    {32, DataType::float16, Form::rows, 0.974,
     "stockham(16,2) on 64x32 pitch 1 single_buffer resident 19 staged"},
    {64, DataType::float16, Form::rows, 1.000, "stockham(32,2) on 64x32 pad 32 pitch 1 single_buffer staged"},
    {128, DataType::float16, Form::rows, 1.000, "stockham(8,4,4) on 64x8 pad 32 single_buffer resident 20"},
    {256, DataType::float16, Form::rows, 1.000, "stockham(8,32) on 128x16 pad 32"},
    {512, DataType::float16, Form::rows, 1.000, "stockham(16,32) on 128x8 pad 32"},
    {1024, DataType::float16, Form::rows, 1.000, "stockham(16,16,4) on 64x1 pad 32 single_buffer"},
    {2048, DataType::float16, Form::rows, 1.000, "stockham(32,16,4) on 64x1 pad 32 single_buffer"},
    {4096, DataType::float16, Form::rows, 0.991, "stockham(32,32,4) on 128x1 pad 32 single_buffer"},
    {65536, DataType::float16, Form::rows, 0.441,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x16 cooperative_groups 32 group_blocks 16 pad 32 pitch 1 "
     "single_buffer"},
    {65536, DataType::float16, Form::rows, 0.403,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x1 cluster 8 pad 32 pitch 3 single_buffer resident 3"},
    {7, DataType::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {8, DataType::float32, Form::rows, 1.000, "stockham(4,2) on 128x64 pitch 1"},
    {9, DataType::float32, Form::rows, 1.000, "stockham(3,3) on 255x85 staged"},
    {11, DataType::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {13, DataType::float32, Form::rows, 1.000, "codelet on 64x64 staged"},
    {15, DataType::float32, Form::rows, 1.000, "stockham(3,5) on 255x51 resident 8 staged"},
    {16, DataType::float32, Form::rows, 1.000, "stockham(2,8) on 64x32 pitch 1 single_buffer staged"},
    {17, DataType::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {19, DataType::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {22, DataType::float32, Form::rows, 0.922, "stockham(11,2) on 64x64 pitch 1 staged"},
    {23, DataType::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {24, DataType::float32, Form::rows, 1.000, "stockham(8,3) on 64x8 pitch 1"},
    {26, DataType::float32, Form::rows, 0.935, "stockham(2,13) on 64x32 pitch 1 staged"},
    {27, DataType::float32, Form::rows, 1.000, "stockham(3,3,3) on 126x14 resident 16"},
    {29, DataType::float32, Form::rows, 0.988, "codelet on 64x64 single_buffer staged"},
    {31, DataType::float32, Form::rows, 0.991, "codelet on 64x64 single_buffer staged"},
    {32, DataType::float32, Form::rows, 1.000, "stockham(2,2,8) on 128x32 pitch 3 single_buffer"},
    {48, DataType::float32, Form::rows, 0.902, "stockham(6,8) on 128x16 pitch 1"},
    {49, DataType::float32, Form::rows, 0.993, "stockham(7,7) on 126x18 staged"},
    {60, DataType::float32, Form::rows, 1.000, "stockham(3,4,5) on 260x13 pad 32"},
    {64, DataType::float32, Form::rows, 1.000,
     "stockham(32,2) on 64x32 pad 32 pitch 1 single_buffer resident 12 staged"},
    {81, DataType::float32, Form::rows, 1.000, "stockham(3,3,9) on 54x2 resident 26"},
    {100, DataType::float32, Form::rows, 1.000, "stockham(5,5,4) on 60x3 pitch 2"},
    {121, DataType::float32, Form::rows, 0.942, "stockham(11,11) on 253x23"},
    {125, DataType::float32, Form::rows, 1.000, "stockham(5,5,5) on 250x10"},
    {127, DataType::float32, Form::rows, 0.916,
     "rader[stockham(18,7), stockham(18,7)] on 288x32 single_buffer resident 3 staged"},
    {128, DataType::float32, Form::rows, 1.000, "stockham(4,32) on 64x8 pad 32"},
    {169, DataType::float32, Form::rows, 0.960, "stockham(13,13) on 507x39 single_buffer staged"},
    {243, DataType::float32, Form::rows, 1.000, "stockham(3,3,3,9) on 81x1"},
    {256, DataType::float32, Form::rows, 1.000, "stockham(4,8,8) on 256x16 pad 32 pitch 2 single_buffer"},
    {289, DataType::float32, Form::rows, 0.960, "stockham(17,17) on 136x8"},
    {343, DataType::float32, Form::rows, 1.000, "stockham(7,7,7) on 245x5 single_buffer"},
    {512, DataType::float32, Form::rows, 1.000, "stockham(16,8,4) on 128x2 pad 32 resident 6"},
    {720, DataType::float32, Form::rows, 1.000, "stockham(15,8,6) on 60x1 single_buffer"},
    {961, DataType::float32, Form::rows, 0.972, "stockham(31,31) on 62x2"},
    {1000, DataType::float32, Form::rows, 1.000, "stockham(5,10,20) on 50x1 single_buffer resident 7"},
    {1021, DataType::float32, Form::rows, 0.660,
     "rader[stockham(17,20,3), stockham(3,20,17)] on 128x1 resident 7 staged"},
    {1024, DataType::float32, Form::rows, 1.000, "stockham(32,16,2) on 64x1 pad 32"},
    {1331, DataType::float32, Form::rows, 0.998, "stockham(11,11,11) on 121x1 single_buffer"},
    {2048, DataType::float32, Form::rows, 1.000, "stockham(32,16,4) on 128x1 pad 32"},
    {2187, DataType::float32, Form::rows, 1.000, "stockham(9,9,9,3) on 243x1 single_buffer"},
    {2197, DataType::float32, Form::rows, 0.993, "stockham(13,13,13) on 169x1 single_buffer"},
    {2401, DataType::float32, Form::rows, 0.996,
     "stockham(7,7,7,7) on 343x1 pad 32 single_buffer resident 4"},
    {3125, DataType::float32, Form::rows, 0.990, "stockham(5,5,5,25) on 125x1 single_buffer"},
    {4096, DataType::float32, Form::rows, 1.000, "stockham(32,16,8) on 256x1 pad 32"},
    {6000, DataType::float32, Form::rows, 0.999, "stockham(25,24,10) on 250x1 single_buffer"},
    {8192, DataType::float32, Form::rows, 0.999,
     "stockham(16,8,8,8) on 512x1 pad 32 single_buffer resident 2"},
    {10000, DataType::float32, Form::rows, 0.971, "stockham(5,5,20,20) on 500x1 single_buffer resident 2"},
    {10007, DataType::float32, Form::rows, 0.330,
     "bluestein(20480)[stockham(32,20,32), stockham(32,20,32)] on 640x1 pad 32 single_buffer resident 1"},
    {12000, DataType::float32, Form::rows, 0.814,
     "stockham(30,25,16) on 480x1 pad 32 single_buffer resident 1"},
    {16384, DataType::float32, Form::rows, 0.987,
     "stockham(16,32,32) on 512x1 pad 32 single_buffer resident 1"},
    {32768, DataType::float32, Form::rows, 0.852,
     "two-sweep(128,1,1)[stockham(16,16), stockham(16,8)] on 128x1 cluster 8 pad 32 pitch 2 single_buffer "
     "resident 5"},
    {65536, DataType::float32, Form::rows, 0.728,
     "two-sweep(256,1,1)[stockham(16,16)] on 128x1 cluster 8 pad 32 pitch 2 single_buffer resident 3"},
    {65536, DataType::float32, Form::rows, 0.687,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x1 cluster 8 pad 32 pitch 3 single_buffer resident 3"},
    {65537, DataType::float32, Form::rows, 0.150,
     "bluestein(131072)[two-sweep(256,1,1)[stockham(32,16), stockham(16,16)], "
     "two-sweep(512,1,1)[stockham(16,16), stockham(16,32)]] on 256x16 pad 32 pitch 1 single_buffer resident "
     "3"},
    {100000, DataType::float32, Form::rows, 0.549,
     "two-sweep(250,1,1)[stockham(20,20), stockham(10,25)] on 400x16 cooperative_groups 10 group_blocks 25 "
     "pipelined pad 32 pitch 1 "
     "single_buffer, 400x10 pad 32 pitch 1 single_buffer"},
    {100000, DataType::float32, Form::rows, 0.464,
     "two-sweep(160,1,1)[stockham(5,5,5,5), stockham(16,10)] on 512x64 pad 32 pitch 1 resident 2 staged, "
     "1000x8 pad 32 pitch 3 single_buffer resident 2"},
    {131072, DataType::float32, Form::rows, 0.622,
     "two-sweep(256,1,1)[stockham(16,32), stockham(16,16)] on 256x1 cluster 16 pad 32 pitch 3 single_buffer "
     "resident "
     "3"},
    {131072, DataType::float32, Form::rows, 0.581,
     "two-sweep(256,1,1)[stockham(8,8,8), stockham(16,16)] on 256x1 cluster 16 pad 32 pitch 3 single_buffer "
     "resident "
     "3"},
    {262144, DataType::float32, Form::rows, 0.531,
     "two-sweep(512,1,1)[stockham(8,8,8)] on 256x16 cooperative_groups 16 group_blocks 16 pad 32 pitch 1 "
     "single_buffer"},
    {262144, DataType::float32, Form::rows, 0.495,
     "two-sweep(256,1,1)[stockham(16,8,8), stockham(16,16)] on 512x32 pad 32 pitch 1, 512x16 pad 32 pitch 2 "
     "single_buffer"},
    {1000000, DataType::float32, Form::rows, 0.461,
     "two-sweep(1000,1,1)[stockham(10,10,10)] on 512x8 cooperative_groups 1 group_blocks 125 pipelined pad "
     "32 pitch 4 single_buffer"},
    {1000000, DataType::float32, Form::rows, 0.439,
     "two-sweep(1000,1,1)[stockham(10,10,10)] on 1000x20 pad 32 pitch 1 single_buffer, 1000x20 pad 32 pitch "
     "1 single_buffer"},
    {1048576, DataType::float32, Form::rows, 0.492,
     "two-sweep(1024,1,1)[stockham(32,32)] on 256x8 cooperative_groups 1 group_blocks 128 pipelined pad 32 "
     "pitch 2 single_buffer"},
    {1048576, DataType::float32, Form::rows, 0.480,
     "two-sweep(1024,1,1)[stockham(16,8,8)] on 512x16 pad 32 pitch 2 single_buffer, 512x16 pad 32 pitch 2 "
     "single_buffer"},
    {4194304, DataType::float32, Form::rows, 0.452,
     "two-sweep(2048,1,1)[stockham(16,16,8)] on 512x8 pad 32 pitch 2 single_buffer, 512x8 pad 32 pitch 2 "
     "single_buffer"},
    {16777216, DataType::float32, Form::rows, 0.392,
     "two-sweep(4096,1,1)[stockham(16,16,16)] on 512x4 pad 32 pitch 4 single_buffer, 512x4 pad 32 pitch 4 "
     "single_buffer"},
    {7, DataType::float64, Form::rows, 1.000, "codelet on 64x64 staged"},
    {8, DataType::float64, Form::rows, 1.000, "stockham(2,4) on 64x32 pitch 1"},
    {9, DataType::float64, Form::rows, 1.000, "codelet on 64x64 resident 20 staged"},
    {13, DataType::float64, Form::rows, 1.000, "codelet on 128x128 staged"},
    {15, DataType::float64, Form::rows, 1.000, "stockham(3,5) on 255x51 single_buffer staged"},
    {16, DataType::float64, Form::rows, 1.000, "codelet on 128x128 pitch 1 resident 6 staged"},
    {27, DataType::float64, Form::rows, 1.000, "stockham(3,3,3) on 252x28 single_buffer staged"},
    {31, DataType::float64, Form::rows, 0.999, "codelet on 64x64 staged"},
    {32, DataType::float64, Form::rows, 1.000, "stockham(4,4,2) on 64x8 pitch 2 single_buffer resident 19"},
    {49, DataType::float64, Form::rows, 0.986, "stockham(7,7) on 126x18 single_buffer staged"},
    {60, DataType::float64, Form::rows, 0.996, "stockham(10,6) on 60x6"},
    {64, DataType::float64, Form::rows, 1.000, "stockham(4,4,4) on 64x4 pad 32 pitch 2"},
    {81, DataType::float64, Form::rows, 0.997, "stockham(9,9) on 252x28 single_buffer resident 2 staged"},
    {100, DataType::float64, Form::rows, 1.000, "stockham(5,5,4) on 500x20 pitch 1"},
    {125, DataType::float64, Form::rows, 1.000, "stockham(5,5,5) on 125x5 single_buffer"},
    {128, DataType::float64, Form::rows, 1.000, "stockham(2,8,8) on 128x8 pad 32 pitch 2 single_buffer"},
    {243, DataType::float64, Form::rows, 1.000, "stockham(27,9) on 54x2"},
    {256, DataType::float64, Form::rows, 1.000, "stockham(8,8,4) on 256x8 pad 32 pitch 2 single_buffer"},
    {343, DataType::float64, Form::rows, 1.000, "stockham(7,7,7) on 245x5 single_buffer"},
    {512, DataType::float64, Form::rows, 1.000, "stockham(16,8,2,2) on 64x1 pad 32"},
    {720, DataType::float64, Form::rows, 1.000, "stockham(15,8,6) on 60x1 single_buffer"},
    {1000, DataType::float64, Form::rows, 1.000, "stockham(25,10,4) on 50x1 single_buffer"},
    {1024, DataType::float64, Form::rows, 1.000, "stockham(16,8,8) on 128x1 pad 32"},
    {1331, DataType::float64, Form::rows, 1.000, "stockham(11,11,11) on 121x1 single_buffer"},
    {2048, DataType::float64, Form::rows, 1.000, "stockham(16,8,8,2) on 128x1 pad 32 single_buffer"},
    {2187, DataType::float64, Form::rows, 0.997, "stockham(9,9,9,3) on 243x1 single_buffer resident 3"},
    {2197, DataType::float64, Form::rows, 1.000, "stockham(13,13,13) on 169x1 single_buffer"},
    {2401, DataType::float64, Form::rows, 0.997, "stockham(7,7,7,7) on 343x1 single_buffer resident 3"},
    {3125, DataType::float64, Form::rows, 0.987, "stockham(5,5,5,25) on 125x1 single_buffer"},
    {4096, DataType::float64, Form::rows, 1.000, "stockham(8,8,8,8) on 128x1 pad 32 single_buffer"},
    {16384, DataType::float64, Form::rows, 0.890,
     "two-sweep(64,1,1)[stockham(16,16), stockham(8,8)] on 128x1 cluster 8 pad 32 pitch 3 single_buffer "
     "resident 5"},
    {32768, DataType::float64, Form::rows, 0.676,
     "two-sweep(128,1,1)[stockham(16,16), stockham(16,8)] on 256x16 cooperative_groups 32 group_blocks 8 pad "
     "32 pitch 1 single_buffer"},
    {65536, DataType::float64, Form::rows, 0.646,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x16 cooperative_groups 16 group_blocks 16 pad 32 pitch 1 "
     "single_buffer"},
    {64, DataType::float32, Form::columns, 0.968, "stockham(4,16) on 256x128 pad 32 pitch 1 resident 3"},
    {256, DataType::float32, Form::columns, 0.953,
     "stockham(8,32) on 256x32 pad 32 pitch 1 resident 3 staged"},
    {512, DataType::float32, Form::columns, 0.930, "stockham(32,16) on 512x16 pad 32 pitch 2"},
    {1024, DataType::float32, Form::columns, 0.911, "stockham(32,32) on 512x16 pad 32 pitch 2"},
    {4096, DataType::float32, Form::columns, 0.679,
     "two-sweep(64,1,1)[stockham(8,8)] on 512x4 pad 32 pitch 1 single_buffer fused resident 1"},
    {8192, DataType::float32, Form::columns, 0.490,
     "two-sweep(64,1,1)[stockham(16,8), stockham(8,8)] on 256x8 cluster 8 pad 32 pitch 3 single_buffer "
     "resident 2"},
    {64, DataType::float32, Form::planes, 0.997,
     "row-column(1,0)[stockham(8,8)] on 256x1 pad 32 pitch 3 single_buffer fused"},
    {128, DataType::float32, Form::planes, 0.839,
     "row-column(1,0)[stockham(8,16)] on 1024x1 pad 32 pitch 2 single_buffer fused"},
    {256, DataType::float32, Form::planes, 0.728,
     "row-column(1,0)[stockham(16,16)] on 128x1 cluster 8 pad 32 pitch 3 single_buffer resident 3"},
    {1024, DataType::float32, Form::planes, 0.498,
     "bands(8)[stockham(16,8), codelet, stockham(32,32)] on 256x1 pad 32 pitch 1 single_buffer fused, 256x32 "
     "pad "
     "32 pitch 1"},
    {4096, DataType::float32, Form::planes, 0.462,
     "bands(4)[stockham(32,32), codelet, stockham(16,16,16)] on 512x1 pad 32 pitch 1 single_buffer fused, "
     "512x16 "
     "pad 32 pitch 2"},
    {8192, DataType::float32, Form::planes, 0.381,
     "bands(2)[stockham(16,16,16), codelet, stockham(32,16,16)] on 512x1 pad 32 pitch 1 single_buffer fused, "
     "1024x4 pad 32 pitch 3 single_buffer"},
    {64, DataType::float32, Form::volumes, 0.499,
     "volume-bands(16)[stockham(8,8)] on 64x1 pad 32 pitch 1 single_buffer fused, 256x32 pad 32 pitch 1 "
     "single_buffer "
     "fused"},
    {128, DataType::float32, Form::volumes, 0.491,
     "volume-bands(32)[stockham(16,8), codelet, stockham(8,4)] on 256x1 pad 32 pitch 1 single_buffer fused, "
     "512x32 "
     "pad 32 pitch 1 single_buffer fused"},
    {256, DataType::float32, Form::volumes, 0.460,
     "volume-bands(32)[stockham(16,16), codelet, stockham(8,4)] on 256x1 pad 32 pitch 1 single_buffer fused "
     "resident 2, 512x8 pad 32 pitch 1 single_buffer fused"},
    {32, DataType::float32, Form::reals, 1.000, "codelet on 64x64 pitch 2 staged"},
    {64, DataType::float32, Form::reals, 1.000, "rdft-stockham(16,4) on 128x16 pitch 2 staged"},
    {128, DataType::float32, Form::reals, 1.000, "rdft-stockham(16,8) on 128x16 pitch 2 staged"},
    {256, DataType::float32, Form::reals, 1.000, "rdft-stockham(32,8) on 256x16 pitch 2 staged"},
    {512, DataType::float32, Form::reals, 1.000, "rdft-stockham(32,16) on 512x16 pitch 2 staged"},
    {1024, DataType::float32, Form::reals, 1.000, "rdft-half-size[stockham(16,8,4)] on 64x1 pad 32"},
    {2048, DataType::float32, Form::reals, 1.000, "rdft-half-size[stockham(16,8,8)] on 128x1 pad 32"},
    {4096, DataType::float32, Form::reals, 0.988, "rdft-half-size[stockham(8,16,16)] on 256x1 pad 32"},
    {32, DataType::float32, Form::spectra, 1.000, "codelet on 64x64 pitch 2 staged"},
    {65536, DataType::float32, Form::reals, 0.643,
     "rdft-two-sweep(256)[rdft-half-size[stockham(16,16)], stockham(16,16), rdft-half-size[stockham(16,8)]] "
     "on 128x1 cluster 8 pad 32 pitch 2 single_buffer resident 5"},
    {1048576, DataType::float32, Form::reals, 0.419,
     "rdft-two-sweep(4096)[rdft-half-size[stockham(16,16)], stockham(16,16), "
     "rdft-half-size[stockham(16,16,8)]] on 1024x8 pad 32 pitch 1 single_buffer resident 1 staged in, 512x32 "
     "pad 32 "
     "pitch 1 single_buffer resident 2 staged, 1024x64 pad 32 pitch 1 resident 1"},
    {64, DataType::float32, Form::spectra, 1.000,
     "rdft-stockham(8,8) on 128x32 pitch 1 single_buffer staged in"},
    {128, DataType::float32, Form::spectra, 1.000,
     "rdft-stockham(8,16) on 128x16 pitch 2 single_buffer staged"},
    {256, DataType::float32, Form::spectra, 1.000, "rdft-stockham(8,8,4) on 256x16 pitch 2 staged"},
    {512, DataType::float32, Form::spectra, 1.000, "rdft-half-size[stockham(16,16)] on 128x2 pad 8 pitch 1"},
    {1024, DataType::float32, Form::spectra, 1.000, "rdft-half-size[stockham(8,8,8)] on 64x1 pad 8"},
    {2048, DataType::float32, Form::spectra, 1.000, "rdft-half-size[stockham(4,16,16)] on 128x1 pad 32"},
    {4096, DataType::float32, Form::spectra, 1.000, "rdft-half-size[stockham(8,16,16)] on 256x1 pad 32"},
    {65536, DataType::float32, Form::spectra, 0.642,
     "rdft-two-sweep(512)[rdft-half-size[stockham(16,16)], rdft-half-size[stockham(16,8)], stockham(16,8)] "
     "on 256x1 cluster 4 pad 32 pitch 2 single_buffer resident 2"},
    {1048576, DataType::float32, Form::spectra, 0.441,
     "rdft-two-sweep(4096)[rdft-half-size[stockham(16,16,8)], rdft-half-size[stockham(16,16)], "
     "stockham(16,16)] on 512x32 pad 32 pitch 1 single_buffer resident 2 staged in, 512x32 pad 32 pitch 1 "
     "single_buffer "
     "resident 2 staged in, 512x8 pad 32 pitch 2 single_buffer resident 1"},
    {64, DataType::float32, Form::convolutions, 0.983,
     "circulant-dft[stockham(8,8), stockham(8,8)] on 128x16 pad 32 single_buffer resident 16"},
    {128, DataType::float32, Form::convolutions, 0.987,
     "circulant-dft[stockham(8,4,4), stockham(4,4,8)] on 128x8 pad 32 single_buffer resident 16"},
    {256, DataType::float32, Form::convolutions, 0.977,
     "circulant-dft[stockham(8,8,4), stockham(4,8,8)] on 128x4 pad 32 single_buffer resident 16"},
    {512, DataType::float32, Form::convolutions, 0.993,
     "circulant-dft[stockham(32,16), stockham(16,32)] on 64x2 pad 32 single_buffer resident 8"},
    {768, DataType::float32, Form::convolutions, 0.707,
     "circulant-dft[stockham(12,8,8), stockham(8,8,12)] on 96x1 pad 32 resident 12"},
    {1000, DataType::float32, Form::convolutions, 0.850,
     "circulant-dft[stockham(2,20,25), stockham(25,20,2)] on 250x5 pitch 1 single_buffer resident 3"},
    {1024, DataType::float32, Form::convolutions, 0.987,
     "circulant-dft[stockham(32,32), stockham(32,32)] on 64x2 pad 32 single_buffer resident 8"},
    {1500, DataType::float32, Form::convolutions, 0.878,
     "circulant-dft[stockham(5,10,30), stockham(30,10,5)] on 150x3 single_buffer resident 4"},
    {2000, DataType::float32, Form::convolutions, 0.813,
     "circulant-dft[stockham(20,20,5), stockham(5,20,20)] on 100x1 single_buffer resident 5"},
    {2048, DataType::float32, Form::convolutions, 0.977,
     "circulant-dft[stockham(16,8,16), stockham(16,8,16)] on 128x1 pad 32 single_buffer resident 6"},
    {3000, DataType::float32, Form::convolutions, 0.797,
     "circulant-dft[stockham(6,20,25), stockham(25,20,6)] on 150x1 single_buffer resident 4"},
    {4096, DataType::float32, Form::convolutions, 0.918,
     "circulant-dft[stockham(32,16,8), stockham(8,16,32)] on 128x1 pad 32 single_buffer"},
    {8192, DataType::float32, Form::convolutions, 0.795,
     "circulant-dft[stockham(16,32,16), stockham(16,32,16)] on 256x1 pad 32 single_buffer resident 2"},
    {16384, DataType::float32, Form::convolutions, 0.632,
     "circulant-dft[stockham(32,32,16), stockham(16,32,32)] on 512x1 pad 32 single_buffer resident 1"},
    {65536, DataType::float32, Form::convolutions, 0.383,
     "circulant-dft[two-sweep(256,1,1)[stockham(16,16)], two-sweep(256,1,1)[stockham(16,16)]] on 256x16 "
     "cooperative_groups 24 group_blocks 16 pad 32 pitch 1 single_buffer resident 3"},
    {65536, DataType::float32, Form::convolutions, 0.377,
     "circulant-dft[two-sweep(256,1,1)[stockham(16,16)], two-sweep(256,1,1)[stockham(16,16)]] on 256x1 "
     "cluster 8 pad 32 pitch 2 single_buffer resident 2"},
};

/// For data in L2 that gives the GPU few blocks, replayed from a graph: an image of 1024² and a volume of 128³.
/// `copy_fraction` is relative to a copy in global memory.
constexpr MeasuredPass passes_in_cache[] = {
    {1024, DataType::float32, Form::planes, 0.530,
     "bands(8)[stockham(16,8), codelet, stockham(32,32)] on 256x1 pad 32 pitch 1 single_buffer fused, 256x32 "
     "pad "
     "32 pitch 1"},
    {128, DataType::float32, Form::planes, 1.070,
     "row-column(1,0)[stockham(16,8)] on 512x1 pad 32 pitch 1 single_buffer fused"},
    {128, DataType::float32, Form::columns, 1.070, "stockham(16,8) on 512x64 pad 32 pitch 1 resident 2"},
};

std::span<const MeasuredPass> measured_passes_for(double bytes) {
    if (bytes >= min_bytes) return passes_in_memory;
    if (bytes >= min_bytes_in_cache && bytes <= max_bytes_in_cache) return passes_in_cache;
    return {};
}

/// Real transforms whose reals and half spectra are each stored without gaps.
std::optional<Form> form_of_reals(const formula::RealDft& transform, const planning::DimensionPass& pass) {
    const bool forward = transform.direction == Direction::forward;
    const std::size_t digits = pass.left.size() + 1;
    const loops::Layout& reals = pass.layouts[forward ? 0 : 1];
    const loops::Layout& spectra = pass.layouts[forward ? 1 : 0];
    if (!pass.right.empty() || reals.strides.size() != digits || spectra.strides.size() != digits + 1)
        return std::nullopt;
    if (reals.strides.back() != 1 || spectra.strides[digits - 1] != 2 || spectra.strides.back() != 1)
        return std::nullopt;
    return forward ? Form::reals : Form::spectra;
}

/// Squares and cubes.
std::optional<Form> form_of_equal_sides(const formula::Formula& transform) {
    if (!transform.is<formula::Kronecker>()) return std::nullopt;
    const auto& sides = transform.children();
    if (std::any_of(sides.begin(), sides.end(), [&](const auto& side) { return side != sides[0]; }))
        return std::nullopt;
    if (sides.size() == 2) return Form::planes;
    return sides.size() == 3 ? std::optional(Form::volumes) : std::nullopt;
}

std::optional<Form> form_of(const planning::DimensionPass& pass) {
    if (const auto* real = pass.nonterminal.get_if<formula::RealDft>()) return form_of_reals(*real, pass);
    if (!pass.complex) return std::nullopt;
    const auto unit = [&](std::size_t axis) {
        return pass.layouts[0].strides.at(axis) == 1 && pass.layouts[1].strides.at(axis) == 1;
    };
    const formula::Formula& transform = pass.nonterminal;
    const std::optional<Form> equal_sides = form_of_equal_sides(transform);
    const bool convolves = transform.is<formula::Circulant>();
    if (!equal_sides && !convolves && !transform.is<formula::Dft>()) return std::nullopt;
    const std::size_t digits = pass.layouts[0].strides.size();
    if (digits == 0 || pass.layouts[1].strides.size() != digits) return std::nullopt;
    if (!unit(digits - 1)) return std::nullopt;
    if (equal_sides) return pass.right.empty() ? equal_sides : std::nullopt;
    if (convolves) return pass.right.empty() ? std::optional(Form::convolutions) : std::nullopt;
    return pass.right.empty() ? Form::rows : Form::columns;
}

Integer count_of(const std::vector<Integer>& loops) {
    return std::accumulate(loops.begin(), loops.end(), Integer{1}, std::multiplies<>());
}

/// Whether the configuration behaves on this GPU and batch as measured. Cooperative groups must all be co-resident: as
/// many blocks per multiprocessor as on the measured GPU; others of this architecture have as much memory per
/// multiprocessor.
bool serves(const planning::PassSchedule& schedule, const planning::DimensionPass& pass,
            const target::Gpu& gpu) {
    const loops::LaunchConfiguration& configuration = schedule.configurations.front();
    if (configuration.cluster > std::max(1, gpu.largest_cluster)) return false;
    if (configuration.group_blocks > 0) {
        if (!gpu.has_cooperative_groups) return false;
        const Integer blocks = configuration.group_blocks * configuration.cooperative_groups;
        const Integer resident = ceil_divide(blocks, Integer{multiprocessors});
        return blocks <= resident * gpu.multiprocessors && pass.left.size() <= 1 &&
               count_of(pass.left) >= min_iterations * configuration.cooperative_groups;
    }
    const std::vector<Integer>& around = pass.right.empty() ? pass.left : pass.right;
    const Integer available = around.empty() ? 1 : around.back();
    if (configuration.cluster > 1) return available % configuration.transforms == 0;
    return schedule.configurations.size() > 1 || configuration.transforms <= available;
}

} // namespace

std::optional<GpuPassCandidate> measured_gpu_pass(const Transform& problem,
                                                  const planning::DimensionPass& pass,
                                                  const target::Gpu& gpu) {
    if (gpu.name != "sm_90") return std::nullopt;
    const std::optional<Form> form = form_of(pass);
    const Integer points = pass.nonterminal.rows();
    const bool has_sides = form == Form::planes || form == Form::volumes;
    const Integer n = has_sides ? pass.nonterminal.children()[0].rows() : points;
    const double bytes = (pass.complex ? 2.0 : 1.0) *
                         static_cast<double>(points * count_of(pass.left) * count_of(pass.right)) *
                         static_cast<double>(bytes_of(problem.precision));
    if (!form) return std::nullopt;
    for (const MeasuredPass& measured : measured_passes_for(bytes)) {
        if (measured.n != n || measured.precision != problem.precision || measured.form != *form) continue;
        planning::PassSchedule schedule =
            planning::parse_transform_schedule(
                fmt::format("{}: {} {}", gpu.name, pass.dimension, measured.pass))
                .passes.at(0);
        if (serves(schedule, pass, gpu))
            return GpuPassCandidate{std::move(schedule), 2 * bytes / gpu_copy_rate / measured.copy_fraction};
    }
    return std::nullopt;
}

} // namespace swirl::search
