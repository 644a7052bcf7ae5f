use super::{Clause, Day, LONGEST_QUERY, MOST_TERMS, Note, Query, Term, What};
use crate::analysis::clean_code;
use crate::entry::cut;

/// A part of the query between spaces.
#[derive(Debug)]
struct Piece<'a> {
    negated: bool,
    /// What stands before the colon, or nothing.
    operator: &'a str,
    value: &'a str,
    quoted: bool,
}

pub(super) fn parse(text: &str) -> (Query, Vec<Note>) {
    let mut notes = Vec::new();
    let kept: String = cut(text, LONGEST_QUERY).chars().map(plain).collect();
    let mut pieces = Vec::new();
    let mut rest = kept.as_str();
    while let Some(piece) = next_piece(&mut rest, &mut notes) {
        pieces.push(piece);
    }
    let terms = |pieces: &[Piece<'_>]| pieces.iter().filter(|piece| !piece.is_or()).count();
    if text.len() > LONGEST_QUERY || terms(&pieces) > MOST_TERMS || pieces.len() > 2 * MOST_TERMS {
        notes.push(Note::Cut);
        pieces.truncate(2 * MOST_TERMS);
        while terms(&pieces) > MOST_TERMS || pieces.last().is_some_and(Piece::is_or) {
            pieces.pop();
        }
    }
    (Query { clauses: clauses(&pieces, &mut notes) }, notes)
}

/// Typographic quotation marks are as good as the plain one; white space and control characters are spaces.
fn plain(c: char) -> char {
    match c {
        '“' | '”' | '„' | '«' | '»' => '"',
        _ if c.is_whitespace() || c.is_control() => ' ',
        _ => c,
    }
}

/// Takes the next piece off the text.
fn next_piece<'a>(rest: &mut &'a str, notes: &mut Vec<Note>) -> Option<Piece<'a>> {
    loop {
        *rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            return None;
        }
        let (negated, body) = match rest.strip_prefix('-') {
            Some(body) if !body.is_empty() && !body.starts_with(' ') => (true, body),
            _ => (false, *rest),
        };
        let end = body.find([' ', '"']).unwrap_or(body.len());
        let (word, after) = body.split_at(end);
        if let Some(quoted) = after.strip_prefix('"') {
            let opens = word.is_empty() || word.ends_with(':');
            if let Some((inside, after)) = quoted.split_once('"').filter(|_| opens) {
                *rest = after;
                if inside.trim().is_empty() {
                    continue;
                }
                return Some(Piece { negated, operator: word.trim_end_matches(':'), value: inside, quoted: true });
            }
            // A quotation mark that opens nothing parts words like a space.
            if opens && word.is_empty() {
                note_once(notes, Note::OpenQuote);
                *rest = quoted;
                continue;
            }
            *rest = if opens { quoted } else { after };
            if opens {
                note_once(notes, Note::OpenQuote);
            }
        } else {
            *rest = after;
        }
        let (operator, value) = word.split_once(':').filter(|(operator, _)| !operator.is_empty()).unwrap_or(("", word));
        return Some(Piece { negated, operator, value, quoted: false });
    }
}

fn note_once(notes: &mut Vec<Note>, note: Note) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

/// `OR` binds its neighbours; anything else begins a new clause.
fn clauses(pieces: &[Piece<'_>], notes: &mut Vec<Note>) -> Vec<Clause> {
    let is_or = |place: usize| pieces.get(place).is_some_and(Piece::is_or);
    let binds =
        |place: usize| place > 0 && place + 1 < pieces.len() && is_or(place) && !is_or(place - 1) && !is_or(place + 1);
    let mut clauses: Vec<Clause> = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        if binds(place) {
            continue;
        }
        let term = Term { negated: piece.negated, what: what(piece, notes) };
        match clauses.last_mut().filter(|_| place > 0 && binds(place - 1)) {
            Some(clause) => clause.alternatives.push(term),
            None => clauses.push(Clause { alternatives: vec![term] }),
        }
    }
    clauses
}

impl Piece<'_> {
    fn is_or(&self) -> bool {
        !self.negated && !self.quoted && self.operator.is_empty() && self.value == "OR"
    }
}

fn what(piece: &Piece<'_>, notes: &mut Vec<Note>) -> What {
    let value = piece.value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if piece.operator.is_empty() {
        // There are no placeholders.
        if !piece.quoted && value.len() > 1 && value.contains('*') {
            notes.push(Note::SearchedAsWords(value.clone()));
        }
        return if piece.quoted { What::Phrase(value) } else { What::Word(value) };
    }
    let operator = piece.operator.to_ascii_lowercase();
    let understood = match operator.as_str() {
        _ if value.is_empty() => None,
        "site" => site(&value),
        "lang" => clean_code(&value).map(What::Language),
        "intitle" => Some(What::InTitle(value.clone())),
        "inurl" => Some(What::InUrl(value.clone())),
        "before" => Day::parse(&value).map(What::Before),
        "after" => Day::parse(&value).map(What::After),
        _ => None,
    };
    understood.unwrap_or_else(|| {
        if matches!(operator.as_str(), "site" | "lang" | "intitle" | "inurl" | "before" | "after")
            || looks_like_operator(piece.operator, &value)
        {
            notes.push(Note::SearchedAsWords(format!("{}:{value}", piece.operator)));
        }
        if piece.quoted { What::Phrase(value) } else { What::Word(format!("{}:{value}", piece.operator)) }
    })
}

/// `foo:bar`, but neither `http://x`, `std::vec` nor `12:30`.
fn looks_like_operator(operator: &str, value: &str) -> bool {
    let is_word = operator.len() > 1 && operator.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word && value.starts_with(char::is_alphanumeric)
}

/// A host, perhaps typed with scheme and path.
fn site(value: &str) -> Option<What> {
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ' ']).next()?.trim_matches('.').to_ascii_lowercase();
    (!host.is_empty()).then_some(What::Site(host))
}
