//! The module around an example.

/// A module with one kernel around an instruction, in which every example of the table can stand.
///
/// It declares the registers `%p<9>` of type `.pred`, `%rs<9>` of `.b16`, `%r<140>` of `.b32`,
/// `%rd<20>` of `.b64`, `%f<140>` of `.f32` and `%fd<20>` of `.f64`; the
/// labels `$L` and `$M`, behind the instruction, and `targets`, their list; the functions `f`,
/// without parameters, and `g`, from one `.b32` to another, and their prototypes `proto_f` and
/// `proto_g`; the parameters `kp`, a `.u64`, and `tmap`, of 128 bytes; the variables `smem`,
/// `gmem`, `cmem` and `lmem` in shared, global, constant and local memory, and `mbar`, a `.b64`
/// in shared memory; the texture `tex0` and the surface `surf0`.
///
/// Two names are declared only for an instruction that uses them: the sampler `samp0`, since it
/// changes the texture mode of the module, and the registers `%rq<4>` of `.b128`, which small
/// targets lack.
pub fn scaffold(version: &str, target: &str, instruction: &str) -> String {
    let (mode, sampler) = if instruction.contains("samp0") {
        (", texmode_independent", ".global .samplerref samp0;\n")
    } else {
        ("", "")
    };
    let wide = if instruction.contains("%rq") { "    .reg .b128 %rq<4>;\n" } else { "" };
    format!(
        "\
.version {version}
.target {target}{mode}
.address_size 64

.global .align 128 .b8 gmem[4096];
.const .align 16 .b8 cmem[256];
.global .texref tex0;
.global .surfref surf0;
{sampler}
.func f() {{
    ret;
}}

.func (.reg .b32 result) g(.reg .b32 argument) {{
    mov.b32 result, argument;
    ret;
}}

.visible .entry k(.param .u64 kp, .param .align 64 .b8 tmap[128]) {{
    .reg .pred %p<9>;
    .reg .b16 %rs<9>;
    .reg .b32 %r<140>;
    .reg .b64 %rd<20>;
    .reg .f32 %f<140>;
    .reg .f64 %fd<20>;
{wide}    .shared .align 1024 .b8 smem[4096];
    .shared .align 8 .b64 mbar;
    .local .align 16 .b8 lmem[64];
targets: .branchtargets $L, $M;
proto_f: .callprototype _ ();
proto_g: .callprototype (.reg .b32 _) _ (.reg .b32 _);
    {instruction};
$L:
$M:
    ret;
}}
"
    )
}
