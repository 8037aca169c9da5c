# plot.gp: recorded/measured.csv as recorded/time.svg; record.sh calls it.
folder = "chapters/08_all_reduce/recorded/"
table = folder . "measured.csv"
set terminal svg size 1000,420 font "Helvetica,14" background rgb "white"
set output folder . "time.svg"
set datafile separator ","
set logscale xy
set xlabel "size of the tensor, bytes"
set ylabel "time, microseconds"
set key left top
set grid lc rgb "#dddddd"
set format x "10^{%T}"
set format y "10^{%T}"
set xrange [4:4194304]
way(i) = word("gather tree ring halving", i)
colour(i) = word("0xA8487F 0x00805C 0x0072B2 0xC77700", i) + 0
mark(i) = word("5 7 9 13", i) + 0
only(ranks, i) = sprintf("< grep '^%d,%s,' %s", ranks, way(i), table)
set multiplot layout 1,3 title "marks: measured; lines: the model"
do for [k = 1:3] {
    p = 2 ** k
    set title sprintf("%d ranks", p)
    plot for [i = 1:4] only(p, i) using 3:4 with points pt mark(i) ps 0.6 lc rgb colour(i) title way(i), for [i = 1:4] only(p, i) using 3:5 with lines lw 1.5 lc rgb colour(i) notitle
}
unset multiplot
