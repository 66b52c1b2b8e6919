//! The levels of instructions for which programs are built.

/// A level of instructions, with a build of the programs.
pub struct Level {
    /// The name of its folder, as compilers know the level.
    pub name: &'static str,
    /// Whether this processor has its instructions.
    pub is_supported: bool,
}

/// The builds for this architecture, the best first.
#[cfg(target_arch = "x86_64")]
#[must_use]
pub fn levels() -> Vec<Level> {
    use std::is_x86_feature_detected as has;
    // The operating system has a say too: it must save the registers.
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
    let level = |name, is_supported| Level { name, is_supported };
    vec![level("x86-64-v4", v4), level("x86-64-v3", v3), level("x86-64-v2", v2)]
}

/// The builds for this architecture, the best first. There is one.
#[cfg(not(target_arch = "x86_64"))]
#[must_use]
pub fn levels() -> Vec<Level> {
    vec![Level { name: std::env::consts::ARCH, is_supported: true }]
}
