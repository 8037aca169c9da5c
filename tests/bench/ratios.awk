# ratios.awk RESULTS: results of `make bench` as an SVG: how many times as long as ours the other libraries take.
#
# The columns of the table end where their names in its head end. Rows are taken in the order given here.

BEGIN {
    wanted = "ping-pong,2,8 B;ping-pong,2,4 KiB;ping-pong,2,64 MiB;barrier,4,;all_reduce,4,4 KiB;all_reduce,4,4 MiB;" \
             "all_reduce,4,64 MiB;broadcast,4,4 MiB;all_gather,4,4 MiB;all_to_all,4,4 MiB;start,4,4 KiB"
    split("Open MPI;MPICH;Gloo", peer, ";")
    unit["us"] = 1; unit["ms"] = 1000
    left = 330; decade = 100; top = 92; step = 30
}

# The cell of a row under a name in the head.
function cell(line, name,    end, start, text) {
    end = index(head, name) + length(name) - 1
    start = before[name] + 1
    text = substr(line, start, end - start + 1)
    gsub(/^ +| +$/, "", text)
    return text
}

function microseconds(text,    word) {
    return split(text, word, " ") == 2 && word[2] in unit ? word[1] * unit[word[2]] : 0
}

function place(ratio) { return left + decade * log(ratio < 1 ? 1 : ratio) / log(10) }

function text(x, y, class, words) { printf "<text class='%s' x='%.0f' y='%.0f'>%s</text>\n", class, x, y, words }

# The later drawn is the smaller one: where two meet, both are seen.
function dot(i, x, y) { printf "<circle class='d%d' cx='%.1f' cy='%.1f' r='%.1f'/>\n", i, x, y, 3.5 + 1.5 * i }

/^#/ && !machine { machine = $0; sub(/^# make bench, /, "", machine) }

/^case / {
    head = $0
    count = split("case;ranks;size;limit;ours;Open MPI;MPICH;Gloo", name, ";")
    for (i = 2; i <= count; i++) before[name[i]] = index(head, name[i - 1]) + length(name[i - 1]) - 1
    before["ranks"] = 14 # what is measured begins at the left
    next
}

head && NF {
    key = $1 "," cell($0, "ranks") "," cell($0, "size")
    if (!(key in row)) row[key] = $0 # of two runs the first
}

END {
    rows = split(wanted, want, ";")
    height = top + rows * step + 62
    printf "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 838 %d' width='838' role='img'>\n", height
    print "<title>How many times as long as ours Open MPI, MPICH and Gloo take</title>\n<style>"
    # Colours stand in classes: who knows no var(), as librsvg, would draw all of it black.
    print ".bg{fill:#fff;stroke:#DDE3E9}text{fill:#1F2933}.soft,.mid{fill:#52606D}.rail{stroke:#E4E7EB}"
    print ".d1{fill:#0072B2}.d2{fill:#C77700}.d3{fill:#A8487F}.ours{fill:#00805C}"
    print "@media (prefers-color-scheme:dark){.bg{fill:#12181F;stroke:#323F4B}text{fill:#E4E7EB}.soft,.mid{fill:#9AA5B1}.rail{stroke:#2A3540}"
    print ".d1{fill:#56A8DE}.d2{fill:#E9A23B}.d3{fill:#DB8AB8}.ours{fill:#3DBB94}}"
    print "text{font:14px Helvetica,Arial,'Liberation Sans',sans-serif}.title{font-size:19px;font-weight:bold;text-anchor:middle}"
    print ".soft,.mid{font-size:13px}.mid{text-anchor:middle}.right{text-anchor:end}"
    print ".ours{text-anchor:end;font-weight:bold}.rail{stroke-width:2}\n</style>"
    printf "<rect class='bg' x='1' y='1' width='836' height='%d' rx='14'/>\n", height - 2
    text(419, 34, "title", "How many times as long the others take")
    x = left
    text(300, 66, "ours", "ours")
    for (i = 1; i <= 3; i++) {
        dot(i, x + 6, 61)
        text(x + 18, 66, "soft", peer[i])
        x += 100
    }
    text(808, 66, "soft right", "nearest")
    bottom = top + rows * step - 8
    for (i = 0; i <= 4; i++) {
        printf "<path class='rail' d='M%.1f %d V%d'/>\n", left + i * decade, top - 8, bottom
        text(left + i * decade, bottom + 20, "mid", i ? 10 ^ i " times" : "as long")
    }
    for (r = 1; r <= rows; r++) {
        if (!(want[r] in row)) {
            print "there is no row " want[r] > "/dev/stderr"
            exit 1
        }
        split(want[r], part, ",")
        ours = cell(row[want[r]], "ours")
        base = microseconds(ours)
        y = top + (r - 1) * step + 6
        text(24, y + 5, "", part[1] (part[3] == "" || part[1] == "start" ? "" : ", " part[3]) ", " part[2] " ranks")
        sub(/us$/, "\302\265s", ours)
        text(300, y + 5, "ours", ours)
        nearest = 0; furthest = 0
        for (i = 1; i <= 3; i++) {
            ratio[i] = microseconds(cell(row[want[r]], peer[i])) / base
            if (ratio[i] && (!nearest || ratio[i] < nearest)) nearest = ratio[i]
            if (ratio[i] > furthest) furthest = ratio[i]
        }
        printf "<path class='rail' d='M%.1f %d H%.1f'/>\n", left, y, place(furthest)
        for (i = 3; i >= 1; i--) if (ratio[i]) dot(i, place(ratio[i]), y)
        text(808, y + 5, "right", sprintf(nearest < 9.95 ? "%.1f times" : "%.0f times", nearest))
    }
    text(419, height - 18, "mid", machine)
    print "</svg>"
}
