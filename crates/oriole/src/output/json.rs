//! JSON on standard output.

use serde::Serialize;

/// A value in one line, with its end. Control characters that JSON would leave as they are, and that some terminals
/// obey, are escaped, too.
///
/// # Errors
/// If the value has no form in JSON.
pub fn line(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string(value)?;
    if text.contains(is_control) {
        // Outside of strings there are none.
        text = text.chars().fold(String::with_capacity(text.len() + 8), |mut escaped, letter| {
            if is_control(letter) {
                escaped.push_str(&format!("\\u{:04x}", u32::from(letter)));
            } else {
                escaped.push(letter);
            }
            escaped
        });
    }
    text.push('\n');
    Ok(text)
}

fn is_control(letter: char) -> bool {
    matches!(letter, '\u{7f}'..='\u{9f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_come_back() {
        let text = "a\x1b[31m\u{9b}2J\u{7f}\u{85}ä\n";
        let line = line(&text).unwrap();
        assert_eq!(line, "\"a\\u001b[31m\\u009b2J\\u007f\\u0085ä\\n\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
