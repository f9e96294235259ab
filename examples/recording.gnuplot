# Draws what recording.cpp wrote into a folder, as picture.svg and picture.png:
#   gnuplot -e "folder='build/demo'" examples/recording.gnuplot

before = "#7a8ca3"
after = "#d1495b"

do for [kind in "svg png"] {
    if (kind eq "svg") {
        set terminal svg size 900,760 font "Helvetica,13" background "white"
    } else {
        set terminal pngcairo size 900,760 font "Helvetica,10" background "white"
    }
    set output folder."/picture.".kind
    set multiplot layout 3,1
    set tics nomirror
    set border 3
    set grid lc rgb "#e0e0e0"
    set key top right

    unset logscale
    set xtics auto
    set xlabel "seconds"
    set ylabel "amplitude"
    set yrange [-0.5:0.5]
    set xrange [0:*]
    set title "Recording"
    plot folder."/signal.txt" using 1:2:3 with filledcurves lc rgb before notitle
    set title "The same, 300 to 3400 Hz"
    plot folder."/filtered.txt" using 1:2:3 with filledcurves lc rgb after notitle

    set logscale x
    set xrange [20:24000]
    set xtics (20, 50, 100, 200, 500, "1000" 1000, "2000" 2000, "5000" 5000, "10000" 10000, "20000" 20000)
    set yrange [-100:-10]
    set xlabel "Hz"
    set ylabel "dB"
    set title "Spectrum, by twelfths of an octave"
    plot folder."/spectrum.txt" with lines lw 2 lc rgb before title "recording", \
         folder."/filtered_spectrum.txt" with lines lw 2 lc rgb after title "filtered"
    unset multiplot
    unset output
}
