//! From a query to what tantivy runs.

use std::ops::Bound;

use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query as Engine, RangeQuery, TermQuery,
};
use tantivy::schema::IndexRecordOption;
use tantivy::tokenizer::Token;
use tantivy::{Searcher, Term as IndexTerm};

use crate::analysis::{Form, Language, query_tokens, without_accents};
use crate::bm25f::{Statistics, WordQuery};
use crate::query::{Clause, Note, Query, Term, What};
use crate::schema::{Fields, Searched};

/// Most terms of one word or phrase, and of a whole query.
const MOST_TOKENS: usize = 16;
const MOST_WORDS: usize = 48;
/// Fields in which phrases are looked for.
const PROSE: [Searched; 4] = [Searched::Title, Searched::Headings, Searched::Description, Searched::Body];

/// A word that hits should have: it makes up their score and is highlighted.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// As it stands in the query.
    pub(crate) text: String,
    /// What it may have become in documents.
    pub(crate) terms: Vec<String>,
    pub(crate) query: WordQuery,
}

/// What is run.
pub(crate) struct Plan {
    pub(crate) query: Box<dyn Engine>,
    pub(crate) words: Vec<Word>,
    pub(crate) notes: Vec<Note>,
    /// Documents to be looked at, one for each word that it has.
    pub(crate) work: u64,
}

/// What a plan is made from.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: &'a Fields,
    pub(crate) statistics: &'a Statistics,
    /// Stemmers of the documents in the index.
    pub(crate) languages: &'a [Language],
    pub(crate) saturation: f32,
}

/// Plans a query. If `relaxed`, more than half of the words will do (one of two).
pub(crate) fn plan(ground: Ground<'_>, query: &Query, relaxed: bool) -> tantivy::Result<Plan> {
    let asked = asked_language(query);
    let languages = asked.map_or_else(|| ground.languages.to_vec(), |language| vec![language]);
    let mut planner = Planner { ground, languages, words: Vec::new(), notes: Vec::new(), work: 0 };
    let mut musts = Vec::new();
    let mut optional = Vec::new();
    for clause in &query.clauses {
        match relaxed.then(|| single_word(clause)).flatten() {
            Some(text) => optional.extend(planner.loose(text)?),
            None => musts.extend(planner.clause(clause)?),
        }
    }
    if !musts.is_empty() && musts.iter().all(|(occur, _)| *occur == Occur::MustNot) {
        musts.push((Occur::Must, no_score(Box::new(AllQuery))));
    }
    let query: Box<dyn Engine> = if musts.is_empty() && optional.is_empty() {
        Box::new(EmptyQuery)
    } else {
        let least = most_of(optional.len());
        let optional = optional.into_iter().map(|word| (Occur::Should, word));
        Box::new(BooleanQuery::with_minimum_required_clauses(musts.into_iter().chain(optional).collect(), least))
    };
    Ok(Plan { query, words: planner.words, notes: planner.notes, work: planner.work })
}

/// Can hits be found by asking for most words only?
pub(crate) fn can_relax(plan: &Plan, query: &Query) -> bool {
    plan.words.len() > 1 && query.clauses.iter().any(|clause| single_word(clause).is_some())
}

/// How many of `n` words are most of them.
fn most_of(n: usize) -> usize {
    if n == 2 { 1 } else { n.min(n / 2 + 1) }
}

fn single_word(clause: &Clause) -> Option<&str> {
    match clause.alternatives.as_slice() {
        [Term { negated: false, what: What::Word(text) }] => Some(text),
        _ => None,
    }
}

/// The language that hits must have, if the query says so.
fn asked_language(query: &Query) -> Option<Language> {
    query.clauses.iter().find_map(|clause| match clause.alternatives.as_slice() {
        [Term { negated: false, what: What::Language(code) }] => Some(Language::from_code(code)),
        _ => None,
    })
}

fn no_score(query: Box<dyn Engine>) -> Box<dyn Engine> {
    Box::new(ConstScoreQuery::new(query, 0.0))
}

struct Planner<'a> {
    ground: Ground<'a>,
    languages: Vec<Language>,
    words: Vec<Word>,
    notes: Vec<Note>,
    work: u64,
}

impl Planner<'_> {
    /// A clause as a part of the whole; nothing if it holds nothing that can be searched.
    fn clause(&mut self, clause: &Clause) -> tantivy::Result<Option<(Occur, Box<dyn Engine>)>> {
        if let [term] = clause.alternatives.as_slice() {
            let occur = if term.negated { Occur::MustNot } else { Occur::Must };
            return Ok(self.what(&term.what, !term.negated)?.map(|query| (occur, query)));
        }
        let mut alternatives: Vec<(Occur, Box<dyn Engine>)> = Vec::new();
        for term in &clause.alternatives {
            let Some(query) = self.what(&term.what, !term.negated)? else { continue };
            let query: Box<dyn Engine> = if term.negated {
                let all = no_score(Box::new(AllQuery));
                Box::new(BooleanQuery::new(vec![(Occur::Must, all), (Occur::MustNot, query)]))
            } else {
                query
            };
            alternatives.push((Occur::Should, query));
        }
        let found = !alternatives.is_empty();
        Ok(found.then(|| (Occur::Must, Box::new(BooleanQuery::new(alternatives)) as Box<dyn Engine>)))
    }

    fn what(&mut self, what: &What, wanted: bool) -> tantivy::Result<Option<Box<dyn Engine>>> {
        let fields = self.ground.fields;
        let exact = |field, text: &str| {
            let term = IndexTerm::from_field_text(field, text);
            no_score(Box::new(TermQuery::new(term, IndexRecordOption::Basic)))
        };
        let moment = |day: crate::query::Day| IndexTerm::from_field_i64(fields.date, day.start().0);
        Ok(match what {
            What::Word(text) => self.text(text, &Searched::ALL, &PROSE, wanted)?,
            What::Phrase(text) => self.text(text, &Searched::ALL, &PROSE, wanted)?,
            What::InTitle(text) => self.text(text, &[Searched::Title], &[Searched::Title], wanted)?,
            What::InUrl(text) => self.text(text, &[Searched::Url], &[Searched::Url], wanted)?,
            What::Site(host) => Some(exact(fields.site, host)),
            What::Language(code) => Some(exact(fields.language, code)),
            What::Before(day) => {
                Some(no_score(Box::new(RangeQuery::new(Bound::Unbounded, Bound::Excluded(moment(*day))))))
            }
            What::After(day) => {
                Some(no_score(Box::new(RangeQuery::new(Bound::Included(moment(*day)), Bound::Unbounded))))
            }
        })
    }

    /// One word, or several in a row.
    fn text(
        &mut self,
        text: &str,
        fields: &[Searched],
        phrase_fields: &[Searched],
        wanted: bool,
    ) -> tantivy::Result<Option<Box<dyn Engine>>> {
        let forms = self.forms(text);
        let Some(plain) = forms.first() else { return Ok(None) };
        let count = plain.len();
        let mut all: Vec<(Occur, Box<dyn Engine>)> = Vec::new();
        for place in 0..count {
            let word = self.word(text, &forms, place, fields)?;
            all.push((Occur::Must, Box::new(word.query.clone())));
            if wanted {
                self.keep(word);
            }
        }
        if count == 1 {
            return Ok(all.pop().map(|(_, query)| query));
        }
        let mut rows: Vec<(Occur, Box<dyn Engine>)> = Vec::new();
        for form in &forms {
            rows.extend(phrase_fields.iter().map(|field| (Occur::Should, self.row(form, *field))));
        }
        all.push((Occur::Must, no_score(Box::new(BooleanQuery::new(rows)))));
        Ok(Some(Box::new(BooleanQuery::new(all))))
    }

    /// The words of a text, each for itself.
    fn loose(&mut self, text: &str) -> tantivy::Result<Vec<Box<dyn Engine>>> {
        let forms = self.forms(text);
        let mut queries: Vec<Box<dyn Engine>> = Vec::new();
        for place in 0..forms.first().map_or(0, Vec::len) {
            let word = self.word(text, &forms, place, &Searched::ALL)?;
            queries.push(Box::new(word.query.clone()));
            self.keep(word);
        }
        Ok(queries)
    }

    fn keep(&mut self, word: Word) {
        if !self
            .words
            .iter()
            .any(|known| known.terms == word.terms && known.query.streams.len() == word.query.streams.len())
        {
            self.words.push(word);
        }
    }

    /// What a text becomes: as it is, and by each stemmer; each different list once.
    fn forms(&mut self, text: &str) -> Vec<Vec<Token>> {
        let room = MOST_WORDS.saturating_sub(self.words.len()).min(MOST_TOKENS);
        let plain = query_tokens(text, Form::Stem(Language::NONE), room);
        if plain.is_empty() {
            self.notes.push(if room == 0 { Note::Cut } else { Note::Ignored(text.to_owned()) });
            return Vec::new();
        }
        let mut forms = vec![plain];
        let unaccented = without_accents(text);
        let languages = self.languages.iter();
        for (language, text) in languages.flat_map(|language| [(language, text), (language, unaccented.as_str())]) {
            let form = query_tokens(text, Form::Stem(*language), room);
            let fits = form.len() == forms[0].len();
            if fits
                && !forms
                    .iter()
                    .any(|known| known.iter().map(|token| &token.text).eq(form.iter().map(|token| &token.text)))
            {
                forms.push(form);
            }
        }
        forms
    }

    fn word(&mut self, text: &str, forms: &[Vec<Token>], place: usize, fields: &[Searched]) -> tantivy::Result<Word> {
        let mut terms: Vec<String> = forms.iter().filter_map(|form| Some(form.get(place)?.text.clone())).collect();
        terms.sort();
        terms.dedup();
        let written = forms[0].get(place).and_then(|token| text.get(token.offset_from..token.offset_to));
        let Ground { searcher, fields: handles, statistics, saturation, .. } = self.ground;
        let query = WordQuery::new(searcher, handles, statistics, saturation, &terms, fields)?;
        self.work += query.documents;
        Ok(Word { text: written.unwrap_or(text).to_owned(), terms, query })
    }

    /// The tokens in a row, in one field.
    fn row(&self, form: &[Token], field: Searched) -> Box<dyn Engine> {
        let field = self.ground.fields.terms[field as usize];
        let start = form.first().map_or(0, |token| token.position);
        let terms = form.iter().map(|token| (token.position - start, IndexTerm::from_field_text(field, &token.text)));
        Box::new(PhraseQuery::new_with_offset(terms.collect()))
    }
}
