/* The version of cuFFT whose interface a library has; see src/cufft/version.hpp. */
extern const int swirl_cufft_version;
const int swirl_cufft_version = SWIRL_CUFFT_VERSION;
