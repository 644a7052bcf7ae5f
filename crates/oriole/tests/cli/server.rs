//! The pages that `oriole run` and `oriole serve` serve, asked for over HTTP.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Folder;
use super::site::server::{Server, answer, html, not_found};

const QUICK: &str = "--allow-private --delay 0 --budget unlimited";

/// A running program that serves pages. It is ended with the test.
pub struct Served {
    child: Child,
    pub address: String,
}

impl Served {
    /// Starts the program and waits for the line that says where it serves.
    pub fn start(folder: &Folder, arguments: &str) -> Self {
        Self::of(folder.command(arguments), arguments.starts_with("run"))
    }

    fn of(mut command: Command, is_run: bool) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines: Box<dyn Read + Send> =
            if is_run { Box::new(child.stderr.take().unwrap()) } else { Box::new(child.stdout.take().unwrap()) };
        let mut lines = BufReader::new(lines).lines().map_while(Result::ok);
        let line =
            lines.find(|line| line.contains("http://127.0.0.1:") && line.contains("serve") | line.contains("pages to"));
        let line = line.unwrap_or_else(|| panic!("it says nowhere where it serves"));
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        // Nobody else reads what it says.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    /// Status and everything that is answered.
    pub fn send(&self, head: &str, body: &str) -> (u16, String) {
        let text = self.try_send(head, body).unwrap();
        (text.split(' ').nth(1).unwrap().parse().unwrap(), text)
    }

    /// Everything that is answered, unless the server hangs up: it does on those who have too many connections.
    fn try_send(&self, head: &str, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        let length = body.len();
        write!(stream, "{head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")?;
        io::read_to_string(stream)
    }

    pub fn get(&self, target: &str) -> (u16, String) {
        self.send(&self.head_of(target), "")
    }

    fn head_of(&self, target: &str) -> String {
        format!("GET {target} HTTP/1.1\r\nHost: {}", self.address)
    }

    /// Asks again until the answer has something in it.
    pub fn get_until(&self, target: &str, wanted: &str) -> String {
        let began = Instant::now();
        loop {
            let answer = self.try_send(&self.head_of(target), "");
            match answer {
                Ok(text) if text.contains(wanted) => return text,
                other => assert!(began.elapsed() < Duration::from_secs(60), "{target} has no {wanted}: {other:?}"),
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub fn terminate(&mut self) -> Option<i32> {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn birds() -> Server {
    Server::start(|ask| match ask.path.as_str() {
        "/" => html(
            "<title>Birds</title><p>Of all birds the <a href=/oriole>golden one</a> is the one that comes back last in spring",
        ),
        "/oriole" => html(
            "<title>&lt;script&gt;alert(1)&lt;/script&gt;</title><p>The golden robin weaves a hanging nest, and nobody sees it do so",
        ),
        _ => not_found(),
    })
}

#[test]
fn what_was_crawled_is_served() {
    let (server, folder) = (birds(), Folder::new());
    let run = folder.run(&format!("run {} {QUICK} --once --no-server", server.url("/")));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.err.contains("pages to search"), "{}", run.err);
    let mut served = Served::start(&folder, "serve --listen 127.0.0.1:0");
    assert_eq!(served.get("/healthz").0, 200);
    assert_eq!(served.get("/readyz").0, 200);
    let (_, found) = served.get("/?q=robin");
    assert!(found.contains("&lt;script&gt;alert(1)") && !found.contains("<script>alert"), "{found}");
    assert!(served.get("/metrics").1.contains("\noriole_pages_indexed 2\n"));
    assert_eq!(served.get("/api/v1/status").0, 200);
    let other = served.send("GET / HTTP/1.1\r\nHost: evil.example", "");
    assert_eq!(other.0, 421);
    assert_eq!(served.send("GET / HTTP/1.0", "").0, 400, "no host at all");
    assert_eq!(served.terminate(), Some(0));
}

#[test]
fn the_engine_serves_while_it_crawls_and_takes_pings() {
    let (server, folder) = (birds(), Folder::new());
    folder.write("oriole.toml", "[signals]\nindexnow_key = \"0123456789abcdef\"\n");
    let mut served = Served::start(&folder, &format!("run {} {QUICK} --listen 127.0.0.1:0", server.url("/")));
    served.get_until("/?q=robin", "One page.");
    assert!(served.get("/metrics").1.contains("# TYPE oriole_requests_total counter"));
    let ping = format!("/indexnow?key=0123456789abcdef&url={}", server.url("/oriole"));
    assert_eq!(served.get(&ping).0, 200);
    assert_eq!(served.terminate(), Some(0));
}

/// A hub that a feed names is asked to tell of changes, if it can reach us.
#[test]
fn hubs_are_asked_to_tell() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html(
            "<title>Home</title><link rel=alternate type=application/rss+xml href=/feed><p>A page with a feed, and some words more",
        ),
        "/feed" => {
            let hub = format!("<atom:link rel='hub' href='{}/hub'/>", ask.origin);
            answer(
                200,
                "Content-Type: application/rss+xml\r\n",
                format!("<rss version='2.0'><channel>{hub}</channel></rss>"),
            )
        }
        "/hub" => answer(202, "", ""),
        _ => not_found(),
    });
    let folder = Folder::new();
    folder.write("oriole.toml", "[signals]\nwebsub_callback = \"http://127.0.0.1:9\"\n");
    let mut served = Served::start(&folder, &format!("run {} {QUICK} --listen 127.0.0.1:0", server.url("/")));
    let began = Instant::now();
    while !server.log().of("/hub").any(|seen| seen.method == "POST") {
        assert!(began.elapsed() < Duration::from_secs(60), "the hub was not asked: {:?}", server.log().requests);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(served.get("/websub/0?hub.mode=subscribe&hub.topic=x&hub.challenge=y").0, 404);
    assert_eq!(served.terminate(), Some(0));
}

#[test]
fn a_port_that_is_taken() {
    let (server, folder) = (birds(), Folder::new());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let run = folder.run(&format!("run {} {QUICK} --once --listen {address}", server.url("/")));
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(
        run.err.contains(&format!("cannot serve pages at {address}; choose another address with --listen")),
        "{}",
        run.err
    );
    // Without an address any free port will do, however many engines run.
    let engines: Vec<Served> = (0..3)
        .map(|number| Served::start(&folder, &format!("run {} {QUICK} --data d{number}", server.url("/"))))
        .collect();
    let mut addresses: Vec<&str> = engines.iter().map(|engine| engine.address.as_str()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 3);
}

/// Who connects and says nothing takes no files from the engine.
#[test]
fn idle_connections_do_not_end_the_engine() {
    let (server, folder) = (birds(), Folder::with("oriole.toml", "[revisit]\nleast = \"0\"\n"));
    let arguments = format!("run {} {QUICK} --listen 127.0.0.1:0", server.url("/"));
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 256 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_oriole")]);
    command.args(arguments.split_whitespace()).current_dir(folder.path("."));
    let mut served = Served::of(command, true);
    let idle: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(&served.address).unwrap()).collect();
    let visits = server.log().count("/oriole");
    let began = Instant::now();
    while server.log().count("/oriole") < visits + 20 {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not crawl any more");
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(idle);
    served.get_until("/?q=robin", "One page.");
    assert_eq!(served.terminate(), Some(0));
}

#[test]
fn others_are_served_only_with_a_token() {
    let (server, folder) = (birds(), Folder::new());
    assert_eq!(folder.run(&format!("run {} {QUICK} --once --no-server", server.url("/"))).code, 0);
    for arguments in ["serve --listen 0.0.0.0:0", "run --listen 0.0.0.0:0", "serve --listen [::]:0"] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 2, "{arguments}: {}", run.err);
        assert!(run.err.contains("without a token; set ORIOLE_TOKEN"), "{}", run.err);
    }
    assert_eq!(folder.run("serve --token short").code, 2);
    let served = Served::start(&folder, "serve --listen 127.0.0.1:0 --token 0123456789abcdef");
    assert_eq!(served.get("/").0, 303);
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer 0123456789abcdef", served.address);
    assert_eq!(served.send(&head, "").0, 200);
}

#[test]
fn there_must_be_something_to_serve() {
    let run = Folder::new().run("serve --listen 127.0.0.1:0");
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("is not a data folder"), "{}", run.err);
}
