"""The rules of wording: what must not appear in a text, what to write instead, and an example of both.

They make the style guide (docs/contributing/style.md) checkable. A hard rule is precise enough to allow no hit. A soft
rule finds wordings that are fine now and then, and is limited per 1,000 words. No rule looks at code: ``texts.py``
replaces code, URLs and placeholders by ``X``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Rule:
    """One wording: its pattern, the remedy, a text with a hit and a correct text without one."""

    name: str
    pattern: str
    instead: str
    wrong: str
    right: str
    is_hard: bool = True

    def hits(self, text: str) -> list[str]:
        """The words of ``text`` that break this rule."""
        return [found[0].strip() for found in re.finditer(self.pattern, text)]


_START = r"(?:(?<![^\s])|(?<=[.;:!?] ))"
_VERBS = (
    "is|are|has|have|had|was|were|comes?|leaves?|loses?|sits?|plays?|does|takes?|looks?|can|cannot|may|goes|gets?|wants?"
    "|signs?|changes?|finds?|sends?|writes?|runs?|uses?|answers?|holds?|asks?|watch(?:es)?|ordered|offers?|waits?"
    "|deletes?|guess(?:es)?|knows?|lost|won|stood|likes?|reads?|begins?|agreed"
)
_END = r"(?=[.,;:!?)]|$)"
_UNITS = (
    "game|line|table|person|row|bot|decision|seat|match|season|block|version|ladder|language|process|round|bottle|deal"
    "|start|column|form|page|month|task|transaction|module|folder|token|client|file"
)
_NO = (
    "file|folder|mistake|answer|number|program|zip|value|hint|list|place|line|address|game|member|JSON|UTF-8|seat|bot"
    "|person|move|remote|name|code|key|version|ladder|match|word|text|error|news|reason|limit"
)
_QUESTION = r"(?![^.;:!]*\?)"
_ONE = "(?<!nly )(?<!each )(?<!every )(?<!this )(?<!that )(?<!no )(?<!which )(?<!the )(?<!least )(?<!any )(?<!No )"

HARD: Final = (
    Rule(
        "headless-who",
        rf"(?:(?:^|[.;:!?] )Who|\b(?:for|to|by|than|that|but|from|as|so|let|Let) who) (?:{_VERBS})\b{_QUESTION}",
        "a noun: 'a player who …', 'anyone who …', 'users who …'",
        "Who leaves the table loses.",
        "Players who leave the table lose. Who can see this?",
    ),
    Rule(
        "what-is-not",
        r"\b[Ww]hat (?:is|was) (?:no|none|not)\b",
        "name the thing: 'anything other than …', 'invalid …'",
        "What is no hint is ignored.",
        "Invalid hints are ignored.",
    ),
    Rule(
        "stands",
        r"\b(?:stands?|stood)\b(?! (?:out|for|alone|by|in line)\b)(?!-)",
        "'is', 'appears', 'is listed', 'is shown', 'is stored'",
        "Nobody stands here yet.",
        "CI stands for confidence interval. Standings",
    ),
    Rule(
        "lies",
        r"\b(?:lies|lie)\b(?! down\b)",
        "'is', 'is in', 'is located'",
        "The file lies in the folder.",
        "The file is in the folder.",
    ),
    Rule(
        "goes-on",
        r"\b(?:go(?:es)?|went|gone) on\b(?! to\b)",
        "'continue', 'resume', 'happen'",
        "The game goes on.",
        "The game continues.",
    ),
    Rule(
        "archaic",
        r"\b(?:anew|for ever|henceforth|hitherto|thereof|whereof|whilst|amongst|at last|mend(?:s|ed|ing)?|to be had"
        r"|c[oa]mes? to an end|signs? of life)\b",
        "'again', 're-…', 'permanently', 'finally', 'fix'",
        "The season is computed anew.",
        "The season is computed again.",
    ),
    Rule(
        "is-none",
        rf"(?<!here )(?<!default )\b(?:is|are|was|were) none\b|(?<!here )is no (?:{_NO})\b",
        "'is not a …', 'does not exist', 'invalid'",
        "bot.toml is no file.",
        "bot.toml is not a file. There is no limit.",
    ),
    Rule(
        "so-many",
        r"\b[Ss]o (?:many|few|long|much|often)\b(?! (?:as|that|more|for|better|less)\b)",
        "the number or limit: 'up to N', 'for this long'",
        "Provisional for so many games.",
        "You can play so long as you have time.",
    ),
    Rule(
        "house-genitive",
        r"\b(?:bots?|one) of the house\b|\bthe house's\b",
        "'house bot'",
        "A bot of the house plays.",
        "A house bot plays.",
    ),
    Rule(
        "distributive-a",
        rf"\b(?:a|an|one) [a-z-]+ an? (?:{_UNITS})\b|\b(?:limits|bots|games|uploads|seats|streams|rows|modes) an? "
        r"(?:person|minute|hour|day|game|process|decision)\b",
        "'one X per Y', 'X per Y'",
        "The file has a line a game.",
        "The file has one line per game.",
    ),
    Rule(
        "letter",
        r"\b[Ll]etters? (?:about|to you|go(?:es)?|went|that lead|has been|have been|is sent|was sent)\b|\bby letter\b"
        r"|\b(?:no|another|last) letter\b",
        "'email'",
        "A letter has been sent to you.",
        "The name starts with a letter. The letters a to z",
    ),
    Rule(
        "road", r"\b[Rr]oads?\b", "'path', 'endpoint', 'interface'", "Every road to a game", "Every endpoint of a game"
    ),
    Rule("on-leave", r"\bon leave\b", "'paused'", "The bot is on leave.", "The bot is paused. Click on Leave."),
    Rule(
        "comma-too",
        r", too\b(?! (?:many|much|long|large|small|few|short|old|big|high|low|late|early|slow|deep|fast)\b)",
        "'also' before the verb",
        "Guests can play, too.",
        "Guests can also play.",
    ),
    Rule(
        "is-the-most",
        rf"\b(?:is|are) (?:the|its|their) most{_END}",
        "'the limit is N', 'up to N'",
        "8 MiB is the most.",
        "This is the most common error.",
    ),
    Rule(
        "any-more",
        rf"\b[Aa]ny ?more\b{_END}",
        "'no longer'",
        "The seat is not offered any more.",
        "There are no longer any more seats than players.",
    ),
    Rule(
        "site-people",
        r"\b[Pp]eople who (?:look after|run) (?:the|this) site\b",
        "'site admins', 'moderators'",
        "Ask the people who run the site.",
        "Ask the site admins.",
    ),
    Rule("told-game", r"\b(?:told games?|games? told)\b", "'move list', 'text view'", "The told game", "The move list"),
    Rule(
        "no-such",
        r"\b[Tt]here is no such\b|\b[Nn]o \w+ (?:is called|has such)\b|\b[Nn]obody is called\b",
        "'X not found', 'Unknown X'",
        "No game has such a number.",
        "Match not found.",
    ),
    Rule(
        "proven-address",
        r"\b(?:proven|prove) (?:an? |your |the )?(?:e-?mail )?address|\baddress(?:es)? (?:is|are|was|were) proven\b",
        "'verified email address'",
        "Your address is proven.",
        "Your email address is verified.",
    ),
    Rule(
        "looks-on",
        rf"\b(?:looks?|looking) on\b{_END}|\bonlookers?\b",
        "'watch', 'spectators'",
        "Two people look on.",
        "Two spectators watch. It looks on the bright side",
    ),
    Rule("e-mail", r"\b[Ee]-mails?\b", "'email'", "Your e-mail address", "Your email address"),
    Rule("table-game", r"\b[Tt]able games?\b", "'board games', 'games'", "Bots play table games.", "Bots play games."),
    Rule("chair", r"\b[Cc]hairs?\b", "'seat'", "Take your chair back.", "Return to your seat."),
    Rule("clerk", r"\b[Cc]lerks?\b", "'worker', 'queue'", "The clerk is busy.", "The worker is busy."),
    Rule("stand-in", r"\b[Ss]tand-ins?\b", "'substitute bot'", "A stand-in plays.", "A substitute plays."),
    Rule(
        "match-order",
        r"\b(?:[Yy]our|[Oo]pen|[Cc]ancel (?:the|an|this)) orders?\b|\borders? (?:is|are|was|were) (?:canceled|queued)\b"
        r"|\bordered (?:games?|match(?:es)?)\b",
        "'match request', 'exhibition match'",
        "You have 3 open orders.",
        "Games are listed in order. You can order by rating, an order of magnitude.",
    ),
    Rule(
        "strangers-code",
        r"\bcode of (?:a )?strangers?\b|\bstrangers' code\b",
        "'untrusted code'",
        "The code of strangers runs in a sandbox.",
        "Untrusted code runs in a sandbox.",
    ),
    Rule(
        "persons-bot",
        r"\bbots? of (?:a |one )?(?:person|people|somebody)\b|\btables? of people\b|\bladders? of people\b",
        "'user bot', 'human players'",
        "The bot of a person",
        "Human players",
    ),
    Rule(
        "the-books",
        r"\b[Tt]he books (?:of|are|say|balance|show)\b|\bin the books\b|\baccounts of (?:a|the|this) ladder\b",
        "'integrity report', 'ledger'",
        "The books are complete.",
        "The integrity report is complete.",
    ),
    Rule(
        "claim-game",
        r"\b[Cc]laim the game\b",
        "'claim victory'",
        "You can claim the game.",
        "You can claim victory.",
    ),
    Rule(
        "sit-down",
        r"\b(?:[Ss]it down|[Ss]its down|[Oo]ffered seats?|[Oo]ffer seats?|[Ss]eats (?:are|is) offered)\b",
        "'join', 'open game'",
        "Sit down at a table.",
        "Join an open game.",
    ),
    Rule(
        "a-round-behind",
        r"\ba round behind\b|\bone round behind\b",
        "'one-round delay'",
        "Spectators see the game a round behind.",
        "Spectators see the game with a one-round delay.",
    ),
    Rule(
        "account-elsewhere",
        r"\b(?:accounts?|sites?) elsewhere\b",
        "'linked account'",
        "Link an account elsewhere.",
        "Link a GitHub account.",
    ),
    Rule(
        "becomes-of",
        r"\b(?:becomes?|became|becoming) of\b",
        "name the event: 'is deleted', 'the result of'",
        "See what becomes of an upload.",
        "See how uploads are validated.",
    ),
    Rule(
        "cannot-be-told",
        r"\bcannot be told\b|\bis said (?:here|there)\b",
        "'statistically tied', 'is shown'",
        "They cannot be told apart.",
        "They are statistically tied.",
    ),
    Rule(
        "british",
        r"\b(?:[Cc]olour(?:s|ed|ing)?|[Cc]ancell(?:ed|ing)|[Bb]ehaviours?|[Cc]atalogues?|[Cc]entres?|[Ff]avour(?:ite|s|ed)?"
        r"|[Oo]rganis(?:e|es|ed|er|ers|ing|ation)|[Rr]ecognis(?:e|es|ed)|[Ss]erialis(?:e|es|ed)|[Ii]nitialis(?:e|es|ed)"
        r"|[Dd]efences?|[Ll]icences?|[Ll]abell(?:ed|ing)|[Aa]nalys(?:e|ed|ing)|[Hh]onour(?:s|ed|ing)?|[Gg]rey"
        r"|[Nn]eighbour\w*)\b",
        "American spelling: color, canceled, behavior, organizer, gray",
        "The colour of a cancelled game",
        "The color of a canceled game",
    ),
    Rule("percent", r"\d[ \u00a0\u202f]%(?!\()", "no space before %: '95%'", "95 % of games", "95% of games"),
    Rule(
        "contraction",
        r"\b\w+n['’]t\b|\b(?:[Ii]t|[Tt]hat|[Tt]here|[Ll]et)['’]s\b|\b\w+['’](?:re|ve|ll)\b",
        "the full form: 'cannot', 'does not', 'it is'",
        "You can't play.",
        "You cannot play. Anna's bot",
    ),
    Rule("quotes", "[“”„‘]", "straight quotes: \"…\" and '…'", "The “open” ladder", 'The "open" ladder'),
)

SOFT: Final = tuple(
    Rule(name, pattern, instead, wrong, right, is_hard=False)
    for name, pattern, instead, wrong, right in (
        (
            "headless-who-soft",
            rf"(?:, |\b(?:and|of|if|where|when|while|with|until) )who (?:{_VERBS})\b",
            "a noun: 'a player who …'",
            "The rating of who plays rises.",
            "The rating of the player rises.",
        ),
        ("whoever", r"\b[Ww]ho(?:m|se)?(?:so)?ever\b", "'the player who'", "Whoever wins", "The winner"),
        (
            "headless-what",
            (
                r"\b(?:of|for|to|from|by|as|with|in|on|and|than|until|but) what (?:is|was|has|had|can|cannot|may|must"
                r"|it|they|he|its|a|an|the|one|somebody|nobody|everybody|people|comes?|others|there|follows|plays?|stands"
                r"|counts|you|would|bots?|seats?|staff)\b"
            ),
            "name the thing: 'the result', 'the code'",
            "A list of what it holds",
            "A list of its files",
        ),
        (
            "own-of",
            r"\b[A-Za-z]+ of (?:one's|its|their|your|his|our) own\b",
            "'its own X', 'a separate X'",
            "A key of its own",
            "Its own key",
        ),
        (
            "taken-back",
            r"\b(?:taken?|takes|took) (?:\w+ ){0,3}back\b|\bput(?:s)? (?:it |the bot )back\b",
            "'undo', 'void', 'restore', 'resume'",
            "Results are taken back.",
            "Results are voided.",
        ),
        (
            "one-generic",
            rf"\bone's\b|{_ONE}\bone (?:may|can|cannot|could|types|decides|sits)\b",
            "'you', 'the user', 'the player'",
            "What one can do",
            "Only one can win.",
        ),
        (
            "told",
            r"\b(?:is|are|was|were|be|been|gets?) told\b|\btells? of\b",
            "'notified', 'shown', 'described'",
            "Players are told.",
            "Players are notified.",
        ),
        (
            "body",
            r"\b(?:[Nn]o|[Ee]very|[Ss]ome|[Aa]ny)body\b",
            "'no one', 'everyone', 'someone', 'anyone', or the noun",
            "Nobody plays.",
            "No players yet.",
        ),
        (
            "say-machine",
            (
                r"\b(?:docs?|page|pages|field|table|header|line|hello|schema|document|message|log|report|sentence|setting"
                r"|file|toml|answer|clock|site) says?\b"
            ),
            "'states', 'shows', 'specifies', 'contains'",
            "The page says so.",
            "The page shows the limit.",
        ),
        (
            "from-on",
            r"\bfrom when\b|\b[Ff]rom (?:then|here|there) on\b",
            "'after that', 'starting at'",
            "From then on it plays.",
            "After that, it plays.",
        ),
        (
            "at-once",
            r"\bat once\b|\bby itself\b|\bbeside\b|\bof it the\b",
            "'immediately', 'automatically', 'next to'",
            "It starts at once.",
            "It starts immediately.",
        ),
        (
            "long-sentence",
            r"(?:[\w'’%/-]+[,]?[ ]+(?:[-–—(\"] ?)?){34,}[\w'’%/-]+",
            "at most 30 words per sentence",
            "One two three four five six seven eight nine ten " * 3 + "one two three four five six.",
            "A short sentence.",
        ),
    )
)

RULES: Final = (*HARD, *SOFT)


def hits(text: str) -> Iterator[tuple[Rule, str]]:
    """Yield every rule that ``text`` breaks, with the words that break it."""
    for rule in RULES:
        for found in rule.hits(text):
            yield rule, found
