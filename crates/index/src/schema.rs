//! The fields of the index, and the folder it lives in.

use std::path::{Path, PathBuf};

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;

/// Raised whenever the fields or the way from text to terms change.
pub(crate) const FORMAT: u32 = 1;
const FORMAT_FILE: &str = "format";
const STEMS: &str = "stems";
const SURFACE: &str = "surface";

/// The searched fields, in the order of [`crate::Weights`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Searched {
    Title,
    Headings,
    Description,
    Body,
    Url,
}

impl Searched {
    pub(crate) const ALL: [Self; 5] = [Self::Title, Self::Headings, Self::Description, Self::Body, Self::Url];

    /// As users know it.
    pub(crate) fn name(self) -> &'static str {
        ["title", "headings", "description", "body", "url"][self as usize]
    }
}

/// Handles of all fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) page: Field,
    pub(crate) url: Field,
    pub(crate) title: Field,
    pub(crate) description: Field,
    pub(crate) body: Field,
    /// Terms, by [`Searched`].
    pub(crate) terms: [Field; 5],
    /// Words as written, for did-you-mean.
    pub(crate) surface: Field,
    pub(crate) host: Field,
    /// The host and the domains above it.
    pub(crate) site: Field,
    pub(crate) language: Field,
    /// When it was published, or else last changed: what `before:` and `after:` look at.
    pub(crate) date: Field,
    pub(crate) published: Field,
    pub(crate) changed_at: Field,
    pub(crate) fetched_at: Field,
    pub(crate) links_in: Field,
    pub(crate) depth: Field,
}

/// Names of the columns that are read by name.
pub(crate) mod column {
    pub(crate) const PAGE: &str = "page";
    pub(crate) const HOST: &str = "host";
    pub(crate) const LANGUAGE: &str = "language";
    pub(crate) const DATE: &str = "date";
    pub(crate) const PUBLISHED: &str = "published";
    pub(crate) const CHANGED_AT: &str = "changed_at";
    pub(crate) const FETCHED_AT: &str = "fetched_at";
    pub(crate) const LINKS_IN: &str = "links_in";
    pub(crate) const DEPTH: &str = "depth";
}

fn indexed(tokenizer: &str, record: IndexRecordOption, norms: bool) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(record).set_fieldnorms(norms);
    TextOptions::default().set_indexing_options(indexing)
}

/// The schema and the handles of its fields.
pub(crate) fn build() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let positions = indexed(STEMS, IndexRecordOption::WithFreqsAndPositions, true);
    let fields = Fields {
        page: schema.add_u64_field(column::PAGE, INDEXED | FAST),
        url: schema.add_text_field("url", STORED),
        title: schema.add_text_field("title", STORED),
        description: schema.add_text_field("description", STORED),
        body: schema.add_text_field("body", STORED),
        terms: Searched::ALL.map(|field| schema.add_text_field(&format!("{}_terms", field.name()), positions.clone())),
        surface: schema.add_text_field("surface", indexed(SURFACE, IndexRecordOption::Basic, false)),
        host: schema.add_text_field(column::HOST, TextOptions::default().set_fast(RAW_TOKENIZER_NAME)),
        site: schema.add_text_field("site", indexed(RAW_TOKENIZER_NAME, IndexRecordOption::Basic, false)),
        language: schema.add_text_field(column::LANGUAGE, STRING | FAST),
        date: schema.add_i64_field(column::DATE, FAST),
        published: schema.add_i64_field(column::PUBLISHED, FAST),
        changed_at: schema.add_i64_field(column::CHANGED_AT, FAST),
        fetched_at: schema.add_i64_field(column::FETCHED_AT, FAST),
        links_in: schema.add_u64_field(column::LINKS_IN, FAST),
        depth: schema.add_u64_field(column::DEPTH, FAST),
    };
    (schema.build(), fields)
}

/// What is in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing of an index.
    Nothing,
    /// An index of this program's format, or the beginnings of one.
    Ours,
    /// An index of another format.
    Other(String),
}

/// Reads the format of the index in a folder.
pub(crate) fn find(folder: &Path) -> std::io::Result<Found> {
    let format = std::fs::read(folder.join(FORMAT_FILE));
    match format.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) {
        Ok(text) if text.trim() == FORMAT.to_string() => Ok(Found::Ours),
        Ok(text) => Ok(Found::Other(text.trim().chars().take(20).collect())),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        Err(_) if folder.join("meta.json").exists() => Ok(Found::Other("unknown".into())),
        Err(_) => Ok(Found::Nothing),
    }
}

/// The file that says which format the index has.
pub(crate) fn format_path(folder: &Path) -> PathBuf {
    folder.join(FORMAT_FILE)
}

/// Writes the format into a new folder, before anything else is there.
pub(crate) fn write_format(folder: &Path) -> std::io::Result<()> {
    use std::io::Write as _;
    std::fs::create_dir_all(folder)?;
    let mut file = std::fs::File::create(folder.join(FORMAT_FILE))?;
    writeln!(file, "{FORMAT}")?;
    file.sync_all()
}
