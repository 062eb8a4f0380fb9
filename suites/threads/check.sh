#!/usr/bin/env bash
# Builds every program of this folder and sees that it ends well:
#
#   ./check.sh                          with every compiler found, -O0 and -O2, no sanitizer
#   ./check.sh --tsan                   with -fsanitize=thread: where does the compiler's own runtime
#                                       say something else than the program's comments?
#   ./check.sh --filter fences/         programs whose path has this in it
#   ./check.sh --compilers "gcc-13 clang-19" --levels "-O1" --jobs 4
#
# One line for each difference, then a count. The exit code is 0 unless a plain build or run failed.

set -u
cd "$(dirname "$0")" || exit 2
root=$PWD

tsan=no filter='' jobs=2 levels='' compilers='' limit=30
while [ $# -gt 0 ]; do
    case $1 in
        --tsan) tsan=yes ;;
        --filter) filter=$2; shift ;;
        --jobs) jobs=$2; shift ;;
        --levels) levels=$2; shift ;;
        --compilers) compilers=$2; shift ;;
        --limit) limit=$2; shift ;;
        *) sed -n '2,10s/^# \{0,1\}//p' "$(basename "$0")"; exit 2 ;;
    esac
    shift
done
if [ -z "$compilers" ]; then
    for name in gcc clang clang-14 clang-16 clang-19; do
        command -v "$name" >/dev/null && compilers="$compilers $name"
    done
fi
[ -n "$levels" ] || { [ $tsan = yes ] && levels='-O1' || levels='-O0 -O2'; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# head_of PROGRAM NAME: the values of the lines `//@ NAME: ...`.
head_of() { sed -n "s|^//@ $2: *||p" "$1"; }

# marks_of FILE...: the pairs of lines that the comments expect, `4-9`, the smaller one first.
marks_of() {
    awk 'match($0, /\/\/~ race: [a-z-]+ \(with (line [0-9]+|itself)\)/) {
        text = substr($0, RSTART, RLENGTH)
        other = FNR
        if (match(text, /line [0-9]+/)) other = substr(text, RSTART + 5, RLENGTH - 5) + 0
        print (other < FNR ? other "-" FNR : FNR "-" other)
    }' "$@" | sort -u
}

# reported_in LOG: the pairs of lines of the races in a log of the compilers' runtime; 0 is a side whose line it lost.
reported_in() {
    awk -v root="$root/" '
        /^WARNING: ThreadSanitizer/ { sides = 0; wanted = 0 }
        /([Rr]ead|[Ww]rite) of size [0-9]+ at / { wanted = 1 }
        wanted && /failed to restore the stack/ { line[sides++] = 0; wanted = 0 }
        wanted && /^    #/ && index($0, root) {
            place = substr($0, index($0, root) + length(root))
            if (place !~ /support\.h:/) {
                split(place, parts, ":")
                line[sides++] = parts[2] + 0
                wanted = 0
            }
        }
        /^SUMMARY/ && sides == 2 { print (line[0] < line[1] ? line[0] "-" line[1] : line[1] "-" line[0]) }
        /^SUMMARY/ { sides = 0 }' "$1" | sort -u
}

# one COMPILER LEVEL PROGRAM: prints `word<TAB>compiler level<TAB>program<TAB>details`.
one() {
    local compiler=$1 level=$2 program=$3 driver=$1 language=-std=gnu11
    case $program in *.cpp) language=-std=c++17
        driver=$(echo "$compiler" | sed 's/^gcc/g++/; s/^clang/clang++/') ;;
    esac
    local dir="$work/$compiler$level/${program//\//_}"
    mkdir -p "$dir"
    local sanitize=''
    [ $tsan = yes ] && sanitize='-fsanitize=thread'
    say() { printf '%s\t%s %s\t%s\t%s\n' "$1" "$compiler" "$level" "$program" "$2"; }

    local part parts
    parts=$(head_of "$program" plugin)
    for part in $parts; do
        $driver $language $level -g $sanitize -w -fPIC -shared "$root/$part" \
            -o "$dir/$(basename "${part%.*}").so" 2>"$dir/build" || { say build "$part"; return; }
    done
    $driver $language $(head_of "$program" flags) $level -g $sanitize -w -pthread "$root/$program" \
        -o "$dir/program" $(head_of "$program" libs) -ldl 2>"$dir/build" ||
        { say build "$(grep -m1 error "$dir/build")"; return; }

    # Without random addresses, which older runtimes do not get along with.
    # The braces keep the shell's own words about a program that was killed out of the table.
    local code
    {
        TSAN_OPTIONS="exitcode=66 ${TSAN_OPTIONS:-}" timeout -k 2 "$limit" setarch -R "$dir/program" >"$dir/log" 2>&1
        code=$?
    } 2>/dev/null
    rm -f "$dir/program"
    if [ $code = 124 ] || [ $code = 137 ]; then say time-out "after $limit s"; return; fi
    if [ $tsan = no ]; then
        [ $code = 0 ] && say ok '' || say exit "code $code: $(tail -n 1 "$dir/log")"
        return
    fi
    local expected reported files="$program"
    [ -n "$parts" ] && files="$program $parts"
    expected=$(marks_of $files | tr '\n' ' ')
    reported=$(reported_in "$dir/log" | tr '\n' ' ')
    local warnings
    warnings=$(grep -c '^WARNING: ThreadSanitizer: \(data race\|heap-use-after-free\|race\)' "$dir/log")
    if grep -q 'CHECK failed\|^FATAL: \|DEADLYSIGNAL\|nested bug' "$dir/log" || { [ $code != 0 ] && [ $code != 66 ]; }; then
        say crash "code $code: $(grep -m1 'CHECK failed\|FATAL\|ERROR\|failed' "$dir/log" | cut -c1-110)"
    elif [ -z "$expected" ] && [ "$warnings" -gt 0 ]; then
        say false-race "lines $reported"
    elif [ -n "$expected" ] && [ "$warnings" = 0 ]; then
        say missed "lines $expected"
    elif [ "$expected" != "$reported" ]; then
        say lines "expected $expected, reported $reported"
    else
        say ok ''
    fi
}
export -f one head_of marks_of reported_in
export root work tsan limit

programs=$(find . -name parts -prune -o \( -name '*.c' -o -name '*.cpp' \) -print | sed 's|^\./||' | sort)
for compiler in $compilers; do
    for level in $levels; do
        for program in $programs; do
            case $program in *"$filter"*) echo "$compiler $level $program" ;; esac
        done
    done
done | xargs -P "$jobs" -L 1 bash -c 'one "$@"' one >"$work/results"

grep -v '^ok' "$work/results" | sort -t "$(printf '\t')" -k3,3 -k2,2 | column -t -s "$(printf '\t')"
echo
cut -f 1,2 "$work/results" | sort | uniq -c | awk '{ printf "%5d  %-11s %s %s\n", $1, $2, $3, $4 }'
[ $tsan = yes ] || ! grep -qv '^ok' "$work/results"
