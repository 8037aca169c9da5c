#!/bin/sh
# plots.sh FOLDER: FOLDER/medians.csv as pictures: latency, bandwidth, collectives, ranks, cores, scale. What was not measured is
# not drawn.

folder=$1
table=$folder/medians.csv
points=$folder/points
if ! command -v gnuplot >/dev/null 2>&1; then
    echo "LEFT OUT: the plots, because there is no gnuplot: apt-get install gnuplot-nox"
    exit 0
fi
rm -rf "$points"
mkdir -p "$points" || exit 1

bytes='"size of the tensor" ; set xtics ("8" 8, "64" 64, "1K" 1024, "16K" 16384, "256K" 262144, "4M" 4194304, "64M" 67108864)'
many='set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256)'
us="microseconds"

# curves NAME CONDITION X Y: for each who, a file with the points for which an awk condition on the columns of the table holds.
# False where there are not two points of ours.
curves()
{
    for who in limit ours openmpi mpich gloo; do
        awk -F, '$5 == "'$who'" && ('"$2"') { print '"$3"', '"$4"' }' "$table" | sort -n >"$points/$1.$who"
    done
    [ "$(wc -l <"$points/$1.ours")" -ge 2 ]
}

# draw NAME TITLE XLABEL YLABEL: these curves, as commands for gnuplot.
draw()
{
    printf 'set title "%s" noenhanced\nset xlabel %s\nset ylabel "%s"\nplot ' "$2" "$3" "$4"
    for line in limit,0x999999,limit ours,0xB4432E,ours openmpi,0x2563A8,"Open MPI" mpich,0x00805C,MPICH gloo,0xB07A1E,Gloo; do
        echo "$line"
    done | while IFS=, read -r who colour name; do
        if [ -s "$points/$1.$who" ]; then
            printf '"%s" using 1:2 with linespoints lw 1.5 pt 7 ps 0.5 lc rgb %s title "%s", ' \
                "$points/$1.$who" "$colour" "$name"
        fi
    done | sed 's/, $//'
    echo
}

# picture NAME SIZE LAYOUT: the drawings that come from stdin, side by side.
picture()
{
    drawings=$(cat)
    if [ -z "$drawings" ]; then return; fi
    {
        echo "set terminal svg size $2 font 'Helvetica,12' background rgb 'white'"
        echo "set output '$folder/$1.svg'"
        echo "set logscale xy; set key above maxrows 1; set autoscale xfix; set offsets graph 0.04, graph 0.04; set grid lc rgb '#dddddd'; set format y '10^{%T}'"
        echo "set multiplot layout $3"
        echo "$drawings"
        echo "unset multiplot"
    } | gnuplot && echo "wrote $folder/$1.svg"
}

if curves latency '$1 == "ping-pong" && $3 == 2' '$4' '$6'; then
    draw latency "one message, two cores" "$bytes" "$us"
fi | picture latency 700,450 1,1

if curves bandwidth '$1 == "ping-pong" && $3 == 2' '$4' '$4 / $6 / 1000'; then
    draw bandwidth "one message, two cores" "$bytes" "GB/s"
fi | picture bandwidth 700,450 1,1

for what in all_reduce broadcast all_gather reduce_scatter; do
    if curves $what '$1 == "'$what'" && $2 == 4 && $3 == 2' '$4' '$6'; then
        draw $what "$what, 4 ranks on 2 cores" "$bytes" "$us"
    fi
done | picture collectives 1200,900 2,2

{
    if curves barrier '$1 == "barrier" && $3 == 2' '$2' '$6'; then
        draw barrier "barrier, 2 cores" "'ranks'; $many" "$us"
    fi
    if curves ranks '$1 == "all_reduce" && $3 == 2 && $4 == 4096' '$2' '$6'; then
        draw ranks "all_reduce of 4 KiB, 2 cores" "'ranks'; $many" "$us"
    fi
} | picture ranks 1200,450 1,2

# over_cores BYTES WORDS
over_cores()
{
    if curves "cores$1" '$1 == "all_reduce" && $2 == 4 && $4 == '"$1" '$3' '$6'; then
        draw "cores$1" "all_reduce of $2, 4 ranks" "'cores'; $many" "$us"
    fi
}
{
    over_cores 4096 "4 KiB"
    over_cores 4194304 "4 MiB"
} | picture cores 1200,450 1,2

{
    if curves start '$1 == "start"' '$2' '$6 / 1000'; then
        draw start "from launch to exit" "'ranks'; $many" "milliseconds"
    fi
    if curves memory '$1 == "memory"' '$2' '$6 / 1024'; then
        draw memory "the most that a rank had resident" "'ranks'; $many" "MiB"
    fi
    if curves share '$1 == "share"' '$2' '$6 / 1024'; then
        draw share "what a rank costs the machine" "'ranks'; $many" "MiB"
    fi
} | picture scale 1500,450 1,3
