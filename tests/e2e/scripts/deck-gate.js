// A gate before the game: whoever sits down picks the pile they bring, the host counts it, and the game's token comes onto
// the table once a pile passes. Every peer runs this; the host alone may draw, and a guest sees what the host drew.
const RULES = { least: 4, most: 8, copies: 2 };
const GATE = "deck-gate";

const nameOf = (card) => String(card.metadata?.cardId ?? card.label).replace(/#\d+$/, "");

function faultsOf(cards) {
  const copies = new Map();
  for (const card of cards) copies.set(nameOf(card), (copies.get(nameOf(card)) ?? 0) + 1);
  const faults = [...copies].filter(([, count]) => count > RULES.copies).map(([name, count]) => `${count} copies of ${name}`);
  if (cards.length < RULES.least) faults.unshift(`only ${cards.length} cards`);
  if (cards.length > RULES.most) faults.unshift(`${cards.length} cards`);
  return faults;
}

exports.setup = async (api, manifest) => {
  let chosen = null;
  let opened = false;

  const piles = async () => (await api.listObjects({ kind: "deck" })).map(({ id, label }) => ({ value: id, label }));

  async function draw(said, tone) {
    const options = await piles();
    chosen ??= options[0]?.value ?? null;
    const drawn = await api.setUiElement({
      id: GATE,
      type: "panel",
      props: { title: `${manifest.name}: deck gate` },
      children: [
        { id: "said", type: "text", props: { text: said, tone } },
        { id: "pile", type: "select", props: { label: "Your pile", options, value: chosen, onChange: "pick-pile" } },
        { id: "count", type: "button", props: { label: "Count it", onPress: "count-pile" } },
      ],
    });
    if (drawn === null) api.log("too much was drawn in this tick");
  }

  api.on("pick-pile", ({ value }) => {
    chosen = value;
  });

  api.on("count-pile", async () => {
    const cards = await api.getContainerContents(chosen);
    const faults = faultsOf(cards);
    api.log(`counted ${cards.length} of ${chosen}`);
    if (faults.length > 0) return draw(`The gate stays shut: ${faults.join("; ")}.`, "bad");
    if (!opened) {
      opened = true;
      await api.createObject({ kind: "token", label: "Gate token", position: { x: 2, y: 0, z: 2 } });
    }
    return draw("The gate is open.", "good");
  });

  try {
    await draw("Pick your pile, then have it counted.", "neutral");
    api.log("the gate stands");
  } catch (error) {
    api.log(`the host draws the gate: ${error.message}`);
  }
};
