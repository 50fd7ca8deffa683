// Plays at the table of a page as its script would, one legal move after the other, but for kinds that are `kept` for a
// hand. Evaluated in a page.
({ seed }) => {
  const table = document.querySelector("sitting-table");
  let state = seed;
  const below = (count) => (state = (state * 48271) % 2147483647) % count;
  const player = { played: {}, problems: [], kept: [], chosen };

  function higher(standing, holdings) {
    const wanted = standing.reduce((sum, count) => sum + count, 0) + 1;
    const offer = [0, 0, 0, 0];
    for (let colour = 3, left = wanted; colour >= 0 && left; colour -= 1) {
      offer[colour] = Math.min(left, holdings[colour]);
      left -= offer[colour];
    }
    return offer.reduce((sum, count) => sum + count, 0) === wanted ? { offer } : null;
  }

  function chosen(question) {
    const { kind, legal, holdings, standing } = question;
    if (kind === "open_barter" && below(3)) return higher([0, 0, 0, 0], holdings) ?? question.default;
    if (kind === "answer_offer" && below(2)) return higher(standing, holdings) ?? question.default;
    return legal ? legal[below(legal.length)] : question.default;
  }

  async function step() {
    table.showing?.skip();
    const { number, sending } = table.decision;
    if (number !== null && sending !== number && !player.kept.includes(table.present.question.kind)) {
      const { question } = table.present;
      const { sent, reason } = await table.decision.send(number, chosen(question));
      if (sent) player.played[question.kind] = (player.played[question.kind] ?? 0) + 1;
      else if (table.decision.number === number) player.problems.push([question, reason]);
    }
    if (!table.ended) setTimeout(step, 10);
  }

  window.player = player;
  step();
};
