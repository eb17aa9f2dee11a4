// Checks the deck a player brings to the lake, and tells the host what it found.
// Every peer runs this; only the host may draw, so a guest's attempt to draw is expected to be refused.

const SMALLEST_DECK = 12;
const MOST_COPIES = 3;
const MOST_COLOURS = 2;

function faultsOf(deck, cards) {
  const faults = [];
  const entries = deck.entries.filter((entry) => entry.partitionId !== "side");
  const total = entries.reduce((sum, entry) => sum + entry.count, 0);
  if (total < SMALLEST_DECK) {
    faults.push(`${total} cards; a deck has at least ${SMALLEST_DECK}`);
  }
  const known = new Map(cards.map((card) => [card.cardId, card.data]));
  const colours = new Set();
  for (const entry of entries) {
    const data = known.get(entry.cardId);
    if (data === undefined) {
      faults.push(`${entry.cardId} is no card of this game`);
      continue;
    }
    colours.add(data.lantern);
    if (entry.count > MOST_COPIES) {
      faults.push(`${entry.count} copies of ${data.name}; at most ${MOST_COPIES}`);
    }
  }
  if (colours.size > MOST_COLOURS) {
    faults.push(`${colours.size} colours of lantern; at most ${MOST_COLOURS}`);
  }
  return faults;
}

exports.setup = async (api, manifest) => {
  const verdicts = new Map();

  async function draw(text) {
    try {
      await api.setUiElement({ id: "deck-gate", type: "panel", props: { title: manifest.name, text, onPress: "check-deck" } });
    } catch (error) {
      api.log(`not drawn here: ${error.message}`);
    }
  }

  async function checkDeck() {
    const decks = await api.listDecks({ scope: "mine", search: "", limit: 1 });
    if (decks.length === 0) {
      await api.sendToHost("deck-checked", { deck: null, faults: ["no deck was brought"] });
      return;
    }
    const deck = await api.getDeck(decks[0].id);
    const cards = await api.resolveCards(deck.entries.map((entry) => entry.cardId));
    await api.sendToHost("deck-checked", { deck: deck.name, faults: faultsOf(deck, cards) });
  }

  api.on("onHostMessage", async ({ name, data, actorPeerId }) => {
    if (name !== "deck-checked") {
      return;
    }
    verdicts.set(actorPeerId, data.faults.length === 0 ? `${data.deck} may float` : data.faults.join("; "));
    await draw([...verdicts.values()].join("\n"));
  });
  api.on("onSeatChanged", checkDeck);
  api.on("check-deck", checkDeck);

  api.log(`${manifest.name} ${manifest.version} is on the water`);
  await draw("Sit down, and your deck is checked.");
};
