//! The program. Everything is in the library.

use std::process::ExitCode;

/// A page is some two hundred small allocations, made and freed on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    oriole::run(std::env::args_os())
}
