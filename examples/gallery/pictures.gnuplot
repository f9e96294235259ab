# Draws the pictures of the manual from what the programs of this folder wrote (scripts/pictures):
#   gnuplot -e "data='FOLDER'; pictures='docs/gallery'" examples/gallery/pictures.gnuplot

grey = "#808080" # readable on light and dark pages; pictures have a white background
first = "#2f6f9f"
second = "#d1495b"
third = "#4f9d5d"

set border 3 lc rgb grey
set tics nomirror
set grid lc rgb "#e0e0e0"
set style data lines

wide = "png notruecolor size 720,360 font 'DejaVuSans,10'"
square = "png notruecolor size 420,400 font 'DejaVuSans,10'"
row = "png notruecolor size 690,250 font 'DejaVuSans,10'"

set terminal png notruecolor size 620,320 font 'DejaVuSans,10'
set output pictures."/spectrogram.png"
set xlabel "seconds"
set ylabel "Hz"
set cblabel "dB"
set palette maxcolors 24 defined (0 "#0d1b2a", 1 "#2f6f9f", 2 "#f2c14e", 3 "#fff7e0")
set cbrange [-10:45]
set xrange [0:2]
set yrange [0:8000]
plot data."/spectrogram.txt" matrix using ($1*128/16000.+0.016):($2*31.25):3 with image notitle

set terminal @wide
set output pictures."/find_sound.png"
set xlabel "seconds"
set ylabel "correlation"
set xrange [0:60]
set yrange [0:1.15]
plot data."/find_sound.txt" with lines lc rgb first notitle

set output pictures."/big_integers.png"
set xlabel "decimal digits of each factor"
set ylabel "distance from a whole number"
set xrange [1000:1300000]
set yrange [1e-10:1]
set logscale xy
set format y "10^{%T}"
set key bottom right
plot data."/big_integers.txt" using 1:5 with linespoints lc rgb second title "5 digits an element", \
     data."/big_integers.txt" using 1:4 with linespoints lc rgb first title "4 digits", \
     data."/big_integers.txt" using 1:3 with linespoints lc rgb third title "3 digits", \
     data."/big_integers.txt" using 1:2 with linespoints lc rgb grey title "2 digits", \
     0.5 with lines dt 2 lc rgb "black" title "wrong from here"

set output pictures."/mixed_precision.png"
set xlabel "K"
set ylabel "error / (|A| |B|)"
set xrange [16:4096]
set yrange [1e-9:1e-1]
set logscale x 2
set key outside right
plot data."/mixed_precision.txt" using 1:3 with lines dt 2 lc rgb second title "bfloat16, bound", \
     "" using 1:2 with linespoints lc rgb second title "bfloat16", \
     "" using 1:5 with lines dt 2 lc rgb first title "float16, bound", \
     "" using 1:4 with linespoints lc rgb first title "float16", \
     "" using 1:7 with lines dt 2 lc rgb third title "float32, bound", \
     "" using 1:6 with linespoints lc rgb third title "float32"
unset logscale
set format y "%g"
set key default

set output pictures."/spectral_layer.png"
set xlabel "point"
set ylabel "value"
set xrange [0:255]
set yrange [*:*]
plot data."/spectral_layer.txt" using 1:2 with lines lc rgb "#b0b8c4" title "first input channel", \
     "" using 1:3 with lines lw 2 lc rgb second title "first output channel"

set terminal @square
set output pictures."/radar.png"
set xlabel "speed"
set ylabel "delay"
set cblabel "dB"
set cbrange [36:66]
set xrange [-0.5:63.5]
set yrange [0:823]
plot data."/radar.txt" matrix using 1:($2*2):3 with image notitle

set output pictures."/poisson.png"
set xlabel "x"
set ylabel "y"
set cblabel "u"
set palette defined (-1 "#2f6f9f", 0 "#ffffff", 1 "#d1495b")
set xrange [0:1]
set yrange [0:1]
set cbrange [-0.5:0.5]
plot data."/poisson.txt" matrix using (($2+1)/64.):(($1+1)/64.):3 with image notitle

set terminal @row
set output pictures."/deconvolution.png"
set multiplot layout 1,3
unset border
unset tics
unset grid
unset xlabel
unset ylabel
unset colorbox
set palette gray
set cbrange [0:255]
set xrange [-0.5:255.5]
set yrange [255.5:-0.5]
set size ratio -1
do for [picture in "original blurred restored"] {
    set title picture
    plot data."/".picture.".txt" matrix with image notitle
}
unset multiplot

set output pictures."/mri.png"
set multiplot layout 1,2
set title "image"
set autoscale cb
set cbrange [0:*]
plot data."/mri.txt" matrix with image notitle
set title "change by half precision, up to 4/10000"
set cbrange [-4:4]
plot data."/mri_error.txt" matrix with image notitle
unset multiplot
