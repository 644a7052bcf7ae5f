//! A web server that says exactly what it is told to, byte by byte, and remembers what it was asked and when.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Longest head of a request.
const MOST_HEAD: usize = 64 << 10;

/// A part of an answer.
#[derive(Clone, Debug)]
pub enum Say {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, so many times.
    Repeat(Vec<u8>, usize),
    /// Nothing for some time.
    Wait(Duration),
    /// The end of the connection.
    Close,
    /// The end of the connection, by force.
    Reset,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Path and query.
    pub path: String,
    /// How often this path has been asked for before.
    pub before: usize,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The server's own `http://host:port`.
    pub origin: String,
}

impl Ask {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A request as the server saw it. Times are in seconds since the first server was started.
#[derive(Clone, Debug)]
pub struct Seen {
    pub connection: usize,
    pub began: f64,
    /// When the last part of the answer was sent, or nobody wanted it any more.
    pub ended: Option<f64>,
    pub method: String,
    pub ask: Ask,
    pub bytes_sent: usize,
}

/// A connection as the server saw it.
#[derive(Clone, Copy, Debug)]
pub struct Connection {
    pub opened: f64,
    pub closed: Option<f64>,
}

/// Everything a server saw.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub connections: Vec<Connection>,
    pub requests: Vec<Seen>,
    asked: HashMap<String, usize>,
}

impl Log {
    /// How often a path was asked for.
    pub fn count(&self, path: &str) -> usize {
        self.asked.get(path).copied().unwrap_or(0)
    }

    /// Requests to a path, in order.
    pub fn of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Seen> {
        self.requests.iter().filter(move |seen| seen.ask.path == path)
    }

    /// The most requests that were under way at the same time.
    pub fn most_at_a_time(&self) -> usize {
        most_open(self.requests.iter().map(|seen| (seen.began, seen.ended)))
    }

    /// The most connections that were open at the same time.
    pub fn most_connections(&self) -> usize {
        most_open(self.connections.iter().map(|connection| (connection.opened, connection.closed)))
    }

    /// The least time from the beginning of one request to that of the next.
    pub fn least_gap(&self) -> f64 {
        let mut times: Vec<f64> = self.requests.iter().map(|seen| seen.began).collect();
        times.sort_by(f64::total_cmp);
        times.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
    }
}

fn most_open(spans: impl Iterator<Item = (f64, Option<f64>)>) -> usize {
    let mut events: Vec<(f64, i32)> = Vec::new();
    for (from, to) in spans {
        events.extend([(from, 1), (to.unwrap_or(f64::INFINITY), -1)]);
    }
    // What ends at the moment at which something else begins does not overlap with it.
    events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let open = events.iter().scan(0, |open, (_, step)| {
        *open += step;
        Some(*open)
    });
    open.max().unwrap_or(0) as usize
}

type Handler = dyn Fn(&Ask) -> Vec<Say> + Send + Sync;

/// A server on loopback. It ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Log>>,
    over: Arc<AtomicBool>,
}

impl Server {
    pub fn start(handler: impl Fn(&Ask) -> Vec<Say> + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1", handler)
    }

    pub fn start_at(host: &str, handler: impl Fn(&Ask) -> Vec<Say> + Send + Sync + 'static) -> Self {
        clock();
        let listener = TcpListener::bind((host, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (log, over) = (Arc::<Mutex<Log>>::default(), Arc::<AtomicBool>::default());
        let handler: Arc<Handler> = Arc::new(handler);
        let (for_thread, is_over) = (Arc::clone(&log), Arc::clone(&over));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let talk = Talk::new(stream, address, Arc::clone(&for_thread));
                let handler = Arc::clone(&handler);
                thread::spawn(move || talk.run(&*handler));
            }
        });
        Self { address, log, over }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What the server saw so far.
    pub fn log(&self) -> Log {
        lock(&self.log).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        _ = TcpStream::connect(self.address);
    }
}

fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Seconds since the first call.
pub fn clock() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// One connection.
struct Talk {
    stream: TcpStream,
    address: SocketAddr,
    log: Arc<Mutex<Log>>,
    number: usize,
}

impl Talk {
    fn new(stream: TcpStream, address: SocketAddr, log: Arc<Mutex<Log>>) -> Self {
        _ = stream.set_nodelay(true);
        let mut seen = lock(&log);
        seen.connections.push(Connection { opened: clock(), closed: None });
        let number = seen.connections.len() - 1;
        drop(seen);
        Self { stream, address, log, number }
    }

    fn run(mut self, handler: &Handler) {
        while let Some(head) = self.read_head() {
            let Some((request, ask)) = self.enter(&head) else { break };
            let mut parts = handler(&ask);
            let last = parts.pop_if(|part| matches!(part, Say::Bytes(_)));
            let goes_on = parts.into_iter().all(|part| self.say(part, request));
            // Whoever has seen the end of the answer may begin anew before the last call to write returns.
            lock(&self.log).requests[request].ended = Some(clock());
            if !goes_on || !last.is_none_or(|part| self.say(part, request)) {
                break;
            }
            // The last byte of the request, which was left behind for `Say::Reset`.
            if self.stream.read_exact(&mut [0]).is_err() {
                break;
            }
        }
        lock(&self.log).connections[self.number].closed = Some(clock());
    }

    /// Reads a request but for its last byte: a connection that is closed with something unread is reset.
    fn read_head(&mut self) -> Option<Vec<u8>> {
        let mut buffer = vec![0; MOST_HEAD];
        loop {
            let length = self.stream.peek(&mut buffer).ok().filter(|length| *length > 0)?;
            let end = buffer[..length].windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                buffer.truncate(end + 3);
                self.stream.read_exact(&mut buffer).ok()?;
                return Some(buffer);
            }
            if length == MOST_HEAD {
                return None;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    fn enter(&self, head: &[u8]) -> Option<(usize, Ask)> {
        let text = String::from_utf8_lossy(head).into_owned();
        let mut lines = text.lines();
        let mut first = lines.next()?.split(' ');
        let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
        let mut log = lock(&self.log);
        let count = log.asked.entry(path.clone()).or_default();
        let ask = Ask { path, before: *count, headers, origin: format!("http://{}", self.address) };
        *count += 1;
        let (connection, began) = (self.number, clock());
        log.requests.push(Seen { connection, began, ended: None, method, ask: ask.clone(), bytes_sent: 0 });
        Some((log.requests.len() - 1, ask))
    }

    /// Whether the connection goes on.
    fn say(&mut self, part: Say, request: usize) -> bool {
        match part {
            Say::Bytes(bytes) => self.write(&bytes, request),
            Say::Repeat(bytes, count) => (0..count).all(|_| self.write(&bytes, request)),
            Say::Wait(time) => {
                thread::sleep(time);
                true
            }
            Say::Close => {
                _ = self.stream.read_exact(&mut [0]);
                false
            }
            Say::Reset => false,
        }
    }

    fn write(&mut self, bytes: &[u8], request: usize) -> bool {
        let is_sent = self.stream.write_all(bytes).is_ok();
        lock(&self.log).requests[request].bytes_sent += if is_sent { bytes.len() } else { 0 };
        is_sent
    }
}

/// A whole answer.
pub fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<Say> {
    let body = body.as_ref();
    let lines: String = headers.lines().map(|line| format!("{}\r\n", line.trim())).collect();
    let head = format!("HTTP/1.1 {status} Said\r\n{lines}Content-Length: {}\r\n\r\n", body.len());
    vec![Say::Bytes([head.as_bytes(), body].concat())]
}

pub fn html(body: &str) -> Vec<Say> {
    answer(200, "Content-Type: text/html; charset=utf-8", body)
}

pub fn redirect(status: u16, to: &str) -> Vec<Say> {
    answer(status, &format!("Location: {to}"), "")
}

pub fn not_found() -> Vec<Say> {
    answer(404, "Content-Type: text/html", "nothing here")
}

/// Bytes as they are, and the end of the connection.
pub fn raw(bytes: impl AsRef<[u8]>) -> Vec<Say> {
    vec![Say::Bytes(bytes.as_ref().to_vec()), Say::Close]
}

/// A text of its own for each name, so that no page says what another says.
pub fn prose(name: &str) -> String {
    let mut state = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut text = String::new();
    for position in 0..120 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = 1 + (state >> 33) % 20_000;
        text.push_str(&format!(
            "{}{}{} ",
            SYLLABLES[(word % 20) as usize],
            SYLLABLES[(word / 20 % 20) as usize],
            SYLLABLES[(word / 400 % 20) as usize]
        ));
        if position % 12 == 11 {
            text.pop();
            text.push_str(". ");
        }
    }
    text
}

const SYLLABLES: [&str; 20] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "xi", "yo",
    "zu",
];

/// A page with a text of its own and these links.
pub fn page(name: &str, links: &[&str]) -> String {
    let links: String = links.iter().map(|to| format!("<li><a href=\"{to}\">{to}</a></li>")).collect();
    format!(
        "<html lang=en><title>{name}</title><body><h1>{name}</h1><p>{}</p><ul>{links}</ul></body></html>",
        prose(name)
    )
}
