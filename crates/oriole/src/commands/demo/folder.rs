//! Where the engine of a demo keeps what it knows.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::failure::Mistake;

/// How long others may still write in a folder that is to be removed.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// The data folder.
pub(super) enum Folder {
    /// Removed at the end.
    Temporary(TempDir),
    /// Somebody wants to look into it.
    Kept(PathBuf),
}

impl Folder {
    /// # Errors
    /// A [`Mistake`] if the folder to be kept has something in it: pages of an earlier demo would be visited in vain.
    pub(super) fn open(kept: Option<&Path>) -> Result<Self> {
        let Some(path) = kept else {
            let folder = tempfile::Builder::new().prefix("oriole-demo-").tempdir();
            return Ok(Self::Temporary(folder.context("cannot make a temporary folder")?));
        };
        let name = path.display();
        match std::fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
            Ok(true) => {
                let problem = format!("there is something in {name}; give a folder that is new or empty");
                Err(Mistake::usage(problem).into())
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                Err(Mistake::usage(format_args!("{name} is no folder; give one that is new or empty")).into())
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(anyhow::Error::new(error).context(format!("cannot read {name}")))
            }
            _ => Ok(Self::Kept(path.to_path_buf())),
        }
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Kept(path) => path,
        }
    }

    /// Removes it, unless it is to be kept. Threads of the index may still write there for a moment.
    pub(super) fn close(self) {
        let Self::Temporary(folder) = self else { return };
        let path = folder.keep();
        let began = Instant::now();
        while std::fs::remove_dir_all(&path).is_err_and(|error| error.kind() != ErrorKind::NotFound) {
            // What cannot be removed is left to whoever cleans up temporary files.
            if began.elapsed() > LAST_WRITES {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the program at once.
    pub(super) fn abandon(&self) -> ! {
        if let Self::Temporary(folder) = self {
            // What cannot be removed is left to whoever cleans up temporary files.
            _ = std::fs::remove_dir_all(folder.path());
        }
        crate::output::abandon(130)
    }
}
