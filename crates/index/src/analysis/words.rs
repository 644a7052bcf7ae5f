use tantivy::tokenizer::{Token, TokenStream};

use super::LONGEST_WORD;
use super::chars::{Class, class, push_lower, push_mark};
use super::language::Language;
use super::plain::{self, PlainWord, WINDOW};
use super::stem::{push_stem, unaccented};

/// A character that keeps phrases from reaching across it: between headings, say.
pub(crate) const GAP: char = '\u{1}';
const GAP_POSITIONS: usize = 100;
/// A character of a dense script carries at most this many bytes with its marks.
const LONGEST_CLUSTER: usize = 16;

/// What is made of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Its stem in a language, without accents.
    Stem(Language),
    /// The word in lower case; characters of dense scripts are left out.
    Surface,
    /// The word in lower case, of which stems can be made; characters of dense scripts as terms.
    Whole,
}

/// The terms of a text, in order.
pub(crate) struct Words<'a> {
    text: &'a str,
    at: usize,
    position: usize,
    form: Form,
    /// The word in lower case.
    lower: String,
    /// The dense character just before, as term and offset, if the next one may pair with it.
    before: Option<(String, usize)>,
    /// Given right after the token: a pair with the character before, or the word as one finds it who types no accents.
    also: Option<Token>,
    token: Token,
    is_dense: bool,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str, form: Form) -> Self {
        Self {
            text,
            at: 0,
            position: 0,
            form,
            lower: String::new(),
            before: None,
            also: None,
            token: Token::default(),
            is_dense: false,
        }
    }

    /// The next term.
    pub(crate) fn next_token(&mut self) -> Option<&Token> {
        self.advance().then_some(&self.token)
    }

    /// The next word in lower case and its position, if it is one of letters and digits of ASCII and not too long. If not, it is
    /// still to be read.
    #[inline]
    pub(super) fn next_plain(&mut self) -> Option<(PlainWord, usize)> {
        if self.also.is_some() {
            return None;
        }
        while let Some(window) = self.text.as_bytes().get(self.at..).and_then(<[u8]>::first_chunk::<WINDOW>) {
            let word = PlainWord::read(window);
            if word.length == 0 {
                if !window[0].is_ascii() {
                    return None;
                }
                self.part(window[0]);
                continue;
            }
            // What follows may go on with the word: accents, `C++`.
            let next = *window.get(word.length).filter(|next| word.length <= plain::LONGEST && next.is_ascii())?;
            if word.length == 1 && matches!(next, b'+' | b'#') {
                return None;
            }
            self.before = None;
            // Most words are followed by a space.
            self.at += word.length + usize::from(next == b' ');
            let position = self.position;
            self.position += 1;
            return Some((word, position));
        }
        None
    }

    /// Passes a byte of ASCII that parts words.
    #[inline]
    fn part(&mut self, byte: u8) {
        self.at += 1;
        self.before = None;
        self.position += if byte == GAP as u8 { GAP_POSITIONS } else { 0 };
    }

    /// Skips to the next word and says how it begins.
    fn find_start(&mut self) -> Option<Class> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if byte.is_ascii_alphanumeric() {
                return Some(Class::Letter);
            }
            if byte.is_ascii() {
                self.part(byte);
                continue;
            }
            let c = self.text[self.at..].chars().next()?;
            match class(c) {
                found @ (Class::Letter | Class::Dense) => return Some(found),
                Class::Other => self.before = None,
                Class::Mark | Class::Invisible => {}
            }
            self.at += c.len_utf8();
        }
        None
    }

    /// Reads a word of letters into `lower` and says where it ends.
    fn read_letters(&mut self) {
        self.lower.clear();
        loop {
            self.read_ascii();
            let ends = self.text.as_bytes().get(self.at).is_none_or(u8::is_ascii);
            if ends || !self.read_foreign() {
                break;
            }
        }
        self.read_suffix();
    }

    /// Reads letters and digits of ASCII: most words in one step.
    fn read_ascii(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let start = self.lower.len();
        let room = LONGEST_WORD.saturating_sub(start).min(length);
        self.lower.push_str(&self.text[self.at..self.at + room]);
        self.lower[start..].make_ascii_lowercase();
        self.at += length;
    }

    /// Reads one character beyond ASCII; false if the word ends before it.
    fn read_foreign(&mut self) -> bool {
        let Some(c) = self.text[self.at..].chars().next() else { return false };
        let room = self.lower.len() + 4 <= LONGEST_WORD;
        match class(c) {
            Class::Letter if room => push_lower(c, &mut self.lower),
            Class::Mark if room => push_mark(c, &mut self.lower),
            Class::Letter | Class::Mark | Class::Invisible => {}
            Class::Dense | Class::Other => return false,
        }
        self.at += c.len_utf8();
        true
    }

    /// `C++`, `C#` and `F#` are words.
    fn read_suffix(&mut self) {
        if self.lower.len() != 1 || !self.lower.is_ascii() {
            return;
        }
        let rest = &self.text[self.at..];
        for suffix in ["++", "#"] {
            let after = rest.strip_prefix(suffix).map(|after| after.bytes().next());
            if after.is_some_and(|byte| byte.is_none_or(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric())) {
                self.lower.push_str(suffix);
                self.at += suffix.len();
                return;
            }
        }
    }

    /// A word of letters becomes the token; false if nothing remains of it.
    fn letters(&mut self) -> bool {
        let from = self.at;
        self.before = None;
        self.read_letters();
        self.token.text.clear();
        match self.form {
            Form::Stem(language) => push_stem(&self.lower, language, &mut self.token.text),
            Form::Surface | Form::Whole => self.token.text.push_str(&self.lower),
        }
        let found = self.place_token(from);
        if let Form::Stem(language) = self.form {
            let also = unaccented(&self.lower, language, &self.token.text);
            self.also = also.map(|text| Token { text, ..self.token.clone() });
        }
        found
    }

    /// Whether the token is of a dense script: no stem is made of it.
    pub(super) fn is_dense(&self) -> bool {
        self.is_dense
    }

    /// A dense character becomes the token; with the one before it, a pair.
    fn dense(&mut self) -> bool {
        let from = self.at;
        self.lower.clear();
        if let Some(c) = self.text[self.at..].chars().next() {
            push_lower(c, &mut self.lower);
            self.at += c.len_utf8();
        }
        while let Some(c) = self.text[self.at..].chars().next()
            && matches!(class(c), Class::Mark | Class::Invisible)
        {
            if class(c) == Class::Mark && self.lower.len() + 4 <= LONGEST_CLUSTER {
                push_mark(c, &mut self.lower);
            }
            self.at += c.len_utf8();
        }
        if self.form == Form::Surface {
            return false;
        }
        self.token.text.clear();
        self.token.text.push_str(&self.lower);
        let before = self.before.replace((self.lower.clone(), from));
        self.also = before.map(|(first, start)| Token {
            offset_from: start,
            offset_to: self.at,
            position: self.position.saturating_sub(1),
            text: first + &self.lower,
            position_length: 2,
        });
        self.place_token(from)
    }

    /// Every word takes a position, also one of which the stemmer leaves nothing: positions do not depend on the form.
    fn place_token(&mut self, from: usize) -> bool {
        self.token.offset_from = from;
        self.token.offset_to = self.at;
        self.token.position = self.position;
        self.token.position_length = 1;
        self.position += 1;
        !self.token.text.is_empty()
    }
}

impl TokenStream for Words<'_> {
    fn advance(&mut self) -> bool {
        if let Some(token) = self.also.take() {
            self.token = token;
            return true;
        }
        while let Some(start) = self.find_start() {
            self.is_dense = start == Class::Dense;
            let found = if self.is_dense { self.dense() } else { self.letters() };
            if found {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
