//! Against a server on loopback that says exactly what it is told to, byte by byte.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

enum Say {
    Bytes(Vec<u8>),
    Pause(u64),
}

/// Answers one request with this script and returns the request it got.
async fn server(script: Vec<Say>) -> (Url, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(socket.read_u8().await.unwrap());
        }
        for part in script {
            match part {
                Say::Bytes(bytes) => {
                    if socket.write_all(&bytes).await.is_err() {
                        break;
                    }
                }
                Say::Pause(milliseconds) => tokio::time::sleep(Duration::from_millis(milliseconds)).await,
            }
        }
        String::from_utf8(request).unwrap()
    });
    (Url::parse(&format!("http://127.0.0.1:{port}/page")).unwrap(), task)
}

fn bytes(text: &str) -> Say {
    Say::Bytes(text.as_bytes().to_vec())
}

fn patient() -> FetchSettings {
    FetchSettings { allow_private: true, most_bytes: 1000, ..FetchSettings::default() }
}

async fn asked(script: Vec<Say>, settings: FetchSettings) -> Result<Answer, FetchError> {
    let (url, _server) = server(script).await;
    Fetcher::new(settings).unwrap().fetch(Request::new(&url)).await
}

#[tokio::test]
async fn an_answer_is_taken_as_it_is() {
    let (url, server) =
        server(vec![Say::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Odd: \xe9t\xe9\r\n\r\nhello".to_vec())])
            .await;
    let fetcher = Fetcher::new(patient()).unwrap();
    let request = Request { url: &url, etag: Some("\"v1\""), last_modified: Some("Sun, 15 Nov 2026 12:00:00 GMT") };
    let answer = fetcher.fetch(request).await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice(), answer.truncated), (200, &b"hello"[..], false));
    assert_eq!(answer.header("content-length"), Some("5"));
    assert_eq!(answer.address.unwrap().ip().to_string(), "127.0.0.1");
    let request = server.await.unwrap().to_ascii_lowercase();
    assert!(request.starts_with("get /page http/1.1\r\n"));
    for line in [
        "if-none-match: \"v1\"",
        "if-modified-since: sun, 15 nov 2026",
        "user-agent: oriole/",
        "accept-encoding: gzip, deflate, br, zstd",
    ] {
        assert!(request.contains(line), "{line} is missing in {request}");
    }
    assert!(!request.contains("cookie") && !request.contains("referer"));
}

#[tokio::test]
async fn redirects_are_answers() {
    let answer = asked(vec![bytes("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")], patient())
        .await
        .unwrap();
    assert_eq!((answer.status, answer.header("Location")), (302, Some("/other")));
}

#[tokio::test]
async fn long_bodies_are_cut() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    let answer = asked(vec![bytes(head), Say::Bytes(vec![b'x'; 100_000])], patient()).await.unwrap();
    assert_eq!((answer.body.len(), answer.truncated), (1000, true));
    let endless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n";
    let answer = asked(vec![bytes(endless), Say::Bytes(vec![b'x'; 10_000])], patient()).await.unwrap();
    assert_eq!((answer.body.len(), answer.truncated), (1000, true));
}

#[tokio::test]
async fn broken_answers_are_errors() {
    for script in [
        "",
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "nonsense\r\n\r\n",
        "HTTP/1.1 999999 What\r\n\r\n",
    ] {
        let error = asked(vec![bytes(script)], patient()).await.unwrap_err();
        assert!(matches!(error, FetchError::Answer(_)), "{script:?} gave {error:?}");
    }
}

#[tokio::test]
async fn silence_and_dripping_end() {
    let silent = FetchSettings { silence: Duration::from_millis(200), ..patient() };
    assert_eq!(asked(vec![Say::Pause(5_000)], silent).await, Err(FetchError::Timeout));
    let mut drip = vec![bytes("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")];
    for _ in 0..100 {
        drip.extend([bytes("x"), Say::Pause(50)]);
    }
    let hurried = FetchSettings { total: Duration::from_millis(400), ..patient() };
    assert_eq!(asked(drip, hurried).await, Err(FetchError::Timeout));
}

#[tokio::test]
async fn private_addresses_are_refused() {
    let fetcher = Fetcher::new(FetchSettings::default()).unwrap();
    for url in [
        "http://127.0.0.1:1/",
        "http://[::1]:1/",
        "http://2130706433:1/",
        "http://[::ffff:10.0.0.1]:1/",
        "http://localhost:1/",
    ] {
        let error = fetcher.fetch(Request::new(&Url::parse(url).unwrap())).await.unwrap_err();
        assert!(matches!(error, FetchError::Private(_)), "{url} gave {error:?}");
    }
}

#[tokio::test]
async fn no_server_and_no_name_are_told_apart() {
    let fetcher = Fetcher::new(patient()).unwrap();
    let error = fetcher.fetch(Request::new(&Url::parse("http://127.0.0.1:1/").unwrap())).await.unwrap_err();
    assert!(matches!(error, FetchError::Connect(_)), "{error:?}");
    let error = fetcher.fetch(Request::new(&Url::parse("http://no-such-name.invalid/").unwrap())).await.unwrap_err();
    assert!(matches!(error, FetchError::Name(_)), "{error:?}");
}
