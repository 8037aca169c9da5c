# plot.gp: recorded/curves.csv as a picture; record.sh calls it.
folder = "chapters/11_sharding/recorded/"
set datafile separator ","
set grid lc rgb "#dddddd"
colour(i) = word("0xB4432E 0x00805C 0x2563A8 0xB07A1E 0x6B4C9A", i) + 0
shape(i) = word("1,1,1 8,1,1 1,4,1 1,1,4 2,2,2", i)
set terminal svg size 840,380 font "Helvetica,13" background rgb "white"
set output folder . "curves.svg"
only(i) = sprintf("< grep '^%s,' %scurves.csv", shape(i), folder)
set xlabel "step"
set ylabel "loss"
set xrange [0:300]
set yrange [1.6:4.4]
set key right top
set title "One model, five shapes of the mesh: (data, tensor, pipeline)"
plot for [i = 1:5] only(i) using 4:5 with linespoints pt 6 ps 0.2 + 0.15 * i lw 1 lc rgb colour(i) title "(" . shape(i) . ")"
