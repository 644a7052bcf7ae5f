//! The model of robots and indexer that the governor has fitted, as the catalogue remembers it.

use control::Finishing;
use serde_json::Value;

use crate::model_file;

/// The model that the governor has fitted last; none if there is none, or it makes no sense.
pub(crate) fn remembered_model(note: Option<&str>) -> Option<Finishing> {
    let noted: Value = serde_json::from_str(note?).ok()?;
    model_file::finishing_from_text("the model of the last run", noted.get("model")?.as_str()?).ok()
}
