# agree.awk BEFORE NOW: do two runs come to the same verdicts? Only what both have judged is compared.

{ name = $1 ", " $2 " ranks on " $3 " cores, " $4 " bytes, " $5 }
FILENAME == ARGV[1] { before[name] = $8; ratio[name] = $6; next }
!(name in before) { next }
{
    both++
    if (before[name] != $8)
        changed[++changes] = name ": " before[name] " before (" ratio[name] "), now " $8 " (" $6 "); the goal is " $7
}

END {
    if (!both) exit
    printf "Of %d verdicts that the run before gave, too, %d are the same.\n", both, both - changes
    for (i = 1; i <= changes; i++) print "  " changed[i]
}
