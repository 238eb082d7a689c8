//! The program `galatea`. It is in the library of this package.

use std::process::ExitCode;

/// Models are many small blocks of memory.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(galatea_cli::run(std::env::args_os()))
}
