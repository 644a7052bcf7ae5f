//! The program: configuration, wiring, commands. All that reads files or the environment, prints or exits is here.
//!
//! | question | module |
//! |---|---|
//! | what can be typed? | [`cli`], [`units`], [`law_text`] |
//! | what does it mean? | [`budget`], [`config`] |
//! | what was read? | [`input`], [`model_file`] |
//! | what is done? | [`commands`], [`engine`], [`server`] |
//! | what is written? | [`output`], [`plot`], [`progress`] |
//! | what went wrong, and whose move is it? | [`failure`] |

pub mod budget;
pub mod cli;
pub mod commands;
pub mod config;
pub mod engine;
pub mod failure;
pub mod input;
pub mod law_text;
pub mod model_file;
mod open_files;
pub mod output;
pub mod plot;
pub mod progress;
pub mod server;
mod strict_toml;
pub mod units;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

/// Runs the program with the given arguments, the first of which is its name.
///
/// The exit code is 0 if all went well, 2 for wrong usage or bad input, 1 for a failed job, and 130 after Ctrl-C.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Help and usage errors are printed before there are parsed options.
    cli::Color::typed(&arguments).apply();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Nobody is left to tell if even this cannot be printed.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    // The engine finishes the work in hand when it is told to end, the living web and the demo say what they have seen, and who
    // serves ends well.
    let ends_itself =
        matches!(cli.command, Command::Run(_) | Command::Livingweb(_) | Command::Demo(_) | Command::Serve(_));
    if !ends_itself && let Err(error) = ctrlc::set_handler(|| output::abandon(130)) {
        output::warn(format_args!("Ctrl-C may leave unfinished files behind: {error}"));
    }
    open_files::raise();
    match dispatch(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn dispatch(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Run(arguments) => commands::run::run(*arguments),
        Command::Init(arguments) => commands::init::run(&arguments),
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Search(arguments) => commands::search::run(&arguments),
        Command::Status(arguments) => commands::status::run(&arguments),
        Command::Pages(arguments) => commands::pages::run(&arguments),
        Command::Page(arguments) => commands::page::run(&arguments),
        Command::Add(arguments) => commands::add::run(&arguments),
        Command::Remove(arguments) => commands::remove::run(&arguments),
        Command::Pause(arguments) => commands::pause::run(&arguments, store::Wish::Pause),
        Command::Resume(arguments) => commands::pause::run(&arguments, store::Wish::Resume),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Plan(arguments) => commands::plan::run(&arguments),
        Command::Schedule(arguments) => commands::schedule::run(&arguments),
        Command::Simulate(arguments) => commands::simulate::run(&arguments),
        Command::Control(arguments) => commands::control::run(&arguments),
        Command::Fit(arguments) => commands::fit::run(&arguments),
        Command::Livingweb(arguments) => commands::livingweb::run(&arguments),
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
        Command::Man(arguments) => commands::man::run(&arguments),
    }
}

/// Says what went wrong, unless it is only that the reader of our output has gone.
fn report(error: &anyhow::Error) -> ExitCode {
    let Some(code) = failure::exit_code(error) else {
        return ExitCode::SUCCESS;
    };
    let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
    let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {}", message(error));
    ExitCode::from(code)
}

/// An error and its causes, each said once.
fn message(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| match said.as_str() {
        "" => cause,
        _ if said.contains(&cause) => said,
        _ => format!("{said}: {cause}"),
    })
}
