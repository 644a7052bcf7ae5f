//! Connections that are kept, without anything that a library would do beside.

use std::net::SocketAddr;

use oriole_bench::Result;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// What must be known to see everything.
pub(crate) const TOKEN: &str = "a-token-of-some-length";

/// A connection to the server.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

/// What was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), address })
    }

    async fn ask(&mut self, target: &str, is_owner: bool) -> Result<()> {
        let token = if is_owner { format!("Authorization: Bearer {TOKEN}\r\n") } else { String::new() };
        let head = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n{token}\r\n", self.address);
        Ok(self.stream.write_all(head.as_bytes()).await?)
    }

    /// Status and length of an answer.
    async fn head(&mut self) -> Result<(u16, Option<usize>)> {
        let (mut status, mut length, mut line) = (None, None, String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line).await? == 0 {
                return Err("the server has closed the connection".into());
            }
            let text = line.trim_end();
            match (status, text.split_once(':')) {
                (None, _) => status = Some(text.split(' ').nth(1).ok_or("no status")?.parse()?),
                (Some(status), None) if text.is_empty() => return Ok((status, length)),
                (_, Some((name, value))) if name.eq_ignore_ascii_case("content-length") => {
                    length = Some(value.trim().parse()?);
                }
                _ => {}
            }
        }
    }

    /// Asks and reads the whole answer.
    pub(crate) async fn get(&mut self, target: &str, is_owner: bool) -> Result<Answer> {
        self.ask(target, is_owner).await?;
        let (status, length) = self.head().await?;
        let mut body = vec![0; length.ok_or("the answer has no length")?];
        self.stream.read_exact(&mut body).await?;
        Ok(Answer { status, body: String::from_utf8(body)? })
    }

    /// Asks for events. They can be waited for then.
    pub(crate) async fn listen(&mut self, target: &str) -> Result<()> {
        self.ask(target, true).await?;
        match self.head().await? {
            (200, None) => Ok(()),
            (status, _) => Err(format!("the server does not tell how it is doing: status {status}").into()),
        }
    }

    /// Waits for the next event.
    pub(crate) async fn event(&mut self) -> Result<()> {
        let mut line = String::new();
        while !line.starts_with("event: status") {
            line.clear();
            if self.stream.read_line(&mut line).await? == 0 {
                return Err("the server tells nothing more".into());
            }
        }
        Ok(())
    }
}
