# style.awk FILE...: what a formatter does not see. Files over 250 lines (their first comment may give the reason:
# "Longer than ..."), functions over 40, tabs, blanks at the end of a line, and reminders left in finished code.
# Exit status 1, with a line for each.

BEGIN { reminder = "(^|[^A-Za-z_])(TO" "DO|FIX" "ME|X" "XX)([^A-Za-z_]|$)" }

FNR == 1 {
    finish()
    name = FILENAME
    excused = 0
    head = 1
    c = name ~ /\.[ch]$/
    start = 0
}

head && /Longer than/ { excused = 1 }
head && FNR > 1 && /^([^# *]|$)/ { head = 0 }

name !~ /Makefile$/ && /\t/ { complain(FNR, "a tab") }
/[ \t]$/ { complain(FNR, "blanks at the end of the line") }
name !~ /^(exercises|solutions|tests\/(wrong|right))\// && $0 ~ reminder { complain(FNR, "a reminder left in finished code") }

c && /^\{/ { start = FNR }
c && /^\}/ && start {
    if (!/^};/ && FNR - start - 1 > 40) complain(start, "a function of " (FNR - start - 1) " lines; 40 are enough")
    start = 0
}
{ last = FNR }

function complain(line, what) {
    print name ":" line ": " what
    wrong = 1
}

function finish() {
    if (name != "" && last > 250 && !excused && name !~ /\.md$/) complain(last, "longer than 250 lines")
}

END {
    finish()
    exit wrong
}
