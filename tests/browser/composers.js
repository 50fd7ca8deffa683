// Puts a board and the composer of one decision into the place of a page's content, and drives it. Evaluated in a page.
async (sheets) => {
  const loaded = sheets.map(
    (sheet) =>
      new Promise((done) => {
        const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/static/esr/${sheet}` });
        link.addEventListener("load", done);
        document.head.append(link);
      }),
  );
  await Promise.all(loaded);
  const modules = {};
  for (const name of ["gems", "cellars", "plain"]) {
    modules[name] = {
      composer: await import(`/static/esr/composers/${name}.js`),
      board: await import(`/static/esr/boards/${name}.js`),
    };
  }
  const placeIn = (moves, move) => moves.findIndex((one) => JSON.stringify(one) === JSON.stringify(move));
  const main = document.querySelector("main");
  let composed = null;

  const other = { gems: "cellars", cellars: "gems" };

  /** Sheets of two games are never on one page. */
  function dress(name) {
    for (const link of document.querySelectorAll("link[rel=stylesheet]"))
      link.disabled = link.href.includes(`/${other[name]}.css`);
  }

  /**
   * A table as the page of a seat has it: the board, below it the decision. `refuse` is what the table says to a move.
   */
  function mount({ question, view, you, table, board, composer }, { kept = null, refuse = "", bare = false } = {}) {
    composed?.destroy();
    dress(board);
    const home = document.createElement("div");
    const places = ["board", "header", "place"].map(() => document.createElement("div"));
    const [drawing, header, place] = places;
    const section = document.createElement("section");
    const title = Object.assign(document.createElement("h2"), { tabIndex: -1 });
    home.tabIndex = -1;
    home.className = "sitting";
    section.className = "sitting-composer";
    header.className = "sitting-decision";
    header.append(title);
    section.append(header, place);
    home.append(drawing, section);
    main.replaceChildren(
      Object.assign(document.createElement("h1"), { textContent: "A table", className: "hidden" }),
      home,
    );
    const { seat } = question;
    const yous = table.names.map((_, other) => (other === seat ? you : null));
    const scene = { view, yous, seat, ply: 1, entries: [], standing: null };
    if (!bare) {
      const others = table.names.map((_, other) => other).filter((other) => other !== seat);
      const module = modules[board].board;
      module
        .mount(drawing, { ...table, order: [...others, seat] })
        .draw({ ...scene, standing: module.remember?.(null, scene) ?? null });
    }
    const state = { sent: [], kept, refuse };
    composed = modules[composer].composer.compose(place, {
      question,
      present: {},
      moment: scene,
      table,
      seat,
      board: bare ? undefined : drawing,
      home,
      draft: { get: () => state.kept, set: (value) => (state.kept = JSON.parse(JSON.stringify(value))) },
      send: async (move) => {
        state.sent.push(JSON.parse(JSON.stringify(move)));
        return state.refuse ? { sent: false, reason: state.refuse } : { sent: true, reason: "" };
      },
    });
    title.textContent = composed.title;
    title.focus();
    Object.assign(window, { state, composed });
    return composed.title;
  }

  const find = (selector) => main.querySelector(`.compose ${selector}`);
  const press = (selector) => {
    const node = find(selector);
    if (!node) throw new Error(`no ${selector}`);
    node.click();
  };
  const codesIn = (codes) => {
    const places = [...main.querySelectorAll(".compose-hand [data-bottle]")];
    return codes.map((code) => {
      const place = places.findIndex((node) => node.dataset.code === code);
      return places.splice(place, 1)[0].dataset.bottle;
    });
  };

  /** What is pressed for a move, the button that sends it last. */
  function selectors({ question, composer }, move) {
    if (composer === "plain")
      return [`.legal:nth-child(${placeIn(question.legal, move) + 1}) input`, '[data-send="main"]'];
    const pick = (row, colour) => `[data-pick="${row}"][data-colour="${colour}"]`;
    const { kind } = question;
    const main_ = '[data-send="main"]';
    if (["action", "guess", "event_card"].includes(kind)) return [`[data-choice="${move}"]`, main_];
    if (move === "apply") return [main_];
    if (typeof move === "string") return ['[data-send="other"]'];
    if (move.offer)
      return [
        ...[..."RYGB"].flatMap((colour, place) => Array(move.offer[place]).fill(`[data-add="${colour}"]`)),
        main_,
      ];
    if (move.gift) return [pick("gift", move.gift), main_];
    if (move.colour) return [pick("colour", move.colour), main_];
    if (move.cards) return [...codesIn(move.cards).map((place) => `[data-bottle="${place}"]`), main_];
    if (move.cell)
      return [...codesIn([move.card]).map((place) => `[data-bottle="${place}"]`), `[data-cell="${move.cell}"]`, main_];
    if (kind === "free_choice")
      return [
        ...(move.give ? [pick("give", move.give)] : []),
        ...move.take.map((colour, place) => pick(place ? "second" : "first", colour)),
        main_,
      ];
    if ("seat" in move) return [pick("give", move.give), pick(move.seat, move.take), main_];
    return [...Object.entries(move.take).map(([seat, colour]) => pick(seat, colour)), main_];
  }

  const same = (one, other) => canonical(one) === canonical(other);
  const canonical = (value) =>
    JSON.stringify(value, (_, one) =>
      one && typeof one === "object" && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort()) : one,
    );

  /** Composes every given move by clicks; what was sent instead of one. */
  function everyMove(position) {
    const faults = [];
    for (const move of position.moves) {
      mount(position, { bare: true });
      const steps = selectors(position, move);
      steps.slice(0, -1).forEach(press);
      if (window.state.sent.length) faults.push(["sent too soon", move]);
      press(steps.at(-1));
      if (!same(window.state.sent, [move])) faults.push([position.question.kind, move, window.state.sent]);
    }
    return faults;
  }

  /** Presses buttons and keys at random; what it sent, and what a new page made of every draft. */
  function monkey(position, times, seed) {
    let state = seed;
    const random = (below) => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return Math.floor((state / 2147483648) * below);
    };
    const sent = [];
    mount(position, { bare: true });
    const keys = [
      ..."rygbRYGBmefaodpc",
      "Enter",
      "Backspace",
      "Escape",
      " ",
      "ArrowLeft",
      "ArrowRight",
      "ArrowUp",
      "ArrowDown",
    ];
    for (let turn = 0; turn < times; turn++) {
      const buttons = [...main.querySelectorAll(".compose button, .compose input")];
      if (random(3)) buttons[random(buttons.length)].click();
      else {
        const key = keys[random(keys.length)];
        (main.contains(document.activeElement) ? document.activeElement : main.lastElementChild).dispatchEvent(
          new KeyboardEvent("keydown", {
            key,
            shiftKey: /[A-Z]/.test(key) && key.length === 1,
            bubbles: true,
            cancelable: true,
          }),
        );
      }
      if (window.state.sent.length || random(12) === 0) {
        sent.push(...window.state.sent);
        mount(position, { bare: true, kept: window.state.kept });
      }
    }
    return [...sent, ...window.state.sent];
  }

  Object.assign(window, { composers: { mount, everyMove, monkey, selectors, modules, canonical } });
};
