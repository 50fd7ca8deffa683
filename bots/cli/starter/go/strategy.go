package main

// The strategy of the bot. Change this file. See examples.json for real examples of decisions and views.

import (
	"encoding/json"
	"math/rand"
	"strconv"
	"strings"
)

const (
	colours  = "RYGB" // order of the four numbers in lists such as offers and holdings
	event    = 4.5    // value of an event card in money
	boldness = 0.3    // randomness when choosing an action; otherwise, two of these bots always choose the same one
	draw     = 1.2    // value in stars of passing without a bid, which draws a bottle
	keep     = 4      // number of bottles to keep in hand for the next bids
)

var prices = [4]float64{3.5, 3, 2.5, 2} // value of one gem in money

// Decision is the question and the limits of the answer. Keys that its kind does not have are empty.
type Decision struct {
	Kind      string            `json:"kind"`
	Default   json.RawMessage   `json:"default"`
	Legal     []json.RawMessage `json:"legal"`
	Options   []string          `json:"options"`
	Action    string            `json:"action"`
	Holdings  []int             `json:"holdings"`
	Standing  []int             `json:"standing"`
	Hand      []string          `json:"hand"`
	Bid       []string          `json:"bid"`
	Taken     []int             `json:"taken"`
	MustLay   int               `json:"must_lay"`
	NewCellar bool              `json:"new_cellar"`
	Cells     []struct {
		Cell  [2]int `json:"cell"`
		Cards string `json:"cards"`
	} `json:"cells"`
}

// View is what our seat can see. Add the keys that your strategy needs.
type View struct {
	Active    *int     `json:"active"`
	LastRound bool     `json:"last_round"`
	Display   []string `json:"display"`
	Players   []struct {
		GemCard *string  `json:"gem_card"`
		Total   *int     `json:"total"`
		Bid     []string `json:"bid"`
		Cellars [][]Spot `json:"cellars"`
	} `json:"players"`
}

// Spot is a bottle in a cellar.
type Spot struct {
	Level int    `json:"level"`
	X     int    `json:"x"`
	Card  string `json:"card"`
}

// Strategy is one seat in one game. It lasts until the game ends.
type Strategy struct {
	seat int
	dice *rand.Rand
}

// NewStrategy begins a game. The same seed gives the same game.
func NewStrategy(hello Hello) *Strategy {
	seed, _ := strconv.ParseUint(hello.Seed[:16], 16, 64)
	return &Strategy{hello.Seat, rand.New(rand.NewSource(int64(seed)))}
}

// Choose returns the move. Other kinds of decisions get the default move, which is always legal.
func (s *Strategy) Choose(decision Decision, view View) any {
	switch decision.Kind {
	case "action", "guess": // with two seats, we guess the action that we would have chosen
		return s.action(decision, view)
	case "open_barter":
		return s.openBarter(decision, view)
	case "answer_offer":
		return s.answerOffer(decision, view)
	case "bid":
		return s.bid(decision, view)
	case "lay":
		return s.lay(decision, view)
	}
	return decision.Default
}

// --- Edel, Stein & Reich ---------------------------------------------------------------------------------------------

// action chooses money, the event card or gems: the most valuable action, with some randomness.
func (s *Strategy) action(decision Decision, view View) string {
	return best(decision.Options, func(action string) float64 {
		return s.worth(action, view) * (1 + boldness*s.dice.Float64())
	})
}

// worth is the value of an action in this round, in money.
func (s *Strategy) worth(action string, view View) float64 {
	owner := s.seat
	if view.Active != nil { // two seats share the card of the active seat
		owner = *view.Active
	}
	card := *view.Players[owner].GemCard // "5RRY" is five million, or two red gems and a yellow gem
	switch action {
	case "money":
		return float64(card[0] - '0')
	case "gems":
		total := 0.0
		for _, colour := range card[1:] {
			total += prices[strings.IndexRune(colours, colour)]
		}
		return total
	}
	return event // the event card, or the free choice with five seats
}

// openBarter offers one gem of the cheapest color if the action is worth at least twice as much.
func (s *Strategy) openBarter(decision Decision, view View) any {
	offer := cheapest(decision.Holdings, 1)
	if offer == nil || 2*price(offer) > s.worth(decision.Action, view) {
		return "decline"
	}
	return map[string][]int{"offer": offer}
}

// answerOffer outbids while the action minus its cost is worth more than the payment. More gems always outbid.
func (s *Strategy) answerOffer(decision Decision, view View) any {
	offer := cheapest(decision.Holdings, sum(decision.Standing)+1)
	if offer == nil || s.worth(decision.Action, view)-price(offer) <= price(decision.Standing) {
		return "accept"
	}
	return map[string][]int{"offer": offer}
}

// --- Die Weinhändler -------------------------------------------------------------------------------------------------

// bid bids once: the bottle that gains most if no player bids after us.
func (s *Strategy) bid(decision Decision, view View) any {
	if len(decision.Bid) > 0 {
		return "pass"
	}
	card := best(decision.Hand, func(card string) float64 { return s.gain(card, decision, view) })
	if card == "" || s.gain(card, decision, view) <= draw {
		return "pass"
	}
	return map[string][]string{"cards": {card}}
}

// gain is what a bid takes, those of the next higher bid or the display, without the bottle that it costs.
func (s *Strategy) gain(card string, decision Decision, view View) float64 {
	for _, taken := range decision.Taken {
		if taken == value(card) { // two bids cannot be equal
			return 0
		}
	}
	received, next := view.Display, 1<<30
	for _, player := range view.Players {
		if player.Total != nil && *player.Total > value(card) && *player.Total < next {
			received, next = player.Bid, *player.Total
		}
	}
	gain := -stars(card)
	for _, bottle := range received {
		gain += stars(bottle)
	}
	return float64(gain)
}

// lay lays bottles next to the same wine. It keeps some bottles for bidding until the last round.
func (s *Strategy) lay(decision Decision, view View) any {
	if !view.LastRound && decision.MustLay == 0 && len(decision.Hand) <= keep {
		return "done"
	}
	var cellar []Spot
	if cellars := view.Players[s.seat].Cellars; len(cellars) > 0 && !decision.NewCellar {
		cellar = cellars[len(cellars)-1]
	}
	type move struct {
		Card string `json:"card"`
		Cell [2]int `json:"cell"`
	}
	var moves []move
	for _, place := range decision.Cells {
		for _, card := range decision.Hand {
			if place.Cards == "any" || card != "empty" {
				moves = append(moves, move{card, place.Cell})
			}
		}
	}
	if len(moves) == 0 {
		return decision.Default
	}
	return best(moves, func(move move) float64 { return promise(move.Card, move.Cell, cellar) })
}

// promise is the value of a move: its stars, and a bottle of the same wine next to it, which can become a trio.
func promise(card string, cell [2]int, cellar []Spot) float64 {
	total := stars(card)
	for _, spot := range cellar {
		up, right := spot.Level-cell[0], spot.X-cell[1]
		near := up == 0 && (right == 1 || right == -1) || up == -1 && (right == 0 || right == 1) ||
			up == 1 && (right == 0 || right == -1)
		if near && spot.Card != "empty" && spot.Card[0] == card[0] {
			total++
		}
	}
	return float64(total)
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

// best returns the item with the highest value; the zero value if there are none.
func best[T any](items []T, valueOf func(T) float64) T {
	var chosen T
	highest := 0.0
	for index, item := range items {
		if value := valueOf(item); index == 0 || value > highest {
			chosen, highest = item, value
		}
	}
	return chosen
}

func sum(numbers []int) int {
	total := 0
	for _, number := range numbers {
		total += number
	}
	return total
}

// price is the value of gems in money.
func price(gems []int) float64 {
	total := 0.0
	for index, count := range gems {
		total += float64(count) * prices[index]
	}
	return total
}

// cheapest returns the cheapest gems in holdings, or nil if there are fewer.
func cheapest(holdings []int, count int) []int {
	taken := make([]int, 4)
	for index := 3; index >= 0; index-- { // blue is the cheapest
		taken[index] = count - sum(taken)
		if holdings[index] < taken[index] {
			taken[index] = holdings[index]
		}
	}
	if sum(taken) < count {
		return nil
	}
	return taken
}

// value of a bottle in a bid, in tenths: "B16" is 160, and "empty" is 2.
func value(card string) int {
	number, fault := strconv.Atoi(card[1:])
	if fault != nil {
		return 2
	}
	return 10 * number
}

// stars of a bottle: one for 5 to 11, two for 12 to 18, three for 19 to 25.
func stars(card string) int {
	return (value(card)/10 + 2) / 7
}
