#!/bin/sh
# pictures.sh: the pictures of the lessons, as diagrams/pictures lists them, drawn from real runs.
#
#   --write [NAME] make diagrams/drawn/NAME.N.dot and .svg anew (of all, or of those whose names begin so)
#   --check        draw them, compare with the .dot files (which another run made), and let neato read each
#   --show FILE    render FILE.dot, and say where it is
#   --own NN [N]   draw a chapter's pictures from a run with N ranks into build/pictures, and say where they are;
#                  exercises of that chapter that are built are drawn beside their solutions
#
# The kinds "play" and "page" move: build/bin/play makes NAME.4.svg, or NAME.4.html with controls; "explain": a failed run's page.
# diagrams/drawn/bench.svg is no run of today: it is drawn from the newest results of `make bench` that are kept.

. tests/tools/count.sh
export LC_ALL=C
unset DIST_BUFFERING DIST_RANKS

list=diagrams/pictures
work=build/pictures
mkdir -p $work
traced=

has_neato()
{
    command -v neato >/dev/null 2>&1
}

# trace PROGRAM RANKS KIND...: leaves $work/trace.json, a report where KIND is waitfor.
trace()
{
    rm -f $work/trace.json $work/report.json && report= variable=DIST_TRACE
    case $3 in waitfor*) variable=DIST_REPORT ;; explain*) report=$work/report.json ;; esac
    env DIST_REPORT="$report" $variable=$work/trace.json WORLD_SIZE="$2" DIST_OUTPUT=ordered timeout -k 2 60 "build/$1" >$work/out 2>$work/err </dev/null
    status=$?
    if [ $status -ne 0 ] && [ ! -e "${1%/*}/expected/${1##*/}.$2.exit" ] && [ $variable = DIST_TRACE ]; then
        echo "build/$1 with $2 ranks ended with exit status $status"
        cat $work/err
        return 1
    fi
}

# draw OUT KIND OPTION...: OUT.dot from the last trace. Options come as one string, with quotes in it.
draw()
{
    out=$1
    shift
    eval "set -- $*"
    kind=$1
    shift
    build/bin/draw "$kind" $work/trace.json -o "$out.dot" "$@"
}

# What a moving picture ends with.
ending()
{
    case $1 in page* | explain*) echo html ;; *) echo svg ;; esac
}

# moving OUT KIND OPTION...: OUT.svg or OUT.html from the last trace.
moving()
{
    out=$1
    shift
    eval "set -- $*"
    out=$out.$(ending "$1")
    case $1 in explain*) build/bin/explain $work/report.json --trace $work/trace.json --source chapters -o "$out"; return ;; esac
    shift
    build/bin/play $work/trace.json -o "$out" "$@"
}

# The results that the plot of the README shows, and the plot.
measured=tests/bench/results/2026-11-22-two-epyc-cores.txt
plot() { awk -f tests/bench/ratios.awk $measured; }

# For how many ranks a picture of that kind is drawn.
sizes() { case $1 in play* | page* | explain*) echo 4 ;; *) echo 2 4 7 ;; esac; }

render()
{
    neato -n2 -Tsvg "$1.dot" -o "$1.svg"
}

# All lines of the list that begin so: each_picture PREFIX COMMAND...
each_picture()
{
    prefix=$1
    shift
    while read -r name program options; do
        case $name in
        '' | '#'*) ;;
        $prefix*) "$@" "$name" "$program" "$options" || failed=1 ;;
        esac
    done <$list
}

write_one()
{
    for n in $(sizes "$3"); do
        case $3 in
        play* | page* | explain*)
            trace "$2" $n "$3" && moving "diagrams/drawn/$1.$n" "$3" || return 1
            echo "  drew  diagrams/drawn/$1.$n.$(ending "$3"), which moves"
            return
            ;;
        esac
        trace "$2" $n "$3" && draw "diagrams/drawn/$1.$n" "$3" || return 1
        has_neato && { render "diagrams/drawn/$1.$n" || return 1; }
    done
    echo "  drew  diagrams/drawn/$1.*.dot$(has_neato && echo ' and .svg')"
}

# Does neato take it without a word? Whether a label fits is another matter: that depends on the fonts of the machine.
accepted()
{
    neato -n2 -Tsvg "$1" >/dev/null 2>$work/said
    status=$?
    grep -v 'size too small for label' $work/said >$work/err
    [ $status -eq 0 ] && [ ! -s $work/err ]
}

# What stands for a picture when it is compared. Streams are drawn by the clock: of those only the rows, and how many boxes
# there are.
gist()
{
    case $1 in
    streams*) sed -E -e 's/"[^"]*"|-?[0-9]+(\.[0-9]+)?/#/g' "$2" ;;
    *) cat "$2" ;;
    esac
}

# same KIND EXPECTED ACTUAL
same()
{
    gist "$1" "$2" >$work/left
    gist "$1" "$3" >$work/right
    diff -u --label "$2" --label "what it did" $work/left $work/right
}

# What moves is compared as a whole, but for times that collectives added up, and Graphviz's images: the DOT stands beside them.
steady() { sed -e "s/\(kind: .meet.*has: \).*/\1/" -e '/^<svg/,/^<\/svg>/d' "$1"; }

check_moving()
{
    file=diagrams/drawn/$1.4.$(ending "$3")
    if trace "$2" 4 "$3" && moving $work/new "$3" && [ "$(steady "$file")" = "$(steady $work/new."${file##*.}")" ]; then pass "$file is what the program does"; else
        fail "$file is not what the program does: run \`make diagrams\`, and look at what changed"
        return 1
    fi
}

check_plot()
{
    if plot >$work/new.svg && cmp -s diagrams/drawn/bench.svg $work/new.svg; then pass "diagrams/drawn/bench.svg shows $measured"; else
        fail "diagrams/drawn/bench.svg does not show $measured: run \`make diagrams\`, and look at what changed"
        return 1
    fi
}

check_one()
{
    case $3 in play* | page* | explain*) check_moving "$@"; return ;; esac
    for n in 2 4 7; do
        file=diagrams/drawn/$1.$n
        right=yes
        trace "$2" $n "$3" && draw $work/new "$3" || right=
        if [ $right ] && ! same "$3" $file.dot $work/new.dot >$work/diff 2>&1; then
            right=
            head -n 12 $work/diff | cut -c 1-150 | sed 's/^/    /'
        fi
        if [ $right ] && has_neato && ! accepted $file.dot; then
            head -n 5 $work/err
            right=
        fi
        [ $right ] || fail "$file.dot is not what the program does: run \`make diagrams\`, and look at what changed"
        [ $right ] && pass "$file.dot is what the program does" || return 1
    done
}

# Where the picture is: the SVG where there is neato.
say_where()
{
    if has_neato && render "$1"; then
        echo "  $PWD/$1.svg"
    else
        echo "  $PWD/$1.dot   (Graphviz is missing; with it: neato -n2 -Tsvg $1.dot -o $1.svg)"
    fi
}

own_one()
{
    trace "$2" $n "$3" || return 1
    case $3 in waitfor*) needed=trace.json ;; explain*) needed=report.json ;; *) needed=out ;; esac
    [ -e $work/$needed ] || { echo "  no picture of build/$2: with N=$n there is nothing to report"; return; }
    case $3 in play* | page* | explain*) moving "$work/$1.$n" "$3" && echo "  $PWD/$work/$1.$n.$(ending "$3")   (moves: look at it with a browser)"; return ;; esac
    draw "$work/$1.$n" "$3" && say_where "$work/$1.$n"
}

# Two pictures of each exercise: what the learner's program does, and what the solution does.
beside()
{
    for source in exercises/"$1"_*/*.c; do
        mine=${source%.c}
        theirs=solutions/${mine#exercises/}
        [ -x "build/$mine" ] && [ -x "build/$theirs" ] || continue
        page=$work/$(basename "$mine").$n.html
        echo "<!DOCTYPE html><meta charset='utf-8'><title>$mine</title><body style='font-family:sans-serif'>" >"$page"
        for kind in flow spacetime; do
            echo "<div style='display:flex;gap:2em;flex-wrap:wrap'>" >>"$page"
            for program in $mine $theirs; do
                one=$work/$(echo "$program" | tr / _).$kind.$n
                title=$([ "$program" = "$mine" ] && echo yours || echo expected)
                trace "$program" $n # a run that failed has a picture, too
                [ -s $work/trace.json ] && draw "$one" "$kind --title $title" || continue
                has_neato && render "$one" && echo "<img style='max-width:47%' alt='$title' src='$(basename "$one").svg'>" >>"$page"
            done
            echo "</div>" >>"$page"
        done
        echo "  $PWD/$page   (yours beside what is expected)"
    done
}

failed=0
case $1 in
--write)
    each_picture "$2" write_one
    plot >diagrams/drawn/bench.svg && echo "  drew  diagrams/drawn/bench.svg" || failed=1
    ;;
--check)
    has_neato || skip "Graphviz is missing: nobody has looked whether it reads the pictures"
    each_picture '' check_one
    check_plot || failed=1
    ;;
--own)
    n=${3:-4}
    found=$(grep -c "^$2_" $list)
    if [ "$found" -eq 0 ]; then
        echo "There are no pictures of a chapter $2; $list lists what there is." >&2
        exit 2
    fi
    echo "drawn from your run with $n rank$([ "$n" = 1 ] || echo s):"
    each_picture "$2_" own_one
    beside "$2"
    ;;
--show) say_where "$2" ;;
*)
    echo "usage: pictures.sh --write | --check | --own NN [N] | --show DOT" >&2
    exit 2
    ;;
esac
exit $failed
