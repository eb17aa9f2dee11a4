// A scene script in the old style: no export, the global api, its own variables. The host deals, and only the top of the
// pile may be answered with a card of the same suit; anything else goes back to the hand it came from.
var suits = { "card-1": "sun", "card-2": "moon", "card-3": "sun" };
var top = null;
var dealt = 0;

function suitOf(thing) {
  return suits[String(thing.metadata.cardId).replace(/#\d+$/, "")];
}

function draw(text) {
  return api.setUiElement({
    id: "table-talk",
    type: "panel",
    props: { title: "Suns and Moons" },
    children: [
      { id: "said", type: "text", props: { text: text, tone: "good" } },
      { id: "deal", type: "button", props: { label: "Deal a card", onPress: "deal" } },
    ],
  });
}

api.on("deal", async function () {
  var cards = await api.objectAction("pile", { type: "draw", count: 1, seat: "red" });
  dealt += cards.length;
  await draw(dealt + " dealt, " + (top || "nothing") + " lies open");
});

api.on("onZoneEnter", async function (event) {
  if (event.zoneId !== "middle") return;
  var card = await api.getObject(event.objectId);
  if (card === null || card.kind !== "card") return;
  if (card.faceDown) card = await api.objectAction(card.id, { type: "flip", faceDown: false });
  if (top !== null && suitOf(card) !== top) {
    var zones = await api.listSeatZones("red");
    api.log("refused " + suitOf(card) + " on " + top + ", back to " + zones[0].id);
    await api.objectAction(card.id, { type: "move", position: { x: 0, y: 0, z: 10 } });
    return;
  }
  top = suitOf(card);
  await draw(dealt + " dealt, " + top + " lies open");
});

draw("Nobody has dealt yet").then(function () {
  api.log("the game is set up");
});
