#!/bin/bash
# hosts_test.sh quick|all: is the cluster of hosts.sh one, and what do the chapters print over it?
# No time is compared but with a lower bound: a cable may be slower than it should, never faster.

. tests/tools/count.sh

hosts=tests/tools/hosts.sh
work=build/results/hosts
rm -rf $work && mkdir -p $work

# expect NAME COMMAND...: it ends with 0
expect()
{
    local name=$1
    shift
    if "$@" >$work/say 2>&1 </dev/null; then
        pass "hosts: $name"
    else
        fail "hosts: $name"
        tail -n 20 $work/say | sed 's/^/    /'
    fi
}

# expect_words STATUS WORDS COMMAND...: bad input is told in one sentence
expect_words()
{
    local wanted=$1 words=$2 status
    shift 2
    timeout 60 "$@" >$work/say 2>&1 </dev/null
    status=$?
    if [ $status -eq "$wanted" ] && grep -qF -e "$words" $work/say && [ "$(wc -l <$work/say)" -eq 1 ]; then
        pass "hosts: $words"
    else
        fail "hosts: status $status, not $wanted and \"$words\": $(cat $work/say)"
    fi
}

# Every host has a name, a boot id, /dev/shm, /tmp and processes of its own, knows the others by name, and sees this folder.
apart()
{
    $hosts -n 3 bash -ec '
        touch /dev/shm/switch /tmp/switch
        for h in $HOSTS; do
            on $h bash -ec "[ \$(hostname) = $h ]; [ \$(ls /dev/shm | wc -l) = 0 ]; [ ! -e /tmp/switch ]; cat /proc/sys/kernel/random/boot_id
                [ \$(ps ax -o pid= | wc -l) -lt 10 ]; [ -x $PWD/tests/tools/hosts.sh ]; grep -q h2 /etc/hosts; ls /sys/class/net | grep -q eth0"
        done >'"$work"'/ids
        [ $(sort -u '"$work"'/ids | wc -l) = 3 ]'
}

# On the switch: somebody at h1 answers; knock: does it?
talk='
    ping='"$PWD"'/build/tests/tools/tcp_ping
    exec 3< <(exec on h1 $ping listen)
    read -r word <&3
    knock() { on h0 $ping h1 "${1:-8}" "${2:-1}" "${3:-500}"; }'

# A cable that is cut carries nothing, and mended it does again: by the bridge, and by the switch with a delay.
cable()
{
    $hosts -n 2 $1 bash -c "$talk"'
        knock 8 1 20000 || exit 1
        cut h1
        if knock; then echo "a message came over a cable that was cut"; exit 1; fi
        mend h1
        for i in $(seq 50); do knock && exit 0; done
        echo "a mended cable carries nothing"
        exit 1'
}

# at_least US BYTES OPTIONS...: that is what a message takes, if not more
at_least()
{
    local least=$1 bytes=$2
    shift 2
    $hosts -n 2 "$@" bash -c "$talk"'
        took=$(knock '$bytes' 5 20000) || exit 1
        echo "$took us, where '$least' is the least"
        awk -v took=$took "BEGIN { exit took < '$least' }"'
}

# As Debian writes it into /etc/hosts: a machine's own name is an address that nobody else comes to.
own_name()
{
    $hosts -n 2 bash -ec '
        said=$(on h0 unshare --mount bash -ec "echo 127.0.1.1 h0 >/tmp/hosts; mount --bind /tmp/hosts /etc/hosts
            '"$1"' 2>&1") && exit 1
        tr "\n" " " <<<"$said" | tr -s " " | grep -F -e "h0 is 127.0.1.1 to this machine itself" | grep -F -e "'"$2"'" || { echo "$said"; exit 1; }'
}

# Nothing is left, whoever is killed. (Under nohup a shell could not even ask for SIGHUP.)
killed()
{
    local pid mark=4$RANDOM
    : >$work/up
    env --default-signal=HUP $hosts -n 2 $2 bash -c "on h0 sleep $mark & on h1 sh -c 'trap \"\" TERM INT HUP; echo up; while :; do sleep $mark; done'" >$work/up 2>&1 &
    pid=$!
    for _ in $(seq 200); do grep -q up $work/up && break; sleep 0.1; done
    grep -q up $work/up || { cat $work/up; return 1; }
    kill -"$1" $pid
    for _ in $(seq 100); do
        ps ax -o args= | grep -q "^sleep $mark" || return 0
        sleep 0.1
    done
    ps ax -o pid=,args= | grep -e "$mark"
    return 1
}

why=$($hosts -n 2 true 2>&1)
if [ $? -eq 77 ]; then
    skip "the cluster of namespaces: $why"
    exit 0
fi

quick()
{
    expect "each is apart" apart
    expect "a cable is cut and mended" cable
    for signal in KILL TERM HUP; do expect "nothing is left after SIG$signal" killed $signal; done
    expect_words 2 "there is no host h9" $hosts -n 2 on h9 true
    expect_words 2 "a number of hosts, 1 to 64" $hosts -n 0 true
    for n in 0 abc; do expect_words 2 "N is \"$n\"; it must be a whole number from 1 on" env N=$n tests/tools/cluster.sh build/chapters/02_send_recv_chain/chain; done
    expect_words 2 'RUNS is "abc"' tests/tools/nodes_faults.sh abc
    expect_words 2 'ONLY is "cable"; there are' env ONLY=cable tests/tools/nodes_faults.sh 1
    if [ -e build/plugins/dist-gloo.so ]; then
        export BACKEND=gloo
        expect "node 0 is called 127.0.1.1" own_name "build/bin/distrun -n 2 --nodes 2 --node 0 --at h0:29500 true" "name its address"
        expect "rank 0 is called 127.0.1.1" own_name "RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=h0 MASTER_PORT=29500 \
            DIST_SECRET=000102030405060708090a0b0c0d0e0f build/tests/programs/plain" "torchrun: --local-addr"
        unset BACKEND
    fi
    $hosts -n 2 -d 1ms true >$work/say 2>&1
    if [ $? -eq 77 ]; then
        skip "rates and delays: $(cat $work/say)"
    else
        expect "the switch's cable is cut and mended" cable "-d 100us"
        expect "a delay of 3 ms" at_least 3000 8 -d 3ms
        expect "64 KiB at 10 Mbit/s" at_least 26214 65536 -r 10mbit # (half of its time: it comes back while it still goes)
        expect_words 2 "a rate is written 1gbit" $hosts -r fast true
        expect_words 2 "a delay is written 100us" $hosts -d 1 true
    fi
}

if [ "$1" != all ]; then
    quick
    exit
fi

# over ENGINE PROGRAM...: do they print over three hosts what they print on one?
over()
{
    local engine=$1 plugin=$1
    shift
    case $engine in mpi) plugin=mpich ;; torchrun) plugin=gloo ;; esac
    if [ -e build/plugins/dist-$plugin.so ]; then
        OUTPUT_MODES=processes OUTPUT_SIZES=4 RUN="tests/tools/on_hosts.sh $engine" $hosts -n 3 tests/tools/outputs.sh "$@"
    else
        skip "chapters over hosts, by $engine: it is not here"
    fi
}

programs()
{
    find "$@" -type f -perm -100 | sort
}

chapters=build/chapters
right=$(programs $chapters/02_* $chapters/03_* $chapters/05_* $chapters/09_*/two_levels $chapters/11_*/grid)
over openmpi $right
over mpich $right
over gloo $right $(programs $chapters/06_* $chapters/09_*/crossed_groups)
over mpi $(programs $chapters/06_*)
over torchrun $(programs $chapters/02_* $chapters/06_*)

# What two ranks of a host have for each other does not go through its network (lo), or all of it, as DIST_FLAT=1 asks.
short_way()
{
    $hosts -n 3 bash -ec '
        lo() { on h0 awk "\$1 == \"lo:\" { print \$2 }" /proc/net/dev; }
        travels()
        {
            local before
            before=$(lo)
            DIST_FLAT=$1 WORLD_SIZE=6 tests/tools/on_hosts.sh gloo build/tests/programs/rounds 4 3
            echo "flat $1: $(($(lo) - before)) bytes through h0"
            through=$(($(lo) - before))
        }
        travels 0
        [ $through -lt 1000000 ]
        travels 1
        [ $through -gt 10000000 ]'
}
if [ -e build/plugins/dist-gloo.so ]; then
    expect "ranks of a host share its memory" short_way
else
    skip "ranks of a host share its memory: Gloo is not here"
fi

# The table of chapter 13's lesson is what its program prints, but for the numbers.
shapes()
{
    sed -E -e '/^$/d' -e '/^====/d' -e 's/[0-9]+(\.[0-9]+)?/#/g' -e 's/ +/ /g' "$1" | sort -u
}
HOSTS=2 N=4 tests/tools/cluster.sh $chapters/13_scale/measured >$work/measured 2>&1
if [ "$(shapes $work/measured)" = "$(shapes chapters/13_scale/recorded/measured.txt)" ]; then
    pass "hosts: the table of chapter 13"
else
    fail "hosts: chapters/13_scale/recorded/measured.txt is not what measured prints: $(cat $work/measured)"
fi
if HOSTS=3 N=4 tests/tools/cluster.sh $chapters/13_scale/measured >$work/measured 2>&1; then
    fail "hosts: measured runs with 4 ranks on 3 hosts: $(cat $work/measured)"
elif grep -q 'measured needs 2 ranks on each host' $work/measured && grep -q '^exit status 2' $work/measured; then
    pass "hosts: chapter 13 says that its hosts have not two ranks each"
else
    fail "hosts: measured with 4 ranks on 3 hosts says: $(cat $work/measured)"
fi
