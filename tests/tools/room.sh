# room.sh: a folder for a script's files, $work, which ends with the script. To be read by other scripts, before they set traps of
# their own. Where no file can be written the script ends with one sentence: what differs then would be no fault of the programs.

work=$(mktemp -d 2>/dev/null)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM PIPE
if [ ! "$work" ] || ! head -c 100000 /dev/zero 2>/dev/null >"$work/room"; then
    echo "No file can be written in ${TMPDIR:-/tmp}: make room there, or name another folder: TMPDIR=/var/tmp make" >&2
    exit 1
fi
rm -f "$work/room"
