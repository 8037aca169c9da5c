#!/bin/bash
# nodes.sh [-w FOLDER] NODES RANKS PROGRAM [ARGUMENT...]: one job on several launchers of this machine, which take each other for other hosts.
#
# Prints what node 0 prints, and ends as it does. What the others print, and how they end, goes to FOLDER/N (or nowhere), in whose last
# line stands "status N".
folder=$(mktemp -d)
keep=
[ "$1" = -w ] && { keep=$2; shift 2; }
nodes=$1 ranks=$2
shift 2
DIST_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export DIST_SECRET
port=${NODES_PORT:-$((10000 + RANDOM % 20000))}
for node in $(seq 1 $((nodes - 1))); do
    {
        "${DISTRUN:-build/bin/distrun}" -n "$ranks" --nodes "$nodes" --node "$node" --at "127.0.0.1:$port" "$@"
        echo "status $?"
    } >"$folder/$node" 2>&1 </dev/null &
done
"${DISTRUN:-build/bin/distrun}" -n "$ranks" --nodes "$nodes" --node 0 --at "127.0.0.1:$port" "$@"
status=$?
wait
[ "$keep" ] && mkdir -p "$keep" && cp "$folder"/* "$keep"
rm -rf "$folder"
exit $status
