#!/bin/bash
# Runs each program as nvlink linked it and as we did, and says whether they print and return the same.
cd "$(dirname "$0")" || exit 2
same=0; different=0
printf '%-32s %-10s %s\n' program result 'first line of ours'
for reference in *.nvlink; do
    name=${reference%.nvlink}
    expected=$(timeout 60 "./$reference" 2>&1); expected_status=$?
    found=$(timeout 60 "./$name.ours" 2>&1); found_status=$?
    if [ "$expected" = "$found" ] && [ $expected_status = $found_status ] && [ $found_status = 0 ]; then
        result=same; same=$((same + 1))
    else
        result=DIFFERENT; different=$((different + 1))
    fi
    printf '%-32s %-10s %s\n' "$name" "$result" "$(printf '%s\n' "$found" | head -n 1)"
    if [ $result = DIFFERENT ]; then
        printf '  nvlink (status %s):\n%s\n  ours (status %s):\n%s\n' \
            $expected_status "$expected" $found_status "$found"
    fi
done
echo "$same same, $different different"
[ $different = 0 ]
