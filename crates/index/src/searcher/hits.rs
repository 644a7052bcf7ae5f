use std::collections::HashMap;

use store::{PageId, Timestamp};
use tantivy::query::Scorer as _;
use tantivy::schema::Value as _;
use tantivy::{DocSet as _, TantivyDocument, TantivyError};

use super::{Run, SearchError, Searcher, Snapshot, host_of, text_value};
use crate::analysis::Language;
use crate::answer::{Explanation, Hit, Request, WordPart};
use crate::collect::{Candidate, MeritColumns};
use crate::proximity;
use crate::schema::column;
use crate::snippet::{Page, Wanted, snippet};

/// Snippets are at least and at most so long, in bytes.
const SNIPPETS: std::ops::RangeInclusive<usize> = 40..=2_000;

impl Searcher {
    /// The hits that were asked for.
    pub(super) fn hits(&self, snapshot: &Snapshot, run: &Run, request: &Request) -> Result<Vec<Hit>, SearchError> {
        let wanted = Wanted::new(&run.words);
        let shown = shown(snapshot, run.best(), request)?;
        let hits = shown.iter().map(|candidate| self.hit(snapshot, run, candidate, &wanted, request));
        Ok(hits.collect::<Result<_, TantivyError>>()?)
    }

    fn hit(
        &self,
        snapshot: &Snapshot,
        run: &Run,
        candidate: &Candidate,
        wanted: &Wanted<'_>,
        request: &Request,
    ) -> Result<Hit, TantivyError> {
        let reader = snapshot.searcher.segment_reader(candidate.at.segment_ord);
        let doc = candidate.at.doc_id;
        let stored: TantivyDocument = snapshot.searcher.doc(candidate.at)?;
        let text = |field| stored.get_first(field).and_then(|value| value.as_str()).unwrap_or_default();
        let moment = |name: &str| -> Result<Option<Timestamp>, TantivyError> {
            Ok(reader.fast_fields().i64(name)?.first(doc).map(Timestamp))
        };
        let language = text_value(reader, column::LANGUAGE, doc)?;
        let stemmer = language.as_deref().map_or(Language::NONE, Language::from_code);
        let width = request.snippet.clamp(*SNIPPETS.start(), *SNIPPETS.end());
        let source = Page {
            body: text(self.fields.body),
            description: text(self.fields.description),
            language: stemmer,
            places: proximity::places_in_body(reader, &run.words, doc)?,
        };
        let explanation = request.explain.then(|| self.explain(snapshot, run, candidate, request.now)).transpose()?;
        Ok(Hit {
            page: PageId(candidate.page as u32),
            url: text(self.fields.url).to_owned(),
            title: text(self.fields.title).to_owned(),
            snippet: snippet(&source, wanted, width),
            score: candidate.score,
            language,
            host: host_of(&snapshot.searcher, candidate)?,
            published: moment(column::PUBLISHED)?,
            changed_at: moment(column::CHANGED_AT)?.unwrap_or_default(),
            fetched_at: moment(column::FETCHED_AT)?.unwrap_or_default(),
            explanation,
        })
    }

    fn explain(
        &self,
        snapshot: &Snapshot,
        run: &Run,
        candidate: &Candidate,
        now: Timestamp,
    ) -> Result<Explanation, TantivyError> {
        let reader = snapshot.searcher.segment_reader(candidate.at.segment_ord);
        let doc = candidate.at.doc_id;
        let mut words = Vec::new();
        for word in &run.words {
            let mut cursor = word.query.cursor(reader, 1.0)?;
            if cursor.seek(doc) == doc {
                let fields =
                    cursor.frequencies().into_iter().map(|(field, frequency)| (field.name(), frequency)).collect();
                words.push(WordPart { word: word.text.clone(), score: cursor.score(), fields });
            }
        }
        let factors = self.ranking.factors(&MeritColumns::open(reader)?.get(doc), now);
        let closeness = run.closeness.get(&candidate.page).copied().unwrap_or_default();
        Ok(Explanation {
            text: candidate.text,
            words,
            proximity: 1.0 + self.ranking.proximity.max(0.0) * closeness,
            links: factors.links,
            freshness: factors.freshness,
            depth: factors.depth,
        })
    }
}

/// The part of the list that was asked for, with at most so many of each host.
fn shown(snapshot: &Snapshot, best: &[Candidate], request: &Request) -> Result<Vec<Candidate>, TantivyError> {
    let Some(per_host) = request.per_host else {
        return Ok(best.iter().skip(request.offset).take(request.limit).copied().collect());
    };
    let mut of_host: HashMap<String, usize> = HashMap::new();
    let mut kept = Vec::new();
    for candidate in best {
        if kept.len() == request.offset + request.limit {
            break;
        }
        let count = of_host.entry(host_of(&snapshot.searcher, candidate)?).or_default();
        *count += 1;
        if *count <= per_host.max(1) {
            kept.push(*candidate);
        }
    }
    Ok(kept.split_off(request.offset.min(kept.len())))
}
