/**
 * The page: reads the address, asks the peer, and draws what Python says. It knows no rule of the product.
 *
 * @import {Failure, View} from "./messages.js"
 * @import {Route} from "./route.js"
 */
import "./support.js";

import { html, render } from "lit-html";

import { Offline } from "./offline.js";
import { Peer } from "./peer.js";
import { Registry } from "./registry.js";
import { address, HOME, routeOf, tableOf } from "./route.js";
import { Session } from "./session.js";
import { Favourites, Shortlist } from "./shortlist.js";
import { errorText, text } from "./text.js";
import { Catalogue } from "./views/catalogue.js";
import { failed } from "./views/failed.js";
import { loading } from "./views/loading.js";
import { failureKey } from "./views/notices.js";
import { Table } from "./views/table.js";
import { updateNotice } from "./views/update.js";

/** @typedef {"catalogue"|"about"|"storage"|"sign-in"|"projects"|"check"|"loading"|"table"|"failed"} Screen */
/** @typedef {{template: () => unknown, title: string, dispose: () => void}} Page a screen that needs no table */

/** Milliseconds a worker's thread needs to end. */
const LAST_BREATH = 100;
const main = /** @type {HTMLElement} */ (document.querySelector("#main"));
const live = /** @type {HTMLElement} */ (document.querySelector("#announcements"));
const updates = /** @type {HTMLElement} */ (document.querySelector("#update"));
const corner = /** @type {HTMLElement} */ (document.querySelector("#account"));

const peer = new Peer();
const favourites = new Favourites();
const recent = new Shortlist("recent", 12);
/** @type {Route} */
let route = routeOf(location.search);
/** @type {Page | null} what the route names, where that is neither catalogue nor table */
let page = null;
/** @type {string | null} */
let pageAddress = null;
/** @type {string | null} */
let drawnPage = null;
const offline = new Offline(drawUpdate, onMoved);
/** @type {Catalogue | null} null until config.json has come */
let catalogue = null;
/** @type {import("./views/account-menu.js").AccountMenu | null} it comes with the first sign-in */
let menu = null;
/** @type {Table | null} */
let table = null;
/** @type {Screen | null} */
let drawn = null;
let announcedPercent = 0;
let announcedFailures = 0;
/** @type {{scroll: number, mod: string|null}} where to take up the catalogue again */
let left = { scroll: 0, mod: null };
/** @type {Set<string>} */
const retrying = new Set();

/** @param {Route} named @param {Peer["wanted"]} wanted */
const isTable = (named, wanted) => named.screen === "table" && named.mod === wanted?.mod && named.version === wanted.version;

/** @param {string} words */
const announce = (words) => void (live.textContent = words);

/** The promise's fault is drawn from `peer.refusal`, not from here. @param {{mod: string, version: string|null}} table */
function open({ mod, version }) {
  peer.open(mod, version ? { version } : {}).catch(() => undefined);
}

function closeTable() {
  peer.close().catch(() => undefined);
}

/** Opens, closes or shows what the address now names. */
function follow() {
  route = routeOf(location.search);
  if (route.screen === "table") {
    if (!isTable(route, peer.wanted)) open(route);
  } else if (peer.wanted) closeTable();
  draw();
}

/** @param {Route} wanted */
function go(wanted) {
  const from = wanted.screen === "sign-in" ? { from: address(route) } : null;
  if (address(wanted) !== address(route)) history.pushState(from, "", address(wanted));
  follow();
}

/** Back to where somebody was who went to sign in. */
function signedIn() {
  history.replaceState(null, "", history.state?.from ?? HOME);
  follow();
}

/** The screens beside catalogue and table come when they are first asked for. @param {Route} wanted @returns {Promise<Page>} */
async function pageAt(wanted) {
  if (wanted.screen === "about") {
    const { About } = await import("./views/about.js");
    return new About(wanted.mod, { peer, favourites, redraw: draw, announce, known: catalogue?.known(wanted.mod) ?? null });
  }
  if (wanted.screen === "check") {
    const { ScriptCheck } = await import("./check/check.js");
    return new ScriptCheck({ redraw: draw, announce });
  }
  if (wanted.screen === "storage") {
    const { Storage } = await import("./views/storage.js");
    return new Storage({ peer, redraw: draw, announce });
  }
  const session = await arriving;
  if (wanted.screen === "projects") {
    const { Projects } = await import("./views/projects.js");
    return new Projects(session, { redraw: draw, announce });
  }
  const { SignIn } = await import("./views/sign-in.js");
  return new SignIn(session, { redraw: draw, announce, done: signedIn });
}

/** Keeps `page` in step with the route: one is made on arriving, and given up on leaving. */
function turnPage() {
  const at = peer.wanted || route.screen === "catalogue" ? null : address(route);
  if (at === pageAddress) return;
  page?.dispose();
  page = null;
  pageAddress = at;
  if (at === null) return;
  void pageAt(route).catch(pageThatDidNotCome).then((made) => {
    if (at !== pageAddress) return made.dispose();
    page = made;
    draw();
    main.querySelector("h1")?.focus({ preventScroll: true });
  });
}

/** Its script is not to be had: without a network, or because another build has taken the place of this one. @returns {Page} */
function pageThatDidNotCome() {
  const error = { code: "incomplete", message: "", retryAt: null };
  const place = { name: "", home: HOME, current: null, report: null, again: false, onRetry: () => location.reload() };
  return { template: () => failed(error, place), title: text.titles.failed(errorText(error.code).title), dispose: () => undefined };
}

/** @type {(failures: Failure[] | null) => void} */
function onRetry(list) {
  const keys = list ? list.map(failureKey) : [""];
  for (const key of keys) retrying.add(key);
  draw();
  const asked = list ? peer.retry(list.map(({ path }) => path)) : peer.retry();
  // A retry that fails again shows as the same failure, with its reason.
  void asked.catch(() => undefined).finally(() => {
    for (const key of keys) retrying.delete(key);
    draw();
  });
}

/** @type {(owner: string, repo: string) => void} */
function onMakeRoom(owner, repo) {
  const name = `${owner}/${repo}`;
  void peer.forget(owner, repo).then(() => {
    announce(text.kept.forgotten(name));
    onRetry(null);
  }, () => announce(text.kept.inUse(name)));
}

function onFailedRetry() {
  if (peer.fatal) location.reload();
  else if (peer.wanted) open(peer.wanted);
}

/** @typedef {{code: string, message: string, retryAt: number|null}} Trouble */
/** @returns {{screen: Screen, state: string, error: Trouble|null}} */
function situation() {
  const { wanted, view, refusal, fatal, boot } = peer;
  const error = fatal ?? (wanted ? (view?.state === "failed" ? view.error : null) ?? refusal : null);
  if (error || (wanted && view?.state === "failed")) {
    return { screen: "failed", state: "failed", error: error ?? { code: "unknown", message: "", retryAt: null } };
  }
  if (!wanted) return { screen: route.screen === "table" ? "catalogue" : route.screen, state: boot ? "lobby" : "booting", error: null };
  if (view?.state === "open") return { screen: "table", state: "open", error: null };
  return { screen: "loading", state: boot ? "loading" : "booting", error: null };
}

/** Nothing is being loaded that other work could hold up. */
function isAtRest() {
  const { wanted, view, refusal, fatal, boot } = peer;
  if (fatal || refusal) return true;
  return boot !== null && !view?.pulling && (wanted === null || view?.state === "open" || view?.state === "failed");
}

/** What Python says, and what only the page can know. @param {View} view @returns {View} */
const withOwnNotices = (view) =>
  (peer.restarted ? { ...view, notices: [{ kind: "restarted", code: "restarted", data: {} }, ...view.notices] } : view);

/** What to send to whoever can mend it. @param {Trouble|null} error */
function troubleReport(error) {
  const { wanted, boot } = peer;
  return [
    `DiceyTable ${document.documentElement.dataset.build ?? ""}, ${new Date().toISOString()}`,
    `table: ${wanted ? `${wanted.mod} ${wanted.version ?? ""}`.trim() : "none"}; started: ${boot?.boot ?? "no"}`,
    `trouble: ${error?.code ?? "unknown"}: ${error?.message ?? ""}`,
    ...peer.deaths.map((death, index) => `death ${index + 1}: ${death}`),
    navigator.userAgent,
  ].join("\n");
}

const modName = () => peer.view?.mod?.name || peer.wanted?.mod || "";

function draw() {
  turnPage();
  const { screen, state, error } = situation();
  const changed = screen !== drawn || pageAddress !== drawnPage;
  drawnPage = pageAddress;
  const focused = document.activeElement;
  if (changed && drawn === "catalogue") left = { scroll: scrollY, mod: "mod" in route ? route.mod : null };
  if (screen !== "table") {
    table?.dispose();
    table = null;
  }
  if (screen !== "catalogue" || catalogue) {
    if (drawn === null) main.replaceChildren();
    render(content(screen, error), main);
    drawn = screen;
  }
  document.documentElement.dataset.state = state;
  const title = titleOf(screen, error);
  if (document.title !== title) document.title = title;
  if (changed) arrive(screen);
  else if (focused && focused !== document.body && !focused.isConnected) {
    // The button that had the focus went with its line: stay near it rather than at the top of the document.
    const near = document.querySelector("#failures-heading") ?? main.querySelector("h1");
    if (near instanceof HTMLElement) near.focus({ preventScroll: true });
  }
  speak(screen, changed, error);
}

/** @param {Screen} screen @param {Trouble|null} error */
function content(screen, error) {
  const actions = { home: HOME, retrying, onRetry, onMakeRoom, onCancel: closeTable, onOpenNow: () => void peer.openNow().catch(() => undefined) };
  switch (screen) {
    case "catalogue":
      return catalogue?.template() ?? html``;
    case "about":
    case "storage":
    case "sign-in":
    case "projects":
    case "check":
      return page?.template() ?? html`<h1 tabindex="-1" class="visually-hidden">${text.loading.starting}</h1>`;
    case "loading":
      return loading(peer.view?.state === "loading" ? withOwnNotices(peer.view) : null, modName(), actions);
    case "table":
      table ??= new Table(peer, draw);
      return peer.view ? table.template(withOwnNotices(peer.view), actions) : html``;
    case "failed": {
      const { wanted } = peer;
      const current = wanted?.version && error?.code === "unknown-version" ? tableOf(wanted.mod) : null;
      return failed(error ?? { code: "unknown", message: "", retryAt: null }, {
        name: wanted?.mod ?? "", home: HOME, current, onRetry: onFailedRetry, report: troubleReport(error),
        again: peer.deaths.length > 1,
      });
    }
  }
}

/** @param {Screen} screen @param {Trouble|null} error */
function titleOf(screen, error) {
  switch (screen) {
    case "catalogue": return text.titles.lobby;
    case "about":
    case "storage":
    case "sign-in":
    case "projects":
    case "check": return page?.title ?? text.titles.lobby;
    case "loading": return text.titles.loading(modName());
    case "table": return text.titles.open(modName());
    case "failed": return text.titles.failed(errorText(error?.code ?? "", peer.deaths.length > 1).title);
  }
}

/** Puts eye and focus where the new screen begins. @param {Screen} screen */
function arrive(screen) {
  if (!arrived) {
    // The first screen of a visit: the browser has put the focus where it belongs.
    arrived = drawn !== null;
    return;
  }
  if (screen === "catalogue") {
    scrollTo(0, left.scroll);
    const card = left.mod && [...main.querySelectorAll("[data-mod]")].find((each) =>
      each instanceof HTMLElement && each.dataset.mod === left.mod)?.querySelector("a");
    (card || main.querySelector("h1"))?.focus({ preventScroll: true });
  } else {
    scrollTo(0, 0);
    main.querySelector("h1")?.focus({ preventScroll: true });
  }
}
let arrived = false;

/** Says the milestones, not every tick. @param {Screen} screen @param {boolean} changed @param {{code: string}|null} error */
function speak(screen, changed, error) {
  const { view } = peer;
  if (changed) {
    announcedPercent = 0;
    announcedFailures = 0;
    if (screen === "loading") announce(text.loading.heading(modName()));
    if (screen === "table") announce(`${modName()} ${text.table.opened(view?.failureCount ?? 0)}`);
    if (screen === "failed") announce(errorText(error?.code ?? "", peer.deaths.length > 1).title);
  }
  if (screen !== "loading" || view?.state !== "loading") return;
  const quarter = Math.floor((view.progress?.percent ?? 0) / 25) * 25;
  if (quarter > announcedPercent && quarter < 100) {
    announcedPercent = quarter;
    announce(text.loading.milestone(modName(), quarter)
      + (view.failureCount > announcedFailures ? ` ${text.loading.failing(view.failureCount)}` : ""));
    announcedFailures = view.failureCount;
  } else if (view.failureCount && !announcedFailures) {
    announcedFailures = view.failureCount;
    announce(text.loading.failing(view.failureCount));
  }
}

/** @type {(event: MouseEvent) => void} */
function onClick(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.target || link.hasAttribute("download") || event.defaultPrevented || event.button !== 0
    || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href, location.href);
  const here = new URL(HOME, location.href);
  if (url.origin !== here.origin || url.pathname !== here.pathname || url.hash) return;
  event.preventDefault();
  go(routeOf(url.search));
}

/** @param {NonNullable<View["mod"]>} mod that was opened */
function remember({ owner, repo, name, kind }) {
  const known = catalogue?.known(`${owner}/${repo}`) ?? recent.cards.find((card) => card.owner === owner && card.repo === repo);
  recent.put(known ?? { id: null, owner, repo, name, kind, cover: null, summary: null, players: null, bytes: 0 });
}

/** @type {Peer["wanted"]} */
let remembered = null;
/** @type {Peer["boot"]} */
let booted = null;
let following = false;
let pulled = false;
let resting = false;

/** Keeps the address in step with what is open, whoever opened it. */
function onPeer() {
  const { wanted, view } = peer;
  if (wanted ? !isTable(route, wanted) : route.screen === "table") {
    route = wanted ? { screen: "table", ...wanted } : { screen: "catalogue" };
    if (!following) history.pushState(null, "", address(route));
  }
  if (view?.mod && view.state === "open" && remembered !== wanted) {
    remembered = wanted;
    remember(view.mod);
  }
  const started = peer.boot !== null && peer.boot !== booted;
  booted = peer.boot;
  if (started) void catalogue?.loadKept();
  const wasElsewhere = drawn !== "catalogue";
  draw();
  if (booted && wasElsewhere && drawn === "catalogue") void catalogue?.loadKept();
  pulled ||= peer.view?.pulling ?? false;
  if (isAtRest() && !resting) {
    resting = true;
    whenIdle(() => void offline.start());
  }
  if (pulled && peer.view?.state === "open" && !peer.view.pulling) {
    pulled = false;
    void peer.persist();
  }
}

/** @param {() => void} work */
function whenIdle(work) {
  // WebKit has no idle callbacks.
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 5000 });
  else setTimeout(work, 500);
}

function drawUpdate() {
  render(offline.updateReady ? updateNotice(() => offline.accept()) : html``, updates);
}

/** The first requests of this page have shown that it runs under an old security policy; a table that stands may stay. */
function onMoved() {
  if (peer.view?.state !== "open") location.reload();
}

/** @param {Session} session */
function onSession(session) {
  const { account, standing } = session;
  if (account && !menu) {
    void import("./views/account-menu.js").then(({ AccountMenu }) => {
      menu ??= new AccountMenu(session, announce);
      drawAccount(session);
    }, () => undefined);
  }
  if (standing !== "asking") drawAccount(session);
  if (!account) favourites.leave();
  else if (session.registry) void favourites.join(session.registry).then(draw, () => undefined);
  draw();
}

/** Nothing stands there on a page that knows no accounts. @param {Session} session */
function drawAccount({ account, standing }) {
  if (account && !menu) return;
  if (corner.dataset.known === "no") corner.replaceChildren();
  corner.dataset.known = "yes";
  const link = standing === "nowhere" ? html`` : html`<a href=${address({ screen: "sign-in" })}>${text.session.signIn}</a>`;
  render(account ? menu?.template() : link, corner);
}

function onOnline() {
  if (peer.boot) peer.online().catch(() => undefined);
  catalogue?.reloadIfFailed();
  void arriving.then((session) => (session.standing === "unreachable" ? session.load() : undefined));
}

function onPopState() {
  following = true;
  follow();
  following = false;
}

/** @returns {Promise<string|null>} the registry's address */
async function registryAddress() {
  try {
    const response = await fetch("config.json");
    /** @type {{registry: string|null}} */
    const { registry } = await response.json();
    return registry;
  } catch {
    // A page without its configuration can still preview a repository.
    return null;
  }
}

/** The token of a sign-in link. It leaves the address at once, so that nobody copies it along with a link to a game. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

history.scrollRestoration = "manual";
const token = takeToken();
Object.assign(window, { peer });
document.addEventListener("click", onClick);
addEventListener("popstate", onPopState);
addEventListener("online", onOnline);
// A page kept for the back button is frozen with its worker and that one's locks: the next visit could wait for ever.
// Where it is not kept, the browser ends the worker itself; Firefox then cancels its transfers, which it does not otherwise.
window.addEventListener("pagehide", (event) => {
  if (!(/** @type {PageTransitionEvent} */ (event).persisted)) return;
  peer.dispose();
  // Next the worker's thread is frozen too. Until it has come to its end, WebKit keeps its part of IndexedDB from everyone.
  const until = performance.now() + LAST_BREATH;
  while (performance.now() < until);
});
window.addEventListener("pageshow", (event) => /** @type {PageTransitionEvent} */ (event).persisted && location.reload());
peer.subscribe(onPeer);
const arriving = registryAddress().then((base) => {
  /** @type {Session} */
  const session = new Session(base === null ? null : new Registry(base), () => onSession(session));
  return session;
});
follow();

const session = await arriving;
const { registry } = session;
catalogue = new Catalogue(registry, {
  peer, favourites, recent, open: (mod) => go({ screen: "table", mod, version: null }), redraw: draw, announce,
});
if (peer.boot) void catalogue.loadKept();
draw();
if (token) await catalogue.signIn(token);
// The link may be followed in a tab that shows the page already.
addEventListener("hashchange", () => {
  const followed = takeToken();
  if (followed) void catalogue?.signIn(followed).then(() => session.load());
});
onSession(session);
await Promise.all([session.load(), catalogue.load()]);
