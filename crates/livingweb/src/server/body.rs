//! Bodies of answers, whole or slow.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{Either, Full};
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use tokio::time::Sleep;

/// Parts of a slow body, and the time before each.
const PARTS: usize = 6;
const PAUSE: Duration = Duration::from_millis(500);

pub(super) type Body = Either<Full<Bytes>, Slow>;

pub(super) fn whole(text: impl Into<Bytes>) -> Body {
    Either::Left(Full::new(text.into()))
}

pub(super) fn slow(text: impl Into<Bytes>) -> Body {
    let rest = text.into();
    let part = rest.len().div_ceil(PARTS).max(1);
    Either::Right(Slow { rest, part, pause: Box::pin(tokio::time::sleep(PAUSE)) })
}

/// A body that comes in parts.
pub(super) struct Slow {
    rest: Bytes,
    part: usize,
    pause: Pin<Box<Sleep>>,
}

impl HttpBody for Slow {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        std::task::ready!(self.pause.as_mut().poll(cx));
        let next = tokio::time::Instant::now() + PAUSE;
        self.pause.as_mut().reset(next);
        let part = self.part.min(self.rest.len());
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
