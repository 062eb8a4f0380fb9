//! Comparison and selection, also of half precision, sections 9.7.6 and 9.7.7.

super::instruction_rows! {
    "set" "9.7.6.1, 9.7.7.1" "sm_50"
        "<compare> <boolean> ftz <type>" "=d, a, b, c?" "set.lt.u32.s32 %r1, %r2, %r3"
    "setp" "9.7.6.2, 9.7.7.2" "sm_50"
        "<compare> <boolean> ftz <type>"
        "=p, a, b, c?" "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3"
    "selp" "9.7.6.3" "sm_50" "<type>" "=d, a, b, c" "selp.b32 %r1, %r2, %r3, %p1"
    "slct" "9.7.6.4" "sm_50" "ftz <type>" "=d, a, b, c" "slct.s32.s32 %r1, %r2, %r3, %r4"
}
