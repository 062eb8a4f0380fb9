//! The stack, section 9.7.17.

super::instruction_rows! {
    "stacksave" "9.7.17.1" "sm_52" "<type>" "=d" "stacksave.u64 %rd1"
    "stackrestore" "9.7.17.2" "sm_52" "<type>" "a" "stackrestore.u64 %rd1"
    "alloca" "9.7.17.3" "sm_52" "<type>" "=d, size, alignment?" "alloca.u64 %rd1, 32, 8"
}
