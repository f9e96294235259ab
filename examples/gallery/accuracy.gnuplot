# Draws the errors of transforms by their length, in units of epsilon * sqrt(log2 n) (scripts/pictures).
set terminal png notruecolor size 720,460 font 'DejaVuSans,10'
set output pictures."/accuracy.png"
set border 3 lc rgb "#808080"
set tics nomirror
set grid lc rgb "#e0e0e0"
set xrange [2:1024]
set yrange [0:1]
set ylabel "units"
set key top right horizontal
units(error, n, epsilon) = error / (epsilon * sqrt(log(n) / log(2)))
set multiplot layout 2,1
set title "float64"
plot data."/float64.txt" using 1:(units($3, $1, 2.0**-52)) with points pt 7 ps 0.4 lc rgb "#a0a8b4" title "FFTW", \
     "" using 1:(units($2, $1, 2.0**-52)) with points pt 7 ps 0.4 lc rgb "#2f6f9f" title "swirl"
set title "float32"
set xlabel "length"
plot data."/float32.txt" using 1:(units($3, $1, 2.0**-23)) with points pt 7 ps 0.4 lc rgb "#a0a8b4" title "FFTW", \
     "" using 1:(units($2, $1, 2.0**-23)) with points pt 7 ps 0.4 lc rgb "#2f6f9f" title "swirl"
unset multiplot
