# Draws the errors of transforms by their length (scripts/pictures).
set terminal png notruecolor size 720,420 font 'DejaVuSans,10'
set output pictures."/accuracy.png"
set border 3 lc rgb "#808080"
set tics nomirror
set grid lc rgb "#e0e0e0"
set xlabel "length"
set ylabel "relative error (root mean square)"
set logscale y
set format y "10^{%T}"
set xrange [2:1024]
set yrange [1e-17:1e-6]
set key center right
plot data."/float32.txt" using 1:3 with points pt 7 ps 0.4 lc rgb "#c0c4cc" title "FFTW, float32", \
     "" using 1:2 with points pt 7 ps 0.4 lc rgb "#d1495b" title "swirl, float32", \
     2**-24*sqrt(log(x)/log(2)) with lines lc rgb "black" title "epsilon / 2 · sqrt(log2 n)", \
     data."/float64.txt" using 1:3 with points pt 7 ps 0.4 lc rgb "#9aa2ae" title "FFTW, float64", \
     "" using 1:2 with points pt 7 ps 0.4 lc rgb "#2f6f9f" title "swirl, float64", \
     2**-53*sqrt(log(x)/log(2)) with lines lc rgb "black" notitle
