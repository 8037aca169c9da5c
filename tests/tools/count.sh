# count.sh: how the test scripts keep count. Each result is a line in $RESULTS ("pass NAME"); test.sh adds them up.
# Only what failed or was left out is shown.

. tests/tools/whole_number.sh
whole_number EVERY "$EVERY"

RESULTS=${RESULTS:-/dev/null}

pass()
{
    echo "pass $*" >>"$RESULTS"
}

fail()
{
    echo "fail $*" >>"$RESULTS"
    echo "  FAILED  $*"
}

skip()
{
    echo "skip $*" >>"$RESULTS"
    echo "  LEFT OUT  $*"
}

# What takes long and has many alike is tried in turns, EVERY=3: every third, and others on the next day. Is it the turn of the n-th?
# (A run that goes on past midnight stays with the day on which it began.)
TODAY=${TODAY:-$(($(date +%s) / 86400))}
export TODAY
is_its_turn()
{
    [ $((($1 + TODAY) % ${EVERY:-1})) -eq 0 ]
}

each_in_turn()
{
    number=0
    for one in "$@"; do
        number=$((number + 1))
        ! is_its_turn $number || echo "$one"
    done
}
