#!/bin/sh
# step.sh KIND FILE COMMAND...: one step of a build, where V=1 is not set. On a terminal one line tells what is being done, and is
# gone afterwards; elsewhere the first step says that there are some. What COMMAND says is shown in any case.
#
# build/steps is of this make alone: `began` is when, `done` has a line for each step (chapters.sh counts them).

steps=build/steps
line=
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then line=yes; fi
if mkdir -p build && mkdir $steps 2>/dev/null; then
    date +%s >$steps/began
    [ "$line" ] || echo "building; V=1 would show each command"
fi
echo "$1 $2" 2>/dev/null >>$steps/done # another make may have begun anew
[ ! "$line" ] || printf '\r\033[K  %-5s %.66s\r' "$1" "$2"
shift 2

said=$("$@" 2>&1)
status=$?
[ ! "$line" ] || printf '\033[K'
[ ! "$said" ] || printf '%s\n' "$said" >&2
# No such command, or a compiler without the system's headers: once is enough.
case $status:$said in
127:* | [1-9]*:*'fatal error: '*.h*)
    ! mkdir $steps/lacks 2>/dev/null || echo "Does this machine lack something? \`make doctor\` looks, and has the command that installs it." >&2 ;;
esac
exit $status
