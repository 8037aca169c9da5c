# count.sh: how the test scripts keep count. Each result is a line in $RESULTS ("pass NAME"); test.sh adds them up.
# Only what failed or was left out is shown.

RESULTS=${RESULTS:-/dev/null}

pass()
{
    echo "pass $1" >>"$RESULTS"
}

fail()
{
    echo "fail $1" >>"$RESULTS"
    echo "  FAILED  $1"
}

skip()
{
    echo "skip $1" >>"$RESULTS"
    echo "  LEFT OUT  $1"
}
