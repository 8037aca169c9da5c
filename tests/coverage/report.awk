# report.awk -v list=left.txt -v least=PERCENT -v lines=FILE: from that list and what gcov says of each object (gcov -b -c -t) to lines by file, and in all. A line counts as reached where
# any object has reached it: what stands in a header is in many.

# left.txt: file:function: reason
BEGIN {
    while ((getline line < list) > 0) {
        if (line ~ /^#/ || line !~ /[^ ]/) continue
        split(line, part, ":")
        sub(/^[^:]*:[^:]*: */, "", line)
        left[part[1] ":" part[2]] = line
    }
}

/^ *-: *0:Source:/ {
    file = $0
    sub(/^ *-: *0:Source:/, "", file)
    ours = file ~ /^lib\//
    name = ""
    next
}

!ours { next }

/^function / {
    name = file ":" $2
    if (!(name in calls)) calls[name] = 0
    calls[name] += $4
    next
}

# "       12*:   34:text", "    #####:   34:text"
/^ *[0-9#=][0-9]*[*]?: *[0-9]+:/ || /^ *[#=]+: *[0-9]+:/ {
    split($0, part, ":")
    count = part[1]
    gsub(/[ *]/, "", count)
    number = part[2] + 0
    at = file SUBSEP number
    if (!(at in reached)) {
        reached[at] = 0
        all[file]++
        if (number > last[file]) last[file] = number
    }
    if (count ~ /^[0-9]+$/ && count > 0 && !reached[at]) {
        reached[at] = 1
        good[file]++
    }
}

END {
    sorted = "sort"
    for (file in all) {
        total += all[file]
        total_good += good[file]
        printf "%5.1f %%  %4d of %4d  %s\n", 100 * good[file] / all[file], good[file], all[file], file | sorted
        missed = ""
        for (i = 1; i <= last[file]; i++)
            if ((file SUBSEP i) in reached && !reached[file SUBSEP i]) missed = missed " " i
        if (missed) print file ":" missed >lines
    }
    close(sorted)
    printf "%5.1f %%  %4d of %4d  in all\n", 100 * total_good / total, total_good, total
    for (name in calls) {
        if (calls[name] == 0 && name in left) print "  no test enters " name ": " left[name] | sorted
        else if (calls[name] == 0) {
            print "  NEW: no test enters " name "; write one, or say in tests/coverage/left.txt why not" | sorted
            wrong = 1
        }
    }
    for (name in left)
        if (!(name in calls) || calls[name] > 0) {
            print "  OLD: " name " stands in tests/coverage/left.txt, but " (name in calls ? "a test enters it" : "is gone") | sorted
            wrong = 1
        }
    close(sorted)
    if (100 * total_good < least * total) {
        printf "FAILED: less than %d %% of the lines\n", least
        wrong = 1
    }
    exit wrong
}
