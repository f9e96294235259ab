#include "search/gpu_measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

// Measured on an H100 80GB HBM3 (driver 580, CUDA 13.0) over 512 MiB each way, each kernel among the candidates for its
// problem: `bench_gpu_transforms --problem PROBLEM --candidates 14`, and grids of threads and transforms by hand. The share
// is that of a copy of the same bytes.

namespace swirl::search {

namespace {

/// How the transforms lie: each contiguous, or neighbours entry by entry; or contiguous squares of n by n, or cubes. Of reals to
/// half spectra, and of half spectra to reals, each contiguous. Convolutions of contiguous vectors.
enum class Form : std::uint8_t { rows, columns, planes, volumes, reals, spectra, convolutions };

struct MeasuredStep {
    Integer n;
    Precision precision;
    Form form;
    double share; ///< of the rate of a copy
    const char* step;
};

constexpr double copy_bytes_per_second = 3e12;
constexpr double least_bytes = 64e6; ///< of the data from which on these figures hold
/// Of data that stays in the GPU's cache, and is enough for all of its multiprocessors.
constexpr double least_bytes_in_cache = 6e6, most_bytes_in_cache = 20e6;

constexpr int multiprocessors = 132; ///< of the card
constexpr Integer least_turns = 4;   ///< of a group of blocks: fewer are not the same for all groups

/// Of several for one problem the first that can be used.
constexpr MeasuredStep steps[] = {
    {8, Precision::float16, Form::rows, 1.000, "codelet on 64x64 pitch 1 resident 32 staged"},
    {16, Precision::float16, Form::rows, 1.000, "codelet on 64x64 pitch 1 held staged"},
    {32, Precision::float16, Form::rows, 0.974, "stockham(16,2) on 64x32 pitch 1 held resident 19 staged"},
    {64, Precision::float16, Form::rows, 1.000, "stockham(32,2) on 64x32 pad 32 pitch 1 held staged"},
    {128, Precision::float16, Form::rows, 1.000, "stockham(8,4,4) on 64x8 pad 32 held resident 20"},
    {256, Precision::float16, Form::rows, 1.000, "stockham(8,32) on 128x16 pad 32"},
    {512, Precision::float16, Form::rows, 1.000, "stockham(16,32) on 128x8 pad 32"},
    {1024, Precision::float16, Form::rows, 1.000, "stockham(16,16,4) on 64x1 pad 32 held"},
    {2048, Precision::float16, Form::rows, 1.000, "stockham(32,16,4) on 64x1 pad 32 held"},
    {4096, Precision::float16, Form::rows, 0.991, "stockham(32,32,4) on 128x1 pad 32 held"},
    {65536, Precision::float16, Form::rows, 0.441,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x16 groups 32 group 16 pad 32 pitch 1 held"},
    {65536, Precision::float16, Form::rows, 0.403,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x1 cluster 8 pad 32 pitch 3 held resident 3"},
    {7, Precision::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {8, Precision::float32, Form::rows, 1.000, "stockham(4,2) on 128x64 pitch 1"},
    {9, Precision::float32, Form::rows, 1.000, "stockham(3,3) on 255x85 staged"},
    {11, Precision::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {13, Precision::float32, Form::rows, 1.000, "codelet on 64x64 staged"},
    {15, Precision::float32, Form::rows, 1.000, "stockham(3,5) on 255x51 resident 8 staged"},
    {16, Precision::float32, Form::rows, 1.000, "stockham(2,8) on 64x32 pitch 1 held staged"},
    {17, Precision::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {19, Precision::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {22, Precision::float32, Form::rows, 0.922, "stockham(11,2) on 64x64 pitch 1 staged"},
    {23, Precision::float32, Form::rows, 1.000, "codelet on 128x128 staged"},
    {24, Precision::float32, Form::rows, 1.000, "stockham(8,3) on 64x8 pitch 1"},
    {26, Precision::float32, Form::rows, 0.935, "stockham(2,13) on 64x32 pitch 1 staged"},
    {27, Precision::float32, Form::rows, 1.000, "stockham(3,3,3) on 126x14 resident 16"},
    {29, Precision::float32, Form::rows, 0.988, "codelet on 64x64 held staged"},
    {31, Precision::float32, Form::rows, 0.991, "codelet on 64x64 held staged"},
    {32, Precision::float32, Form::rows, 1.000, "stockham(2,2,8) on 128x32 pitch 3 held"},
    {48, Precision::float32, Form::rows, 0.902, "stockham(6,8) on 128x16 pitch 1"},
    {49, Precision::float32, Form::rows, 0.993, "stockham(7,7) on 126x18 staged"},
    {60, Precision::float32, Form::rows, 1.000, "stockham(3,4,5) on 260x13 pad 32"},
    {64, Precision::float32, Form::rows, 1.000,
     "stockham(32,2) on 64x32 pad 32 pitch 1 held resident 12 staged"},
    {81, Precision::float32, Form::rows, 1.000, "stockham(3,3,9) on 54x2 resident 26"},
    {100, Precision::float32, Form::rows, 1.000, "stockham(5,5,4) on 60x3 pitch 2"},
    {121, Precision::float32, Form::rows, 0.942, "stockham(11,11) on 253x23"},
    {125, Precision::float32, Form::rows, 1.000, "stockham(5,5,5) on 250x10"},
    {127, Precision::float32, Form::rows, 0.916,
     "rader[stockham(18,7), stockham(18,7)] on 288x32 held resident 3 staged"},
    {128, Precision::float32, Form::rows, 1.000, "stockham(4,32) on 64x8 pad 32"},
    {169, Precision::float32, Form::rows, 0.960, "stockham(13,13) on 507x39 held staged"},
    {243, Precision::float32, Form::rows, 1.000, "stockham(3,3,3,9) on 81x1"},
    {256, Precision::float32, Form::rows, 1.000, "stockham(4,8,8) on 256x16 pad 32 pitch 2 held"},
    {289, Precision::float32, Form::rows, 0.960, "stockham(17,17) on 136x8"},
    {343, Precision::float32, Form::rows, 1.000, "stockham(7,7,7) on 245x5 held"},
    {512, Precision::float32, Form::rows, 1.000, "stockham(16,8,4) on 128x2 pad 32 resident 6"},
    {720, Precision::float32, Form::rows, 1.000, "stockham(15,8,6) on 60x1 held"},
    {961, Precision::float32, Form::rows, 0.972, "stockham(31,31) on 62x2"},
    {1000, Precision::float32, Form::rows, 1.000, "stockham(5,10,20) on 50x1 held resident 7"},
    {1021, Precision::float32, Form::rows, 0.660,
     "rader[stockham(17,20,3), stockham(3,20,17)] on 128x1 resident 7 staged"},
    {1024, Precision::float32, Form::rows, 1.000, "stockham(32,16,2) on 64x1 pad 32"},
    {1331, Precision::float32, Form::rows, 0.998, "stockham(11,11,11) on 121x1 held"},
    {2048, Precision::float32, Form::rows, 1.000, "stockham(32,16,4) on 128x1 pad 32"},
    {2187, Precision::float32, Form::rows, 1.000, "stockham(9,9,9,3) on 243x1 held"},
    {2197, Precision::float32, Form::rows, 0.993, "stockham(13,13,13) on 169x1 held"},
    {2401, Precision::float32, Form::rows, 0.996, "stockham(7,7,7,7) on 343x1 pad 32 held resident 4"},
    {3125, Precision::float32, Form::rows, 0.990, "stockham(5,5,5,25) on 125x1 held"},
    {4096, Precision::float32, Form::rows, 1.000, "stockham(32,16,8) on 256x1 pad 32"},
    {6000, Precision::float32, Form::rows, 0.999, "stockham(25,24,10) on 250x1 held"},
    {8192, Precision::float32, Form::rows, 0.999, "stockham(16,8,8,8) on 512x1 pad 32 held resident 2"},
    {10000, Precision::float32, Form::rows, 0.971, "stockham(5,5,20,20) on 500x1 held resident 2"},
    {10007, Precision::float32, Form::rows, 0.330,
     "bluestein(20480)[stockham(32,20,32), stockham(32,20,32)] on 640x1 pad 32 held resident 1"},
    {12000, Precision::float32, Form::rows, 0.814, "stockham(30,25,16) on 480x1 pad 32 held resident 1"},
    {16384, Precision::float32, Form::rows, 0.987, "stockham(16,32,32) on 512x1 pad 32 held resident 1"},
    {32768, Precision::float32, Form::rows, 0.852,
     "two-sweep(128,1,1)[stockham(16,16), stockham(16,8)] on 128x1 cluster 8 pad 32 pitch 2 held resident 5"},
    {65536, Precision::float32, Form::rows, 0.728,
     "two-sweep(256,1,1)[stockham(16,16)] on 128x1 cluster 8 pad 32 pitch 2 held resident 3"},
    {65536, Precision::float32, Form::rows, 0.687,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x1 cluster 8 pad 32 pitch 3 held resident 3"},
    {65537, Precision::float32, Form::rows, 0.150,
     "bluestein(131072)[two-sweep(256,1,1)[stockham(32,16), stockham(16,16)], "
     "two-sweep(512,1,1)[stockham(16,16), stockham(16,32)]] on 256x16 pad 32 pitch 1 held resident 3"},
    {100000, Precision::float32, Form::rows, 0.549,
     "two-sweep(250,1,1)[stockham(20,20), stockham(10,25)] on 400x16 groups 10 group 25 ahead pad 32 pitch 1 "
     "held, 400x10 pad 32 pitch 1 held"},
    {100000, Precision::float32, Form::rows, 0.464,
     "two-sweep(160,1,1)[stockham(5,5,5,5), stockham(16,10)] on 512x64 pad 32 pitch 1 resident 2 staged, "
     "1000x8 pad 32 pitch 3 held resident 2"},
    {131072, Precision::float32, Form::rows, 0.622,
     "two-sweep(256,1,1)[stockham(16,32), stockham(16,16)] on 256x1 cluster 16 pad 32 pitch 3 held resident "
     "3"},
    {131072, Precision::float32, Form::rows, 0.581,
     "two-sweep(256,1,1)[stockham(8,8,8), stockham(16,16)] on 256x1 cluster 16 pad 32 pitch 3 held resident "
     "3"},
    {262144, Precision::float32, Form::rows, 0.531,
     "two-sweep(512,1,1)[stockham(8,8,8)] on 256x16 groups 16 group 16 pad 32 pitch 1 held"},
    {262144, Precision::float32, Form::rows, 0.495,
     "two-sweep(256,1,1)[stockham(16,8,8), stockham(16,16)] on 512x32 pad 32 pitch 1, 512x16 pad 32 pitch 2 "
     "held"},
    {1000000, Precision::float32, Form::rows, 0.461,
     "two-sweep(1000,1,1)[stockham(10,10,10)] on 512x8 groups 1 group 125 ahead pad 32 pitch 4 held"},
    {1000000, Precision::float32, Form::rows, 0.439,
     "two-sweep(1000,1,1)[stockham(10,10,10)] on 1000x20 pad 32 pitch 1 held, 1000x20 pad 32 pitch 1 held"},
    {1048576, Precision::float32, Form::rows, 0.492,
     "two-sweep(1024,1,1)[stockham(32,32)] on 256x8 groups 1 group 128 ahead pad 32 pitch 2 held"},
    {1048576, Precision::float32, Form::rows, 0.480,
     "two-sweep(1024,1,1)[stockham(16,8,8)] on 512x16 pad 32 pitch 2 held, 512x16 pad 32 pitch 2 held"},
    {4194304, Precision::float32, Form::rows, 0.452,
     "two-sweep(2048,1,1)[stockham(16,16,8)] on 512x8 pad 32 pitch 2 held, 512x8 pad 32 pitch 2 held"},
    {16777216, Precision::float32, Form::rows, 0.392,
     "two-sweep(4096,1,1)[stockham(16,16,16)] on 512x4 pad 32 pitch 4 held, 512x4 pad 32 pitch 4 held"},
    {7, Precision::float64, Form::rows, 1.000, "codelet on 64x64 staged"},
    {8, Precision::float64, Form::rows, 1.000, "stockham(2,4) on 64x32 pitch 1"},
    {9, Precision::float64, Form::rows, 1.000, "codelet on 64x64 resident 20 staged"},
    {13, Precision::float64, Form::rows, 1.000, "codelet on 128x128 staged"},
    {15, Precision::float64, Form::rows, 1.000, "stockham(3,5) on 255x51 held staged"},
    {16, Precision::float64, Form::rows, 1.000, "codelet on 128x128 pitch 1 resident 6 staged"},
    {27, Precision::float64, Form::rows, 1.000, "stockham(3,3,3) on 252x28 held staged"},
    {31, Precision::float64, Form::rows, 0.999, "codelet on 64x64 staged"},
    {32, Precision::float64, Form::rows, 1.000, "stockham(4,4,2) on 64x8 pitch 2 held resident 19"},
    {49, Precision::float64, Form::rows, 0.986, "stockham(7,7) on 126x18 held staged"},
    {60, Precision::float64, Form::rows, 0.996, "stockham(10,6) on 60x6"},
    {64, Precision::float64, Form::rows, 1.000, "stockham(4,4,4) on 64x4 pad 32 pitch 2"},
    {81, Precision::float64, Form::rows, 0.997, "stockham(9,9) on 252x28 held resident 2 staged"},
    {100, Precision::float64, Form::rows, 1.000, "stockham(5,5,4) on 500x20 pitch 1"},
    {125, Precision::float64, Form::rows, 1.000, "stockham(5,5,5) on 125x5 held"},
    {128, Precision::float64, Form::rows, 1.000, "stockham(2,8,8) on 128x8 pad 32 pitch 2 held"},
    {243, Precision::float64, Form::rows, 1.000, "stockham(27,9) on 54x2"},
    {256, Precision::float64, Form::rows, 1.000, "stockham(8,8,4) on 256x8 pad 32 pitch 2 held"},
    {343, Precision::float64, Form::rows, 1.000, "stockham(7,7,7) on 245x5 held"},
    {512, Precision::float64, Form::rows, 1.000, "stockham(16,8,2,2) on 64x1 pad 32"},
    {720, Precision::float64, Form::rows, 1.000, "stockham(15,8,6) on 60x1 held"},
    {1000, Precision::float64, Form::rows, 1.000, "stockham(25,10,4) on 50x1 held"},
    {1024, Precision::float64, Form::rows, 1.000, "stockham(16,8,8) on 128x1 pad 32"},
    {1331, Precision::float64, Form::rows, 1.000, "stockham(11,11,11) on 121x1 held"},
    {2048, Precision::float64, Form::rows, 1.000, "stockham(16,8,8,2) on 128x1 pad 32 held"},
    {2187, Precision::float64, Form::rows, 0.997, "stockham(9,9,9,3) on 243x1 held resident 3"},
    {2197, Precision::float64, Form::rows, 1.000, "stockham(13,13,13) on 169x1 held"},
    {2401, Precision::float64, Form::rows, 0.997, "stockham(7,7,7,7) on 343x1 held resident 3"},
    {3125, Precision::float64, Form::rows, 0.987, "stockham(5,5,5,25) on 125x1 held"},
    {4096, Precision::float64, Form::rows, 1.000, "stockham(8,8,8,8) on 128x1 pad 32 held"},
    {16384, Precision::float64, Form::rows, 0.890,
     "two-sweep(64,1,1)[stockham(16,16), stockham(8,8)] on 128x1 cluster 8 pad 32 pitch 3 held resident 5"},
    {32768, Precision::float64, Form::rows, 0.676,
     "two-sweep(128,1,1)[stockham(16,16), stockham(16,8)] on 256x16 groups 32 group 8 pad 32 pitch 1 held"},
    {65536, Precision::float64, Form::rows, 0.646,
     "two-sweep(256,1,1)[stockham(16,16)] on 256x16 groups 16 group 16 pad 32 pitch 1 held"},
    {64, Precision::float32, Form::columns, 0.968, "stockham(4,16) on 256x128 pad 32 pitch 1 resident 3"},
    {256, Precision::float32, Form::columns, 0.953,
     "stockham(8,32) on 256x32 pad 32 pitch 1 resident 3 staged"},
    {512, Precision::float32, Form::columns, 0.930, "stockham(32,16) on 512x16 pad 32 pitch 2"},
    {1024, Precision::float32, Form::columns, 0.911, "stockham(32,32) on 512x16 pad 32 pitch 2"},
    {4096, Precision::float32, Form::columns, 0.679,
     "two-sweep(64,1,1)[stockham(8,8)] on 512x4 pad 32 pitch 1 held together resident 1"},
    {8192, Precision::float32, Form::columns, 0.490,
     "two-sweep(64,1,1)[stockham(16,8), stockham(8,8)] on 256x8 cluster 8 pad 32 pitch 3 held resident 2"},
    {64, Precision::float32, Form::planes, 0.997,
     "row-column(1,0)[stockham(8,8)] on 256x1 pad 32 pitch 3 held together"},
    {128, Precision::float32, Form::planes, 0.839,
     "row-column(1,0)[stockham(8,16)] on 1024x1 pad 32 pitch 2 held together"},
    {256, Precision::float32, Form::planes, 0.728,
     "row-column(1,0)[stockham(16,16)] on 128x1 cluster 8 pad 32 pitch 3 held resident 3"},
    {1024, Precision::float32, Form::planes, 0.498,
     "bands(8)[stockham(16,8), codelet, stockham(32,32)] on 256x1 pad 32 pitch 1 held together, 256x32 pad "
     "32 pitch 1"},
    {4096, Precision::float32, Form::planes, 0.462,
     "bands(4)[stockham(32,32), codelet, stockham(16,16,16)] on 512x1 pad 32 pitch 1 held together, 512x16 "
     "pad 32 pitch 2"},
    {8192, Precision::float32, Form::planes, 0.381,
     "bands(2)[stockham(16,16,16), codelet, stockham(32,16,16)] on 512x1 pad 32 pitch 1 held together, "
     "1024x4 pad 32 pitch 3 held"},
    {64, Precision::float32, Form::volumes, 0.499,
     "volume-bands(16)[stockham(8,8)] on 64x1 pad 32 pitch 1 held together, 256x32 pad 32 pitch 1 held "
     "together"},
    {128, Precision::float32, Form::volumes, 0.491,
     "volume-bands(32)[stockham(16,8), codelet, stockham(8,4)] on 256x1 pad 32 pitch 1 held together, 512x32 "
     "pad 32 pitch 1 held together"},
    {256, Precision::float32, Form::volumes, 0.460,
     "volume-bands(32)[stockham(16,16), codelet, stockham(8,4)] on 256x1 pad 32 pitch 1 held together "
     "resident 2, 512x8 pad 32 pitch 1 held together"},
    {32, Precision::float32, Form::reals, 1.000, "codelet on 64x64 pitch 2 staged"},
    {64, Precision::float32, Form::reals, 1.000, "rdft-stockham(16,4) on 128x16 pitch 2 staged"},
    {128, Precision::float32, Form::reals, 1.000, "rdft-stockham(16,8) on 128x16 pitch 2 staged"},
    {256, Precision::float32, Form::reals, 1.000, "rdft-stockham(32,8) on 256x16 pitch 2 staged"},
    {512, Precision::float32, Form::reals, 1.000, "rdft-stockham(32,16) on 512x16 pitch 2 staged"},
    {1024, Precision::float32, Form::reals, 1.000, "rdft-half-size[stockham(16,8,4)] on 64x1 pad 32"},
    {2048, Precision::float32, Form::reals, 1.000, "rdft-half-size[stockham(16,8,8)] on 128x1 pad 32"},
    {4096, Precision::float32, Form::reals, 0.988, "rdft-half-size[stockham(8,16,16)] on 256x1 pad 32"},
    {32, Precision::float32, Form::spectra, 1.000, "codelet on 64x64 pitch 2 staged"},
    {65536, Precision::float32, Form::reals, 0.643,
     "rdft-two-sweep(256)[rdft-half-size[stockham(16,16)], stockham(16,16), rdft-half-size[stockham(16,8)]] "
     "on 128x1 cluster 8 pad 32 pitch 2 held resident 5"},
    {1048576, Precision::float32, Form::reals, 0.419,
     "rdft-two-sweep(4096)[rdft-half-size[stockham(16,16)], stockham(16,16), "
     "rdft-half-size[stockham(16,16,8)]] on 1024x8 pad 32 pitch 1 held resident 1 staged in, 512x32 pad 32 "
     "pitch 1 held resident 2 staged, 1024x64 pad 32 pitch 1 resident 1"},
    {64, Precision::float32, Form::spectra, 1.000, "rdft-stockham(8,8) on 128x32 pitch 1 held staged in"},
    {128, Precision::float32, Form::spectra, 1.000, "rdft-stockham(8,16) on 128x16 pitch 2 held staged"},
    {256, Precision::float32, Form::spectra, 1.000, "rdft-stockham(8,8,4) on 256x16 pitch 2 staged"},
    {512, Precision::float32, Form::spectra, 1.000, "rdft-half-size[stockham(16,16)] on 128x2 pad 8 pitch 1"},
    {1024, Precision::float32, Form::spectra, 1.000, "rdft-half-size[stockham(8,8,8)] on 64x1 pad 8"},
    {2048, Precision::float32, Form::spectra, 1.000, "rdft-half-size[stockham(4,16,16)] on 128x1 pad 32"},
    {4096, Precision::float32, Form::spectra, 1.000, "rdft-half-size[stockham(8,16,16)] on 256x1 pad 32"},
    {65536, Precision::float32, Form::spectra, 0.642,
     "rdft-two-sweep(512)[rdft-half-size[stockham(16,16)], rdft-half-size[stockham(16,8)], stockham(16,8)] "
     "on 256x1 cluster 4 pad 32 pitch 2 held resident 2"},
    {1048576, Precision::float32, Form::spectra, 0.441,
     "rdft-two-sweep(4096)[rdft-half-size[stockham(16,16,8)], rdft-half-size[stockham(16,16)], "
     "stockham(16,16)] on 512x32 pad 32 pitch 1 held resident 2 staged in, 512x32 pad 32 pitch 1 held "
     "resident 2 staged in, 512x8 pad 32 pitch 2 held resident 1"},
    {64, Precision::float32, Form::convolutions, 0.983,
     "circulant-dft[stockham(8,8), stockham(8,8)] on 128x16 pad 32 held resident 16"},
    {128, Precision::float32, Form::convolutions, 0.987,
     "circulant-dft[stockham(8,4,4), stockham(4,4,8)] on 128x8 pad 32 held resident 16"},
    {256, Precision::float32, Form::convolutions, 0.977,
     "circulant-dft[stockham(8,8,4), stockham(4,8,8)] on 128x4 pad 32 held resident 16"},
    {512, Precision::float32, Form::convolutions, 0.993,
     "circulant-dft[stockham(32,16), stockham(16,32)] on 64x2 pad 32 held resident 8"},
    {768, Precision::float32, Form::convolutions, 0.707,
     "circulant-dft[stockham(12,8,8), stockham(8,8,12)] on 96x1 pad 32 resident 12"},
    {1000, Precision::float32, Form::convolutions, 0.850,
     "circulant-dft[stockham(2,20,25), stockham(25,20,2)] on 250x5 pitch 1 held resident 3"},
    {1024, Precision::float32, Form::convolutions, 0.987,
     "circulant-dft[stockham(32,32), stockham(32,32)] on 64x2 pad 32 held resident 8"},
    {1500, Precision::float32, Form::convolutions, 0.878,
     "circulant-dft[stockham(5,10,30), stockham(30,10,5)] on 150x3 held resident 4"},
    {2000, Precision::float32, Form::convolutions, 0.813,
     "circulant-dft[stockham(20,20,5), stockham(5,20,20)] on 100x1 held resident 5"},
    {2048, Precision::float32, Form::convolutions, 0.977,
     "circulant-dft[stockham(16,8,16), stockham(16,8,16)] on 128x1 pad 32 held resident 6"},
    {3000, Precision::float32, Form::convolutions, 0.797,
     "circulant-dft[stockham(6,20,25), stockham(25,20,6)] on 150x1 held resident 4"},
    {4096, Precision::float32, Form::convolutions, 0.918,
     "circulant-dft[stockham(32,16,8), stockham(8,16,32)] on 128x1 pad 32 held"},
    {8192, Precision::float32, Form::convolutions, 0.795,
     "circulant-dft[stockham(16,32,16), stockham(16,32,16)] on 256x1 pad 32 held resident 2"},
    {16384, Precision::float32, Form::convolutions, 0.632,
     "circulant-dft[stockham(32,32,16), stockham(16,32,32)] on 512x1 pad 32 held resident 1"},
    {65536, Precision::float32, Form::convolutions, 0.383,
     "circulant-dft[two-sweep(256,1,1)[stockham(16,16)], two-sweep(256,1,1)[stockham(16,16)]] on 256x16 "
     "groups 24 group 16 pad 32 pitch 1 held resident 3"},
    {65536, Precision::float32, Form::convolutions, 0.377,
     "circulant-dft[two-sweep(256,1,1)[stockham(16,16)], two-sweep(256,1,1)[stockham(16,16)]] on 256x1 "
     "cluster 8 pad 32 pitch 2 held resident 2"},
};

/// Of data in the cache, for which the GPU has few blocks, replayed from a graph: an image of 1024² and a volume of 128³. The
/// share is that of a copy in memory.
constexpr MeasuredStep steps_in_cache[] = {
    {1024, Precision::float32, Form::planes, 0.530,
     "bands(8)[stockham(16,8), codelet, stockham(32,32)] on 256x1 pad 32 pitch 1 held together, 256x32 pad "
     "32 pitch 1"},
    {128, Precision::float32, Form::planes, 1.070,
     "row-column(1,0)[stockham(16,8)] on 512x1 pad 32 pitch 1 held together"},
    {128, Precision::float32, Form::columns, 1.070, "stockham(16,8) on 512x64 pad 32 pitch 1 resident 2"},
};

std::span<const MeasuredStep> steps_for(double bytes) {
    if (bytes >= least_bytes) return steps;
    if (bytes >= least_bytes_in_cache && bytes <= most_bytes_in_cache) return steps_in_cache;
    return {};
}

/// Where reals and half spectra each lie without gaps.
std::optional<Form> form_of_reals(const formula::RealDft& transform, const planning::Stage& stage) {
    const bool forward = transform.direction == Direction::forward;
    const std::size_t digits = stage.left.size() + 1;
    const lower::Layout& reals = stage.layouts[forward ? 0 : 1];
    const lower::Layout& spectra = stage.layouts[forward ? 1 : 0];
    if (!stage.right.empty() || reals.strides.size() != digits || spectra.strides.size() != digits + 1)
        return std::nullopt;
    if (reals.strides.back() != 1 || spectra.strides[digits - 1] != 2 || spectra.strides.back() != 1)
        return std::nullopt;
    return forward ? Form::reals : Form::spectra;
}

/// Of squares and cubes.
std::optional<Form> form_of_equal_sides(const formula::Formula& transform) {
    if (!transform.is<formula::Kronecker>()) return std::nullopt;
    const auto& sides = transform.children();
    if (std::any_of(sides.begin(), sides.end(), [&](const auto& side) { return side != sides[0]; }))
        return std::nullopt;
    if (sides.size() == 2) return Form::planes;
    return sides.size() == 3 ? std::optional(Form::volumes) : std::nullopt;
}

std::optional<Form> form_of(const planning::Stage& stage) {
    if (const auto* real = stage.nonterminal.get_if<formula::RealDft>()) return form_of_reals(*real, stage);
    if (!stage.complex) return std::nullopt;
    const auto unit = [&](std::size_t place) {
        return stage.layouts[0].strides.at(place) == 1 && stage.layouts[1].strides.at(place) == 1;
    };
    const formula::Formula& transform = stage.nonterminal;
    const std::optional<Form> equal_sides = form_of_equal_sides(transform);
    const bool convolves = transform.is<formula::Circulant>();
    if (!equal_sides && !convolves && !transform.is<formula::Dft>()) return std::nullopt;
    const std::size_t digits = stage.layouts[0].strides.size();
    if (digits == 0 || stage.layouts[1].strides.size() != digits) return std::nullopt;
    if (!unit(digits - 1)) return std::nullopt;
    if (equal_sides) return stage.right.empty() ? equal_sides : std::nullopt;
    if (convolves) return stage.right.empty() ? std::optional(Form::convolutions) : std::nullopt;
    return stage.right.empty() ? Form::rows : Form::columns;
}

Integer count_of(const std::vector<Integer>& loops) {
    return std::accumulate(loops.begin(), loops.end(), Integer{1}, std::multiplies<>());
}

/// Whether the mapping does with so many transforms on such a card what was measured, of groups of blocks that all of them
/// run at once: as many on each multiprocessor as on the card, on which others of this architecture have as much memory.
bool serves(const planning::StepRecipe& step, const planning::Stage& stage, const target::Gpu& gpu) {
    const lower::GpuMapping& mapping = step.mappings.front();
    if (mapping.cluster > std::max(1, gpu.largest_cluster)) return false;
    if (mapping.group > 0) {
        if (!gpu.has_groups) return false;
        const Integer blocks = mapping.group * mapping.groups;
        const Integer resident = ceil_divide(blocks, Integer{multiprocessors});
        return blocks <= resident * gpu.multiprocessors && stage.left.size() <= 1 &&
               count_of(stage.left) >= least_turns * mapping.groups;
    }
    const std::vector<Integer>& around = stage.right.empty() ? stage.left : stage.right;
    const Integer available = around.empty() ? 1 : around.back();
    if (mapping.cluster > 1) return available % mapping.transforms == 0;
    return step.mappings.size() > 1 || mapping.transforms <= available;
}

} // namespace

std::optional<GpuCandidate> measured_gpu_step(const Problem& problem, const planning::Stage& stage,
                                              const target::Gpu& gpu) {
    if (gpu.name != "sm_90") return std::nullopt;
    const std::optional<Form> form = form_of(stage);
    const Integer points = stage.nonterminal.rows();
    const bool has_sides = form == Form::planes || form == Form::volumes;
    const Integer n = has_sides ? stage.nonterminal.children()[0].rows() : points;
    const double bytes = (stage.complex ? 2.0 : 1.0) *
                         static_cast<double>(points * count_of(stage.left) * count_of(stage.right)) *
                         static_cast<double>(real_bytes(problem.precision));
    if (!form) return std::nullopt;
    for (const MeasuredStep& measured : steps_for(bytes)) {
        if (measured.n != n || measured.precision != problem.precision || measured.form != *form) continue;
        planning::StepRecipe step =
            planning::parse_recipe(fmt::format("{}: {} {}", gpu.name, stage.dimension, measured.step))
                .steps.at(0);
        if (serves(step, stage, gpu))
            return GpuCandidate{std::move(step), 2 * bytes / copy_bytes_per_second / measured.share};
    }
    return std::nullopt;
}

} // namespace swirl::search
