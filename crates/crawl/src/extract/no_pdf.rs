//! PDF without the feature `pdf`: recognised, not read.

use super::{ExtractError, Extracted, Limits};

/// Says that PDF is not read.
pub(super) fn read(_bytes: &[u8], _limits: &Limits) -> Result<Extracted, ExtractError> {
    Err(ExtractError::Unsupported { kind: "application/pdf".to_owned() })
}
