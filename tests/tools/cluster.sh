#!/bin/sh
# cluster.sh PROGRAM...: what `make cluster-NN` does: run a chapter's programs on hosts made of namespaces (hosts.sh, on_hosts.sh).
# HOSTS (3), N ranks (4), RATE and DELAY of the cables; BACKEND mpi or gloo, started by distrun, or an MPI by its name, by its mpirun:
# openmpi, mpich.

has()
{
    [ -e "build/plugins/dist-$1.so" ]
}

. tests/tools/whole_number.sh
whole_number N "$N"
[ "${N:-4}" -le 1024 ] || { echo "N is $N; a job has 1024 ranks at most" >&2; exit 2; }

engine=$BACKEND
case $engine in
mpi) has mpich || engine=openmpi ;; # distrun starts MPICH's ranks only
'') for engine in openmpi mpich gloo; do has $engine && break; done ;;
openmpi | mpich | gloo) ;;
*)
    echo "BACKEND=$engine does not join machines; here it is mpi (or openmpi, mpich) or gloo" >&2
    exit 2
    ;;
esac
[ "$engine" = mpi ] || has $engine || { echo "the library's part for $engine is not built; \`make doctor\` says what to install" >&2; exit 2; }

# Whoever starts jobs of its own has no place under a launcher.
for program; do
    shift
    case $program in
    */10_data_parallel/checkpoint | */13_scale/survives) echo "$program is left out: it starts its ranks itself" ;;
    *) set -- "$@" "$program" ;;
    esac
done
[ $# -gt 0 ] || exit 2

# A start is some 25 messages there and back over Gloo, 45 under mpirun.mpich, 75 under mpirun.openmpi.
case $DELAY in
[0-9][0-9][0-9]*ms | [0-9]*[0-9]s | [1-9]s) echo "with DELAY=$DELAY each program needs 25 to 75 times that long to start" >&2 ;;
esac

# A host's /tmp ends with it. A report is for whoever reads it afterwards.
DIST_REPORT=${DIST_REPORT:-$PWD/build/deadlock.json}
export DIST_REPORT

WORLD_SIZE=${N:-4} RUN="tests/tools/on_hosts.sh $engine" exec tests/tools/hosts.sh -n "${HOSTS:-3}" \
    ${RATE:+-r "$RATE"} ${DELAY:+-d "$DELAY"} tests/tools/run.sh "$@"
