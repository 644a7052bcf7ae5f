use serde_json::Value;

use crate::server::testing::{Site, get, send};

fn site() -> Site {
    let page = |words: &str| {
        format!("<html lang=en><title>Birds</title><p>The oriole {words} and that is all there is to say about it.</p>")
    };
    let [old, new] = ["comes in May", "leaves in August"].map(page);
    Site::new(&[("https://docs.example.org/", &[&old, &new])])
}

/// The schema that a reference names.
fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(name) => document.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name} is missing")),
        None => schema,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Fails unless a value is as its schema says: as much of JSON Schema as the description uses.
fn conforms(document: &Value, schema: &Value, value: &Value, path: &str) {
    let schema = resolve(document, schema);
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return assert!(words.contains(value), "{path} is {value}");
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => vec![kind.as_str().unwrap_or_else(|| panic!("{path} has no type"))],
    };
    let is = kind(value);
    assert!(kinds.contains(&is) || (is == "integer" && kinds.contains(&"number")), "{path} is {value}, not {kinds:?}");
    match value {
        Value::Object(fields) => {
            let known = &schema["properties"];
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                assert!(fields.contains_key(name), "{path} lacks {name}");
            }
            for (name, field) in fields {
                match known.get(name) {
                    Some(schema) => conforms(document, schema, field, &format!("{path}.{name}")),
                    None => assert_eq!(schema["additionalProperties"], true, "{path}.{name} is not described"),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| conforms(document, &schema["items"], item, path)),
        _ => {}
    }
}

#[tokio::test]
async fn answers_are_as_described() {
    let site = site();
    let router = site.router();
    let document = get(&router, "/api/openapi.json").await.json();
    let queries = [
        ("search", "?q=oriole%20bird%20%22x"),
        ("suggest", "?q=ori"),
        ("page", "?id=0"),
        ("versions", "?url=docs.example.org"),
        ("diff", "?id=0"),
        ("changes", ""),
        ("status", ""),
        ("sites", ""),
        ("history", "?range=day"),
        ("next", ""),
        ("what-if", "?budget=2"),
        ("webhooks", ""),
    ];
    let described: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    // Events have no end.
    assert_eq!(described.len(), queries.len() + 1);
    for (name, query) in queries {
        let path = format!("/api/v1/{name}");
        let responses = &document["paths"][&path]["get"]["responses"];
        let schema = |status: &str| {
            let response = resolve(&document, &responses[status]);
            response["content"]["application/json"]["schema"].clone()
        };
        let reply = get(&router, &format!("{path}{query}")).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"), "{}", reply.text);
        conforms(&document, &schema("200"), &reply.json(), name);
        let wrong = get(&router, &format!("{path}?zebra=1")).await;
        assert_eq!(wrong.status, 400, "{path}: unknown parameters are errors");
        conforms(&document, &schema("400"), &wrong.json(), name);
        let takes_json = document["paths"][&path]["post"].is_object();
        assert_eq!(send(&router, "POST", &path, &[], "").await.status, if takes_json { 415 } else { 405 });
    }
}

#[tokio::test]
async fn what_is_wrong_is_said() {
    let site = site();
    let router = site.router();
    let long = "x".repeat(1_001);
    let cases = [
        ("search", 400),
        ("search?q=a&limit=0", 400),
        ("search?q=a&limit=101", 400),
        ("search?q=a&offset=9901", 400),
        ("search?q=a&offset=-1", 400),
        ("search?q=a&limit=ten", 400),
        (&format!("search?q={long}"), 400),
        ("search?q=%00%FF%22", 200),
        ("search?q=", 200),
        ("page", 404),
        ("page?id=7", 404),
        ("page?id=4294967296", 400),
        ("page?url=ftp://e.org", 404),
        ("page?id=0&visits=101", 400),
        ("versions?id=9", 404),
        ("diff?id=0&from=yesterday", 404),
        ("diff?id=0&from=", 400),
        ("nothing", 404),
    ];
    for (query, status) in cases {
        let reply = get(&router, &format!("/api/v1/{query}")).await;
        assert_eq!(reply.status, status, "{query}: {}", reply.text);
        if status != 200 {
            assert_eq!(reply.json()["error"]["status"], status);
        }
    }
}
