# plot.gp: recorded/simulate.csv and recorded/search.csv as pictures; record.sh calls it.
folder = "chapters/13_scale/recorded/"
set datafile separator ","
set grid lc rgb "#dddddd"
mark(i) = word("7 9 13 5", i) + 0
way(i) = word("tree ring halving levels", i)
colour(i) = word("0x00805C 0x0072B2 0xC77700 0xA8487F", i) + 0

set terminal svg size 930,420 font "Helvetica,13" background rgb "white"
set output folder . "simulate.svg"
set logscale xy
set xlabel "size of the tensor, bytes"
set ylabel "bus bandwidth, GB/s"
set format x "10^{%T}"
set format y "10^{%T}"
set xrange [512:3e9]
set yrange [1e-6:1000]
set key right bottom
only(gpus, i) = sprintf("< grep '^%s,.*,%s,' %ssimulate.csv", gpus, way(i), folder)
set multiplot layout 1,3
do for [k = 1:3] {
    gpus = word("16 1024 16384", k)
    set title gpus . " GPUs"
    plot for [i = 1:4] only(gpus, i) using 2:4 with linespoints pt mark(i) ps 0.6 lw 1.5 lc rgb colour(i) title way(i)
}
unset multiplot

reset
set datafile separator ","
set grid lc rgb "#dddddd"
set terminal svg size 840,400 font "Helvetica,13" background rgb "white"
set output folder . "search.svg"
set logscale x 2
set xlabel "GPUs, for the same batch of 2,048 sequences"
set ylabel "per cent"
set xrange [12:24000]
set yrange [0:60]
set key right top
set title "Llama 3 70B on H100, the best cut for each number of GPUs"
table = folder . "search.csv"
plot table using 1:(100 * $2) skip 1 with linespoints pt 7 ps 0.6 lw 2 lc rgb colour(2) title "MFU", \
     table using 1:(100 * $4) skip 1 with linespoints pt 6 ps 0.6 lw 1.5 lc rgb colour(4) title "messages that nobody hides", \
     table using 1:(100 * $3) skip 1 with linespoints pt 6 ps 0.6 lw 1.5 lc rgb colour(3) title "bubble"
