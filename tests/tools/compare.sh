# compare.sh: run a chapter program, and compare what it prints with chapters/NN_topic/expected/NAME.N.*. To be read by other scripts.
#
#   .txt         stdout, to the letter; DIST_OUTPUT=ordered has grouped it by rank
#   .shape       stdout, where every number counts as # and runs of blanks as one: for measured times
#   .stderr.txt  stderr, tidied (see below); without this file stderr must be empty, unless the program is to fail
#   .exit        the exit status, where it is not 0
#
# They set: program, n (ranks), base (chapters/NN_topic/expected/NAME.N); perhaps RUN, what runs programs of another processor. It keeps its files in $work, which ends with the script.

. tests/tools/room.sh

# Numbers as #, blanks as one blank.
shape()
{
    sed -E -e 's/(^|[[:blank:]=(])[-+]([0-9])/\1\2/g' -e 's/[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/#/g' \
        -e 's/[[:blank:]]+/ /g' -e 's/^ //' -e 's/ $//' "$1"
}

# same EXPECTED ACTUAL: show how they differ.
same()
{
    diff -u --label "$1" --label "what it printed" "$1" "$2" 2>&1
}

same_shape()
{
    shape "$1" >$work/left
    shape "$2" >$work/right
    diff -u --label "$1" --label "what it printed" $work/left $work/right 2>&1
}

# What a report may say differently from run to run is left out. When two ranks disagree, whoever sees it first
# tells, and the others are stopped wherever they are: so who told ("rank 2: dist_all_reduce (x.c:22): ") and the
# lines about the others ("Ranks 0, 1 and 3 were stopped: ...") do not count. Nor does the path of a drawing, nor, on a GPU,
# where the program went on to after it had put the call into a stream ("stands in the stream; the host waits in ..."),
# unless that is what the program is about.
tidy()
{
    awk -v streams=$streams 'function finish() {
             if (text ~ /^rank/) {
                 sub(/^rank [0-9]+: [a-z_]+ \([^)]*\): /, "somebody: ", text)
                 print text
             }
             text = ""
         }
         text != "" && /^  / { text = text " " substr($0, 3); next }
         text != "" { finish() }
         /^rank [0-9]+: / || /^Ranks? [0-9]/ { text = $0; next }
         cut { cut = 0; next }
         streams == "drop" && /^ +stands in (the stream|stream [0-9]+); the host waits in/ { cut = / in$/; next }
         /^report: / { print "report: somewhere"; next }
         { print }
         END { if (text != "") finish() }' "$1"
}

same_report()
{
    streams=keep
    grep -q 'stands in' "$1" || streams=drop
    tidy "$1" >$work/left
    tidy "$2" >$work/right
    diff -u --label "$1, tidied" --label "what it said" $work/left $work/right 2>&1
}

# run processes|threads|sim|room: sim is a simulated GPU for each process, room the CUDA backend on simulated GPUs
run()
{
    device=${DEVICE:-host} backend=$BACKEND
    case $1 in
    sim) device=sim ranks_are=processes ;;
    room) device=sim ranks_are=threads backend=cuda ;;
    *) ranks_are=$1 ;;
    esac
    WORLD_SIZE=$n DIST_RANKS=$ranks_are DEVICE=$device BACKEND=$backend DIST_OUTPUT=ordered timeout -k 2 60 $RUN "$program" >$work/out 2>$work/err </dev/null
    status=$?
}

compare()
{
    right=0
    if [ ! -e $base.txt ] && [ ! -e $base.shape ] && [ ! -e $base.stderr.txt ] && [ ! -e $base.exit ]; then
        echo "There is no $base.txt. Run \`make expected\`, and read what it wrote."
        return 1
    fi
    wanted=$(cat $base.exit 2>/dev/null || echo 0)
    if [ $status -ne "$wanted" ]; then
        [ $status -ne 124 ] || echo "it had not ended after 60 seconds, and was stopped"
        echo "exit status $status, expected $wanted"
        right=1
    fi
    if [ -e $base.txt ]; then same $base.txt $work/out || right=1; fi
    if [ -e $base.shape ]; then same_shape $base.shape $work/out || right=1; fi
    if [ -e $base.stderr.txt ]; then
        same_report $base.stderr.txt $work/err || right=1
    elif [ "$wanted" -eq 0 ] && [ -s $work/err ]; then
        echo "stderr should be empty:"
        cat $work/err
        right=1
    fi
    if [ $status -ne 0 ] && [ "$wanted" -eq 0 ]; then cat $work/err; fi
    return $right
}
