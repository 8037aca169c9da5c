# whole_number.sh: is what somebody has typed a whole number? To be read by other scripts.

# whole_number NAME VALUE [LEAST]: where something was given it must be a whole number, LEAST (1) or more; else one sentence ends the script.
whole_number()
{
    case $2 in
    '') return ;;
    *[!0-9]* | 0?* | ???????????????????*) ;;
    *) [ "$2" -lt "${3:-1}" ] || return 0 ;;
    esac
    echo "$1 is \"$2\"; it must be a whole number from ${3:-1} on, of 18 digits at most" >&2
    exit 2
}
