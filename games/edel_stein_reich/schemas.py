"""The definitions that the schemas of both variants of Edel, Stein & Reich are made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

from games.edel_stein_reich.cards import (
    CERTIFICATE_VALUES,
    COLOURS,
    EVENT_CARDS,
    EVENT_ORDER,
    GEM_CARDS,
    GEMS_PER_COLOUR,
    PHASES,
    SCORING_CARDS,
    TABLES,
)
from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.rules import LISTED_MOVES, Rules
from games.schemas import (
    GameShapes,
    Schema,
    Shapes,
    array,
    by_key,
    closed,
    const,
    enum,
    integer,
    nullable,
    one_of,
    opened,
    own_part,
    per_seats,
    ref,
)

# --- Codes and moves -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """A variant as far as its documents differ: how many sit there and what may be chosen."""

    slug: str
    seat_counts: tuple[int, ...]
    actions: tuple[str, ...]
    rounds: tuple[int, ...]
    asides: tuple[int, ...]

    @property
    def duel(self) -> bool:
        """Whether it is the alternating game of two."""
        return self.seat_counts == (2,)

    @property
    def seat_key(self) -> str:
        """A pattern for a seat as a key."""
        return f"^[0-{max(self.seat_counts) - 1}]$"

    def by_seat(self, items: Schema, unique: bool = False) -> Schema:
        """A list with one entry a seat."""
        return array(items, min(self.seat_counts), max(self.seat_counts), unique)


IMMEDIATE_CARDS = [code for code in EVENT_ORDER if code not in SCORING_CARDS]
ADJUSTING = [code for code in IMMEDIATE_CARDS if code.startswith("adjust:")]
BARTERED = ("money", "event", "gems")


def codes(variant: Variant) -> Shapes:
    """Seats, colours, cards and gems."""
    gems = array(integer(0, GEMS_PER_COLOUR), 4, 4)
    return {
        "seat": integer(0, max(variant.seat_counts) - 1),
        "colour": enum(COLOURS),
        "colours": {**array(ref("colour"), 1, 4, unique=True), "description": "in the order R, Y, G, B"},
        "gem_card": {
            "enum": list(dict.fromkeys(GEM_CARDS)),
            "description": "millions, then gems in the order R, Y, G, B",
        },
        "event_card": enum(list(EVENT_ORDER)),
        "scoring_card": enum([code for code in EVENT_ORDER if code in SCORING_CARDS]),
        "immediate_card": enum(IMMEDIATE_CARDS),
        "action": enum(variant.actions),
        "bartered_action": enum(BARTERED),
        "gems": {**gems, "description": "[R, Y, G, B]"},
        "some_gems": {
            **gems,
            "contains": {"minimum": 1},
            "description": "gem counts [R, Y, G, B], at least one above 0",
        },
        "score": closed(
            {"money": integer(), "gems": ref("gems")},
            {"forfeit": ref("forfeit_reason")},
        ),
    }


def moves(variant: Variant) -> Shapes:
    """The moves of every kind of decision, as the record writes them."""
    offer = closed({"offer": ref("some_gems")})
    kinds: Shapes = {
        "action": ref("action"),
        "open_barter": one_of(const("decline"), offer),
        "answer_offer": one_of(const("accept"), offer),
        "counter_gift": one_of(const("decline"), closed({"gift": ref("colour")})),
        "event_card": enum(("face_up", "blind")),
        "immediate": one_of(const("decline"), *immediate_moves(variant)),
    }
    if variant.duel:
        kinds["guess"] = ref("action")
    else:
        kinds["free_choice"] = one_of(const("decline"), *free_choice_moves(one_of(pair(), single())))
    return {f"move_{kind}": shape for kind, shape in kinds.items()}


def immediate_moves(variant: Variant) -> tuple[Schema, ...]:
    """Half and three, adjust and halve_all, swap, rob."""
    return (
        const("apply"),
        closed({"colour": ref("colour")}),
        closed({"give": ref("colour"), "seat": ref("seat"), "take": ref("colour")}),
        closed({"take": by_key(variant.seat_key, ref("colour"))}),
    )


def single() -> Schema:
    """One gem."""
    return array(ref("colour"), 1, 1)


def pair() -> Schema:
    """Two gems in the order of their colours."""
    return enum([list(two) for two in combinations_with_replacement(COLOURS, 2)])


def free_choice_moves(taken_alone: Schema) -> tuple[Schema, ...]:
    """Alone: one gem back for two; among several: one gem."""
    return closed({"give": ref("colour"), "take": taken_alone}), closed({"take": single()})


def any_move(variant: Variant, kinds: Shapes) -> Shapes:
    """A move of any kind: as a record stores it, and as a player may write it (any order inside ``take``)."""
    names = [*variant.actions, "decline", "accept", "face_up", "blind", "apply"]
    shapes: list[Schema] = [
        enum(names),
        closed({"offer": ref("some_gems")}),
        closed({"gift": ref("colour")}),
        *immediate_moves(variant)[1:],
    ]
    if not variant.duel:
        shapes += free_choice_moves(array(ref("colour"), 1, 2))
    return {"answer_move": one_of(*shapes), **kinds}


# --- Decisions -------------------------------------------------------------------------------------------------------

ALL_COLOURS: Schema = const(["R", "Y", "G", "B"])


def decision(variant: Variant) -> Shapes:
    """What a seat can be asked, kind by kind."""
    shapes = [asked(kind, default, bounds) for kind, default, bounds in kinds(variant)]
    return {"decision": one_of(*shapes)}


def asked(kind: str, default: Schema, bounds: Shapes) -> Schema:
    """A decision: its bounds, its default move, and all legal moves where they are few (at least two)."""
    legal = nullable(array(ref(f"move_{kind}"), 2, LISTED_MOVES, unique=True))
    return opened({"kind": const(kind), "seat": ref("seat"), **bounds, "default": default, "legal": legal})


def kinds(variant: Variant) -> list[tuple[str, Schema, Shapes]]:
    """Kind, default move and bounds."""
    bartering: Shapes = {"action": ref("bartered_action"), "other": ref("seat"), "holdings": ref("gems")}
    answering: Shapes = {
        **bartering,
        "standing": ref("some_gems"),
        "offers_made": integer(1, OFFER_LIMIT),
        "offers_limit": const(OFFER_LIMIT),
    }
    gift: Shapes = {"action": ref("bartered_action"), "to": ref("seat"), "colours": ref("colours")}
    return [
        ("action", const("money"), {"options": action_options(variant)}),
        ("open_barter", const("decline"), bartering),
        ("answer_offer", const("accept"), answering),
        ("counter_gift", const("decline"), gift),
        ("event_card", const("face_up"), {"display": ref("event_card")}),
        *[("immediate", const("decline"), bounds) for bounds in immediate(variant)],
        variant_kind(variant),
    ]


def action_options(variant: Variant) -> Schema:
    """The actions in hand."""
    options = [list(BARTERED)]
    if len(variant.actions) > len(BARTERED):
        options.append(list(variant.actions))
    return enum(options)


def immediate(variant: Variant) -> list[Shapes]:
    """The bounds of an immediate card, which depend on the card."""
    take = by_key(variant.seat_key, ref("colours"))
    return [
        {"card": enum(("half", "three")), "colours": ALL_COLOURS},
        {"card": const("swap"), "give": ref("colours"), "take": take},
        {"card": const("rob"), "take": take},
        {"card": enum([*ADJUSTING, "halve_all"])},
    ]


def variant_kind(variant: Variant) -> tuple[str, Schema, Shapes]:
    """Two players guess, others have the free choice."""
    if variant.duel:
        return "guess", enum(("money", "event")), {"options": array(ref("action"), 2, 3, unique=True)}
    give = one_of(array(ref("colour"), 0, 0), ref("colours"))
    take = opened({"count": integer(1, 2), "supply": ref("gems")})
    return "free_choice", const("decline"), {"alone": {"type": "boolean"}, "give": give, "take": take}


# --- Steps and events ------------------------------------------------------------------------------------------------

NEVER_FORCED = ("action", "event_card", "guess")
WHYS = ("barter", "counter_gift", "swap", "rob", "three", "adjust", "halve_all", "free_choice", "gems")


def steps(variant: Variant, kinds: Shapes) -> Shapes:
    """Chance steps, move steps, and which of them a log shows."""
    chance: Shapes = {
        "age_order": closed(
            {"chance": const("age_order"), "seats": variant.by_seat(ref("seat"), unique=True)},
        ),
        "event_deck": closed(
            {"chance": const("event_deck"), "cards": array(ref("event_card"), 1, len(EVENT_CARDS))},
        ),
        "gem_deck": closed(
            {"chance": const("gem_deck"), "cards": array(ref("gem_card"), len(GEM_CARDS), len(GEM_CARDS))},
        ),
    }
    public = ["age_order"]
    if variant.duel:
        chance["starter"] = closed({"chance": const("starter"), "seat": ref("seat")})
        public.append("starter")
    moved = [move_step(name.removeprefix("move_")) for name in kinds]
    later = [name for name in chance if name == "event_deck" or (name == "gem_deck" and not variant.duel)]
    return {
        **{f"chance_{name}": shape for name, shape in chance.items()},
        "move_step": one_of(*moved),
        "step": one_of(*[ref(f"chance_{name}") for name in later], ref("move_step")),
        "log_step": one_of(*[ref(f"chance_{name}") for name in public], ref("move_step")),
    }


def move_step(kind: str) -> Schema:
    """One move; ``forced`` and ``default`` exclude each other."""
    marks: Shapes = {"default": ref("default_reason")}
    if kind not in NEVER_FORCED:
        marks["forced"] = const(True)
    shape = closed({"seat": ref("seat"), "decision": const(kind), "move": ref(f"move_{kind}")}, marks)
    return shape if kind in NEVER_FORCED else {**shape, "not": {"required": ["forced", "default"]}}


def opening(variant: Variant) -> tuple[Schema, ...]:
    """The steps that every record begins with."""
    names = ["age_order", "event_deck", "gem_deck", *(["starter"] if variant.duel else [])]
    return tuple(ref(f"chance_{name}") for name in names)


def events(variant: Variant) -> Shapes:
    """What follows from the rules, as a log tells it."""
    kinds: dict[str, Shapes] = {
        "phase": {"phase": integer(1, PHASES)},
        "supply_rule": {"returned": variant.by_seat(ref("gems"))},
        **dealing(variant),
        "event_up": {"card": ref("event_card")},
        "reshuffle": {"count": integer(1, len(EVENT_CARDS))},
        **acting(variant),
        "drawn": {"seat": ref("seat"), "card": ref("event_card")},
        "kept": {"seat": ref("seat"), "card": ref("scoring_card")},
        "discarded": {"seat": nullable(ref("seat")), "card": ref("event_card")},
    }
    shapes = [opened({"type": const(kind), **keys}) for kind, keys in kinds.items()]
    return {"event": one_of(*shapes, *scored()), **rows(variant)}


def dealing(variant: Variant) -> dict[str, Shapes]:
    """Gem cards: aside and dealt; two players turn up one a turn."""
    round_number = integer(1, max(variant.rounds))
    if variant.duel:
        return {"deal": {"round": round_number, "seat": ref("seat"), "gem_card": ref("gem_card")}}
    return {
        "aside": {"count": enum([count for count in variant.asides if count]), "top": ref("gem_card")},
        "deal": {"round": round_number, "gem_cards": variant.by_seat(ref("gem_card"))},
    }


def acting(variant: Variant) -> dict[str, Shapes]:
    """What becomes of the chosen actions."""
    place = one_of(const("supply"), ref("seat"))
    whys = [why for why in WHYS if why != "free_choice" or "free_choice" in variant.actions]
    shared: dict[str, Shapes] = {
        "gems_moved": {"from": place, "to": place, "gems": ref("some_gems"), "why": enum(whys)},
        "money": {"seat": ref("seat"), "amount": integer(4, 7)},
        "void": {"action": ref("bartered_action")},
    }
    if variant.duel:
        return {
            **shared,
            "missed": {"guess": ref("action")},
            "caught": {"guess": ref("action"), "action": ref("action")},
        }
    blocked = array(ref("seat"), 3, max(variant.seat_counts), unique=True)
    return {"cancelled": {"action": enum(BARTERED), "seats": blocked}, **shared}


def rows(variant: Variant) -> Shapes:
    """One row of a scoring."""
    paid = variant.by_seat(integer())
    return {
        "scored_row": opened(
            {
                "of": enum([*COLOURS, "cert"]),
                "share": paid,
                "sole_bonus": {**paid, "description": "sum of sole:c and sole_any"},
                "per_gem": paid,
                "returned": {**paid, "description": "number of gems; all other values are millions"},
            }
        ),
        "certificate_row": {
            "allOf": [ref("scored_row")],
            "properties": {"of": const("cert"), "share": variant.by_seat(enum([0, *CERTIFICATE_VALUES[::-1]]))},
        },
    }


def scored() -> tuple[Schema, Schema]:
    """A scoring of a phase has five rows in order, a half scoring the row of one colour."""
    colour_rows: list[Schema] = [{"allOf": [ref("scored_row")], "properties": {"of": const(c)}} for c in COLOURS]
    full: Schema = {
        "type": "array",
        "prefixItems": [*colour_rows, ref("certificate_row")],
        "items": False,
        "minItems": 5,
    }
    half = array({"allOf": [ref("scored_row")], "properties": {"of": ref("colour")}}, 1, 1)
    return (
        opened({"type": const("scored"), "phase": integer(1, PHASES), "rows": full}),
        opened({"type": const("scored"), "phase": const(None), "rows": half}),
    )


# --- Views -----------------------------------------------------------------------------------------------------------

NOTHING: Schema = const(None)


def view(variant: Variant) -> Shapes:
    """The whole view and its larger parts."""
    keys: Shapes = {
        "game": const(variant.slug),
        "seats": enum(variant.seat_counts),
        "seat": nullable(ref("seat")),
        "phase": integer(1, PHASES),
        "phases": const(PHASES),
        "round": integer(1, max(variant.rounds)),
        "rounds": enum(variant.rounds),
        "age_order": {**variant.by_seat(ref("seat"), unique=True), "description": "youngest first"},
        "supply": ref("gems"),
        "gem_stack": integer(0, len(GEM_CARDS)),
        "gem_discards": array(ref("gem_card"), 0, len(GEM_CARDS)),
        "aside": aside(variant),
        "event": event_piles(),
        "players": variant.by_seat(ref("player")),
        "turn": nullable(ref("seat")),
        "resolving": nullable(ref("action")),
        "barter": nullable(ref("barter")),
        **variant_keys(variant),
        "immediate": nullable(opened({"seat": ref("seat"), "card": ref("immediate_card")})),
        "you": nullable(opened({"action": nullable(ref("action"))})),
    }
    shape = opened(keys)
    return {"view": {**shape, "allOf": [own_part(), *sizes(variant)]}, "player": player(), "barter": barter()}


def aside(variant: Variant) -> Schema:
    """The gem cards set aside in this phase; two players set none aside."""
    if variant.duel:
        return NOTHING
    return opened({"count": enum(variant.asides), "top": nullable(ref("gem_card"))})


def variant_keys(variant: Variant) -> Shapes:
    """What only one of the variants has; the other says so with ``null`` and ``[]``."""
    if variant.duel:
        guesses = array(ref("action"), 0, 2, unique=True)
        return {"free_choice": NOTHING, "active": nullable(ref("seat")), "guesses": guesses}
    order = array(ref("seat"), 1, max(variant.seat_counts), unique=True)
    free_choice = opened({"order": order, "next": integer(0, max(variant.seat_counts) - 1)})
    return {"free_choice": nullable(free_choice), "active": NOTHING, "guesses": array({}, 0, 0)}


def event_piles() -> Schema:
    """The card on display, the face-down stack and the face-up cards under it."""
    return opened(
        {
            "display": nullable(ref("event_card")),
            "stack": integer(0, len(EVENT_CARDS)),
            "discards": array(ref("event_card"), 0, len(EVENT_CARDS)),
        }
    )


def player() -> Schema:
    """One seat as everybody sees it."""
    return opened(
        {
            "gems": ref("gems"),
            "money": integer(),
            "cards": array(ref("scoring_card")),
            "gem_card": nullable(ref("gem_card")),
            "chosen": {"type": "boolean"},
            "action": nullable(ref("action")),
        }
    )


def barter() -> Schema:
    """A barter that is going on."""
    return opened(
        {
            "action": ref("bartered_action"),
            "opener": ref("seat"),
            "other": ref("seat"),
            "declined": array(ref("seat"), 0, 2, unique=True),
            "offers": array(opened({"seat": ref("seat"), "offer": ref("some_gems")})),
        }
    )


def sizes(variant: Variant) -> list[Schema]:
    """As many players and ages as seats."""
    if len(variant.seat_counts) == 1:
        return []
    exact: dict[int, Schema] = {count: {"minItems": count, "maxItems": count} for count in variant.seat_counts}
    return [
        *per_seats(variant.seat_counts, "players", exact),
        *per_seats(variant.seat_counts, "age_order", exact),
        *per_seats(variant.seat_counts, "rounds", dict(zip(exact, map(const, variant.rounds), strict=True))),
    ]


# --- All of them -----------------------------------------------------------------------------------------------------


def variant_of(rules: Rules) -> Variant:
    """The variant that ``rules`` are of, as the table of the decks lays it out."""
    layouts = [TABLES[count] for count in rules.seat_counts]
    longest = max((layout.actions for layout in layouts), key=len)
    rounds = tuple(layout.rounds for layout in layouts)
    asides = tuple(layout.aside for layout in layouts)
    return Variant(rules.slug, rules.seat_counts, longest, rounds, asides)


def shapes_of(rules: Rules) -> GameShapes:
    """Everything the documents of one variant are made of."""
    variant = variant_of(rules)
    kinds = moves(variant)
    defs = {
        **codes(variant),
        **any_move(variant, kinds),
        **steps(variant, kinds),
        **events(variant),
        **view(variant),
        **decision(variant),
    }
    return GameShapes(rules.slug, rules.version, rules.seat_counts, defs, opening(variant))
