//! What a robot's report changes: in the catalogue, the archive, the index, and for other pages.

use store::{Document, Outcome, PageChange, PageId, State as Known, Timestamp, Values, Visit};

use super::errand::Done;
use super::robot::{Found, Kept, Lease, Report, outcome};
use super::state::State;
use super::trouble::backoff;
use super::{Delivery, Record, Visited, freshness_page};
use crate::address::PageUrl;
use crate::examine::{Failure, FoundLink, Meaning, Reading, Target, remembered};
use crate::frontier::Finding;

/// A page that is suddenly not there is asked for once more after this time before it counts as gone.
const CONFIRM: f64 = 600.0;

/// What is common to all that follows from a report.
struct Case {
    lease: Box<Lease>,
    url: PageUrl,
    kept: Kept,
    visit: Visit,
    outcome: Outcome,
    /// The page that was shown instead until now.
    hidden_by: Option<PageId>,
}

impl State {
    /// Judges a report in the light of all pages.
    pub(super) fn judge(&mut self, report: Report, now: Timestamp) -> (Vec<Record>, Option<Delivery>) {
        match report.found {
            Found::Errand { errand, answer, listing } => {
                let (host, url) = (report.host, report.url);
                (self.errand_done(Done { host, url, errand, answer, listing }, now), None)
            }
            Found::Broken(page) => (self.broken(page, now), None),
            Found::Page { lease, meaning, kept } => {
                let outcome = outcome(&meaning);
                let (at, milliseconds, bytes) = (report.at, report.milliseconds, report.bytes);
                let visit = Visit { at, outcome, status: kept.status, bytes, milliseconds, archive: None };
                let host_records = self.host_fared(report.host, &meaning, now);
                if super::is_read(outcome) {
                    self.guess_sitemap(report.host);
                    self.read_at.insert(lease.page.0, at.seconds());
                }
                let hidden_by = lease.values.duplicate_of;
                let case = Case { lease, url: report.url, kept: *kept, visit, outcome, hidden_by };
                let (mut records, delivery) = self.meant(case, meaning);
                records.splice(0..0, host_records);
                (records, delivery)
            }
        }
    }

    fn meant(&mut self, case: Case, meaning: Meaning) -> (Vec<Record>, Option<Delivery>) {
        match meaning {
            Meaning::NotModified => (vec![self.without_document(case, Known::Fetched, Finding::Unchanged)], None),
            Meaning::Read { reading, .. } => self.read(case, *reading),
            Meaning::Redirect(target) => (self.redirect(case, &target), None),
            Meaning::Gone => (vec![self.gone(case)], None),
            Meaning::Skipped(_) => {
                let later = Finding::Later(case.visit.at.seconds() + self.settings.look_again);
                (vec![self.without_document(case, Known::Skipped, later)], None)
            }
            Meaning::Failed(failure) => (vec![self.failed(case, &failure)], None),
        }
    }

    /// A page that was read: its links, whether it may be shown, and whether another one says the same.
    fn read(&mut self, mut case: Case, reading: Reading) -> (Vec<Record>, Option<Delivery>) {
        let (page, at) = (case.lease.page, case.visit.at);
        let depth = case.lease.depth.saturating_add(1);
        // The links of a page are counted once, not at each visit.
        let is_first = case.lease.values.sketch.is_empty();
        let mut records = match is_first {
            true => self.meet(&reading.links, Some(page), depth, at),
            false => self.meet_new(&reading.links, Some(page), depth, at),
        };
        self.take_feeds(&case.url, &reading.feeds);
        let before = case.lease.values.clone();
        self.forget_text(page, &before);
        fill(&mut case, &reading);
        if !reading.directives.may_index(at.0 / 1000) {
            let later = Finding::Later(at.seconds() + self.settings.look_again);
            case.outcome = Outcome::Excluded;
            records.push(self.without_document(case, Known::Excluded, later));
            return (records, None);
        }
        let shown_instead = self.shown_instead(&case, &reading, &mut records);
        self.traps.found(&case.url, case.outcome != Outcome::Unchanged && shown_instead.is_none());
        let finding = finding(case.outcome, &case.kept);
        if let Some(other) = shown_instead {
            case.lease.values.duplicate_of = Some(other);
            case.outcome = Outcome::Duplicate;
            records.push(self.without_document(case, Known::Duplicate, finding));
            return (records, None);
        }
        if !self.settings.index || (case.outcome == Outcome::Unchanged && before.indexed) {
            records.push(self.without_document(case, Known::Fetched, finding));
            return (records, None);
        }
        let document = document(&case, reading);
        case.lease.values.indexed = true;
        let visit = self.visited(case, Known::Fetched, finding);
        (records, Some(Delivery { document, visit }))
    }

    /// The page that is shown instead of this one: the one it names, or one that says the same.
    fn shown_instead(&mut self, case: &Case, reading: &Reading, records: &mut Vec<Record>) -> Option<PageId> {
        let page = case.lease.page;
        if let Some(canonical) = &reading.canonical {
            let link = FoundLink { key: canonical.key(self.examiner.seed), url: canonical.clone() };
            records.extend(self.meet_new(std::slice::from_ref(&link), Some(page), case.lease.depth, case.visit.at));
            let named = self.frontier.find(link.key).map(|found| PageId(found.0)).filter(|named| *named != page);
            if let Some(named) = named.filter(|named| self.is_shown_or_unknown(*named)) {
                return Some(named);
            }
        }
        // The text that is remembered: a change too small to count is none.
        let text = remembered(&case.lease.values).filter(|text| text.words > 0)?;
        let duplicate = self.duplicates.admit(page.0, &text)?;
        Some(PageId(duplicate.page)).filter(|other| *other != page)
    }

    fn take_feeds(&mut self, url: &PageUrl, feeds: &[PageUrl]) {
        for feed in feeds.iter().filter(|feed| feed.origin() == url.origin()) {
            let Some(host) = self.host_id(url) else { return };
            self.take_listing(host, feed.as_str(), true);
        }
    }

    fn redirect(&mut self, mut case: Case, target: &Target) -> Vec<Record> {
        let at = case.visit.at;
        let (mut records, to) = match target {
            Target::Inside(link) => (self.follow((case.lease.page, case.lease.depth), link, at), Some(&link.url)),
            Target::Outside(to) => (Vec::new(), Some(to)),
            Target::Nowhere => (Vec::new(), None),
        };
        if let Target::Outside(to) = target {
            self.warn_of_outside(&case.url, to);
        }
        case.lease.values.redirect_to = to.map(|to| to.as_str().to_owned());
        let later = Finding::Later(at.seconds() + self.settings.look_again);
        records.push(self.without_document(case, Known::Redirect, later));
        records
    }

    /// A page that was there is gone only if it is not there twice.
    fn gone(&mut self, mut case: Case) -> Record {
        let at = case.visit.at.seconds();
        let known = case.lease.values.state;
        let missing_before = matches!(case.lease.values.status, Some(404 | 410));
        let unconfirmed = matches!(known, Known::Fetched | Known::Duplicate) && !missing_before;
        if unconfirmed {
            let seen = case.lease.values.checked_at.map_or(f64::NEG_INFINITY, Timestamp::seconds);
            if let Some(host) = self.host_id(&case.url) {
                self.look_for_successors(case.lease.page, host, (seen, at));
            }
            case.lease.values.failures = 1;
            // In a crawl that visits every page once, the next one confirms it.
            let again = if self.settings.once { Finding::Never } else { Finding::Later(at + CONFIRM) };
            return self.without_document(case, known, again);
        }
        case.lease.values.failures = 0;
        self.without_document(case, Known::Gone, Finding::Later(at + self.settings.look_again))
    }

    fn failed(&mut self, mut case: Case, failure: &Failure) -> Record {
        let at = case.visit.at.seconds();
        let values = &mut case.lease.values;
        values.failures = values.failures.saturating_add(1);
        let state = if values.sketch.is_empty() { Known::Failed } else { values.state };
        if self.settings.once && values.failures >= self.settings.tries {
            if let Some(host) = self.host_id(&case.url) {
                self.warn(host, failure, case.visit.at);
            }
            return self.without_document(case, state, Finding::Never);
        }
        let wait = backoff(self.settings.retry, values.failures, case.lease.page.0);
        let wait = failure.retry_after.map_or(wait, |asked| asked.max(wait));
        self.without_document(case, state, Finding::Later(at + wait))
    }

    /// A visit that brings no document to the index.
    fn without_document(&mut self, mut case: Case, state: Known, finding: Finding) -> Record {
        let shown = state == Known::Fetched || (state == case.lease.values.state && case.lease.values.indexed);
        let remove = case.lease.values.indexed && !shown;
        if remove {
            case.lease.values.indexed = false;
        }
        if state != Known::Fetched {
            let values = case.lease.values.clone();
            self.forget_text(case.lease.page, &values);
        }
        let mut visited = self.visited(case, state, finding);
        visited.remove = remove;
        Record::Visit(Box::new(visited))
    }

    fn visited(&mut self, case: Case, state: Known, finding: Finding) -> Visited {
        let Case { lease, kept, mut visit, outcome, hidden_by, .. } = case;
        visit.outcome = outcome;
        let page = lease.page;
        let mut values = lease.values;
        values.state = state;
        values.duplicate_of = values.duplicate_of.filter(|_| state == Known::Duplicate);
        self.take_place(page, state, (hidden_by, values.duplicate_of));
        if state != Known::Redirect {
            self.hops.remove(&page.0);
        }
        values.visits = values.visits.saturating_add(1);
        values.status = kept.status.or(values.status);
        values.retry_at = if let Finding::Later(at) = finding { Some(Timestamp::from_seconds(at)) } else { None };
        if outcome != Outcome::Failed {
            values.checked_at = Some(visit.at);
        }
        if !matches!(outcome, Outcome::Failed | Outcome::Gone) {
            values.failures = 0;
        }
        if kept.is_copy {
            (values.archived_at, values.digest) = (Some(visit.at), kept.digest);
        }
        let evidence = self.frontier.evidence_after(freshness_page(page), visit.at.seconds(), finding);
        (values.evidence_changes, values.evidence_exposure) = (evidence.changes(), evidence.exposure());
        let change = PageChange { page, visit: Some(visit), values };
        Visited { change, record: kept.record, is_copy: kept.is_copy, finding, remove: false }
    }

    /// A page that its host does not want visited.
    pub(super) fn excluded(&mut self, page: PageId, values: Values, now: Timestamp) -> Record {
        let later = Finding::Later(now.seconds() + self.settings.look_again);
        self.exclusion(page, values, now, later)
    }

    /// A page that the user does not want.
    pub(super) fn excluded_for_good(&mut self, page: PageId, values: Values, now: Timestamp) -> Record {
        self.exclusion(page, values, now, Finding::Never)
    }

    fn exclusion(&mut self, page: PageId, mut values: Values, now: Timestamp, finding: Finding) -> Record {
        let remove = std::mem::take(&mut values.indexed);
        self.forget_text(page, &values);
        self.take_place(page, Known::Excluded, (values.duplicate_of.take(), None));
        (values.state, values.checked_at) = (Known::Excluded, Some(now));
        values.retry_at = if let Finding::Later(at) = finding { Some(Timestamp::from_seconds(at)) } else { None };
        let outcome = Outcome::Excluded;
        let visit = Visit { at: now, outcome, status: None, bytes: 0, milliseconds: 0, archive: None };
        let change = PageChange { page, visit: Some(visit), values };
        Record::Visit(Box::new(Visited { change, record: None, is_copy: false, finding, remove }))
    }

    /// A page on which the examination broke is left alone.
    fn broken(&mut self, page: PageId, now: Timestamp) -> Vec<Record> {
        let Some((_, _, mut values)) = self.known_of(page) else { return Vec::new() };
        values.failures = values.failures.saturating_add(1);
        values.state = if values.sketch.is_empty() { Known::Failed } else { values.state };
        values.retry_at = None;
        let outcome = Outcome::Failed;
        let visit = Visit { at: now, outcome, status: None, bytes: 0, milliseconds: 0, archive: None };
        let change = PageChange { page, visit: Some(visit), values };
        let finding = Finding::Never;
        vec![Record::Visit(Box::new(Visited { change, record: None, is_copy: false, finding, remove: false }))]
    }
}

/// What a page that was read means for its next visit.
fn finding(outcome: Outcome, kept: &Kept) -> Finding {
    match outcome {
        Outcome::New => Finding::First,
        Outcome::Changed => {
            let at = kept.last_modified.as_deref().and_then(crate::date::parse);
            Finding::Changed { last_modified: at.map(|at| at as f64) }
        }
        _ => Finding::Unchanged,
    }
}

/// The new values of a page that was read.
fn fill(case: &mut Case, reading: &Reading) {
    let (values, page) = (&mut case.lease.values, &reading.page);
    if case.outcome != Outcome::Unchanged {
        values.changed_at = Some(case.visit.at);
        values.changes = values.changes.saturating_add(u32::from(case.outcome == Outcome::Changed));
        values.text_hash = Some(reading.fingerprint.hash.to_be_bytes());
        values.simhash = Some(reading.fingerprint.simhash);
        values.sketch = reading.fingerprint.to_bytes().to_vec();
    }
    values.etag.clone_from(&case.kept.etag);
    values.last_modified.clone_from(&case.kept.last_modified);
    values.mime.clone_from(&case.kept.mime);
    values.language = page.language.map(|language| language.as_str().to_owned());
    values.title.clone_from(&page.title);
    values.bytes = Some(case.visit.bytes);
    values.published = page.published.map(|seconds| Timestamp(seconds.saturating_mul(1000)));
    values.redirect_to = None;
}

fn document(case: &Case, reading: Reading) -> Document {
    let page = reading.page;
    Document {
        page: case.lease.page,
        url: case.url.as_str().to_owned(),
        host: case.url.authority().to_owned(),
        title: page.title.unwrap_or_default(),
        description: page.description.unwrap_or_default(),
        headings: page.headings,
        text: page.text,
        language: page.language.map(|language| language.as_str().to_owned()),
        published: case.lease.values.published,
        fetched_at: case.visit.at,
        changed_at: case.lease.values.changed_at.unwrap_or(case.visit.at),
        links_in: case.lease.links_in,
        depth: case.lease.depth,
    }
}
