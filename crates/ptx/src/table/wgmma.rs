//! Matrices of a warpgroup, section 9.7.15.

super::instruction_rows! {
    "wgmma.mma_async" "9.7.15.5.2" "sm_90a"
        "sync aligned <shape> satfinite and popc <type>"
        "+d, a, b, scale_d, negate_a?, negate_b?, transpose_a?, transpose_b?"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0"
    "wgmma.mma_async.sp" "9.7.15.6.3" "sm_90a"
        "sync aligned <shape> satfinite <type>"
        "+d, a, b, metadata, selector, scale_d, negate_a?, negate_b?, transpose_a?, transpose_b?"
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %r1, 0, %p1, 1, 1, 0, 0"
    "wgmma.fence" "9.7.15.7.1" "sm_90a" "sync aligned" "" "wgmma.fence.sync.aligned"
    "wgmma.commit_group" "9.7.15.7.2" "sm_90a" "sync aligned" "" "wgmma.commit_group.sync.aligned"
    "wgmma.wait_group" "9.7.15.7.3" "sm_90a" "sync aligned" "groups" "wgmma.wait_group.sync.aligned 0"
}
