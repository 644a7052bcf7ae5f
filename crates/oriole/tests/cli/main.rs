//! The built program, run as a user runs it.
#![expect(clippy::unwrap_used, reason = "a test that cannot run has failed")]

mod bad_input;
mod bad_models;
mod browser;
mod control;
mod control_options;
mod demand;
mod demo;
mod engine_end;
mod engine_site;
mod fit;
mod fuzz;
mod governor;
mod init;
mod kills;
mod livingweb;
mod panel;
mod plan;
mod program;
mod reading;
mod reproduce;
mod schedule;
mod server;
mod simulate;
mod site;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Five pages that change 1 to 5 times a day: the example of Cho and Garcia-Molina.
const FIVE: &str = "page,change_rate\na,1\nb,2\nc,3\nd,4\ne,5\n";

/// A folder of its own for each test.
struct Folder {
    folder: tempfile::TempDir,
}

/// What a run of the program left behind.
#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Folder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with one file.
    fn with(name: &str, contents: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        folder.write(name, contents);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program in this folder; arguments are separated by blanks.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oriole"));
        command.args(arguments.split_whitespace()).current_dir(self.folder.path()).env_remove("NO_COLOR");
        command
    }

    fn run(&self, arguments: &str) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    fn run_with_input(&self, arguments: &str, input: impl AsRef<[u8]>) -> Run {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_ref()).unwrap();
        Run::of(child.wait_with_output().unwrap())
    }

    /// Runs and reads the JSON object that must be printed.
    fn json(&self, arguments: &str) -> serde_json::Value {
        let run = self.run(&format!("{arguments} --json"));
        assert_eq!(run.code, 0, "{}", run.err);
        serde_json::from_str(&run.out).unwrap()
    }
}

impl Run {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A number in a JSON object, by its path.
fn number(json: &serde_json::Value, path: &str) -> f64 {
    let value = path.split('.').fold(json, |value, key| &value[key]);
    value.as_f64().unwrap_or_else(|| panic!("{path} is not a number but {value}"))
}

/// Fails unless the two agree to the given relative tolerance.
fn close(got: f64, wanted: f64, tolerance: f64) {
    assert!((got - wanted).abs() <= tolerance * wanted.abs(), "{got} is not {wanted}");
}
