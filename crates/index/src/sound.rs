//! Can the index be read?

use std::borrow::Cow;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use tantivy::directory::error::OpenReadError;
use tantivy::directory::{Directory, FileSlice, META_LOCK};
use tantivy::error::DataCorruption;
use tantivy::index::SegmentComponent;
use tantivy::{Index, IndexReader, ReloadPolicy, TantivyError};

use crate::searcher::SearchError;
use crate::{schema, searcher};

/// The files of a segment.
const FILES: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Terms,
    SegmentComponent::Store,
];

/// Every file ends with two numbers of four bytes.
const SHORTEST: u64 = 8;

/// How closely the files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// They are there, whole, and of this version.
    Ends,
    /// Every byte is as it was written.
    Bytes,
}

/// Reads every byte of the index in a folder: what is damaged in the middle, opening does not notice.
///
/// # Errors
/// [`SearchError::Broken`] if something is damaged.
pub fn verify(folder: &Path) -> Result<(), SearchError> {
    let index = searcher::open_index(folder)?;
    let opening = |error| SearchError::opening(folder, error);
    let reader = reader(&index, folder, Depth::Bytes).map_err(opening)?;
    for segment in reader.searcher().segment_readers() {
        let pages = segment.fast_fields().u64(schema::column::PAGE).map_err(opening)?;
        if pages.values.num_vals() != segment.max_doc() {
            let reason = "meta.json does not fit its files".to_owned();
            return Err(SearchError::Broken { folder: folder.to_owned(), reason });
        }
        for (field, entry) in index.schema().fields().filter(|(_, entry)| entry.is_indexed()) {
            let what = |error: TantivyError| SearchError::Broken {
                folder: folder.to_owned(),
                reason: reason(&error).unwrap_or_else(|| format!("the field {} makes no sense", entry.name())),
            };
            segment.inverted_index(field).map_err(what)?;
        }
    }
    Ok(())
}

/// Looks at all files of the last commit, beside a process that may be writing, and opens them.
pub(crate) fn reader(index: &Index, folder: &Path, depth: Depth) -> tantivy::Result<IndexReader> {
    let files = open_files(index, folder)?;
    if depth == Depth::Bytes {
        for (path, _) in &files {
            if !index.directory().validate_checksum(path)? {
                let what = "its bytes are not those that were written".to_owned();
                return Err(DataCorruption::new(path.clone(), what).into());
            }
        }
    }
    index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()
}

/// Opens all files of the last commit. Those that are open can be read although they have been deleted.
fn open_files(index: &Index, folder: &Path) -> tantivy::Result<Vec<(PathBuf, FileSlice)>> {
    // While this is held, no file is deleted.
    let _lock = index.directory().acquire_lock(&META_LOCK)?;
    let mut files = Vec::new();
    for segment in index.searchable_segments()? {
        let deleted = segment.meta().has_deletes().then_some(SegmentComponent::Delete);
        for component in FILES.into_iter().chain(deleted) {
            let path = segment.relative_path(component.clone());
            // The library would panic.
            if std::fs::metadata(folder.join(&path)).is_ok_and(|file| file.len() < SHORTEST) {
                return Err(DataCorruption::new(path, "it is too short".to_owned()).into());
            }
            files.push((path, segment.open_read(component)?));
        }
    }
    Ok(files)
}

/// What is wrong, if an error means that the index is damaged and not that the system failed.
pub(crate) fn reason(error: &TantivyError) -> Option<String> {
    match error {
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(path)) => {
            Some(format!("{} is missing", name(path)))
        }
        TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(_)) | TantivyError::IncompatibleIndex(_) => {
            Some("another version has written it".to_owned())
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => {
            is_damage(io_error).then(|| format!("{} is damaged", name(filepath)))
        }
        TantivyError::IoError(error) => is_damage(error).then(|| "a file is damaged".to_owned()),
        TantivyError::SchemaError(_) | TantivyError::FieldNotFound(_) => Some("it has other fields".to_owned()),
        TantivyError::DataCorruption(_) => Some(damaged(error)),
        TantivyError::DeserializeError(_) => Some("a file is damaged".to_owned()),
        _ => None,
    }
}

fn name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn is_damage(error: &Error) -> bool {
    use ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof, Unsupported};
    matches!(error.kind(), InvalidData | InvalidInput | Other | UnexpectedEof | Unsupported)
}

/// The name of the file, which the library only shows as part of its text.
fn damaged(error: &TantivyError) -> String {
    let text = error.to_string();
    let name = text.split('"').find(|part| part.contains('.') && !part.contains(' '));
    let name = name.and_then(|path| Path::new(path).file_name()).and_then(|name| name.to_str());
    name.map_or_else(|| "a file is damaged".to_owned(), |name| format!("{name} is damaged"))
}

/// What is wrong with an index of another format.
pub(crate) fn other_format(found: &str) -> String {
    format!("it has format {found:?}, this program needs {}", schema::FORMAT)
}
