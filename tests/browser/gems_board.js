// Draws every scene of a game, as one seat or as everybody sees it, and says what differs from the view. Evaluated in a
// page.
async ({ replay, names, seat: seenBy }) => {
  const board = await import("/static/esr/boards/gems.js");
  const { Game } = await import("/static/esr/replay/game.js");
  const game = new Game(replay, names);
  const [root, beside] = [document.createElement("div"), document.createElement("div")];
  document.querySelector("main").replaceChildren(root, beside);
  const labels = names.map((name, seat) => ({ name, version: String(seat + 1), rating: 1500, href: "/bots/" }));
  const drawn = board.mount(root, { game: replay.game, seats: replay.seats, names, labels });
  beside.append(drawn.side);
  const faults = [];
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const text = (node) => node?.textContent ?? "nothing";

  function expect(where, what, found, wanted) {
    if (String(found) !== String(wanted)) faults.push(`${where}: ${what} is ${found}, not ${wanted}`);
  }

  function leadOf(view, seat, colour) {
    const counts = view.players.map((player) => player.gems[colour]);
    const most = Math.max(...counts);
    if (!most || counts[seat] !== most || counts.every((count) => count === most)) return "none";
    return counts.filter((count) => count === most).length > 1 ? "tied" : "alone";
  }

  function checkPile(where, pile, count, offered) {
    expect(where, "the number", text(pile.querySelector(".number")), count);
    expect(where, "gems", pile.querySelectorAll(".stone").length, count > 15 ? 1 : count);
    expect(where, "ringed gems", pile.querySelectorAll(".ring").length, offered);
  }

  function checkSeat(where, { view, standing }, seat) {
    const row = root.querySelector(`[data-seat="${seat}"]`);
    const player = view.players[seat];
    const last = standing.ended ? null : view.barter?.offers.at(-1);
    row.querySelectorAll(".piles > .pile").forEach((pile, colour) => {
      checkPile(`${where} colour ${colour}`, pile, player.gems[colour], last?.seat === seat ? last.offer[colour] : 0);
      const number = pile.querySelector(".number");
      const lead = ["alone", "tied"].find((name) => number.classList.contains(name)) ?? "none";
      expect(`${where} colour ${colour}`, "the lead", lead, leadOf(view, seat, colour));
    });
    expect(where, "money", text(row.querySelector(".millions")), player.money);
    const copies = [...row.querySelectorAll(".cards .event-card")].map((card) =>
      Number(card.querySelector(".copies")?.textContent.slice(1) ?? 1),
    );
    expect(where, "cards held", sum(copies), player.cards.length);
    expect(where, "gem cards", row.querySelectorAll(".play .gem-card:not(.empty)").length, player.gem_card ? 1 : 0);
  }

  function checkTable(where, scene) {
    const { view } = scene;
    root
      .querySelectorAll(".bank .piles > .pile")
      .forEach((pile, colour) => checkPile(`${where} supply ${colour}`, pile, view.supply[colour], 0));
    expect(
      where,
      "the display",
      root.querySelector(".bank .cards > [data-card]")?.dataset.card ?? null,
      view.event.display,
    );
    view.players.forEach((_, seat) => checkSeat(`${where} seat ${seat}`, scene, seat));
    const barter = scene.standing.ended ?? view.barter;
    const offers = barter?.offers ?? [];
    const gift = scene.standing.ended?.how === "given" ? 1 : 0;
    const before = Number.parseInt(drawn.side.querySelector(".earlier summary")?.textContent ?? "0", 10);
    expect(
      where,
      "offers",
      before + drawn.side.querySelectorAll(".talk li .slip:not(.none)").length,
      offers.length + gift,
    );
  }

  function checkScoring(where, { view, standing: { scoring } }) {
    const lines = [...root.querySelectorAll(".scored .line")].slice(1);
    lines.forEach((line, seat) => {
      const paid = sum(scoring.rows.map((row) => row.share[seat] + row.sole_bonus[seat] + row.per_gem[seat]));
      expect(
        `${where} seat ${seat}`,
        "paid",
        text(line.querySelector('[data-column="6"] .paid')),
        paid ? `+${paid}` : 0,
      );
      expect(
        `${where} seat ${seat}`,
        "money",
        text(line.querySelector('[data-column="7"] .millions')),
        view.players[seat].money,
      );
      const returned = sum(scoring.rows.map((row) => row.returned[seat]));
      expect(`${where} seat ${seat}`, "ghosts", line.querySelectorAll(".ghost").length, returned);
      const told = [...line.querySelectorAll(".payment")].filter(
        (cell) => cell.querySelector(".paid:not(.zero)") && !cell.querySelector(".caption:not(.pile *)"),
      );
      expect(`${where} seat ${seat}`, "payments without a reason", told.length, 0);
    });
    expect(where, "sentences", drawn.side.querySelectorAll(".told p").length, scoring.rows.length);
  }

  let scorings = 0;
  for (let ply = 0; ply <= game.last; ply++) {
    const scene = game.scene(ply, seenBy, board.remember);
    if (ply % 9 === 0) drawn.draw({ ...scene, standing: null }); // as the first that is seen of a running game
    drawn.draw(scene);
    if (scene.standing.scoring) checkScoring(`#${ply}`, scene);
    else checkTable(`#${ply}`, scene);
    scorings += Number(Boolean(scene.standing.scoring));
    expect(
      `#${ply}`,
      "the width",
      Math.max(root.scrollWidth, beside.scrollWidth) <= document.documentElement.clientWidth,
      true,
    );
    if (!board.place(scene).text || board.marks(scene).phase === "") faults.push(`#${ply}: no place`);
  }
  expect("all", "scorings", scorings, 3);
  return faults;
};
