// A bot that plays one seat of one game: it reads one message per line and writes one answer per line.
//
// You do not have to change this file. The decisions are in strategy.go.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
)

// Message is a line of the platform. Hello is in it, too: each kind of message has its own keys.
type Message struct {
	Type string `json:"type"`
	Hello
	Question
}

// Hello is the first message: our seat and the seed of our random numbers.
type Hello struct {
	Seat int    `json:"seat"`
	Seed string `json:"seed"`
}

// Question is a decision, and everything that we can see.
type Question struct {
	ID       int      `json:"id"`
	Decision Decision `json:"decision"`
	View     View     `json:"view"`
}

// Answer is our line: the id of the question and the move.
type Answer struct {
	ID   int `json:"id"`
	Move any `json:"move"`
}

// Play reads messages and writes answers until the game ends. Standard output is only for answers; log prints the rest.
func Play(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	answers := json.NewEncoder(out)
	var strategy *Strategy
	for {
		line, fault := lines.ReadBytes('\n')
		if fault == io.EOF {
			return nil
		} else if fault != nil {
			return fault
		}
		var message Message
		if fault := json.Unmarshal(line, &message); fault != nil {
			return fault
		}
		var answer any
		switch message.Type {
		case "hello":
			strategy = NewStrategy(message.Hello)
			answer = map[string]string{"type": "ready"}
		case "decide":
			answer = Answer{message.ID, strategy.Choose(message.Decision, message.View)}
		default: // the end of the game
			return nil
		}
		if fault := answers.Encode(answer); fault != nil {
			return fault
		}
	}
}

func main() {
	if fault := Play(os.Stdin, os.Stdout); fault != nil {
		log.Fatal(fault)
	}
}
