//! Textures, section 9.7.10.

super::instruction_rows! {
    "tex" "9.7.10.3" "sm_50"
        "base level grad <geometry> <vector> <type>"
        "=d, [a], b?, c?, offset?, compare?"
        "tex.1d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [tex0, {%f1}]"
    "tld4" "9.7.10.4" "sm_50"
        "r g b a <geometry> <vector> <type>"
        "=d, [a], offset?, compare?"
        "tld4.r.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [tex0, {%f1, %f2}]"
    "txq" "9.7.10.5" "sm_50"
        "level width height depth channel_data_type channel_order normalized_coords array_size \
         num_mipmap_levels num_samples force_unnormalized_coords filter_mode addr_mode_0 \
         addr_mode_1 addr_mode_2 <type>"
        "=d, [a], level?" "txq.width.b32 %r1, [tex0]"
    "istypep" "9.7.10.6" "sm_50" "<type>" "=p, a" "istypep.texref %p1, %rd1"
}
