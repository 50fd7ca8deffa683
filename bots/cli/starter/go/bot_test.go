package main

// Tests of the bot. Run them with `go test`. examples.json contains a hello message and real decisions.

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

type examples struct {
	Hello     json.RawMessage   `json:"hello"`
	Questions []json.RawMessage `json:"questions"`
}

func read(t *testing.T) (examples, []Question) {
	text, fault := os.ReadFile("examples.json")
	if fault != nil {
		t.Fatal(fault)
	}
	var shown examples
	if fault := json.Unmarshal(text, &shown); fault != nil {
		t.Fatal(fault)
	}
	questions := make([]Question, len(shown.Questions))
	for index, question := range shown.Questions {
		if fault := json.Unmarshal(question, &questions[index]); fault != nil {
			t.Fatal(fault)
		}
	}
	return shown, questions
}

func answers(shown examples, questions []Question) []string {
	var hello Hello
	json.Unmarshal(shown.Hello, &hello)
	strategy := NewStrategy(hello)
	var moves []string
	for _, question := range questions {
		move, _ := json.Marshal(strategy.Choose(question.Decision, question.View))
		moves = append(moves, string(move))
	}
	return moves
}

func TestEveryAnswerIsLegalWhereTheQuestionListsTheLegalMoves(t *testing.T) {
	shown, questions := read(t)
	for index, move := range answers(shown, questions) {
		decision := questions[index].Decision
		legal := decision.Legal == nil
		for _, each := range decision.Legal {
			var compact bytes.Buffer
			json.Compact(&compact, each)
			legal = legal || compact.String() == move
		}
		if !legal {
			t.Errorf("%s: %s is not legal", decision.Kind, move)
		}
	}
}

func TestTheSameSeedGivesTheSameAnswers(t *testing.T) {
	shown, questions := read(t)
	if first, second := answers(shown, questions), answers(shown, questions); !reflect.DeepEqual(first, second) {
		t.Error(first, second)
	}
}

func TestTheProgramSaysReadyAndAnswersEveryQuestionUnderItsID(t *testing.T) {
	shown, questions := read(t)
	var in, out bytes.Buffer
	for _, message := range append([]json.RawMessage{shown.Hello}, shown.Questions...) {
		json.Compact(&in, message)
		in.WriteByte('\n')
	}
	if fault := Play(&in, &out); fault != nil {
		t.Fatal(fault)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if lines[0] != `{"type":"ready"}` || len(lines) != len(questions)+1 {
		t.Fatal(lines)
	}
	for index, line := range lines[1:] {
		var answer Answer
		if json.Unmarshal([]byte(line), &answer); answer.ID != questions[index].ID {
			t.Error(line)
		}
	}
}
