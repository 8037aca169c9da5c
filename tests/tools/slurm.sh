#!/bin/bash
# slurm.sh COMMAND...: run it where Slurm manages the hosts of hosts.sh: from their switch, on which srun, squeue and scancel then work.
# Called by itself it makes three hosts first. When COMMAND ends, so does Slurm.
#
# Each host has a munged and a slurmd of its own, with their files in its own /tmp; slurmctld is on the switch. What all read (slurm.conf,
# munge's key) is in the folder $SLURM_FOLDER of the repository, which all hosts see, and which is removed at the end.
#
# Exit status 77: this system does not let us, and why. Slurm's daemons start processes as any user: they want to be root.

give_up()
{
    echo "slurm.sh: $2" >&2
    exit "$1"
}

[ $# -ge 1 ] || give_up 2 "slurm.sh COMMAND..."
PATH=$PATH:/usr/sbin:/sbin
for tool in munged slurmctld slurmd srun; do
    command -v $tool >/dev/null || give_up 77 "$tool is missing; on Debian: apt-get install -y slurm-wlm munge"
done
[ "$(id -u)" = 0 ] || give_up 77 "Slurm's daemons want to be root; run this as root"
[[ $HOSTS == h0* ]] || exec tests/tools/hosts.sh -n 3 "$0" "$@"

folder=$PWD/build/slurm.$$
own=/tmp/slurm # on each host, and on the switch
daemons=()

# What slurm.conf says. Four processors each, whatever the machine has; nothing of cgroups, which namespaces may not have.
settings()
{
    local host
    cat <<END
ClusterName=hosts
SlurmctldHost=switch
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$own/munge.socket
StateSaveLocation=$own/state
SlurmdSpoolDir=$own/spool
SlurmctldPidFile=$own/slurmctld.pid
SlurmdPidFile=$own/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
MpiDefault=none
SwitchType=switch/none
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:8 State=UP
END
    for host in $HOSTS; do echo "NodeName=$host CPUs=4 State=UNKNOWN"; done
}

# begin HOST DAEMON...: munged, and then this one, on that host; "": on the switch
begin()
{
    local host=$1 name=${1:-switch}
    shift
    ${host:+on "$host"} /bin/sh -c 'own=$1 key=$2 log=$3
        shift 3
        mkdir -p -m 755 $own $own/state $own/spool && cp $key $own/munge.key && chmod 400 $own/munge.key || exit
        munged --force --num-threads 2 --key-file $own/munge.key --socket $own/munge.socket --pid-file $own/munge.pid \
            --log-file $own/munge.log --seed-file $own/munge.seed >>$log 2>&1
        exec "$@" >>$log 2>&1' sh $own "$folder/munge.key" "$folder/$name.log" "$@" </dev/null &
    daemons+=($!)
}

all_are_idle()
{
    for _ in $(seq 300); do
        [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -w)" = "$(wc -w <<<"$HOSTS")" ] && return
        sleep 0.1
    done
    sed 's/^/    /' "$folder"/*.log >&2
    sinfo -N -l >&2
    give_up 1 "Slurm's hosts are not ready within 30 s"
}

# Slurmd's jobs end with scancel; what is left of all this goes with the hosts.
trap 'scancel -u root 2>/dev/null; kill "${daemons[@]}" 2>/dev/null; wait "${daemons[@]}" 2>/dev/null
    kill $(cat $own/munge.pid) 2>/dev/null; rm -rf "$folder"' EXIT
mkdir -p "$folder"
export SLURM_FOLDER=$folder SLURM_CONF=$folder/slurm.conf
settings >"$SLURM_CONF"
printf "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n" >"$folder/cgroup.conf"
(umask 077 && head -c 128 /dev/urandom >"$folder/munge.key")
begin "" slurmctld -D
for host in $HOSTS; do begin "$host" slurmd -D; done
all_are_idle
"$@"
