//! Connections, and how they end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::{State, admin, answer};

/// Most connections to one host.
const MOST_CONNECTIONS: usize = 4_096;

/// Largest head of a request.
const MOST_HEAD: usize = 64 << 10;

/// A connection without a request for so long is closed.
const IDLE: Duration = Duration::from_secs(75);

/// Accepts connections to a host, or to none for the truth, until it is told to stop.
pub(super) async fn accept(
    listener: TcpListener,
    host: Option<usize>,
    state: Arc<State>,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            // Most likely there are too many open files; others may be closed soon.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let (state, mut stop) = (Arc::clone(&state), stop.clone());
        tokio::spawn(async move {
            let _place = place;
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => {}
                () = talk(stream, host, state) => {}
            }
        });
    }
}

async fn talk(stream: TcpStream, host: Option<usize>, state: Arc<State>) {
    _ = stream.set_nodelay(true);
    let reset = Arc::new(AtomicBool::new(false));
    let stream = TokioIo::new(Resettable { stream, reset: Arc::clone(&reset) });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(IDLE).max_buf_size(MOST_HEAD);
    // Whoever breaks the protocol or goes away has ended the connection; that is all.
    _ = match host {
        None => server.serve_connection(stream, service_fn(|request| admin::answer(&state, request))).await,
        Some(host) => {
            let answer = async |request| {
                let answer = answer::answer(&state, host, request).await;
                reset.store(answer.is_err(), Ordering::Relaxed);
                answer
            };
            server.serve_connection(stream, service_fn(answer)).await
        }
    };
}

/// A connection that is reset, instead of closed, if it is told to be.
struct Resettable {
    stream: TcpStream,
    reset: Arc<AtomicBool>,
}

impl Drop for Resettable {
    fn drop(&mut self) {
        if self.reset.load(Ordering::Relaxed) {
            _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Resettable {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Resettable {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
