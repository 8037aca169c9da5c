# manual.awk REFERENCE.md PAGE: a man page, with rows of the reference's tables where a line of it asks for them: @VARIABLES@ for all,
# under their headings; @VARIABLES NAME NAME@ for some; @STATUSES@ for what programs end with.

BEGIN { FS = " *[|] *" }

# What is `code` there is bold here. A sentence begins a line, as mdoc wants it.
function item(names, text, pieces, i, count, out)
{
    gsub(/`/, "", names)
    gsub(/,/, " ,", names)
    count = split(text, pieces, "`")
    for (i = 1; i <= count; i++) {
        gsub(i % 2 ? "[.] " : "-", i % 2 ? ".\n" : "\\-", pieces[i])
        out = out (i % 2 ? pieces[i] : "\\fB" pieces[i] "\\fR")
    }
    return ".It " names "\n" out ".\n"
}

FNR == NR && /^## / { part = $0 }
FNR == NR && part == "## Variables" && /^### / {
    variables = variables (variables ? ".El\n" : "") ".Ss" substr($0, 4) "\n.Bl -tag -width Ds\n"
}
FNR == NR && part == "## Variables" && /^[|] `/ {
    variables = variables item("Ev " $2, $3)
    for (i = split($2, names, "[`, ]+"); i > 0; i--)
        row[names[i]] = item("Ev " $2, $3)
}
FNR == NR && part == "## Exit statuses" && /^[|] [0-9]/ { statuses = statuses item($2 ($3 ? " " $3 : ""), $4) }
FNR == NR { next }

/^@VARIABLES@$/ { printf "%s.El\n", variables; next }
/^@STATUSES@$/ { printf "%s", statuses; next }
/^@VARIABLES / {
    count = split($0, names, "[ @]+")
    for (i = 3; i < count; i++)
        printf "%s", row[names[i]]
    next
}
{ print }
