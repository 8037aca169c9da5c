# tied.sh: whoever stops this script stops all that it has started. To be read by a script before it does anything else.
#
# Ctrl-C goes to all processes of a terminal by itself; a SIGTERM goes to one, and a parent that is killed sends none at all. So
# the script runs once more in a session of its own (GRADE_TIED=inside), and this one only waits: for its end, for a signal, or for the
# death of its parent, which setpriv makes a signal. Then the session is ended, and with each grader what it runs.

if [ ! "$GRADE_TIED" ] && command -v setsid >/dev/null 2>&1; then
    GRADE_TIED=outside
    export GRADE_TIED
    if setpriv --pdeathsig TERM true 2>/dev/null; then exec setpriv --pdeathsig TERM "$0" "$@"; fi
fi
if [ "$GRADE_TIED" = outside ]; then
    GRADE_TIED=inside setsid "$0" "$@" &
    inside=$!
    trap 'kill -s TERM -- -$inside 2>/dev/null; exit 143' INT TERM HUP
    wait $inside
    exit $?
fi
unset GRADE_TIED
