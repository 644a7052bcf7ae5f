//! The program. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    oriole::run(std::env::args_os())
}
