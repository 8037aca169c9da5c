#!/bin/bash
# on_hosts.sh ENGINE PROGRAM...: run WORLD_SIZE ranks of a program over the hosts of hosts.sh, from its switch.
# ENGINE: openmpi or mpich, by their mpirun; gloo, or mpi (MPICH), by a distrun on each host; torchrun: Gloo, started as torchrun does.
# Ranks are dealt out in blocks: 7 on 3 hosts are 3, 2 and 2.
#
# DIST_OUTPUT=ordered: what the ranks print comes rank by rank, as from our own launcher.

. "$(dirname "$0")/whole_number.sh"
whole_number WORLD_SIZE "$WORLD_SIZE"
[ "$HOSTS" ] || { echo "on_hosts.sh: this is not the switch of tests/tools/hosts.sh" >&2; exit 2; }
engine=$1 ranks=${WORLD_SIZE:-4}
shift
export WORLD_SIZE=$ranks
read -r -a hosts <<<"$HOSTS"
[ "$ranks" -ge ${#hosts[@]} ] || hosts=("${hosts[@]:0:ranks}")

places= # h0:3,h1:2,h2:2
for i in "${!hosts[@]}"; do
    places=$places${places:+,}${hosts[i]}:$((ranks / ${#hosts[@]} + (i < ranks % ${#hosts[@]})))
done

# Each rank into a file of its own, and the files one after another.
ordered()
{
    local folder=$PWD/build/on_hosts.$$ status
    rm -rf "$folder" && mkdir -p "$folder" || exit 2
    "${start[@]}" /bin/sh -c 'exec "$@" >'"$folder"'/${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$RANK}}' sh "$@"
    status=$?
    (cd "$folder" && ls | sort -n | xargs -r cat)
    rm -rf "$folder"
    exit $status
}

# Its sockets stay in the cluster's network: there is no other. A rank that waits gives way: there are more ranks than cores. And up to
# 1 MB sets out with its announcement, as far as it goes.
under_openmpi()
{
    local name net=10.77.0.0/24
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    start=(mpirun.openmpi --bind-to none --mca mpi_yield_when_idle 1 --mca plm_rsh_agent agent --mca plm_rsh_no_tree_spawn 1
        --mca oob_tcp_if_include $net --mca btl self,vader,tcp --mca btl_tcp_if_include $net
        --mca btl_tcp_eager_limit 1000000 --mca btl_tcp_max_send_size 1000000 -H "$places" -n "$ranks")
    exec 2> >(grep --line-buffered -v 'plm:rsh: Warning: setpgid' >&2) # (its agent was faster than it)
    for name in $(compgen -e | grep -E '^(DIST_|BACKEND$|DEVICE$|TEST_|EXAM_BOARD$|WORLD_SIZE$)'); do start+=(-x "$name"); done
}

# What the launchers of the other hosts say on their own terminals comes when all have ended, without the line that node 0 tells why.
on_all_by_distrun()
{
    local i pids=() status=0 said
    said=$(mktemp)
    exec 3>&2
    DIST_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    export DIST_SECRET
    for i in "${!hosts[@]}"; do
        [ "$i" = 0 ] || exec 2>>"$said" # (from here on)
        on "${hosts[i]}" build/bin/distrun -n "$ranks" --nodes ${#hosts[@]} --node "$i" --at "${hosts[0]}:29500" "$@" 3>&- &
        pids+=($!)
    done
    for i in "${!pids[@]}"; do
        wait "${pids[i]}"
        status=$((status ? status : $?))
    done
    grep -v '^distrun: the job has ended with .* tells why' "$said" >&3
    rm -f "$said"
    exit $status
}

# What torchrun sets, on each host. It ends with the status of a rank that knows why, sooner than with that of one that lost it (43).
as_torchrun()
{
    local i from=0 count pids=() status=0
    export MASTER_ADDR=${hosts[0]} MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none TORCHELASTIC_RESTART_COUNT=0
    export DIST_SECRET=${DIST_SECRET-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
    for i in "${!hosts[@]}"; do
        count=${places#*"${hosts[i]}":}
        count=${count%%,*}
        on "${hosts[i]}" env LOCAL_WORLD_SIZE="$count" bash -c '
            status=0 from=$1
            shift
            for ((i = 0; i < LOCAL_WORLD_SIZE; i++)); do
                LOCAL_RANK=$i RANK=$((from + i)) "$@" &
                pids[i]=$!
            done
            for pid in ${pids[@]}; do wait $pid || status=$((status && status != 43 ? status : $?)); done
            exit $status' bash $from "$@" &
        pids+=($!)
        from=$((from + count))
    done
    for i in "${pids[@]}"; do
        wait "$i" || status=$((status && status != 43 ? status : $?))
    done
    return $status
}

export BACKEND=mpi
case $engine in
torchrun) BACKEND=gloo start=(as_torchrun) ;;
openmpi) under_openmpi ;;
mpich) start=(mpirun.mpich -launcher ssh -launcher-exec "$(command -v agent)" -hosts "$places" -n "$ranks") ;;
gloo | mpi) BACKEND=$engine; on_all_by_distrun "$@" ;;
*)
    echo "on_hosts.sh: there is no engine $engine; it is openmpi, mpich, mpi, gloo or torchrun" >&2
    exit 2
    ;;
esac
[ "$DIST_OUTPUT" = ordered ] && ordered "$@"
[ "$engine" = torchrun ] && { as_torchrun "$@"; exit; }
exec "${start[@]}" "$@"
