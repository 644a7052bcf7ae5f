//! Putting an archive right that was left in the middle of something.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::cdxj::{Capture, Entry, sorted};
use super::files::{WarcArchive, failed, replace, sync_folder};
use super::record::Record;
use super::scan::{Scanned, scan};
use super::{ArchiveError, Lengths, Position, Repair};

impl WarcArchive {
    /// Looks at the end of the last file and at the indices.
    pub(super) fn mend(&mut self) -> Result<Vec<Repair>, ArchiveError> {
        let mut repairs = Vec::new();
        let Some((&last, _)) = self.lengths.last_key_value() else { return Ok(repairs) };
        for file in self.lengths.keys().copied().filter(|file| *file != last) {
            if !self.cdxj_path(file).exists() {
                self.rebuild_index(file, true)?;
                repairs.push(Repair::Index { file });
            }
        }
        repairs.extend(self.mend_last(last)?);
        Ok(repairs)
    }

    /// The last file: its end is looked at from where its index ends.
    fn mend_last(&mut self, file: u32) -> Result<Vec<Repair>, ArchiveError> {
        let path = self.path(file);
        let length = self.lengths.get(&file).copied().unwrap_or_default();
        let entries = self.entries(file);
        let known: Vec<&Entry> = entries.iter().flatten().filter(|entry| entry.end() <= length).collect();
        let from = known.iter().map(|entry| entry.end()).max().unwrap_or(0);
        let mut end = from;
        let mut found = Vec::new();
        let each = &mut |scanned: Scanned| {
            if scanned.record.is_ok() {
                end = scanned.offset + scanned.length;
                found.extend(entry_of(&scanned, file));
            }
        };
        scan(&path, from, each).map_err(|source| failed(&path, source))?;
        let mut repairs = Vec::new();
        if entries.as_ref().is_none_or(|entries| entries.len() > known.len()) || !found.is_empty() {
            let text: String = known.into_iter().chain(&found).map(Entry::line).collect();
            replace(&self.cdxj_path(file), &text)?;
            repairs.push(Repair::Index { file });
        }
        if end < length {
            self.set_length(file, end)?;
            repairs.push(Repair::Cut { file, bytes: length - end });
        }
        Ok(repairs)
    }

    /// The lines of an index, if they can be understood.
    fn entries(&self, file: u32) -> Option<Vec<Entry>> {
        match fs::read_to_string(self.cdxj_path(file)) {
            Ok(text) => text.lines().map(|line| Entry::parse(line, file)).collect(),
            Err(error) => (error.kind() == ErrorKind::NotFound).then(Vec::new),
        }
    }

    fn set_length(&mut self, file: u32, length: u64) -> Result<(), ArchiveError> {
        let path = self.path(file);
        let opened = OpenOptions::new().write(true).open(&path);
        let cut = opened.and_then(|opened| opened.set_len(length).and_then(|()| opened.sync_all()));
        cut.map_err(|source| failed(&path, source))?;
        self.lengths.insert(file, length);
        Ok(())
    }

    /// Makes the index of a file anew.
    pub(crate) fn rebuild_cdxj(&self, file: u32) -> Result<(), ArchiveError> {
        let open = self.current.as_ref().is_some_and(|current| current.number == file);
        self.rebuild_index(file, !open)
    }

    fn rebuild_index(&self, file: u32, sort: bool) -> Result<(), ArchiveError> {
        let text = index_of(&self.path(file), file)?;
        replace(&self.cdxj_path(file), &if sort { sorted(&text) } else { text })
    }

    /// Cuts all files to `lengths`.
    pub(super) fn cut_files(&mut self, lengths: &Lengths) -> Result<Vec<Repair>, ArchiveError> {
        let mut repairs = Vec::new();
        for (file, length) in self.lengths.clone() {
            match lengths.get(&file) {
                None => repairs.push(self.set_one_aside(file, length)?),
                Some(right) if *right < length => repairs.push(self.shorten(file, length, *right)?),
                Some(_) => {}
            }
        }
        // Only the last of these files was being written: only its index can be ahead of it.
        if let Some((&file, &length)) = lengths.last_key_value()
            && self.lengths.contains_key(&file)
            && self.trim_index(file, length)?
        {
            repairs.push(Repair::Index { file });
        }
        self.next = self.lengths.last_key_value().map_or(1, |(file, _)| file + 1);
        for (&file, &length) in lengths {
            let found = self.lengths.get(&file).copied().unwrap_or(0);
            if found < length {
                // The places of what is missing must not be given to other records: the file is not continued.
                repairs.push(Repair::Short { file, bytes: length - found });
                self.next = self.next.max(file + 2);
            }
        }
        Ok(repairs)
    }

    /// An interrupted write, or more than that: what cannot be told is not removed.
    fn set_one_aside(&mut self, file: u32, bytes: u64) -> Result<Repair, ArchiveError> {
        let path = self.path(file);
        fs::rename(&path, free_name(&path)).map_err(|source| failed(&path, source))?;
        let _ = fs::remove_file(self.cdxj_path(file));
        sync_folder(&self.folder);
        self.lengths.remove(&file);
        Ok(Repair::SetAside { file, bytes })
    }

    fn shorten(&mut self, file: u32, length: u64, right: u64) -> Result<Repair, ArchiveError> {
        self.set_length(file, right)?;
        self.trim_index(file, right)?;
        Ok(Repair::Cut { file, bytes: length - right })
    }

    /// Takes lines from an index that are about records behind `end`. Says whether it had to be changed.
    fn trim_index(&self, file: u32, end: u64) -> Result<bool, ArchiveError> {
        let Some(entries) = self.entries(file) else {
            self.rebuild_index(file, false)?;
            return Ok(true);
        };
        let kept: Vec<&Entry> = entries.iter().filter(|entry| entry.end() <= end).collect();
        if kept.len() == entries.len() {
            return Ok(false);
        }
        replace(&self.cdxj_path(file), &kept.into_iter().map(Entry::line).collect::<String>())?;
        Ok(true)
    }

    /// Gives all files another name, so that nothing that the catalogue does not know is lost or in the way.
    pub(crate) fn set_aside(&mut self) -> Result<Vec<Repair>, ArchiveError> {
        self.current = None;
        let mut repairs = Vec::new();
        for (file, bytes) in std::mem::take(&mut self.lengths) {
            repairs.push(self.set_one_aside(file, bytes)?);
        }
        self.next = 1;
        Ok(repairs)
    }
}

/// A name that ends in `.orphan` and is not taken.
fn free_name(path: &Path) -> PathBuf {
    let name = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if n == 0 { ".orphan".to_owned() } else { format!(".{n}.orphan") });
        PathBuf::from(name)
    };
    (0..u32::MAX).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(u32::MAX))
}

/// The index of a file, made from its records, in their order.
fn index_of(path: &Path, file: u32) -> Result<String, ArchiveError> {
    let mut text = String::new();
    let each = &mut |scanned: Scanned| text.extend(line_of(&scanned, file));
    scan(path, 0, each).map_err(|source| failed(path, source))?;
    Ok(text)
}

/// The line, with its end, that the index must have for what was found in a file.
pub(crate) fn line_of(scanned: &Scanned, file: u32) -> Option<String> {
    entry_of(scanned, file).map(|entry| entry.line())
}

/// Whether the index at `path` has these lines, and no others, for the records before `end`; in whatever order.
pub(crate) fn has_lines(path: &Path, file: u32, mut lines: Vec<String>, end: u64) -> bool {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(_) => return false,
        Ok(text) => text,
    };
    // A line that is just being written is not there yet.
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let entries: Option<Vec<Entry>> = whole.map(|line| Entry::parse(line.trim_end(), file)).collect();
    let Some(entries) = entries else { return false };
    let mut found: Vec<String> = entries.iter().filter(|entry| entry.end() <= end).map(Entry::line).collect();
    found.sort_unstable();
    lines.sort_unstable();
    found == lines
}

fn entry_of(scanned: &Scanned, file: u32) -> Option<Entry> {
    let record: &Record = scanned.record.as_ref().ok()?;
    let length = u32::try_from(scanned.length).ok()?;
    let capture = Capture::of(record, record.payload)?;
    Some(Entry { capture, position: Position { file, offset: scanned.offset, length } })
}
