# report.awk ROWS FS=, MEASURED: what was measured, as a table with ratios and verdicts. Into the folder `out` it writes
# medians.csv (case,ranks,cores,bytes,who,median,lowest,highest,unit) and verdicts (a line for each goal).

NR == FNR {
    key = $2 " " $3 " " $4 " " $5
    order[++keys] = key
    section[key] = $1
    goal[key, "limit"] = $6
    goal[key, "peer"] = $7
    goal[key, "most"] = $8
    next
}

FNR == 1 { next }

# A ratio is taken between neighbours: ours and the limit just before it, a peer and ours just before it.
{
    key = $5 " " $6 " " $4 " " $7
    who = $3
    if (!(key in section)) {
        order[++keys] = key
        section[key] = $5 == "bounce" ? "curves" : "more"
    }
    keep(key " " who, $8)
    unit[key] = $9
    if (who == "bounce") near = ""
    else if (who == "limit") near = $8
    else if (who == "ours") {
        if (near != "" && near_key == key) keep(key "/limit", $8 / near)
        ours = $8
        ours_key = key
    } else if (ours_key == key) {
        ratio = ours / $8
        if (ratio > worst[key, $1]) worst[key, $1] = ratio
        if ($1 > rounds) rounds = $1
    }
    if (who == "limit") near_key = key
}

# Lists of numbers, by name.
function keep(list, number) { item[list, ++length_of[list]] = number + 0 }

function sorted(list,    i, j, t, n) {
    n = length_of[list]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && item[list, j - 1] > item[list, j]; j--) {
            t = item[list, j]
            item[list, j] = item[list, j - 1]
            item[list, j - 1] = t
        }
    return n
}

function median(list,    n) {
    n = sorted(list)
    return n ? item[list, int((n + 1) / 2)] : ""
}

function show(number, of) {
    if (number == "") return "-"
    if (of == "us" && number < 1000) return sprintf(number < 10 ? "%.2f us" : "%.1f us", number)
    if (of == "us") return number < 1e6 ? sprintf("%.2f ms", number / 1000) : sprintf("%.2f s", number / 1e6)
    if (of == "KiB") return number < 1024 ? sprintf("%.0f KiB", number) : sprintf("%.2f MiB", number / 1024)
    if (of == "ns") return sprintf("%.0f ns", number)
    return sprintf(of == "x" ? "%.3f%s" : "%.2f %s", number, of)
}

function times(ratio) { return sprintf(ratio < 0.1 ? "%.3f" : "%.2f", ratio) }

function size(bytes) {
    if (bytes < 1024) return bytes ? bytes " B" : ""
    return bytes < 1048576 ? bytes / 1024 " KiB" : bytes / 1048576 " MiB"
}

# "10.5ms" in the units in which it was measured.
function amount(text,    number) {
    number = text + 0
    if (text ~ /[0-9]ms$/ || text ~ /MiB$/) return number * (text ~ /ms$/ ? 1000 : 1024)
    return text ~ /[0-9]s$/ ? number * 1e6 : number
}

# What came out against what was asked: "0.51 <= 0.60". Notes the verdict. `least` is what the machine's limit itself would get.
function judge(key, criterion, got, shown, asked, wanted, least,    good, word) {
    if (asked == "" || asked == "-" || asked == "x") return got == "" || criterion == "most" ? "" : shown
    if (got == "") {
        open_goals++
        verdict[key] = verdict[key] ? verdict[key] : "open"
        return "? <= " asked
    }
    good = got <= wanted
    goals++
    word = good ? "pass" : least > wanted ? "OUT" : "MISS"
    missed += word == "MISS"
    unreachable += word == "OUT"
    if (!good || verdict[key] == "") verdict[key] = verdict[key] == "MISS" ? "MISS" : word
    printf "%s %s %.4f %s %s\n", key, criterion, got, asked, word > (out "/verdicts")
    return shown " <= " asked
}

function tell(key,    part, us, limit, peer, least, most, r) {
    split(key, part, " ")
    us = median(key " ours")
    for (r = 1; r <= rounds; r++)
        if ((key, r) in worst) keep(key "/peer", worst[key, r])
    limit = median(key "/limit")
    peer = median(key "/peer")
    least = limit ? peer / limit : 0
    limit = judge(key, "limit", limit, times(limit), goal[key, "limit"], goal[key, "limit"] + 0, 0)
    peer = judge(key, "peer", peer, times(peer), goal[key, "peer"], goal[key, "peer"] + 0, least)
    most = judge(key, "most", us, show(us, unit[key]), goal[key, "most"], amount(goal[key, "most"]), 0)
    if (section[key] == "curves") return
    if (section[key] != told) print ""
    told = section[key]
    printf format, part[1], part[2] (part[3] == 2 || part[2] == 1 ? "" : " on " part[3]), size(part[4]), show(median(key " limit"), unit[key]),
        show(us, unit[key]), show(median(key " openmpi"), unit[key]), show(median(key " mpich"), unit[key]),
        show(median(key " gloo"), unit[key]), limit, peer, most, verdict[key]
}

function write_medians(    k, i, n, who, names, list) {
    n = split("limit ours openmpi mpich gloo bounce", names, " ")
    for (k = 1; k <= keys; k++)
        for (i = 1; i <= n; i++) {
            list = order[k] " " names[i]
            if (!sorted(list)) continue
            who = order[k]
            gsub(/ /, ",", who)
            printf "%s,%s,%s,%s,%s,%s\n", who, names[i], median(list), item[list, 1], item[list, length_of[list]],
                unit[order[k]] > (out "/medians.csv")
        }
}

END {
    format = "%-14s %6s %8s %10s %10s %10s %10s %10s  %-13s %-13s %-20s %s\n"
    printf "" > (out "/verdicts")
    print "case,ranks,cores,bytes,who,median,lowest,highest,unit" > (out "/medians.csv")
    printf format, "case", "ranks", "size", "limit", "ours", "Open MPI", "MPICH", "Gloo", "ours/limit", "ours/best peer", "never more than", ""
    for (k = 1; k <= keys; k++) tell(order[k])
    write_medians()
    printf "\n%d of %d goals reached", goals - missed - unreachable, goals
    if (unreachable) printf "; %d OUT of reach: the limit itself misses them", unreachable
    if (open_goals) printf "; %d more could not be judged, because somebody is missing", open_goals
    print "."
    if (sorted("bounce 2 2 0 bounce"))
        printf "A cache line went from one core to the other in %.3f us (%.3f to %.3f).\n", median("bounce 2 2 0 bounce"),
            item["bounce 2 2 0 bounce", 1], item["bounce 2 2 0 bounce", length_of["bounce 2 2 0 bounce"]]
}
