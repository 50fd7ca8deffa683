#!/bin/sh
# A remote bot with curl and jq, by long polling: ESR_SITE=… ESR_TOKEN=… sh bot.sh
set -u
api=$ESR_SITE/api/v1
header=$(mktemp)                 # in a file that only we can read, since every user sees command lines
trap 'rm -f "$header"' EXIT
trap 'exit 130' INT TERM
printf 'Authorization: Bearer %s\n' "$ESR_TOKEN" >"$header"

call() {
    curl --silent --show-error --fail-with-body --max-time 60 --header "@$header" "$@"
}

while :; do
    # Waits until something is asked; empty if nothing was for 25 s. The whole log comes with it, unless &log=N is said.
    asked=$(call "$api/bot/decision?wait=25") || { printf '%s\n' "$asked" >&2; sleep 5; continue; }
    [ -n "$asked" ] || continue
    where=$(printf '%s' "$asked" | jq -r '"matches/\(.game)/decisions/\(.decision)"')

    # One legal move: one of those that are listed, else the first. Your idea goes here.
    answer=$(printf '%s' "$asked" | jq -c '
        .message.decision as $asked | {id: .decision,
        move: (if $asked.legal then $asked.legal[now * 1000 % ($asked.legal | length)] else $asked.default end)}')
    printf '%s' "$answer" | call --retry 5 --retry-all-errors --header 'Content-Type: application/json' \
        --data @- "$api/$where" || sleep 1
    echo
done
