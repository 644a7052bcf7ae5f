//! What a page shows: runs of text with their places, put together to words and lines.

use std::collections::HashMap;
use std::rc::Rc;

use memchr::memmem;

use super::file::{File, Page};
use super::font::Font;
use super::object::{Dict, Object, Reader, is_space};

/// Forms within forms that are shown.
const MAX_FORMS: u32 = 8;
/// Operands and saved states that are kept.
const MAX_STACK: usize = 512;

/// A transformation of the plane: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this one, then the other.
    fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Self([a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l])
    }

    fn moved(self, x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y]).then(self)
    }

    fn from_operands(operands: &[Object]) -> Option<Self> {
        let numbers = operands.get(operands.len().checked_sub(6)?..)?;
        let mut matrix = [0.0; 6];
        for (place, number) in matrix.iter_mut().zip(numbers) {
            *place = number.number()?;
        }
        Some(Self(matrix))
    }
}

/// The part of the graphics state that text depends on.
#[derive(Clone)]
struct State {
    page: Matrix,
    font: Rc<Font>,
    size: f64,
    leading: f64,
    character_space: f64,
    word_space: f64,
    scale: f64,
}

/// Where the last run of text ended, and how large it was.
struct End {
    x: f64,
    y: f64,
    size: f64,
}

/// Shows pages one after the other and gathers their text.
pub(super) struct Viewer<'a> {
    file: &'a File<'a>,
    fonts: HashMap<u32, Rc<Font>>,
    plain: Rc<Font>,
    /// The text; a line end separates paragraphs.
    pub(super) text: String,
    limit: usize,
    end: Option<End>,
}

impl<'a> Viewer<'a> {
    pub(super) fn new(file: &'a File<'a>, limit: usize) -> Self {
        Self { file, fonts: HashMap::new(), plain: Rc::new(Font::plain()), text: String::new(), limit, end: None }
    }

    /// Whether there is as much text as is wanted.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= self.limit
    }

    pub(super) fn show(&mut self, page: &Page) {
        let mut content = Vec::new();
        let parts = match self.file.get(&page.dict, "Contents") {
            Some(Object::Array(parts)) => parts,
            Some(part) => vec![part],
            None => return,
        };
        for part in &parts {
            if let Some(Object::Dict(stream)) = self.file.resolve(part) {
                content.extend(self.file.data(&stream).unwrap_or_default());
                content.push(b'\n');
            }
        }
        self.run(&content, &page.resources, Matrix::IDENTITY, 0);
        self.end = None;
        self.text.push('\n');
    }

    fn run(&mut self, content: &[u8], resources: &Dict, page: Matrix, depth: u32) {
        let state = State {
            page,
            font: Rc::clone(&self.plain),
            size: 1.0,
            leading: 0.0,
            character_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
        };
        let mut interpreter = Interpreter {
            viewer: self,
            resources,
            depth,
            state,
            saved: Vec::new(),
            line: Matrix::IDENTITY,
            pen: Matrix::IDENTITY,
            operands: Vec::new(),
        };
        let mut reader = Reader::new(content, 0, interpreter.viewer.file.fuel);
        while let Some(object) = reader.next() {
            match object {
                Object::Word(word) if word == b"ID" => skip_image(&mut reader),
                Object::Word(word) => {
                    interpreter.operate(&word);
                    interpreter.operands.clear();
                    if interpreter.viewer.is_full() {
                        return;
                    }
                }
                operand if interpreter.operands.len() < MAX_STACK => interpreter.operands.push(operand),
                _ => {}
            }
        }
    }

    /// A font by its name in the resources.
    fn font(&mut self, resources: &Dict, name: &[u8]) -> Option<Rc<Font>> {
        let fonts = self.file.get_dict(resources, "Font")?;
        let font = fonts.get(std::str::from_utf8(name).ok()?)?.clone();
        let number = font.reference();
        if let Some(known) = number.and_then(|number| self.fonts.get(&number)) {
            return Some(Rc::clone(known));
        }
        let Object::Dict(dict) = self.file.resolve(&font)? else { return None };
        let font = Rc::new(Font::read(self.file, &dict));
        if let Some(number) = number {
            self.fonts.insert(number, Rc::clone(&font));
        }
        Some(font)
    }

    /// Adds a run of text that stands at a place; where it stands tells what separates it from the text before.
    fn add(&mut self, run: &str, at: Matrix, size: f64) {
        let [a, b, _, _, x, y] = at.0;
        let length = a.hypot(b).max(f64::MIN_POSITIVE);
        let (along_x, along_y) = (a / length, b / length);
        if let Some(end) = &self.end {
            let (dx, dy) = (x - end.x, y - end.y);
            let (along, across) = (dx * along_x + dy * along_y, (dy * along_x - dx * along_y).abs());
            let em = size.max(end.size).max(f64::MIN_POSITIVE);
            if across > 1.6 * em || along < -0.5 * em && across < 0.3 * em {
                self.text.push('\n');
            } else if across > 0.5 * em {
                self.join_lines(run);
            } else if along > 0.16 * em && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
        self.text.push_str(run);
    }

    /// Goes on in the next line; a word that was divided is put together again.
    fn join_lines(&mut self, next: &str) {
        let mut before = self.text.chars().rev();
        let divided = matches!(before.next(), Some('-' | '\u{ad}')) && before.next().is_some_and(char::is_lowercase);
        if divided && next.chars().next().is_some_and(char::is_lowercase) {
            self.text.pop();
        } else if !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }
}

/// Goes behind the data of an image that stands in the content.
fn skip_image(reader: &mut Reader) {
    let start = reader.at;
    let rest = &reader.bytes[start..];
    let ends = |at: &usize| {
        let before = at.checked_sub(1).is_some_and(|before| is_space(rest[before]));
        before && rest.get(at + 2).is_none_or(|byte| is_space(*byte))
    };
    let end = memmem::find_iter(rest, b"EI").find(ends).map_or(rest.len(), |at| at + 2);
    reader.at = start + end;
    reader.fuel.spend(end);
}

struct Interpreter<'v, 'f, 'r> {
    viewer: &'v mut Viewer<'f>,
    resources: &'r Dict,
    depth: u32,
    state: State,
    saved: Vec<State>,
    /// The start of the line, and the place of the next character.
    line: Matrix,
    pen: Matrix,
    operands: Vec<Object>,
}

impl Interpreter<'_, '_, '_> {
    /// The last operand but so many, as a number.
    fn number(&self, from_end: usize) -> f64 {
        let place = self.operands.len().checked_sub(from_end + 1);
        place.and_then(|place| self.operands[place].number()).unwrap_or(0.0)
    }

    fn operate(&mut self, operator: &[u8]) {
        match operator {
            b"q" if self.saved.len() < MAX_STACK => self.saved.push(self.state.clone()),
            b"Q" => self.state = self.saved.pop().unwrap_or_else(|| self.state.clone()),
            b"cm" => {
                if let Some(matrix) = Matrix::from_operands(&self.operands) {
                    self.state.page = matrix.then(self.state.page);
                }
            }
            b"BT" => (self.line, self.pen) = (Matrix::IDENTITY, Matrix::IDENTITY),
            b"Tm" => {
                if let Some(matrix) = Matrix::from_operands(&self.operands) {
                    (self.line, self.pen) = (matrix, matrix);
                }
            }
            b"Td" => self.next_line(self.number(1), self.number(0)),
            b"TD" => {
                self.state.leading = -self.number(0);
                self.next_line(self.number(1), self.number(0));
            }
            b"T*" => self.next_line(0.0, -self.state.leading),
            b"TL" => self.state.leading = self.number(0),
            b"Tc" => self.state.character_space = self.number(0),
            b"Tw" => self.state.word_space = self.number(0),
            b"Tz" => self.state.scale = self.number(0) / 100.0,
            b"Tf" => self.set_font(),
            b"Tj" => self.show_last(),
            b"'" => {
                self.next_line(0.0, -self.state.leading);
                self.show_last();
            }
            b"\"" => {
                (self.state.word_space, self.state.character_space) = (self.number(2), self.number(1));
                self.next_line(0.0, -self.state.leading);
                self.show_last();
            }
            b"TJ" => self.show_spaced(),
            b"Do" => self.show_form(),
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = self.line.moved(x, y);
        self.pen = self.line;
    }

    fn set_font(&mut self) {
        self.state.size = self.number(0);
        let name = self.operands.len().checked_sub(2).and_then(|place| self.operands[place].name());
        let font = name.map(<[u8]>::to_vec).and_then(|name| self.viewer.font(self.resources, &name));
        self.state.font = font.unwrap_or_else(|| Rc::clone(&self.viewer.plain));
    }

    fn show_last(&mut self) {
        if let Some(Object::Text(text)) = self.operands.pop() {
            self.show(&text);
        }
    }

    /// Strings with numbers between them that move the pen.
    fn show_spaced(&mut self) {
        let Some(Object::Array(pieces)) = self.operands.pop() else { return };
        for piece in &pieces {
            match piece {
                Object::Text(text) => self.show(text),
                Object::Number(back) => {
                    self.pen = self.pen.moved(-back / 1000.0 * self.state.size * self.state.scale, 0.0);
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        self.viewer.file.fuel.spend(bytes.len());
        let mut run = String::new();
        let (width, codes) = self.state.font.show(bytes, &mut run);
        let spaces = bytes.iter().filter(|byte| **byte == b' ').count();
        let width =
            width * self.state.size + codes as f64 * self.state.character_space + spaces as f64 * self.state.word_space;
        let place = self.pen.then(self.state.page);
        let [a, b, c, d, ..] = place.0;
        let size = (self.state.size * c.hypot(d).max(a.hypot(b) * 0.1)).abs();
        if !run.trim().is_empty() {
            self.viewer.add(&run, place, size);
        }
        self.pen = self.pen.moved(width * self.state.scale, 0.0);
        if !run.trim().is_empty() {
            let [.., x, y] = self.pen.then(self.state.page).0;
            self.viewer.end = Some(End { x, y, size });
        }
    }

    fn show_form(&mut self) {
        let Some(name) = self.operands.last().and_then(Object::name) else { return };
        let file = self.viewer.file;
        let forms = file.get_dict(self.resources, "XObject");
        let form = forms.and_then(|forms| file.get_dict(&forms, std::str::from_utf8(name).ok()?));
        let Some(form) = form.filter(|form| form.get("Subtype").and_then(Object::name) == Some(b"Form")) else {
            return;
        };
        if self.depth >= MAX_FORMS {
            return;
        }
        let matrix = file.get(&form, "Matrix").and_then(|matrix| Matrix::from_operands(matrix.array()?));
        let page = matrix.unwrap_or(Matrix::IDENTITY).then(self.state.page);
        let own = file.get_dict(&form, "Resources");
        if let Some(content) = file.data(&form) {
            self.viewer.run(&content, own.as_ref().unwrap_or(self.resources), page, self.depth + 1);
        }
    }
}
