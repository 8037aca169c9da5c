#!/bin/bash
# hosts.sh: make bench ROWS=hosts: our backends mpi and gloo over several hosts, beside the same engine called directly.
#
# The hosts are made of namespaces (tests/tools/hosts.sh), their cables once as fast as this machine, once of 1 Gbit/s with a delay of 100 us. A
# row's candidates run one right after the other, ROUNDS (5) times, and a ratio is taken of such neighbours only; the table shows medians.
#
#   gloo       ours: by distrun --nodes; direct: bench_gloo, a process for each rank
#   mpich      ours: by distrun --nodes; direct: bench_mpich, by its mpirun
#   openmpi    both by its mpirun
#
# Called by bench.sh; it calls itself on the switch of the hosts.

here=build/tests/bench
out=$PWD/build/bench
on_hosts=tests/tools/on_hosts.sh
export UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 # MPICH's: else it may find that all hosts are one machine

# What bench_gloo has in place of a launcher: ranks in blocks, on h0, h1, ...; they meet in a folder.
gloo_directly()
{
    local ranks=$1 host rank hosts status=0 folder pids=()
    shift
    read -r -a hosts <<<"$HOSTS"
    [ "$ranks" -ge ${#hosts[@]} ] || hosts=("${hosts[@]:0:ranks}")
    folder=$(mktemp -d "$out/gloo.XXXXXX")
    rank=0
    for host in "${!hosts[@]}"; do
        for _ in $(seq $((ranks / ${#hosts[@]} + (host < ranks % ${#hosts[@]})))); do
            on "${hosts[host]}" env BENCH_RANK=$rank BENCH_FOLDER="$folder" BENCH_ADDRESS=10.77.0.$((host + 1)) WORLD_SIZE="$ranks" \
                $here/bench_gloo "$@" &
            pids+=($!)
            rank=$((rank + 1))
        done
    done
    for rank in "${pids[@]}"; do wait "$rank" || status=1; done
    rm -rf "$folder"
    return $status
}

# run WHO ENGINE RANKS CASE BYTES
run()
{
    local ranks=$3 launcher=$2
    case $1-$2 in
    direct-gloo) gloo_directly "$ranks" "$4" "$5" ;;
    direct-mpich) (
        [ "$4" != all_reduce ] || export UCX_RNDV_THRESH=inf # six ranks that spin on two cores never end a rendezvous
        WORLD_SIZE=$ranks $on_hosts mpich $here/bench_mpich "$4" "$5"
    ) ;;
    direct-*) WORLD_SIZE=$ranks $on_hosts "$2" $here/bench_"$2" "$4" "$5" ;;
    ours-*)
        [ "$launcher" = mpich ] && launcher=mpi
        WORLD_SIZE=$ranks DIST_OUTPUT=ordered $on_hosts "$launcher" $here/bench_dist "$4" "$5"
        ;;
    esac
}

# finish JOB SECONDS: waits for it, then ends it: is its status 0? (MPICH's MPI_Finalize may hang when the value is there.)
finish()
{
    local i
    for i in $(seq $(($2 * 10))); do
        kill -0 "$1" 2>/dev/null || break
        sleep 0.1
    done
    kill "$1" 2>/dev/null
    wait "$1"
}

# value WHO ENGINE RANKS CASE BYTES: of one measurement; nothing, where it failed, and why in $out/why. That of start is taken from outside, in ms.
value()
{
    local began=${EPOCHREALTIME/./} said status longest=${LONGEST:-30}
    exec 7< <(exec timeout -k 5 "$longest" "$0" one "$@" 2>"$out/complained" </dev/null)
    if [ "$4" = start ]; then
        cat <&7 >/dev/null
        wait $!
        status=$?
        said=$(((${EPOCHREALTIME/./} - began) / 1000))
    else
        said=$(awk '!/^#/ && $5 == "us" { print $4; exit }' <&7)
        finish $! 2
        status=$?
        [ -z "$said" ] || status=0
    fi
    exec 7<&-
    case $status in
    0) echo "$said" ;;
    124) echo "$1 did not end within $longest s" >"$out/why" ;;
    *) echo "$1 ended with $status: $(head -n 1 "$out/complained")" >"$out/why" ;;
    esac
}

# steady WHO ...: a value, of two tries if need be
steady()
{
    local said try
    for try in 1 2; do
        said=$(value "$@")
        [ -z "$said" ] || break
    done
    echo "$said"
}

# row ENGINE CASE RANKS BYTES MOST: the medians, their ratio, and what it should be at most
row()
{
    local engine=$1 name=$2 ranks=$3 bytes=$4 most=$5 round ours direct
    : >"$out/pairs"
    for round in $(seq "${ROUNDS:-5}"); do
        ours=$(steady ours "$engine" "$ranks" "$name" "$bytes")
        direct=$(steady direct "$engine" "$ranks" "$name" "$bytes")
        if [ -z "$ours" ] || [ -z "$direct" ]; then
            echo "LEFT OUT: $name, $engine: $(cat "$out/why")"
            return
        fi
        echo "$ours $direct" >>"$out/pairs"
    done
    awk -v engine="$engine" -v name="$name" -v ranks="$ranks" -v bytes="$bytes" -v most="$most" -v links="$links" '
        function median(a, n,   i, k, x) {
            for (i = 2; i <= n; i++) { x = a[i]; for (k = i - 1; k && a[k] > x; k--) a[k + 1] = a[k]; a[k + 1] = x }
            return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
        }
        { o[NR] = $1; d[NR] = $2; r[NR] = $1 / $2 }
        END {
            ratio = median(r, NR)
            verdict = most == "-" ? "" : ratio <= most ? "yes" : "NO"
            printf "%-8s %-10s %-11s %5s %8s %10.5g %10.5g %7.2f %6s %s\n", links, engine, name, ranks, bytes, median(o, NR), median(d, NR),
                ratio, most, verdict
        }' "$out/pairs"
}

# All rows of one kind of cable.
rows()
{
    local engine small=1.0 large=1.0
    [ "$links" = 1gbit ] && small=0.7 large=0.7
    for engine in $peers; do
        row "$engine" ping-pong 2 8 1.15
        row "$engine" ping-pong 2 1048576 1.05
        row "$engine" window 2 8 1.0
        row "$engine" exchange 2 8 -
        row "$engine" all_reduce 6 4096 $small
        row "$engine" all_reduce 6 4194304 $large
        [ "$links" != fast ] || row "$engine" start 6 4 "$([ "$engine" = gloo ] && echo - || echo 1.0)"
    done
}


case $1 in
one) shift; run "$@"; exit ;;
rows) rows; exit ;;
esac

why=$(tests/tools/hosts.sh -n 2 true 2>&1) || { echo "LEFT OUT: rows over hosts: $why"; exit 0; }
printf '%-8s %-10s %-11s %5s %8s %10s %10s %7s %6s\n' cables engine case ranks bytes ours direct ratio most
links=fast tests/tools/hosts.sh -n 3 "$0" rows
why=$(tests/tools/hosts.sh -n 2 -r 1gbit -d 100us true 2>&1) || { echo "LEFT OUT: cables of 1 Gbit/s: $why"; exit 0; }
links=1gbit tests/tools/hosts.sh -n 3 -r 1gbit -d 100us "$0" rows
