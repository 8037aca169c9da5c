# table.awk: lines "round who name ranks bytes microseconds" as a table with ratios.

{
    key = $3 " " $4 " " $5
    time[key, $2, $1] = $6
    if (!(key in seen)) {
        seen[key] = 1
        order[++keys] = key
    }
    if ($1 > rounds) rounds = $1
}

# The median of values[1..n]; n is small.
function median(n,    i, j, t) {
    if (!n) return ""
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
            t = values[j]
            values[j] = values[j - 1]
            values[j - 1] = t
        }
    return values[int((n + 1) / 2)]
}

function median_time(key, who,    r, n) {
    for (r = 1; r <= rounds; r++)
        if ((key, who, r) in time) values[++n] = time[key, who, r]
    return median(n)
}

function median_ratio(key, who,    r, n) {
    for (r = 1; r <= rounds; r++)
        if ((key, "ours", r) in time && time[key, who, r] > 0) values[++n] = time[key, "ours", r] / time[key, who, r]
    n = median(n)
    return n == "" ? "" : sprintf("%.2fx", n)
}

# Microseconds with a unit that reads well.
function show(us) {
    if (us == "") return "-"
    if (us < 1000) return sprintf(us < 10 ? "%.2f us" : "%.1f us", us)
    return sprintf("%.2f ms", us / 1000)
}

function size(bytes) {
    if (bytes == 0) return ""
    if (bytes < 1024) return bytes " B"
    if (bytes < 1048576) return bytes / 1024 " KiB"
    return bytes / 1048576 " MiB"
}

END {
    format = "%-12s %5s %9s %11s %11s %11s %9s %9s\n"
    printf format, "case", "ranks", "size", "limit", "ours", "Open MPI", "/ limit", "/ MPI"
    for (i = 1; i <= keys; i++) {
        key = order[i]
        split(key, part, " ")
        if (part[1] == "futex") continue
        printf format, part[1], part[2], size(part[3]), show(median_time(key, "limit")), show(median_time(key, "ours")),
            show(median_time(key, "mpi")), median_ratio(key, "limit"), median_ratio(key, "mpi")
    }
    printf "%-12s %5s %9s %11s   (one way, waking the other side in the kernel)\n", "futex", 2, "",
        show(median_time("futex 2 0", "limit"))
}
