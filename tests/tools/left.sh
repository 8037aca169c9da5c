# left.sh: which processes of a program are there? To be read by other scripts.

# left PROGRAM: their numbers. They are asked for in this folder's name: other jobs of this machine are none of ours.
left()
{
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" = "$PWD/$1" ] && echo "${process#/proc/}"
    done
}

# What mpirun has started on the hosts to start the ranks.
mpiruns()
{
    local process
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/exe") == */@(orted|prted|hydra_pmi_proxy) ]] && echo "${process#/proc/}"
    done
}
