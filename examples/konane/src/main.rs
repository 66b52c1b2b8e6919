//! The binary `konane`: every command of every game.

fn main() -> std::process::ExitCode {
    plyground_cli::main(&plyground_host::host(konane::Konane(8)))
}
