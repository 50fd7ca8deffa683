"""Definitions for the JSON Schemas of both versions of Edel, Stein & Reich."""

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
    score,
)

# --- Codes and moves -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """The differences between the documents of a version: the number of seats and the possible choices."""

    slug: str
    seat_counts: tuple[int, ...]
    actions: tuple[str, ...]
    rounds: tuple[int, ...]
    asides: tuple[int, ...]

    @property
    def duel(self) -> bool:
        """Whether this is the alternating version for two."""
        return self.seat_counts == (2,)

    @property
    def seat_key(self) -> str:
        """The pattern of a seat as a key."""
        return f"^[0-{max(self.seat_counts) - 1}]$"

    def by_seat(self, items: Schema, unique: bool = False) -> Schema:
        """Return the schema of a list with one entry per seat."""
        return array(items, min(self.seat_counts), max(self.seat_counts), unique)


IMMEDIATE_CARDS = [code for code in EVENT_ORDER if code not in SCORING_CARDS]
ADJUSTING = [code for code in IMMEDIATE_CARDS if code.startswith("adjust:")]
BARTERED = ("money", "event", "gems")


def codes(variant: Variant) -> Shapes:
    """Return the definitions of seats, colors, cards and gems."""
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
        "score": score({"money": integer(), "gems": ref("gems")}),
    }


def moves(variant: Variant) -> Shapes:
    """Return the definitions of the moves of every kind of decision, as in a record."""
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
    """Return the schemas of the moves of half and three, adjust and halve_all, swap, and rob."""
    return (
        const("apply"),
        closed({"colour": ref("colour")}),
        closed({"give": ref("colour"), "seat": ref("seat"), "take": ref("colour")}),
        closed({"take": by_key(variant.seat_key, ref("colour"))}),
    )


def single() -> Schema:
    """Return the schema of one gem."""
    return array(ref("colour"), 1, 1)


def pair() -> Schema:
    """Return the schema of two gems in the order of their colors."""
    return enum([list(two) for two in combinations_with_replacement(COLOURS, 2)])


def free_choice_moves(taken_alone: Schema) -> tuple[Schema, ...]:
    """Return the schemas of Free Choice: one gem for two as the only chooser; one gem as one of several."""
    return closed({"give": ref("colour"), "take": taken_alone}), closed({"take": single()})


def any_move(variant: Variant, kinds: Shapes) -> Shapes:
    """Return the definitions of any move in a record, and in an answer (any order in ``take``)."""
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
    """Return the definitions of decisions by kind."""
    shapes = [asked(kind, default, bounds) for kind, default, bounds in kinds(variant)]
    return {"decision": one_of(*shapes)}


def asked(kind: str, default: Schema, bounds: Shapes) -> Schema:
    """Return the schema of a decision: its bounds, its default move, and at least two legal moves if there are few."""
    legal = nullable(array(ref(f"move_{kind}"), 2, LISTED_MOVES, unique=True))
    return opened({"kind": const(kind), "seat": ref("seat"), **bounds, "default": default, "legal": legal})


def kinds(variant: Variant) -> list[tuple[str, Schema, Shapes]]:
    """Return the kinds of decisions with default move and bounds."""
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
    """Return the schema of the actions in hand."""
    options = [list(BARTERED)]
    if len(variant.actions) > len(BARTERED):
        options.append(list(variant.actions))
    return enum(options)


def immediate(variant: Variant) -> list[Shapes]:
    """Return the bounds of an immediate card by card."""
    take = by_key(variant.seat_key, ref("colours"))
    return [
        {"card": enum(("half", "three")), "colours": ALL_COLOURS},
        {"card": const("swap"), "give": ref("colours"), "take": take},
        {"card": const("rob"), "take": take},
        {"card": enum([*ADJUSTING, "halve_all"])},
    ]


def variant_kind(variant: Variant) -> tuple[str, Schema, Shapes]:
    """Return the kind of decision that only one version has: guess or Free Choice."""
    if variant.duel:
        return "guess", enum(("money", "event")), {"options": array(ref("action"), 2, 3, unique=True)}
    give = one_of(array(ref("colour"), 0, 0), ref("colours"))
    take = opened({"count": integer(1, 2), "supply": ref("gems")})
    return "free_choice", const("decline"), {"alone": {"type": "boolean"}, "give": give, "take": take}


# --- Steps and events ------------------------------------------------------------------------------------------------

NEVER_FORCED = ("action", "event_card", "guess")
WHYS = ("barter", "counter_gift", "swap", "rob", "three", "adjust", "halve_all", "free_choice", "gems")


def steps(variant: Variant, kinds: Shapes) -> Shapes:
    """Return the definitions of chance steps, move steps, and steps in a log."""
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
    """Return the schema of one move. ``forced`` and ``default`` exclude each other."""
    marks: Shapes = {"default": ref("default_reason")}
    if kind not in NEVER_FORCED:
        marks["forced"] = const(True)
    shape = closed({"seat": ref("seat"), "decision": const(kind), "move": ref(f"move_{kind}")}, marks)
    return shape if kind in NEVER_FORCED else {**shape, "not": {"required": ["forced", "default"]}}


def opening(variant: Variant) -> tuple[Schema, ...]:
    """Return the schemas of the first steps of every record."""
    names = ["age_order", "event_deck", "gem_deck", *(["starter"] if variant.duel else [])]
    return tuple(ref(f"chance_{name}") for name in names)


def events(variant: Variant) -> Shapes:
    """Return the definitions of events."""
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
    """Return the events of dealing gem cards: aside and deal; with two players one card per turn."""
    round_number = integer(1, max(variant.rounds))
    if variant.duel:
        return {"deal": {"round": round_number, "seat": ref("seat"), "gem_card": ref("gem_card")}}
    return {
        "aside": {"count": enum([count for count in variant.asides if count]), "top": ref("gem_card")},
        "deal": {"round": round_number, "gem_cards": variant.by_seat(ref("gem_card"))},
    }


def acting(variant: Variant) -> dict[str, Shapes]:
    """Return the events of carrying out actions."""
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
    """Return the definition of one row of a scoring."""
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
    """Return the schemas of a phase scoring with five rows in order, and of a half scoring with one row."""
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
    """Return the definitions of the view and its larger parts."""
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
    """Return the schema of the gem cards set aside in this phase. Two players set none aside."""
    if variant.duel:
        return NOTHING
    return opened({"count": enum(variant.asides), "top": nullable(ref("gem_card"))})


def variant_keys(variant: Variant) -> Shapes:
    """Return the keys that only one version uses. In the other they are ``null`` and ``[]``."""
    if variant.duel:
        guesses = array(ref("action"), 0, 2, unique=True)
        return {"free_choice": NOTHING, "active": nullable(ref("seat")), "guesses": guesses}
    order = array(ref("seat"), 1, max(variant.seat_counts), unique=True)
    free_choice = opened({"order": order, "next": integer(0, max(variant.seat_counts) - 1)})
    return {"free_choice": nullable(free_choice), "active": NOTHING, "guesses": array({}, 0, 0)}


def event_piles() -> Schema:
    """Return the schema of the display, the face-down stack and the discards."""
    return opened(
        {
            "display": nullable(ref("event_card")),
            "stack": integer(0, len(EVENT_CARDS)),
            "discards": array(ref("event_card"), 0, len(EVENT_CARDS)),
        }
    )


def player() -> Schema:
    """Return the schema of the public part of a seat."""
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
    """Return the schema of the current barter."""
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
    """Return the conditions that there is one player and one age per seat."""
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
    """Return the version of ``rules``, with the setup from ``decks.toml``."""
    layouts = [TABLES[count] for count in rules.seat_counts]
    longest = max((layout.actions for layout in layouts), key=len)
    rounds = tuple(layout.rounds for layout in layouts)
    asides = tuple(layout.aside for layout in layouts)
    return Variant(rules.slug, rules.seat_counts, longest, rounds, asides)


def shapes_of(rules: Rules) -> GameShapes:
    """Return all definitions for the documents of one version."""
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
