#!/bin/bash
# hosts.sh [-n HOSTS] [-r RATE[,RATE...]] [-d DELAY] [-b FOLDER]... COMMAND...: a cluster on one machine, made of namespaces.
#
# COMMAND runs on the switch, from which the hosts h0, h1, ... are reached, and when it ends everything is gone, with its exit status:
#
#   on HOST COMMAND...   runs there; with HOST "all": on one after another
#   agent HOST LINE      the same as ssh would: for mpirun's plm_rsh_agent (Open MPI) and -launcher-exec (MPICH)
#   cut HOST, mend HOST  pull its cable, and put it back
#
# A host has a network, /tmp, /dev/shm, name, processes and boot id of its own; the repository is the same everywhere. Host i is
# 10.77.0.(i+1), the switch 10.77.0.254. A rate (1gbit, 100mbit; the last one stands for all further hosts) and a delay (100us, 1ms:
# of each message, one way) are made by build/tests/tools/switch; without them the cables are as fast as this machine. -b FOLDER: another folder
# under /tmp that all hosts see.
#
# Exit status 77: this system does not let us, and why. Works as root, and as an ordinary user where user namespaces are allowed.

network=10.77.0
home=/tmp/.hosts # on the switch: what the commands above need to know
here=$(realpath "$0")
root=$(dirname "$(dirname "$(dirname "$here")")")

# give_up STATUS SENTENCE
give_up()
{
    echo "hosts.sh: $2" >&2
    exit "$1"
}

usage()
{
    sed -n '2s/^# //p' "$here" >&2
    exit 2
}

# ---- commands on the switch --------------------------------------------------------------------------------------

# Process 1 of a host is a child of the process that $home/NAME names.
enter()
{
    local from=$PWD pid
    pid=$(cat "$home/$1" 2>/dev/null) || give_up 2 "there is no host $1, or this is not the switch"
    shift
    exec nsenter --net="/proc/$pid/ns/net" --mount="/proc/$pid/ns/mnt" --uts="/proc/$pid/ns/uts" --ipc="/proc/$pid/ns/ipc" \
        --pid="/proc/$pid/ns/pid_for_children" /bin/sh -c 'cd "$1" 2>/dev/null || cd /; shift; exec "$@"' sh "$from" "$@"
}

cable()
{
    [ -e "$home/$2" ] || give_up 2 "there is no host $2, or this is not the switch"
    if [ -p $home/orders ]; then
        echo "$1 ${2#h}" >$home/orders
    else
        case $1 in cut) ip link set "v${2#h}" down ;; mend) ip link set "v${2#h}" up ;; esac
    fi
}

case $(basename "$0") in
on)
    [ $# -ge 2 ] || give_up 2 "on HOST COMMAND..."
    [ "$1" = all ] || enter "$@"
    shift
    for host in $HOSTS; do
        (enter "$host" "$@") || exit
    done
    exit
    ;;
agent)
    while [ "${1#-}" != "$1" ]; do shift; done
    host=$1
    shift
    enter "$host" /bin/sh -c "$*"
    ;;
cut | mend) cable "$(basename "$0")" "$1"; exit ;;
esac

# ---- a namespace's own files -----------------------------------------------------------------------------------------

# own_files NAME FOLDER...: what every host has for itself. FOLDERs under /tmp stay to be seen.
own_files()
{
    local name=$1 folder word
    shift
    hostname "$name" && mount -t tmpfs tmpfs /dev/shm || return
    for folder in "$@"; do
        case $folder in
        /tmp/*)
            mkdir -p "/dev/shm/${folder#/tmp/}" && mount --rbind "$folder" "/dev/shm/${folder#/tmp/}" || return
            ;;
        esac
    done
    chmod 1777 /dev/shm && mount --rbind /dev/shm /tmp && mount -t tmpfs -o mode=1777 tmpfs /dev/shm && mkdir -p $home/bin || return
    for word in on agent cut mend; do ln -s "$here" "$home/bin/$word"; done # (on hosts too: Open MPI's daemon looks whether agent is there)
    { mount -t sysfs sysfs /sys || mount --rbind /sys /sys; } 2>/dev/null # (the links of this network)
    printf '127.0.0.1 localhost\n' >$home/hosts
    for i in $(seq 0 $((count - 1))); do
        echo "$network.$((i + 1)) h$i" >>$home/hosts
    done
    echo "$network.254 switch" >>$home/hosts
    cat /proc/sys/kernel/random/uuid >$home/boot_id
    mount --bind $home/hosts /etc/hosts && mount --bind $home/boot_id /proc/sys/kernel/random/boot_id && ip link set lo up
}

# Process 1 of a host: it says that it is ready, or what it could not do, and then reaps.
host()
{
    local number=$1
    shift
    trap '' INT QUIT TERM
    if own_files "h$number" "$@" && come_up eth0 $((number + 1)); then
        echo ready >&9
    else
        echo "host h$number cannot be set up" >&9
    fi
    exec 9>&-
    while :; do sleep 1000 & wait; done
}

# Its address, when the switch has laid the cable: come_up LINK LAST
come_up()
{
    until ip link show "$1" >/dev/null 2>&1; do sleep 0.01; done
    steady net/ipv4/tcp_congestion_control reno # without losses its window only grows; cubic's stops early where a delay does
    steady net/ipv4/tcp_no_metrics_save 1
    steady net/ipv4/tcp_slow_start_after_idle 0
    steady net/ipv6/conf/all/disable_ipv6 1
    ip address add "$network.$2/24" dev "$1" && ip link set "$1" up
}

# So that the same message takes the same time; a kernel without this is as good. steady SETTING VALUE
steady()
{
    echo "$2" 2>/dev/null >"/proc/sys/$1" || true
}

# ---- the switch ---------------------------------------------------------------------------------------------------------

# Its processes' numbers are of the namespace that is left by `unshare --fork`: so here they can be entered.
start_hosts()
{
    local i
    for i in $(seq 0 $((count - 1))); do
        HOSTS_STAGE=host unshare --mount --net --pid --uts --ipc --fork --kill-child=KILL --mount-proc "$here" "$i" "$@" </dev/null &
        echo $! >"$home/h$i"
    done
    for i in $(seq 0 $((count - 1))); do
        until [ "$(readlink "/proc/$(cat $home/h$i)/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.005; done
    done
}

# Cables that are as fast as the machine: veth pairs on a bridge. With a rate or a delay: TAP devices, and a program between them.
lay_cables()
{
    local i
    if [ "$rate$delay" ]; then
        mkfifo $home/orders && exec 8<>$home/orders
        "$root/build/tests/tools/switch" "$count" "${rate:-0}" "${delay:-0}" <&8 >&9 2>&9 9>&- 8>&- &
        read -r -t 10 word <&9 && [ "$word" = ready ] || give_up "$([[ $word == *written* ]] && echo 2 || echo 77)" "$word"
        for i in $(seq 0 $((count - 1))); do
            ip link set "tap$i" netns "$(cat $home/h$i)" name eth0 || return
        done
        ip link set "tap$count" name eth0
    else
        ip link add eth0 type bridge || give_up 77 "this kernel has no bridge (ip link add eth0 type bridge)"
        for i in $(seq 0 $((count - 1))); do
            ip link add "v$i" type veth peer name eth0 netns "$(cat $home/h$i)" && ip link set "v$i" master eth0 up || return
        done
    fi
}

switch()
{
    local i word
    own_files switch "$@" || give_up 77 "a namespace does not get its own /tmp, /dev/shm and /sys"
    mkfifo $home/ready && exec 9<>$home/ready
    start_hosts "$@"
    lay_cables && come_up eth0 254 || give_up 1 "the cables cannot be laid"
    for i in $(seq 0 $((count - 1))); do
        read -r -t 20 word <&9 || word="the hosts do not come up within 20 s"
        [ "$word" = ready ] || give_up 77 "$word"
    done
    exec 9>&-
}

case $HOSTS_STAGE in
host)
    unset HOSTS_STAGE
    host "$@"
    ;;
switch)
    unset HOSTS_STAGE
    IFS=: read -r -a folders <<<"$HOSTS_SEEN"
    switch "${folders[@]}"
    unset count rate delay HOSTS_SEEN TMPDIR
    HOSTS=$(cd $home && echo h[0-9]*) PATH=$home/bin:$PATH env --default-signal=INT,QUIT "$@" 8>&-
    exit
    ;;
esac

# ---- from outside -----------------------------------------------------------------------------------------------------------

count=3 rate= delay=
HOSTS_SEEN=$root
while getopts n:r:d:b: option; do
    case $option in
    n) count=$OPTARG ;;
    r) rate=$OPTARG ;;
    d) delay=$OPTARG ;;
    b) HOSTS_SEEN=$HOSTS_SEEN:$(realpath "$OPTARG") ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
[ "$count" -ge 1 ] 2>/dev/null && [ "$count" -le 64 ] || give_up 2 "-n $count: a number of hosts, 1 to 64"
for tool in ip unshare nsenter setpriv; do
    command -v $tool >/dev/null || give_up 77 "$tool is missing (Debian: iproute2 util-linux)"
done

spaces="--mount --net --pid --uts --ipc --fork"
why=$(unshare $spaces true 2>&1) || {
    spaces="--user --map-root-user $spaces"
    why=$(unshare $spaces true 2>&1) || give_up 77 "this system does not let us make namespaces ($why)"
}

# Killed, whoever is killed, and with everything inside. (In the background, so that signals are heard while it runs.)
export count rate delay HOSTS_SEEN
HOSTS_STAGE=switch setpriv --pdeathsig KILL unshare $spaces --kill-child=KILL --mount-proc "$here" "$@" <&0 &
inside=$!
for signal in INT TERM HUP; do
    trap "kill -KILL $inside; wait $inside 2>/dev/null; trap - $signal; kill -$signal \$\$" $signal
done
wait $inside
