# plot.gp: all of recorded/*.csv as recorded/bandwidth.svg; record.sh calls it.
folder = "chapters/12_real_gpus/recorded/"
set terminal svg size 760,440 font "Helvetica,14" background rgb "white"
set output folder . "bandwidth.svg"
set datafile separator ","
set logscale xy
set title "all\\_reduce: bus bandwidth over size"
set xlabel "size of the tensor, bytes"
set ylabel "bus bandwidth, GB/s"
set key left top
set grid lc rgb "#dddddd"
set format x "10^{%T}"
tables = system("ls " . folder . "*.csv | tr '\\n' ' '")
colour(i) = word("0x0072B2 0xC77700 0x00805C 0xA8487F 0x6B5CA5 0xB4432E", i) + 0
mark(i) = word("5 7 9 13 11 15", i) + 0
# Each backend with each of its numbers of ranks is a line: "shm 2".
lines = system("awk -F, 'FNR > 2 { print $1 \"_\" $3 }' " . folder . "*.csv | uniq")
only(line) = sprintf("< awk -F, '($1 \"_\" $3) == \"%s\"' %s", line, tables)
name(line) = system("echo " . line . " | sed 's/_/, /; s/$/ ranks/'")
plot for [i = 1:words(lines)] only(word(lines, i)) using 4:6 with linespoints pt mark(1 + (i - 1) % 6) ps 0.7 lw 1.5 lc rgb colour(1 + (i - 1) % 6) title name(word(lines, i))
