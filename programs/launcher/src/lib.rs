//! The builds of the programs in a package, one for each level of instructions, and their places.

/// The folder of the builds, each in the folder of its level, relative to the parent of the folder of a
/// program.
pub const BUILDS: &str = "lib/plyground";

/// The name of a build, which contains all programs.
pub const BUILD: &str = "plyground";

/// A level of instructions, with a build of the programs.
pub struct Level {
    /// The name of the folder of the build.
    pub name: &'static str,
    /// The flags for the compiler: the kind of processor, and its other features.
    pub flags: &'static [&'static str],
    /// If true, this processor has the instructions of the level.
    pub is_supported: bool,
}

/// The compiler flags for the AVX-512 of Ice Lake, Zen 4 and later. These features count the pieces on eight boards at
/// once. Plain `x86-64-v4` has no build, because it takes 1.2 times as long, longer than `x86-64-v3`.
#[cfg(target_arch = "x86_64")]
const VPOPCNTDQ: &[&str] = &[
    "-Ctarget-cpu=x86-64-v4",
    "-Ctarget-feature=+avx512vpopcntdq,+avx512bitalg,+avx512vbmi,+avx512vbmi2,+avx512ifma,+avx512vnni,\
     +gfni,+vaes,+vpclmulqdq",
];

/// Returns the builds for this architecture, the best first.
#[cfg(target_arch = "x86_64")]
pub fn levels() -> Vec<Level> {
    use std::is_x86_feature_detected as has;
    // The detection also asks the operating system, which must save the registers.
    let v2 = has!("cmpxchg16b")
        && has!("popcnt")
        && has!("sse3")
        && has!("ssse3")
        && has!("sse4.1")
        && has!("sse4.2");
    let v3 = v2
        && has!("avx2")
        && has!("bmi1")
        && has!("bmi2")
        && has!("f16c")
        && has!("fma")
        && has!("lzcnt")
        && has!("movbe");
    let v4 = v3
        && has!("avx512f")
        && has!("avx512bw")
        && has!("avx512cd")
        && has!("avx512dq")
        && has!("avx512vl");
    let vpopcntdq = v4
        && has!("avx512vpopcntdq")
        && has!("avx512bitalg")
        && has!("avx512vbmi")
        && has!("avx512vbmi2")
        && has!("avx512ifma")
        && has!("avx512vnni")
        && has!("gfni")
        && has!("vaes")
        && has!("vpclmulqdq");
    let level = |name, flags, is_supported| Level { name, flags, is_supported };
    vec![
        level("x86-64-v4-vpopcntdq", VPOPCNTDQ, vpopcntdq),
        level("x86-64-v3", &["-Ctarget-cpu=x86-64-v3"], v3),
        level("x86-64-v2", &["-Ctarget-cpu=x86-64-v2"], v2),
    ]
}

/// Returns the only build for this architecture.
#[cfg(not(target_arch = "x86_64"))]
pub fn levels() -> Vec<Level> {
    vec![Level { name: std::env::consts::ARCH, flags: &[], is_supported: true }]
}
