//! Miscellaneous instructions, section 9.7.19.

super::instruction_rows! {
    "brkpt" "9.7.19.1" "sm_50" "" "" "brkpt"
    "nanosleep" "9.7.19.2" "sm_70" "<type>" "time" "nanosleep.u32 100"
    "pmevent" "9.7.19.3" "sm_50" "mask" "event" "pmevent 1"
    "trap" "9.7.19.4" "sm_50" "" "" "trap"
    "setmaxnreg" "9.7.19.5" "sm_90a"
        "inc dec sync aligned <type>" "registers" "setmaxnreg.dec.sync.aligned.u32 64"
}
