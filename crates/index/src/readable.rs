//! The files of an index, which all may read who may read the folder, also where it cannot be written.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::schema;

/// The files of an index. Its lock, which keeps files from being deleted while they are opened, is made where it can be; where
/// it cannot, the one that is there is shared. Files that the library would let only their owner read are as readable as the others.
#[derive(Clone, Debug)]
pub(crate) struct Readable {
    files: MmapDirectory,
    folder: PathBuf,
}

impl Readable {
    pub(crate) fn open(folder: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self { files: MmapDirectory::open(folder)?, folder: folder.to_owned() })
    }

    /// Without a lock file nobody has ever written here, and nobody deletes anything.
    fn share(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let file = match File::open(self.folder.join(&lock.filepath)) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(LockError::wrap_io_error(error)),
        };
        if let Some(file) = &file {
            file.lock_shared().map_err(LockError::wrap_io_error)?;
        }
        Ok(DirectoryLock::from(Box::new(file)))
    }
}

fn cannot_be_written(error: &LockError) -> bool {
    let LockError::IoError(error) = error else { return false };
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

impl Directory for Readable {
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.files.acquire_lock(lock) {
            Err(error) if lock.filepath == META_LOCK.filepath && cannot_be_written(&error) => self.share(lock),
            locked => locked,
        }
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, bytes)?;
        match fs::metadata(schema::format_path(&self.folder)) {
            Ok(usual) => fs::set_permissions(self.folder.join(path), usual.permissions()),
            Err(_) => Ok(()),
        }
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where no lock can be made there may be none; one that is there keeps others from deleting files.
    #[test]
    fn a_lock_is_shared() {
        let folder = tempfile::tempdir().unwrap();
        let readable = Readable::open(folder.path()).unwrap();
        drop(readable.share(&META_LOCK).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(readable.acquire_lock(&META_LOCK).unwrap());
        let (one, other) = (readable.share(&META_LOCK).unwrap(), readable.share(&META_LOCK).unwrap());
        let lock = Lock { filepath: META_LOCK.filepath.clone(), is_blocking: false };
        assert!(readable.acquire_lock(&lock).is_err());
        drop((one, other));
        readable.acquire_lock(&lock).unwrap();
    }

    #[test]
    fn only_what_cannot_be_written_is_shared() {
        let error = |kind: ErrorKind| LockError::wrap_io_error(kind.into());
        assert!(cannot_be_written(&error(ErrorKind::PermissionDenied)));
        assert!(cannot_be_written(&error(ErrorKind::ReadOnlyFilesystem)));
        assert!(!cannot_be_written(&error(ErrorKind::StorageFull)) && !cannot_be_written(&LockError::LockBusy));
    }
}
