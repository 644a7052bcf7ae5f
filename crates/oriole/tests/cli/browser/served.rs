//! Sites that are crawled and served, for looking at them in a browser.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use crate::Folder;
use crate::site::server::{Ask, Say, Server, html, not_found, prose};

/// Pages of the first site that say something of herons, beside the hostile one.
pub(super) const HERONS: usize = 23;

/// A site whose pages try everything to be more than text. Every script would open a dialog, everything else would be asked for.
const HOSTILE: &str = r#"<!doctype html><html lang=en><head>
<title></script><script>alert('title')</script>"><img src=x onerror=alert('title')> herons</title>
<meta name=description content="'><svg onload=alert('description')>">
<meta http-equiv=refresh content="0; url=http://elsewhere.example/refresh">
<base href="http://elsewhere.example/base/">
<style>@import url(http://elsewhere.example/style.css); body { background: url(http://elsewhere.example/bg.png) }</style>
<script>alert('script')</script><script src="http://elsewhere.example/script.js"></script>
</head><body onload="alert('load')">
<main><h1>Herons &lt;script&gt;alert('heading')&lt;/script&gt;</h1>
<p>A heron &lt;img src=http://elsewhere.example/snippet.png onerror=alert('snippet')&gt; of &lt;/p&gt;&lt;script&gt;alert('text')&lt;/script&gt;
waits by the water until a fish comes near enough, and then it is very quick.</p>
<img src="http://elsewhere.example/picture.png" onerror="alert('image')"><svg><script>alert('svg')</script></svg>
<a href="javascript:alert('link')">a heron</a><iframe src="http://elsewhere.example/frame"></iframe>
<form action="http://elsewhere.example/form"><input name=q autofocus onfocus="alert('focus')"><button>Send</button></form>
<object data="http://elsewhere.example/object"></object><video src="http://elsewhere.example/video" autoplay></video>
<math><mtext><table><mglyph><style><img src=x onerror=alert('nested')></style></mglyph></table></mtext></math>
</main></body></html>"#;

/// The path of the hostile page: what is not escaped leaves an attribute.
const HOSTILE_PATH: &str = "/%22%3E%3Cscript%3Ealert('url')%3C/script%3E.html";

fn english(number: usize, before: usize) -> String {
    // The first of them changes after the first visit.
    let waits = if number == 1 && before > 0 { "dreams of the sea" } else { "waits for the fish" };
    format!(
        "<!doctype html><html lang=en><title>Heron number {number}</title><main><h1>Heron number {number}</h1>\
         <p>The grey heron stands in the shallow water of the lake and {waits}. This one has the number {number}.</p>\
         <p>{}</p></main>",
        prose(&format!("english {number}"))
    )
}

const GERMAN: &str = "<!doctype html><html lang=de><title>Der Graureiher</title><main><h1>Der Graureiher</h1>\
    <p>Der Graureiher, auf Englisch grey heron, steht im seichten Wasser des Sees und wartet geduldig auf die Fische. Er ist \
    einer der bekanntesten Vögel unserer Gewässer und brütet in Kolonien auf hohen Bäumen.</p></main>";

pub(super) fn first(ask: &Ask) -> Vec<Say> {
    let number = ask.path.strip_prefix("/heron/").and_then(|number| number.parse().ok());
    match (ask.path.as_str(), number) {
        ("/", _) => {
            let links: String = (1..=HERONS).map(|number| format!("<a href='/heron/{number}'>{number}</a> ")).collect();
            html(&format!("<!doctype html><title>Birds</title>{links}<a href=\"{HOSTILE_PATH}\">another</a>"))
        }
        (_, Some(number)) => html(&english(number, ask.before)),
        (HOSTILE_PATH, _) => html(HOSTILE),
        _ => not_found(),
    }
}

fn second(ask: &Ask) -> Vec<Say> {
    match ask.path.as_str() {
        "/" => html("<!doctype html><html lang=de><title>Vögel</title><a href=/reiher>Der Reiher</a>"),
        "/reiher" => html(GERMAN),
        _ => not_found(),
    }
}

/// Two sites, every page of which was visited twice, and a server that shows what was found.
pub(super) struct Served {
    pub(super) first: Server,
    pub(super) second: Server,
    pub(super) origin: String,
    child: Child,
    _folder: Folder,
}

impl Served {
    pub(super) fn start() -> Self {
        let (folder, first, second) = (Folder::new(), Server::start(first), Server::start(second));
        let seeds = format!("{}/ {}/", first.origin(), second.origin());
        let options = "--once --allow-private --delay 0 --budget unlimited --no-server";
        for _visit in 0..2 {
            let run = folder.run(&format!("run {seeds} {options}"));
            assert_eq!(run.code, 0, "{}", run.err);
        }
        let mut command = folder.command("serve --listen 127.0.0.1:0");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let origin = line.split_once(" at ").and_then(|(_, rest)| rest.split_once("/ ")).unwrap().0.to_owned();
        Self { first, second, origin, child, _folder: folder }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
