#!/bin/sh
# record.sh: train in several shapes of the mesh; write recorded/curves.csv (every fifth step), recorded/curves.txt (how far apart they
# are) and recorded/learned.txt (400 steps, and a text), and plot where there is gnuplot. Some ten minutes on two cores. Run
# it from the root of the repository, after make:
#
#     sh chapters/11_sharding/record.sh

here=chapters/11_sharding
grid=build/chapters/11_sharding/grid
work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT
mkdir -p $here/recorded || exit 1
export DIST_OUTPUT=ordered
unset WORLD_SIZE

$grid 2 2 2 400 >$work/learned || exit 1
for shape in "1 1 1" "8 1 1" "1 4 1" "1 1 4" "2 2 2"; do
    $grid $shape 300 csv || exit 1
done >$work/f32
for shape in "1 1 1" "8 1 1" "1 4 1" "2 2 2"; do
    $grid $shape 250 f64 || exit 1
done >$work/f64

# The largest difference to one rank's loss, in parts of it, for each shape and each fifty steps.
apart()
{
    awk -F , -v type="$1" '
        { shape = $1 " x " $2 " x " $3 }
        shape == "1 x 1 x 1" { right[$4] = $5; next }
        !(shape in seen) { seen[shape]; order[++shapes] = shape }
        {
            d = $5 / right[$4] - 1
            part = int(($4 - 1) / 50)
            most[shape, part] = d < 0 ? (-d > most[shape, part] ? -d : most[shape, part]) : (d > most[shape, part] ? d : most[shape, part])
            parts = part > parts ? part : parts
        }
        END {
            for (i = 1; i <= shapes; i++) {
                line = sprintf("%s, %s  ", order[i], type)
                for (p = 0; p <= parts; p++)
                    line = line (most[order[i], p] ? sprintf("%9.0e", most[order[i], p]) : "        0")
                print line
            }
        }' "$2"
}

{
    echo "dp x tp x pp    steps 1-50   51-100  101-150  151-200  201-250  251-300"
    apart F32 $work/f32
    apart F64 $work/f64
} >$here/recorded/curves.txt
{
    echo "# $(date -u +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
    echo "dp,tp,pp,step,loss"
    awk -F , '$4 == 1 || $4 % 5 == 0' $work/f32
} >$here/recorded/curves.csv
sed 's/ *$//' $work/learned >$here/recorded/learned.txt
echo "wrote $here/recorded/learned.txt, curves.txt and curves.csv"

if command -v gnuplot >/dev/null 2>&1; then
    gnuplot $here/plot.gp && echo "wrote $here/recorded/curves.svg"
else
    echo "there is no gnuplot (apt-get install gnuplot-nox): nothing plotted"
fi
