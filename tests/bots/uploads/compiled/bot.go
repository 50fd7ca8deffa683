// A whole bot with nothing but Go's standard library: it answers every question with its default move.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type message struct {
	Type     string
	ID       int
	Decision struct{ Default json.RawMessage }
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked message
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		switch asked.Type {
		case "hello":
			fmt.Println(`{"type":"ready"}`)
		case "decide":
			fmt.Printf("{\"id\":%d,\"move\":%s}\n", asked.ID, asked.Decision.Default)
		}
	}
}
