//! Output files that are either complete or not there.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use tempfile::NamedTempFile;

/// Files being written now. The handler of Ctrl-C removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what is half written and ends the program, with nothing more begun or completed in between.
pub fn abandon(exit_code: i32) -> ! {
    let paths = unfinished();
    for path in paths.iter() {
        // It may have been completed or removed a moment ago.
        let _ = fs::remove_file(path);
    }
    std::process::exit(exit_code)
}

/// A file written under another name in the same folder and renamed when it is complete.
///
/// If it is dropped before [`OutputFile::commit`], the file that was there before is as it was. What is not a regular
/// file, such as a pipe, is written to directly.
#[derive(Debug)]
pub struct OutputFile {
    target: PathBuf,
    writer: BufWriter<Destination>,
}

#[derive(Debug)]
enum Destination {
    Temporary(NamedTempFile),
    Direct(File),
}

impl OutputFile {
    /// Begins a file.
    ///
    /// # Errors
    /// If a file cannot be made in that folder.
    pub fn create(path: &Path) -> Result<Self> {
        // A link stays a link: what it points to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let special = fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        let destination = if special {
            let file = File::options().write(true).open(&target);
            Destination::Direct(file.with_context(|| format!("cannot write to {}", path.display()))?)
        } else {
            Destination::Temporary(temporary_beside(&target)?)
        };
        Ok(Self { target, writer: BufWriter::with_capacity(1 << 18, destination) })
    }

    /// Completes the file: only now does it appear under its name.
    ///
    /// # Errors
    /// If the last bytes cannot be written or the file cannot be renamed.
    pub fn commit(mut self) -> Result<()> {
        let name = self.target.display().to_string();
        self.writer.flush().with_context(|| format!("cannot write {name}"))?;
        let destination = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        let Destination::Temporary(file) = destination else {
            return Ok(());
        };
        let mut paths = unfinished();
        let temporary = file.path().to_path_buf();
        file.persist(&self.target).with_context(|| format!("cannot complete {name}"))?;
        paths.retain(|path| *path != temporary);
        Ok(())
    }
}

fn temporary_beside(target: &Path) -> Result<NamedTempFile> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let mut paths = unfinished();
    let mut builder = tempfile::Builder::new();
    let prefix = format!(".{name}.");
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder).with_context(|| format!("cannot write in {}", folder.display()))?;
    if let Ok(before) = fs::metadata(target) {
        // A file that is replaced keeps its permissions; if they cannot be set it has the usual ones.
        let _ = fs::set_permissions(file.path(), before.permissions());
    }
    paths.push(file.path().to_path_buf());
    Ok(file)
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary(file) => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(file) => file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn appears_only_when_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.csv");
        fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(files_in(folder.path()), ["plan.csv"]);
    }

    #[test]
    fn a_failed_job_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.csv");
        fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(files_in(folder.path()), ["plan.csv"]);
    }
}
