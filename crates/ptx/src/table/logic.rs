//! Logic and shifts, section 9.7.8.

super::instruction_rows! {
    "and" "9.7.8.1" "sm_50" "<type>" "=d, a, b" "and.b32 %r1, %r2, 7"
    "or" "9.7.8.2" "sm_50" "<type>" "=d, a, b" "or.b32 %r1, %r2, %r3"
    "xor" "9.7.8.3" "sm_50" "<type>" "=d, a, b" "xor.b32 %r1, %r2, %r3"
    "not" "9.7.8.4" "sm_50" "<type>" "=d, a" "not.b32 %r1, %r2"
    "cnot" "9.7.8.5" "sm_50" "<type>" "=d, a" "cnot.b32 %r1, %r2"
    "lop3" "9.7.8.6" "sm_50"
        "or and <type>" "=d, a, b, c, table, q?" "lop3.b32 %r1, %r2, %r3, %r4, 0x96"
    "shf" "9.7.8.7" "sm_50" "l r clamp wrap <type>" "=d, a, b, c" "shf.l.wrap.b32 %r1, %r2, %r3, %r4"
    "shl" "9.7.8.8" "sm_50" "<type>" "=d, a, b" "shl.b32 %r1, %r2, 3"
    "shr" "9.7.8.9" "sm_50" "<type>" "=d, a, b" "shr.u32 %r1, %r2, 3"
}
