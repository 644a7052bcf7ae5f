//! Who is told of changes, and whether they listen.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::params::NoParams;
use super::{Asked, Desk, Frame, Problem, Tab, Visitor, dashboard, page};
use crate::commands::reading;
use crate::output::age::relative;
use crate::output::foreign::printable;
use crate::output::number::grouped;

/// The page, and the same for programs.
pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/webhooks", get(show)).route("/api/v1/webhooks", get(list))
}

async fn show(visitor: Visitor, State(desk): State<Desk>) -> Result<Markup, Problem> {
    let lines = lines(&desk).await?;
    let contents = html! {
        h1 { "Webhooks" }
        p .aside { "Who is told of pages that are new, have changed or are gone. They are named in the configuration as " code { "[[webhooks]]" } "." }
        @if lines.is_empty() { p { "There are none, or no engine is running." } } @else { (table(&lines)) }
    };
    Ok(page(&Frame { visitor: &visitor, tab: Tab::Other, title: "Webhooks", scripts: &[] }, contents))
}

async fn list(State(desk): State<Desk>, Asked(NoParams {}): Asked<NoParams>) -> Result<Json<Value>, Problem> {
    Ok(Json(json!({"webhooks": lines(&desk).await?})))
}

/// What the engine says of them.
async fn lines(desk: &Desk) -> Result<Vec<Value>, Problem> {
    Ok(dashboard::figures(desk).await?.list("webhooks").to_vec())
}

fn table(lines: &[Value]) -> Markup {
    let text = |line: &Value, key: &str| line.get(key).and_then(Value::as_str).map(printable);
    let whole = |line: &Value, key: &str| grouped(line.get(key).and_then(Value::as_u64).unwrap_or(0) as usize);
    let next = |line: &Value| {
        let at = line.get("next_try").and_then(Value::as_str).and_then(store::Timestamp::parse);
        at.map_or_else(String::new, |at| format!("; tried again {}", relative(at, reading::now())))
    };
    html! {
        div .scroll {
            table {
                thead { tr { th scope="col" { "To" } th .number scope="col" { "Events taken" } th scope="col" { "State" } } }
                tbody {
                    @for line in lines {
                        tr {
                            th scope="row" { (text(line, "host").unwrap_or_default()) }
                            td .number { (whole(line, "delivered")) }
                            td {
                                @match text(line, "problem") {
                                    Some(problem) => span .problem { (problem) (next(line)) },
                                    None => "takes what it is told",
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
