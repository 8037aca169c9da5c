# whole_number.sh: is what somebody has typed a whole number, one of some words, a file that can be written? To be read by other scripts.

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

# words_of NAME VALUE WORD...: each word of VALUE must be one of these.
words_of()
{
    name=$1 value=$2
    shift 2
    for word in $value; do
        case " $* " in
        *" $word "*) ;;
        *)
            echo "$name has \"$word\" in it, which is none of $*" >&2
            exit 2
            ;;
        esac
    done
}

# can_be_written NAME FILE: where a file was named, it must be there to be written, or its folder; asked before the work whose result it takes.
can_be_written()
{
    [ "$2" ] || return 0
    if [ -e "$2" ]; then [ ! -d "$2" ] && [ -w "$2" ]; else [ -w "$(dirname "$2")/." ]; fi && return
    echo "$1 is \"$2\", where no file can be written" >&2
    exit 2
}
