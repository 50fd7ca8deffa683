//! Plays one seat of one game: reads one message per line and writes one answer per line.
//!
//! You do not have to change this file. The decisions are in strategy.rs.

mod json;
mod strategy;

use json::Json;
use std::io::{self, BufRead, Write};
use strategy::Strategy;

fn main() -> io::Result<()> {
    play(io::stdin().lock(), io::stdout().lock())
}

/// Plays until the game ends. Standard output is only for answers; `eprintln!` prints debug output.
fn play(input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut strategy = None;
    for line in input.lines() {
        let message = Json::parse(&line?).map_err(|at| io::Error::new(io::ErrorKind::InvalidData, at.to_string()))?;
        match (message.get("type").text(), &mut strategy) {
            ("hello", _) => {
                // The first message: the game, the number of seats, our seat and the time limits.
                strategy = Some(Strategy::new(&message));
                writeln!(out, "{{\"type\":\"ready\"}}")?;
            }
            ("decide", Some(strategy)) => {
                // A decision: the question, and everything that we can see.
                let answer = strategy.choose(message.get("decision"), message.get("view"));
                writeln!(out, "{{\"id\":{},\"move\":{answer}}}", message.get("id"))?;
            }
            _ => return Ok(()), // the end of the game
        }
        out.flush()?;
    }
    Ok(())
}

/// Tests of the bot. Run them with `make test`. examples.json contains a hello message and real decisions.
#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> Json {
        Json::parse(include_str!("examples.json")).unwrap()
    }

    fn moves(examples: &Json) -> Vec<Json> {
        let mut strategy = Strategy::new(examples.get("hello"));
        let questions = examples.get("questions").items().iter();
        questions.map(|question| strategy.choose(question.get("decision"), question.get("view"))).collect()
    }

    #[test]
    fn every_answer_is_legal_where_the_question_lists_the_legal_moves() {
        let examples = examples();
        for (question, answer) in examples.get("questions").items().iter().zip(moves(&examples)) {
            let legal = question.get("decision").get("legal");
            assert!(*legal == Json::Null || legal.items().contains(&answer), "{answer} is not in {legal}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_answers() {
        assert_eq!(moves(&examples()), moves(&examples()));
    }

    #[test]
    fn the_program_says_ready_and_answers_every_question_under_its_id() {
        let examples = examples();
        let questions = examples.get("questions").items();
        let mut input = format!("{}\n", examples.get("hello"));
        questions.iter().for_each(|question| input += &format!("{question}\n"));
        let mut out = Vec::new();
        play(input.as_bytes(), &mut out).unwrap();
        let lines: Vec<Json> = String::from_utf8(out).unwrap().lines().map(|line| Json::parse(line).unwrap()).collect();
        assert_eq!(lines[0].get("type").text(), "ready");
        let ids = |messages: &[Json]| messages.iter().map(|each| each.get("id").number()).collect::<Vec<_>>();
        assert_eq!(ids(&lines[1..]), ids(questions));
    }
}
