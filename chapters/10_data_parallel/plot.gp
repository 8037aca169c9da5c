# plot.gp: recorded/accuracy.csv and recorded/buckets.csv as pictures; record.sh calls it.
folder = "chapters/10_data_parallel/recorded/"
set datafile separator ","
set grid lc rgb "#dddddd"
colour(i) = word("0xA8487F 0x00805C 0x0072B2 0xC77700", i) + 0

set terminal svg size 840,340 font "Helvetica,13" background rgb "white"
set output folder . "accuracy.svg"
only(ranks) = sprintf("< grep '^%s,' %saccuracy.csv", ranks, folder)
set multiplot layout 1,2
set xlabel "epoch"
set xrange [0:21]
set title "loss"
set yrange [0:2.2]
set key right top
plot for [i = 1:4] only(word("1 2 4 7", i)) using 2:3 with linespoints pt 6 ps 0.3 + 0.2 * i lw 1 lc rgb colour(i) title word("1 2 4 7", i) . (i == 1 ? " rank" : " ranks")
set title "read rightly, of 261 pictures never seen"
set yrange [50:100]
set format y "%g %%"
set key right bottom
plot for [i = 1:4] only(word("1 2 4 7", i)) using 2:4 with linespoints pt 6 ps 0.3 + 0.2 * i lw 1 lc rgb colour(i) title word("1 2 4 7", i) . (i == 1 ? " rank" : " ranks")
unset multiplot

reset
set datafile separator ","
set grid lc rgb "#dddddd"
set terminal svg size 840,380 font "Helvetica,13" background rgb "white"
set output folder . "buckets.svg"
set logscale x 2
set xlabel "bytes of a bucket"
set ylabel "a step, milliseconds"
set yrange [0:*]
set format x "2^{%L}"
set key right top
set title "2 ranks, 866,344 bytes of gradients"
plot sprintf("< grep '^2,' %sbuckets.csv", folder) using 2:4 with points pt 7 ps 0.7 lc rgb colour(3) title "measured", "" using 2:5 with lines lw 2 lc rgb colour(1) title "predicted from alpha and beta"
