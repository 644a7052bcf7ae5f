//! Does everything in the data folder agree?

mod report;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::{ARCHIVE, DataFolder, FolderError};
use crate::Catalogue;
use crate::archive::{Archive, ArchiveError, Scanned, cdxj_name, file_name, has_lines, line_of, scan};
use crate::catalogue::sqlite::{Reference, Unread};

pub use report::{Finding, Report, Wrong};

impl DataFolder {
    /// Checks that the catalogue is sound, that every record it counts on can be read, has the right digests and is of
    /// the right page, and that the indices of the archive fit. It reads everything.
    ///
    /// With `repair`, which only a writer can, after [`DataFolder::recover`]: pages whose copy cannot be read become
    /// pages to be fetched again, visits to pages that do not exist are removed, and indices are made anew.
    ///
    /// The search index is not looked at: compare it with [`Catalogue::indexed`].
    ///
    /// # Errors
    /// If catalogue or archive fail so that the check cannot be done.
    pub fn check(&mut self, repair: bool) -> Result<Report, FolderError> {
        self.check_with(repair, &mut || {})
    }

    /// Checks that the catalogue can be read, and nothing else: before [`DataFolder::recover`], which needs that.
    ///
    /// With `repair`, which only a writer can: pages of unknown states are fetched again, hosts that are missing are made anew from
    /// the addresses of their pages, and visits to pages that do not exist are removed.
    ///
    /// # Errors
    /// If the catalogue fails so that the check cannot be done.
    pub fn check_catalogue(&mut self, repair: bool) -> Result<Report, FolderError> {
        let mut report = Report::default();
        self.check_rows(repair && self.is_writer(), &mut report)?;
        Ok(report)
    }

    /// Calls `between` when it knows how long the files of the archive are.
    pub(super) fn check_with(&mut self, repair: bool, between: &mut dyn FnMut()) -> Result<Report, FolderError> {
        if self.is_writer() {
            return self.check_all(repair, between);
        }
        // A process that is writing must not come between one row and the next.
        self.catalogue.hold_still()?;
        let report = self.check_all(false, between);
        self.catalogue.look_up()?;
        report
    }

    fn check_all(&mut self, repair: bool, between: &mut dyn FnMut()) -> Result<Report, FolderError> {
        let mut report = Report::default();
        self.check_rows(repair, &mut report)?;
        if !report.is_readable() {
            return Ok(report);
        }
        self.archive.sync()?;
        let lengths = self.catalogue.archive_lengths()?;
        between();
        for file in self.catalogue.archive_numbers()? {
            let expected = lengths.get(&file).copied().unwrap_or(0);
            self.check_file(file, expected, repair, &mut report)?;
        }
        report.counts = self.catalogue.counts()?;
        Ok(report)
    }

    /// The rows of the catalogue, first as SQLite sees them, then as the engine does.
    fn check_rows(&mut self, repair: bool, report: &mut Report) -> Result<(), FolderError> {
        for line in self.catalogue.integrity() {
            report.add(Finding::Catalogue(line), false);
        }
        if !report.is_readable() {
            return Ok(());
        }
        for Unread { table, row, reason } in self.catalogue.unread() {
            report.add(Finding::Unread { table, row, reason }, false);
        }
        if report.findings.iter().any(|(finding, _)| matches!(finding, Finding::Unread { row: None, .. })) {
            return Ok(());
        }
        let states = self.catalogue.unknown_states()?;
        if states > 0 {
            report.add(Finding::UnknownStates(states), repair);
        }
        let pages = self.catalogue.stray_pages()?;
        if pages > 0 {
            report.add(Finding::StrayPages(pages), repair);
        }
        if repair {
            self.catalogue.forget_unknown_states()?;
            self.catalogue.adopt_stray_pages()?;
        }
        self.check_relations(repair, report)
    }

    fn check_relations(&mut self, repair: bool, report: &mut Report) -> Result<(), FolderError> {
        let visits = self.catalogue.stray_visits()?;
        if visits > 0 {
            report.add(Finding::StrayVisits(visits), repair);
        }
        if repair {
            self.catalogue.remove_stray_visits()?;
        }
        let repeated = self.catalogue.repeated_pages()?;
        if repeated > 0 {
            report.add(Finding::RepeatedPages(repeated), false);
        }
        Ok(())
    }

    fn check_file(&mut self, file: u32, expected: u64, repair: bool, report: &mut Report) -> Result<(), FolderError> {
        let folder = self.path.join(ARCHIVE);
        let path = folder.join(file_name(file));
        let found = std::fs::metadata(&path).ok().map(|file| file.len());
        let survey = match found {
            Some(_) => survey(&path, file, expected, report)?,
            None => Survey::default(),
        };
        self.check_references(file, &survey, repair, report)?;
        if found.unwrap_or(0) < expected {
            report.add(Finding::Length { file, found, expected }, repair);
            if repair {
                self.catalogue.set_archive_length(file, found.unwrap_or(0))?;
            }
        }
        if !has_lines(&folder.join(cdxj_name(file)), file, survey.lines, expected) {
            report.add(Finding::Cdxj(file), repair);
            if repair && found.is_some() {
                self.archive.rebuild_cdxj(file)?;
            }
        }
        Ok(())
    }

    fn check_references(
        &mut self,
        file: u32,
        survey: &Survey,
        repair: bool,
        report: &mut Report,
    ) -> Result<(), FolderError> {
        let (mut wrong, mut told) = (Vec::new(), HashSet::new());
        for reference in self.catalogue.references(file)? {
            let Some(reason) = survey.wrong(&reference) else { continue };
            // A page and its last visit count on the same record.
            if told.insert((reference.page, reference.position.offset)) {
                let Reference { page, position, .. } = reference;
                report.add(Finding::Record { page, position, wrong: reason }, repair);
            }
            wrong.push(reference);
        }
        if repair {
            self.catalogue.forget_copies(&wrong)?;
        }
        Ok(())
    }
}

/// What a file of the archive has.
#[derive(Default)]
struct Survey {
    /// Length and address of each record, by its place.
    records: HashMap<u64, (u64, String)>,
    /// The lines of its index.
    lines: Vec<String>,
}

impl Survey {
    fn wrong(&self, reference: &Reference) -> Option<Wrong> {
        match self.records.get(&reference.position.offset) {
            Some((length, url)) if *length == u64::from(reference.position.length) => {
                (*url != reference.url).then_some(Wrong::OtherPage)
            }
            _ => Some(Wrong::Unreadable),
        }
    }
}

/// Reads a file of the archive up to `expected`. What follows belongs to a process that is writing.
fn survey(path: &Path, file: u32, expected: u64, report: &mut Report) -> Result<Survey, FolderError> {
    let mut survey = Survey::default();
    // Where bytes that are no record begin, how many there are, and in how many places.
    let mut strange: Option<(u64, u64, u64)> = None;
    let each = &mut |scanned: Scanned| {
        if scanned.offset >= expected {
            return;
        }
        survey.lines.extend(line_of(&scanned, file));
        let Scanned { offset, length, record } = scanned;
        match record {
            Ok(record) => {
                report.records += 1;
                report.bytes += length;
                survey.records.insert(offset, (length, record.url));
            }
            Err(_) => {
                let (_, total, places) = strange.get_or_insert((offset, 0, 0));
                (*total, *places) = (*total + length, *places + 1);
            }
        }
    };
    scan(path, 0, each).map_err(|source| ArchiveError::File { path: path.to_owned(), source })?;
    if let Some((offset, length, places)) = strange {
        report.add(Finding::Bytes { file, offset, length, places }, false);
    }
    Ok(survey)
}
