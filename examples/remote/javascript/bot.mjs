// A remote bot for Node 18 and later, without a package: ESR_SITE=… ESR_TOKEN=… node bot.mjs
const api = `${process.env.ESR_SITE}/api/v1`;
const headers = { Authorization: `Bearer ${process.env.ESR_TOKEN}` };
const SILENCE_MS = 20_000; // the site says something every seven seconds, if only an empty line
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// One legal move: any of them where they are listed, else the first. Your idea goes here.
function choose({ legal, default: first }) {
  return legal ? legal[Math.floor(Math.random() * legal.length)] : first;
}

async function answer({ game, decision, message }) {
  const body = JSON.stringify({ id: decision, move: choose(message.decision) });
  for (let pause = 250; pause < 16_000; pause *= 2) {
    try { // the same answer may be sent as often as need be
      const said = await fetch(`${api}/matches/${game}/decisions/${decision}`, { method: "POST", headers, body });
      if (said.status !== 429 && said.status < 500) {
        if (!said.ok) console.error(game, decision, (await said.json()).detail);
        return;
      }
    } catch {} // the connection broke
    await wait(pause);
  }
}

function hear(event) {
  if (event.type === "decide") answer(event);
  if (event.type === "game_start") console.log("game", event.game, event.message.game, "seat", event.message.seat);
  if (event.type === "game_end") console.log("game", event.game, "ranks", event.message?.outcome.ranks);
  if (event.type === "closed") process.exit(0); // another stream of this bot was opened
}

async function listen() {
  const stop = new AbortController();
  let silence = setTimeout(() => stop.abort(), SILENCE_MS);
  const stream = await fetch(`${api}/bot/stream`, {
    headers: { ...headers, Accept: "application/x-ndjson" }, signal: stop.signal,
  });
  if (stream.status >= 400 && stream.status < 500 && stream.status !== 429) { // asking again would not help
    console.error((await stream.json()).detail);
    process.exit(1);
  }
  let rest = "";
  for await (const bytes of stream.ok ? stream.body.pipeThrough(new TextDecoderStream()) : []) {
    silence.refresh();
    const lines = (rest + bytes).split("\n");
    rest = lines.pop();
    lines.filter((line) => line.trim()).forEach((line) => hear(JSON.parse(line)));
  }
  clearTimeout(silence);
}

for (;;) { // everything that is pending is told again whenever the stream is opened
  try {
    await listen();
  } catch {} // the connection broke
  await wait(1000 + 2000 * Math.random());
}
