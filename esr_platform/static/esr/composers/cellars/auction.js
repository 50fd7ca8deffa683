// What a bid takes, as things stand: the highest the display, every other the bid above it.

/**
 * @param {Object} view
 * @param {number} seat whose bid it would be
 * @param {number} tenths its total
 * @returns {{from: number|null, cards: string[], place: number, of: number}} `from`: `null` is the display; the place
 *   among
 *   all bids, 1 is the highest
 */
export function taking(view, seat, tenths) {
  const others = view.players.flatMap((player, other) =>
    other !== seat && player.total !== null ? [{ other, ...player }] : [],
  );
  const above = others.filter((player) => player.total > tenths).sort((one, two) => one.total - two.total);
  const [next] = above;
  return {
    from: next?.other ?? null,
    cards: next?.bid ?? view.display,
    place: above.length + 1,
    of: others.length + 1,
  };
}
