/** *Copy link* on a game's own page, which the registry writes. The button is there once it can do something. */
import { copied } from "./views/copy.js";

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-copy]"))) {
  const { copy = "", done = "", failed = "" } = button.dataset;
  const said = /** @type {HTMLElement} */ (button.parentElement?.querySelector("[role=status]"));
  button.hidden = false;
  button.addEventListener("click", async () => {
    said.textContent = (await copied(copy, null)) ? done : `${failed} ${copy}`;
  });
}
