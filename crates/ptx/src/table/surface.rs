//! Surfaces, section 9.7.11.

super::instruction_rows! {
    "suld.b" "9.7.11.1" "sm_50"
        "<geometry> <cache> <vector> <type> <clamp>"
        "=d, [a]" "suld.b.1d.v4.b32.trap {%r1, %r2, %r3, %r4}, [surf0, {%r5}]"
    "sust.b" "9.7.11.2" "sm_50"
        "<geometry> <cache> <vector> <type> <clamp>"
        "[a], c" "sust.b.1d.b32.trap [surf0, {%r1}], %r2"
    "sust.p" "9.7.11.2" "sm_50"
        "<geometry> <cache> <vector> <type> <clamp>"
        "[a], c" "sust.p.1d.v4.b32.trap [surf0, {%r1}], {%f1, %f2, %f3, %f4}"
    "sured.b" "9.7.11.3" "sm_50"
        "<operation> <geometry> <type> <clamp>"
        "[a], c" "sured.b.add.2d.u32.trap [surf0, {%r1, %r2}], %r3"
    "sured.p" "9.7.11.3" "sm_50"
        "<operation> <geometry> <type> <clamp>"
        "[a], c" "sured.p.min.1d.b32.trap [surf0, {%r1}], %r2"
    "suq" "9.7.11.4" "sm_50"
        "width height depth channel_data_type channel_order array_size memory_layout <type>"
        "=d, [a]" "suq.width.b32 %r1, [surf0]"
}
