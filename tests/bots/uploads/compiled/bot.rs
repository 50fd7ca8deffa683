//! A whole bot with nothing but Rust's standard library: it answers every question with its default move.
use std::io::{self, BufRead, Write};

/// The JSON value at the beginning of `text`.
fn value(text: &str) -> &str {
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, b'"') => in_text = false,
            (true, _) => {}
            (false, b'"') => in_text = true,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}' | b',') if depth == 0 => return &text[..at],
            (false, b']' | b'}') => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The value of the first `key` in `text`.
fn value_of<'a>(text: &'a str, key: &str) -> &'a str {
    text.find(key).map_or("", |at| value(&text[at + key.len()..]))
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        match value_of(&line, "\"type\":") {
            "\"hello\"" => writeln!(out, "{{\"type\":\"ready\"}}")?,
            "\"decide\"" => {
                let moved = value_of(value_of(&line, "\"decision\":"), "\"default\":");
                writeln!(out, "{{\"id\":{},\"move\":{}}}", value_of(&line, "\"id\":"), moved)?;
            }
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
