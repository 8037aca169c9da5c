# count.sh: how the test scripts keep count. Each result is a line in $RESULTS ("pass NAME"); test.sh adds them up.
# Only what failed or was left out is shown.

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
