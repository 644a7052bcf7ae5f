/// Longest head of an HTTP message that is looked for.
const MOST_HEAD: usize = 1 << 20;

/// Most header fields of an HTTP message that are kept.
const MOST_FIELDS: usize = 10_000;

/// What comes before the body of an HTTP message: the first line and the header fields, as received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpHead {
    /// Status line or request line.
    pub start: Vec<u8>,
    /// Names and values of the fields, in order. Values need not be text.
    pub fields: Vec<(String, Vec<u8>)>,
}

impl HttpHead {
    /// The head of an answer. Every version of HTTP is written as 1.1, as other archives do.
    #[must_use]
    pub fn response(status: u16, reason: &str) -> Self {
        Self { start: clean(format!("HTTP/1.1 {status:03} {reason}").trim_end().as_bytes()), fields: Vec::new() }
    }

    /// The head of a request.
    #[must_use]
    pub fn request(method: &str, target: &str) -> Self {
        Self { start: clean(format!("{method} {target} HTTP/1.1").as_bytes()), fields: Vec::new() }
    }

    /// Adds a field. Bytes that would end the line become spaces.
    pub fn push(&mut self, name: &str, value: &[u8]) {
        let name = name.chars().filter(|c| c.is_ascii_graphic() && *c != ':').collect();
        self.fields.push((name, clean(value)));
    }

    /// Status of an answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        let mut words = self.start.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        words.next().filter(|version| version.starts_with(b"HTTP/"))?;
        std::str::from_utf8(words.next()?).ok()?.parse().ok()
    }

    /// The first value of a field, whatever the case of its name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        self.fields.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_slice())
    }

    /// The media type, without its parameters, in lower case.
    #[must_use]
    pub fn mime(&self) -> Option<String> {
        let value = String::from_utf8_lossy(self.field("content-type")?);
        let mime = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let plain = !mime.is_empty() && mime.bytes().all(|byte| byte.is_ascii_graphic());
        plain.then_some(mime)
    }

    /// Makes the head fit a body that is stored without its transfer encoding and, if `decoded`, without its content
    /// encoding: what is no longer true moves to a field `X-Archive-Orig-...`.
    #[must_use]
    pub fn fitting(mut self, body: usize, decoded: bool) -> Self {
        let length = body.to_string();
        let mut right = false;
        for (name, value) in &mut self.fields {
            let lie = match name.to_ascii_lowercase().as_str() {
                "transfer-encoding" => true,
                "content-encoding" => decoded,
                "content-length" if value.trim_ascii() == length.as_bytes() && !right => {
                    right = true;
                    false
                }
                "content-length" => true,
                _ => false,
            };
            if lie {
                name.insert_str(0, "X-Archive-Orig-");
            }
        }
        if !right {
            self.push("Content-Length", length.as_bytes());
        }
        self
    }

    /// The bytes, with the empty line at the end.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.start);
        out.extend_from_slice(b"\r\n");
        for (name, value) in &self.fields {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
    }

    /// Reads the head at the beginning of `block`, and says how long it is. Lenient: lines may end in a line feed
    /// alone, a value may go on in the next line, and a line without a colon is a name without a value.
    pub(super) fn parse(block: &[u8]) -> Option<(Self, usize)> {
        let mut head = Self::default();
        let mut rest = &block[..block.len().min(MOST_HEAD)];
        let total = rest.len();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            rest = &rest[end + 1..];
            if line.is_empty() {
                return Some((head, total - rest.len()));
            }
            head.take_line(line);
        }
        // Some tools leave out the empty line when there is no body.
        (rest.is_empty() && total == block.len() && !head.start.is_empty()).then_some((head, total))
    }

    fn take_line(&mut self, line: &[u8]) {
        if self.start.is_empty() {
            self.start = line.to_vec();
        } else if line[0] == b' ' || line[0] == b'\t' {
            let Some((_, value)) = self.fields.last_mut() else { return };
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
        } else if self.fields.len() < MOST_FIELDS {
            let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
            let value = line.get(colon + 1..).unwrap_or_default().trim_ascii();
            self.fields.push((String::from_utf8_lossy(&line[..colon]).trim().to_owned(), value.to_vec()));
        }
    }
}

fn clean(bytes: &[u8]) -> Vec<u8> {
    let plain: Vec<u8> =
        bytes.iter().map(|byte| if matches!(byte, b'\r' | b'\n' | 0) { b' ' } else { *byte }).collect();
    plain.trim_ascii().to_vec()
}

/// Takes the chunked transfer encoding from a body. None if the body does not have it, as with tools that took it away
/// and left the header field.
pub(super) fn dechunk(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let end = body.iter().take(1000).position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(body[..end].strip_suffix(b"\r")?).ok()?;
        let size = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        body = &body[end + 1..];
        let cut = body.len() < size;
        if cut && out.is_empty() {
            return None;
        }
        out.extend_from_slice(&body[..size.min(body.len())]);
        // A body that was cut has no end.
        if size == 0 || cut || body.len() == size {
            return Some(out);
        }
        body = body[size..].strip_prefix(b"\r\n")?;
        if body.is_empty() {
            return Some(out);
        }
    }
}
