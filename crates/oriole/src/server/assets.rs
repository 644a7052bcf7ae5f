//! Style sheet, scripts and icon. They are inside of the program, and their addresses change when they do.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::Problem;

/// Name, media type and contents.
const ASSETS: &[(&str, &str, &str)] = &[
    ("style.css", "text/css; charset=utf-8", include_str!("assets/style.css")),
    ("suggest.js", "text/javascript; charset=utf-8", include_str!("assets/suggest.js")),
    ("dashboard.js", "text/javascript; charset=utf-8", include_str!("assets/dashboard.js")),
    ("what-if.js", "text/javascript; charset=utf-8", include_str!("assets/what-if.js")),
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
];

/// The address of an asset.
pub(super) fn address(name: &str) -> String {
    let contents = ASSETS.iter().find(|(known, ..)| *known == name).map_or("", |(.., contents)| contents);
    debug_assert!(!contents.is_empty(), "{name} is not among the assets");
    format!("/assets/{}/{name}", hash(contents))
}

fn hash(contents: &str) -> String {
    format!("{:016x}", rapidhash::v3::rapidhash_v3(contents.as_bytes()))
}

/// Serves an asset of this version.
pub(super) async fn serve(Path((wanted, name)): Path<(String, String)>) -> Result<Response, Problem> {
    let found = ASSETS.iter().find(|(known, _, contents)| *known == name && hash(contents) == wanted);
    let (_, kind, contents) = found.ok_or_else(|| Problem::unknown("there is no such file"))?;
    Ok(([(CONTENT_TYPE, *kind), (CACHE_CONTROL, "public, max-age=31536000, immutable")], *contents).into_response())
}

/// The icon, for who asks for it at the usual place.
pub(super) async fn icon() -> Response {
    let contents = include_str!("assets/icon.svg");
    ([(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, "public, max-age=86400")], contents).into_response()
}
