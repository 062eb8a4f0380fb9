//! Control flow, section 9.7.12.

super::instruction_rows! {
    "bra" "9.7.12.3" "sm_50" "uni" "target" "bra $L"
    "brx.idx" "9.7.12.4" "sm_50" "uni" "index, targets" "brx.idx %r1, targets"
    "call" "9.7.12.5" "sm_50"
        "uni" "=(results), function, (arguments)?, targets?; function, (arguments)?, targets?" "call f"
    "ret" "9.7.12.6" "sm_50" "uni" "" "ret"
    "exit" "9.7.12.7" "sm_50" "" "" "exit"
}
