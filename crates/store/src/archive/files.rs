//! The archive as files in a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::cdxj::{Entry, sorted};
use super::encode::Encoded;
use super::parse::{Limits, ReadError, read_member};
use super::record::Record;
use super::{Archive, ArchiveError, Lengths, Position, Repair};
use crate::Timestamp;

const SUFFIX: &str = ".warc.gz";

/// The name of a file of the archive.
#[must_use]
pub fn file_name(file: u32) -> String {
    format!("oriole-{file:06}{SUFFIX}")
}

/// The name of its index.
pub(crate) fn cdxj_name(file: u32) -> String {
    format!("oriole-{file:06}.cdxj")
}

fn file_number(name: &str) -> Option<u32> {
    let file = name.strip_prefix("oriole-")?.strip_suffix(SUFFIX)?.parse().ok()?;
    (file_name(file) == name).then_some(file)
}

/// How the archive is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveSettings {
    /// A file that has reached this length is closed, and another one begun.
    pub rotate_at: u64,
    /// Name and version of the program, and who runs it: header fields of each file's first record.
    pub info: Vec<(String, String)>,
}

impl Default for ArchiveSettings {
    fn default() -> Self {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let conforms = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";
        let info = vec![
            field("software", concat!("oriole/", env!("CARGO_PKG_VERSION"))),
            field("format", "WARC File Format 1.1"),
            field("conformsTo", conforms),
        ];
        Self { rotate_at: 1 << 30, info }
    }
}

/// The archive as WARC files in a folder, each with its CDXJ index.
///
/// The index of the file being written grows with it, in the order of the records; it is sorted when the file is
/// closed.
pub struct WarcArchive {
    pub(super) folder: PathBuf,
    settings: ArchiveSettings,
    pub(super) lengths: Lengths,
    pub(super) current: Option<Current>,
    /// The number that the next file must have at least.
    pub(super) next: u32,
    writer: bool,
}

/// The file being written.
pub(super) struct Current {
    pub(super) number: u32,
    pub(super) file: File,
    /// Lines of its index that are not in a file yet.
    pub(super) lines: String,
    /// A write has failed, so there may be bytes behind the end.
    pub(super) dirty: bool,
}

impl WarcArchive {
    /// Opens the archive for writing, and makes the folder if it is not there. A record at the end that was not
    /// written to its end is cut off, and indices that do not fit are made anew; the list says so.
    ///
    /// # Errors
    /// If a file cannot be read or changed.
    pub fn open(folder: &Path, settings: ArchiveSettings) -> Result<(Self, Vec<Repair>), ArchiveError> {
        fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
        let mut archive = Self::new(folder, settings, true);
        archive.lengths = list(folder)?;
        archive.next = archive.lengths.last_key_value().map_or(1, |(file, _)| file + 1);
        let repairs = archive.mend()?;
        archive.resume()?;
        Ok((archive, repairs))
    }

    /// Opens the archive for reading, beside a process that may be writing.
    #[must_use]
    pub fn read_only(folder: &Path) -> Self {
        Self::new(folder, ArchiveSettings::default(), false)
    }

    fn new(folder: &Path, settings: ArchiveSettings, writer: bool) -> Self {
        Self { folder: folder.to_owned(), settings, lengths: Lengths::new(), current: None, next: 1, writer }
    }

    pub(super) fn path(&self, file: u32) -> PathBuf {
        self.folder.join(file_name(file))
    }

    pub(super) fn cdxj_path(&self, file: u32) -> PathBuf {
        self.folder.join(cdxj_name(file))
    }

    /// Goes on with the last file if there is room in it.
    pub(super) fn resume(&mut self) -> Result<(), ArchiveError> {
        let Some((&number, &length)) = self.lengths.last_key_value() else { return Ok(()) };
        if number + 1 == self.next && length < self.settings.rotate_at {
            let path = self.path(number);
            let file = OpenOptions::new().append(true).open(&path).map_err(|source| failed(&path, source))?;
            self.current = Some(Current { number, file, lines: String::new(), dirty: false });
        }
        Ok(())
    }

    /// Closes the current file: its records are safe and its index is sorted.
    fn close(&mut self) -> Result<(), ArchiveError> {
        self.sync()?;
        let Some(current) = self.current.take() else { return Ok(()) };
        let path = self.cdxj_path(current.number);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other.map_err(|source| failed(&path, source))?,
        };
        replace(&path, &sorted(&text))
    }

    /// Begins a file, with a record about it.
    fn begin(&mut self, at: Timestamp) -> Result<(), ArchiveError> {
        let number = self.next;
        let path = self.path(number);
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        let file = file.map_err(|source| failed(&path, source))?;
        let fields: Vec<(&str, &str)> = self.settings.info.iter().map(|(name, value)| (&**name, &**value)).collect();
        let info = Record::info(at, &fields).encode_with(&[("WARC-Filename", &file_name(number))]);
        self.current = Some(Current { number, file, lines: String::new(), dirty: false });
        self.next = number + 1;
        self.lengths.insert(number, 0);
        self.write(&info)?;
        sync_folder(&self.folder);
        self.folder.parent().into_iter().for_each(sync_folder);
        Ok(())
    }

    /// Writes behind the last record of the current file.
    fn write(&mut self, record: &Encoded) -> Result<Position, ArchiveError> {
        let length = u32::try_from(record.bytes.len()).map_err(|_| ArchiveError::TooLong(record.bytes.len()))?;
        let Some(current) = &mut self.current else { return Err(ArchiveError::ReadOnly) };
        let end = self.lengths.entry(current.number).or_default();
        let path = self.folder.join(file_name(current.number));
        if current.dirty {
            current.file.set_len(*end).map_err(|source| failed(&path, source))?;
        }
        current.dirty = true;
        current.file.write_all(&record.bytes).map_err(|source| failed(&path, source))?;
        current.dirty = false;
        let position = Position { file: current.number, offset: *end, length };
        *end += u64::from(length);
        if let Some(capture) = &record.capture {
            current.lines.push_str(&Entry { capture: capture.clone(), position }.line());
        }
        Ok(position)
    }
}

impl Archive for WarcArchive {
    fn append(&mut self, record: &Encoded) -> Result<Position, ArchiveError> {
        if !self.writer {
            return Err(ArchiveError::ReadOnly);
        }
        let length = self.current.as_ref().and_then(|current| self.lengths.get(&current.number));
        if length.is_some_and(|length| *length >= self.settings.rotate_at) {
            self.close()?;
        }
        if self.current.is_none() {
            self.begin(record.at)?;
        }
        self.write(record)
    }

    fn sync(&mut self) -> Result<(), ArchiveError> {
        let Some(number) = self.current.as_ref().map(|current| current.number) else { return Ok(()) };
        let (path, cdxj) = (self.path(number), self.cdxj_path(number));
        let Some(current) = &mut self.current else { return Ok(()) };
        if !current.lines.is_empty() {
            let file = OpenOptions::new().append(true).create(true).open(&cdxj);
            let written = file.and_then(|mut file| file.write_all(current.lines.as_bytes()));
            written.map_err(|source| failed(&cdxj, source))?;
            current.lines.clear();
        }
        current.file.sync_data().map_err(|source| failed(&path, source))
    }

    fn lengths(&self) -> Lengths {
        self.lengths.clone()
    }

    fn cut(&mut self, lengths: &Lengths) -> Result<Vec<Repair>, ArchiveError> {
        if !self.writer {
            return Err(ArchiveError::ReadOnly);
        }
        self.sync()?;
        self.current = None;
        let repairs = self.cut_files(lengths)?;
        self.resume()?;
        Ok(repairs)
    }

    fn read(&self, position: Position) -> Result<Record, ArchiveError> {
        let member = BufReader::with_capacity(1 << 16, self.member(position)?);
        read_member(member, &Limits::default()).map_err(|source| self.damaged(position, source))
    }
}

impl WarcArchive {
    /// The compressed bytes of a record, as they are in the archive, once its digests have been checked.
    ///
    /// # Errors
    /// If it is not there or damaged.
    pub fn copy(&self, position: Position) -> Result<Vec<u8>, ArchiveError> {
        let mut bytes = Vec::new();
        let read = self.member(position)?.read_to_end(&mut bytes);
        read.map_err(|source| failed(&self.path(position.file), source))?;
        read_member(bytes.as_slice(), &Limits::default()).map_err(|source| self.damaged(position, source))?;
        Ok(bytes)
    }

    /// The bytes of a record.
    fn member(&self, position: Position) -> Result<io::Take<File>, ArchiveError> {
        let path = self.path(position.file);
        let Position { offset, length, .. } = position;
        let missing = || ArchiveError::Missing { path: path.clone(), offset, length };
        let mut file = File::open(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => missing(),
            _ => failed(&path, source),
        })?;
        let end = file.metadata().map_err(|source| failed(&path, source))?.len();
        if offset.checked_add(length.into()).is_none_or(|needed| needed > end) {
            return Err(missing());
        }
        file.seek(SeekFrom::Start(offset)).map_err(|source| failed(&path, source))?;
        Ok(file.take(length.into()))
    }

    fn damaged(&self, position: Position, source: ReadError) -> ArchiveError {
        ArchiveError::Damaged { path: self.path(position.file), offset: position.offset, source }
    }
}

/// The files of the archive and their lengths.
fn list(folder: &Path) -> Result<Lengths, ArchiveError> {
    let mut lengths = Lengths::new();
    for entry in fs::read_dir(folder).map_err(|source| failed(folder, source))? {
        let entry = entry.map_err(|source| failed(folder, source))?;
        let Some(file) = entry.file_name().to_str().and_then(file_number) else { continue };
        lengths.insert(file, entry.metadata().map_err(|source| failed(&entry.path(), source))?.len());
    }
    Ok(lengths)
}

/// Writes a file that is whole or as before.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), ArchiveError> {
    let temporary = path.with_extension("tmp");
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|source| failed(path, source))
}

/// Makes new names in the folder last. Not every system can do that; then the next start finds out.
pub(super) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

pub(super) fn failed(path: &Path, source: io::Error) -> ArchiveError {
    ArchiveError::File { path: path.to_owned(), source }
}
