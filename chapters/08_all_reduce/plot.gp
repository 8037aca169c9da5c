# plot.gp: recorded/measured.csv as recorded/time.svg; record.sh calls it.
folder = "chapters/08_all_reduce/recorded/"
table = folder . "measured.csv"
set terminal svg size 1200,420 font "Helvetica,12" background rgb "white"
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
colour(i) = word("0xB4432E 0x00805C 0x2563A8 0xB07A1E", i) + 0
only(ranks, i) = sprintf("< grep '^%d,%s,' %s", ranks, way(i), table)
set multiplot layout 1,3
do for [k = 1:3] {
    p = 2 ** k
    set title sprintf("%d ranks (dots: measured, lines: model)", p)
    plot for [i = 1:4] only(p, i) using 3:4 with points pt 7 ps 0.5 lc rgb colour(i) title way(i), for [i = 1:4] only(p, i) using 3:5 with lines lw 1.5 lc rgb colour(i) notitle
}
unset multiplot
