# libswirl_blas: level 3 of the BLAS, to be linked or preloaded in front of any BLAS. It exports names of the BLAS alone, and does not
# need libswirl. Its names have no version, so that they also serve programs linked with a BLAS whose names have one.

swirl_library(swirl_blas_shared NAME swirl_blas LAYERS blas
    EXPORTS cblas_* RowMajorStrg [sdcz]ge*_ [sdcz]sy*_ [cz]he*_ [sdcz]tr*_)
