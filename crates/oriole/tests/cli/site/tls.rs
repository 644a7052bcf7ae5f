//! HTTP/2 over TLS, with certificates that are right or wrong.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::server::page;

/// An authority that signs certificates.
pub(in super::super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate.
    pub(in super::super) pem: String,
}

/// What is wrong with a certificate.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Flaw {
    None,
    /// It has expired.
    Expired,
    /// It is for another host.
    Name,
}

impl Authority {
    pub(in super::super) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    fn certificate(&self, flaw: Flaw) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let name = if flaw == Flaw::Name { "elsewhere.example" } else { "127.0.0.1" };
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        if flaw == Flaw::Expired {
            (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2020, 2, 1));
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.der().clone(), PrivateKeyDer::Pkcs8(key.serialize_der().into()))
    }
}

/// A server that speaks HTTP/2 only.
pub(in super::super) struct TlsServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<(Version, String)>>>,
}

impl TlsServer {
    pub(in super::super) fn start(authority: &Authority, flaw: Flaw) -> Self {
        let (certificate, key) = authority.certificate(flaw);
        let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let mut config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (address, seen) = (listener.local_addr().unwrap(), Arc::<Mutex<_>>::default());
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(serve(listener, TlsAcceptor::from(Arc::new(config)), log));
        });
        Self { address, seen }
    }

    pub(in super::super) fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address)
    }

    /// The requests that came, with the version of HTTP.
    pub(in super::super) fn seen(&self) -> Vec<(Version, String)> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, log: Arc<Mutex<Vec<(Version, String)>>>) {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, log) = (acceptor.clone(), Arc::clone(&log));
        tokio::spawn(async move {
            // Clients that do not trust the certificate end here.
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let answer = service_fn(|request: Request<Incoming>| {
                log.lock().unwrap().push((request.version(), request.uri().path().to_owned()));
                std::future::ready(Ok::<_, Infallible>(answer(request.uri().path())))
            });
            let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            _ = http.serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

type Body = BoxBody<Bytes, &'static str>;

fn answer(path: &str) -> Response<Body> {
    let whole = |text: String| Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed();
    let html = Response::builder().header("content-type", "text/html");
    let built = match path {
        "/" => html.body(whole(page("second version", &["/next", "/reset"]))),
        "/next" => html.body(whole(page("second version, next page", &[]))),
        // A stream that is reset in the middle of the body.
        "/reset" => {
            let frames = [Ok(Frame::data(Bytes::from_static(b"<p>half a page"))), Err("enough")];
            html.body(Frames(frames.into_iter()).boxed())
        }
        _ => Response::builder().status(404).body(whole(String::new())),
    };
    built.unwrap()
}

/// Frames that are there at once.
struct Frames(std::array::IntoIter<Result<Frame<Bytes>, &'static str>, 2>);

impl hyper::body::Body for Frames {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        std::task::Poll::Ready(self.0.next())
    }
}
