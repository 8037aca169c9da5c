# plot.gp: recorded/measured.csv as recorded/time.svg; record.sh calls it.
folder = "chapters/08_all_reduce/recorded/"
table = folder . "measured.csv"
set terminal svg size 1080,420 font "Helvetica,12" background rgb "white"
set output folder . "time.svg"
set datafile separator ","
set datafile commentschars "#"
set logscale xy
set xlabel "size of the tensor, bytes"
set ylabel "time, microseconds"
set key left top
set grid lc rgb "#dddddd"
set format x "10^{%T}"
names = "gather tree ring halving"
colours = "#B4432E #00805C #2563A8 #B07A1E"
pick(r, a) = sprintf("< grep '^%d,%s,' %s", r, a, table)
set multiplot layout 1,3
do for [r in "2 4 8"] {
    set title r . " ranks (dots: measured, lines: predicted)"
    plot for [i=1:4] pick(int(r), word(names, i)) using 3:4 with points pt 7 ps 0.6 lc rgb word(colours, i) title word(names, i), \
         for [i=1:4] pick(int(r), word(names, i)) using 3:5 with lines lw 1.5 lc rgb word(colours, i) notitle
}
unset multiplot
