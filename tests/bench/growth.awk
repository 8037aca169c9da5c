# growth.awk MEDIANS: how the costs of a rank grow with the number of ranks n, from the rows start and memory of our library:
#
#   time     from launch to exit takes about n^e: a line through the logarithms, from 16 ranks on
#   memory   what a rank costs the machine: a + b n + c / n by least squares. All together then cost c once (the code, which all
#            share), a for each rank and b for each pair of ranks

BEGIN { FS = "," }

$5 != "ours" { next }
$1 == "start" && $2 >= 16 { times++; line(log($2), log($6)) }
$1 == "share" { shares++; add_up($2, $6); if ($2 > ranks) ranks = $2 }
$1 == "memory" && $2 >= most { most = $2; peak = $6 }

function line(x, y) {
    sx += x
    sy += y
    sxx += x * x
    sxy += x * y
}

# The normal equations of the terms 1, n, 1/n.
function add_up(n, y,    term, i, j) {
    term[1] = 1
    term[2] = n
    term[3] = 1 / n
    for (i = 1; i <= 3; i++) {
        for (j = 1; j <= 3; j++) m[i, j] += term[i] * term[j]
        m[i, 4] += term[i] * y
    }
}

# Gauss and Jordan: the answers stand in column 4.
function solve(    i, j, k, factor) {
    for (i = 1; i <= 3; i++)
        for (k = 1; k <= 3; k++) {
            if (k == i) continue
            factor = m[k, i] / m[i, i]
            for (j = 1; j <= 4; j++) m[k, j] -= factor * m[i, j]
        }
    for (i = 1; i <= 3; i++) m[i, 4] /= m[i, i]
}

END {
    if (times >= 3) printf "Growth: from launch to exit takes n ranks about n^%.2f.\n", (times * sxy - sx * sy) / (times * sxx - sx * sx)
    if (shares < 4) exit
    solve()
    if (m[2, 4] < 0) m[2, 4] = 0
    printf "Growth: n ranks have %.0f KiB + n * %.0f KiB + n * n * %.0f bytes", m[3, 4], m[1, 4], m[2, 4] * 1024
    printf "; of %d, the most that one had resident was %.0f KiB.\n", most, peak
}
