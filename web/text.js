/**
 * Every sentence a player reads, in one place (those of authors are in author-text.js). Codes and reasons come from Python;
 * what they mean to a player is said here.
 *
 * @import {AssetGroup, FileStatus, Notice} from "./messages.js"
 */

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const listed = new Intl.ListFormat("en");
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const times = new Intl.DateTimeFormat("en", { timeStyle: "short" });
const datesAndTimes = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const since = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}

/**
 * A size in decimal units, as download pages and disks count.
 *
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  for (const [unit, scale] of /** @type {const} */ ([["kB", 1e3], ["MB", 1e6], ["GB", 1e9]])) {
    if (bytes < scale * 999.5 || unit === "GB") return `${short.format(bytes / scale)} ${unit}`;
  }
  return "";
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return counted(Math.ceil(seconds), "second");
  if (seconds < 5400) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 3600), "hour");
}

/** @param {{min: number, max: number}} players */
export function players({ min, max }) {
  return min === max ? counted(min, "player") : `${min}–${max} players`;
}

/** @param {string|number} moment as ISO 8601, or in milliseconds since the epoch */
export const day = (moment) => dates.format(new Date(moment));

/** @param {number} moment in milliseconds since the epoch; today's needs no date */
export const clock = (moment) =>
  (new Date(moment).toDateString() === new Date().toDateString() ? times : datesAndTimes).format(moment);

/** @param {number} moment in milliseconds since the epoch */
export function ago(moment) {
  const seconds = Math.max((Date.now() - moment) / 1000, 0);
  for (const [unit, length] of /** @type {const} */ ([["day", 86400], ["hour", 3600], ["minute", 60]])) {
    if (seconds >= length) return unit === "day" && seconds > 30 * length ? day(moment) : since.format(-Math.floor(seconds / length), unit);
  }
  return "just now";
}

/** @param {number} average of one to five stars */
export const stars = (average) => `${short.format(average)} of 5 stars`;

/** @type {Record<string, string>} */
const kinds = {
  game: "Game", room: "Room pack", table: "Table pack",
  "game-pack": "Game", "room-pack": "Room pack", "table-pack": "Table pack",
};
/** @param {string} kind */
export const kindName = (kind) => kinds[kind] ?? "Mod";

/** @type {Record<string, string>} */
const reasons = {
  "not-found": "This file is not in the repository. Only the mod's author can put it there.",
  forbidden: "GitHub does not give this file out.",
  "server-error": "GitHub had a problem of its own. Trying again usually helps.",
  network: "The connection broke. Check yours, then try again.",
  timeout: "The file took too long to arrive. Try again on a steadier connection.",
  "rate-limited": "GitHub asked us to slow down. Wait a minute, then try again.",
  "hash-mismatch": "What arrived is not what the author published, so it was not kept.",
  "size-mismatch": "The file arrived cut short or too long, so it was not kept. Try again.",
  "refused-path": "The file's path leads out of the mod, so it is never fetched. The mod's author needs to fix it.",
  "lfs-missing": "The large file behind this entry was never uploaded. Only the mod's author can do that.",
  quota: "There is no room left in this browser's storage. Forget a mod you no longer play, then try again.",
  storage: "This browser could not store the file. Trying again may help.",
  cancelled: "You stopped the download before this file's turn.",
};
/** @param {string | null} reason */
export const reasonText = (reason) => (reason === null ? "" : reasons[reason] ?? "This file could not be fetched.");

/** @type {Record<string, {title: string, advice: string}>} */
const errors = {
  "unknown-mod": {
    title: "There is no such mod",
    advice: "The address may be misspelt, or its author has deleted, renamed or hidden the mod.",
  },
  blocked: {
    title: "This mod has been stopped",
    advice: "Those who run this site's registry have blocked it, so it can't be opened here.",
  },
  "unknown-version": {
    title: "This version does not exist",
    advice: "The link names a version that was never published for this mod. The current version may still open.",
  },
  "manifest-unreadable": {
    title: "This mod can't be read",
    advice: "Its manifest, diceytable.mod.json, is missing or broken. Only the mod's author can mend that.",
  },
  "rate-limited": {
    title: "GitHub asked us to slow down",
    advice: "Too many requests came from your network in a short time. Wait a few minutes, then try again.",
  },
  unreachable: {
    title: "Nobody answered",
    advice: "The mod could not be reached, and it is not kept on this device. Check your connection, then try again.",
  },
  storage: {
    title: "This browser's storage refused",
    advice: "Free some space or forget a mod you no longer play, then try again.",
  },
  cancelled: { title: "You stopped opening this mod", advice: "Nothing is lost: what had arrived is kept." },
  "refused-path": { title: "This address is not a mod", advice: "A mod's address looks like owner/repository." },
  incomplete: { title: "Part of this page did not arrive", advice: "Check your connection, then load the page again." },
  fatal: {
    title: "The table could not start",
    advice: "The part that loads mods did not start in this browser. Load the page again; if that does not help, "
      + "update the browser or try another one.",
  },
};
const died = {
  title: "The table stopped working",
  advice: "The part that loads mods stopped twice in this browser. Load the page again; if that does not help, send the "
    + "report below to whoever runs this page.",
};
const unexpected = {
  title: "Something went wrong",
  advice: "This should not have happened. Try again, and tell us if it happens twice.",
};
/** @param {string} code @param {boolean} [again] it had been started again before */
export const errorText = (code, again = false) => (code === "fatal" && again ? died : errors[code] ?? unexpected);

const noStorage = {
  title: "Nothing is kept on this device",
  body: "This browser gives the page no storage, perhaps because the window is private. "
    + "The table works; every file comes straight from GitHub each time.",
};
/** @type {Record<string, {title: string, body: string}>} */
const storageNotices = {
  "no-storage": noStorage,
  quota: {
    title: "Storage is full",
    body: "Files that no longer fit are shown straight from GitHub. Forget a mod you no longer play to make room.",
  },
  "storage-broken": {
    title: "This browser's storage failed",
    body: "Files that could not be kept are shown straight from GitHub. Loading the page again may help.",
  },
};

/** @type {Record<Notice["kind"], (code: string, data: Record<string, unknown>) => {title: string, body: string}>} */
const notices = {
  storage: (code) => storageNotices[code] ?? noStorage,
  preview: () => ({
    title: "Solo preview",
    body: "This repository is not registered, so it opens for you alone: no room, no script, not in the catalogue.",
  }),
  incompatible: (code) => (code === "engine-range"
    ? { title: "Made for another engine", body: "The mod opens, but parts of it may not work here." }
    : { title: "This mod has problems", body: "It opens, but some of its entries can't be used. They are listed on the table." }),
  offline: () => ({
    title: "You are offline",
    body: "The catalogue can't be asked, so this is the version kept on this device. A newer one may exist.",
  }),
  restarted: () => ({
    title: "The table was started again",
    body: "The part of the page that loads mods had stopped working. This is the version you had open.",
  }),
  issues: (_code, data) => ({
    title: "Problems in the mod",
    body: `${counted(Number(data.count ?? 1), "problem")} found; the table lists each one.`,
  }),
};
/** @param {Notice} notice */
export const noticeText = ({ kind, code, data }) => (notices[kind] ?? notices.issues)(code, data ?? {});

/** @type {Record<AssetGroup, string>} */
export const groupNames = {
  image: "Images", model: "3D models", sound: "Sounds", data: "Data", text: "Text", other: "Other files",
};

/** @type {Record<FileStatus, string>} */
export const statusNames = {
  cached: "On this device",
  carried: "On this device",
  downloaded: "On this device",
  pending: "On its way",
  failed: "Failed",
};

/** @type {Record<string, string>} */
const roles = { room: "Room", table: "Table" };
/** @param {string} role */
export const roleName = (role) => roles[role] ?? "Pack";

/** @type {Record<string, string>} */
export const shelfNames = { games: "Games", rooms: "Rooms", tables: "Tables" };

/** @type {Record<string, string>} */
export const orderNames = {
  best: "Best match", newest: "Last published", rating: "Best rated", name: "Name", smallest: "Smallest download",
};

/** @type {Record<string, string>} */
const origins = { "own-work": "the author’s own work", "third-party": "somebody else’s work" };
/** @param {string} origin */
export const originName = (origin) => origins[origin] ?? origin;

/** @type {Record<string, string>} */
const SCRIPT_ENDS = {
  "not-scanned": "the registry has not read these bytes",
  preview: "scripts of unregistered mods don't run",
  hung: "it did not answer any more",
  closed: "the table was closed",
  blocked: "the registry has stopped this mod",
  "no-frame": "the frame that scripts run in could not be loaded",
  "not-confined": "this host does not send the headers that confine scripts",
};

export const text = {
  brand: "DiceyTable",
  titles: {
    lobby: "DiceyTable: pick a game",
    storage: "Storage – DiceyTable",
    /** @param {string} name */
    about: (name) => `${name} – DiceyTable`,
    /** @param {string} name */
    loading: (name) => `Loading ${name} – DiceyTable`,
    /** @param {string} name */
    open: (name) => `${name} – DiceyTable`,
    /** @param {string} title */
    failed: (title) => `${title} – DiceyTable`,
  },
  backToCatalogue: "Back to the catalogue",

  catalogue: {
    heading: "Pick a game",
    lead: "Mods load straight from GitHub onto this device, and play from there.",
    soloHeading: "Preview a mod",
    soloLead: "This page has no catalogue: it opens any public mod repository on GitHub as a solo preview. "
      + "You see the table and its pieces; rooms, scripts and other players need a site with a registry.",
    open: "Open",
    cached: "On this device",
    updateReady: "Update ready",
    players: "Players",
    anyPlayers: "Any number",
    sort: "Sort by",
    show: "Show",
    search: "Search the catalogue",
    searchHint: "Search",
    loading: "Loading the catalogue…",
    /** @param {string} shelf @param {boolean} more */
    found: (shelf, more) => (/** @type {number} */ count) =>
      `${more ? "The first " : ""}${counted(count, shelf.slice(0, -1))}${more ? " are shown" : count === 1 ? " is shown" : " are shown"}`,
    /** @param {string} query */
    nothing: (query) => (query ? `Nothing matches “${query}”.` : "Nothing has been published here yet."),
    nothingHint: "Published mods appear here. You can open any public mod repository below.",
    clear: "Clear search and filters",
    failed: "The catalogue did not answer",
    failedHint: "It has a problem of its own; try again in a while. Mods kept on this device still open.",
    offline: "You are offline",
    offlineHint: "The catalogue can't be reached. Mods kept on this device still open: they are listed below.",
    offlineNothing: "The catalogue can't be reached, and no mod is kept on this device yet. Check your connection.",
    loadingMore: "Loading more…",
    issues: "Has problems",
    unavailable: "Repository gone",
    private: "Private",
  },

  session: {
    signIn: "Sign in",
    /** @param {string} name */
    signedIn: (name) => `You are signed in as ${name}.`,
    refused: "This sign-in link does not work any more. Playing needs no account.",
  },

  update: {
    ready: "A new version of this page is ready.",
    accept: "Load it now",
  },

  repository: {
    heading: "Open a repository",
    label: "Repository on GitHub",
    hint: "owner/repository, or its address on github.com",
    submit: "Open",
    wrong: "That is not a repository. Write it like owner/repository or https://github.com/owner/repository.",
  },

  kept: {
    heading: "Kept on this device",
    /** @param {number} files @param {number} bytes */
    line: (files, bytes) => `${counted(files, "file")}, ${size(bytes)}`,
    /** @param {number} more */
    manage: (more) => (more ? `Manage storage (${more} more)` : "Manage storage"),
    forget: "Forget",
    /** @param {string} name */
    forgetLabel: (name) => `Forget ${name}`,
    /** @param {string} name @param {number} bytes */
    makeRoom: (name, bytes) => `Forget ${name} (${size(bytes)})`,
    /** @param {string} name */
    forgotten: (name) => `${name} is no longer kept on this device.`,
    /** @param {string} name */
    inUse: (name) => `${name} could not be forgotten. Close other tabs that show it, then try again.`,
  },

  recent: { heading: "Play again" },

  favourites: {
    heading: "Favourites",
    none: "No favourites yet.",
    noneHint: "The star on a mod puts it here. The list stays in this browser; sign in to have it everywhere.",
    add: "Add to favourites",
    remove: "Remove from favourites",
    /** @param {string} name */
    label: (name) => `Favourite: ${name}`,
    /** @param {string} name */
    added: (name) => `${name} is a favourite now.`,
    /** @param {string} name */
    removed: (name) => `${name} is no favourite any more.`,
  },

  about: {
    loading: "Reading what the author says of it…",
    /** @param {string} name */
    ready: (name) => `${name}: the mod’s page.`,
    update: "Open the new version",
    preview: "This repository is not registered: it opens as a solo preview, for you alone.",
    incompatible: "This mod has problems: some of its entries can’t be used. It opens without them.",
    nothingToFetch: "Everything is on this device",
    sizeUnknown: "Size not known",
    /** @param {string} bytes */
    toFetch: (bytes) => `${bytes} to download`,
    /** @param {string} bytes */
    stillToFetch: (bytes) => `${bytes} left to download`,
    size: "Size",
    /** @param {number} files @param {number|null} bytes */
    files: (files, bytes) => `${counted(files, "file")}${bytes === null ? "" : `, ${size(bytes)}`}`,
    tags: "Tags",
    versions: "Versions",
    /** @param {string} release */
    release: (release) => `Release ${release}`,
    unnamed: "Unnamed release",
    current: "Current",
  },

  credits: {
    heading: "Credits",
    untitled: "Untitled work",
    /** @param {string} author */
    by: (author) => `by ${author}`,
  },

  storage: {
    heading: "Storage",
    lead: "What this browser keeps, so that a game opens at once and without a network.",
    loading: "Looking through what is kept…",
    room: "Room on this device",
    /** @param {number} mods @param {number} bytes */
    total: (mods, bytes) => `${counted(mods, "version")} of mods kept, ${size(bytes)}`,
    /** @param {number} usage @param {number} quota */
    used: (usage, quota) => `This site uses ${size(usage)} of ${size(quota)} that the browser allows, page and runtime included.`,
    lasting: "The browser has promised to keep it until you remove it.",
    passing: "The browser may remove it by itself when the disk runs full.",
    clear: "Forget everything",
    /** @param {string} repo */
    report: (repo) => `Save the last pull report (${repo})`,
    sure: "Forget every mod kept on this device? They can be downloaded again.",
    cleared: "Nothing is kept on this device any more.",
    /** @param {string[]} names */
    stuck: (names) => `${listed.format(names)} could not be forgotten. Close other tabs that show them, then try again.`,
    nothing: "Nothing is kept on this device.",
    nothingHint: "What you open is kept here, and the next visit needs no download.",
    /** @param {string} when */
    opened: (when) => `opened ${when}`,
    neverOpened: "never opened by itself",
    /** @param {number} count */
    tabs: (count) => `open in ${counted(count, "tab")}`,
    /** @param {string[]} games */
    pinned: (games) => `needed by ${listed.format(games)}`,
    repair: "Check",
    busy: "Checking…",
    /** @param {string} name */
    repairLabel: (name) => `Check ${name}`,
    /** @param {{checked: number, dropped: number, refetched: number}} result */
    repaired: ({ checked, dropped, refetched }) => (dropped
      ? `${counted(checked, "file")} checked: ${counted(dropped, "bad one")} removed, ${whole.format(refetched)} fetched again.`
      : `${counted(checked, "file")} checked, all good.`),
    notRepaired: "This could not be checked now. Try again.",
  },

  loading: {
    /** @param {string} name */
    heading: (name) => `Loading ${name}`,
    starting: "Getting ready…",
    label: "Download progress",
    /** @param {number} done @param {number} total */
    bytes: (done, total) => `${size(done)} of ${size(total)}`,
    /** @param {number} done @param {number} total */
    files: (done, total) => `${whole.format(done)} of ${counted(total, "file")}`,
    /** @param {number} rate */
    rate: (rate) => `${size(Math.round(rate))} a second`,
    /** @param {number} seconds */
    left: (seconds) => `${duration(seconds)} left`,
    amount: "Done",
    filesTerm: "Files",
    speed: "Speed",
    time: "Time",
    unknown: "–",
    current: "Fetching now",
    packs: "With it come",
    packState: { loading: "loading", open: "ready", failed: "not available" },
    openNow: "Open now",
    openNowHint: "The table opens with what is here; the rest goes on arriving.",
    cancel: "Cancel",
    /** @param {string} name @param {number} percent */
    milestone: (name, percent) => `${name}: ${percent} percent loaded.`,
    /** @param {number} count */
    failing: (count) => `${counted(count, "file")} could not be fetched so far.`,
  },

  failures: {
    /** @param {number} count */
    heading: (count) => `${counted(count, "file")} didn’t come through`,
    intro: "The table works without them: what is missing is fetched from GitHub when it is needed.",
    retry: "Try again",
    /** @param {string} path */
    retryLabel: (path) => `Try again: ${path}`,
    retryAll: "Try all again",
    retrying: "Trying again…",
    /** @param {number} count */
    more: (count) => `and ${whole.format(count)} more`,
  },

  table: {
    still: "Still arriving",
    /** @param {number} failures */
    opened: (failures) => (failures
      ? `is open. ${counted(failures, "file")} could not be fetched.`
      : "is open."),
    seats: "Seats",
    about: "About",
    noAbout: "The author has not described this mod.",
    rules: "Rules",
    /** @param {string} title */
    video: (title) => `${title} (video, opens in a new tab)`,
    rulesUnavailable: "These rules could not be loaded.",
    screenshots: "Screenshots",
    /** @param {number} index */
    screenshot: (index) => `Screenshot ${index}`,
    facts: "Facts",
    release: "Release",
    license: "Licence",
    version: "Version",
    source: "Source",
    contents: "On the table",
    /** @param {{objects: number, decks: number, cards: number}} scene */
    scene: ({ objects, decks, cards }) => listed.format([
      counted(objects, "piece"),
      ...(decks ? [counted(decks, "deck")] : []),
      ...(cards ? [counted(cards, "card")] : []),
    ]),
    packs: "Packs",
    assetRepos: "Also named, not fetched",
    /** @param {number} count */
    issues: (count) => `${counted(count, "problem")} found in the mod`,
    issuesIntro: "These are for its author. The rest of the mod is loaded.",
    saveReport: "Save the pull report",
    loadingDetails: "Laying out the table…",
    loadingText: "Loading…",
  },

  assets: {
    heading: "What’s in the box",
    /** @param {number} files @param {number} bytes */
    total: (files, bytes) => `${counted(files, "file")}, ${size(bytes)}`,
    filter: "Filter files by name",
    filterHint: "Filter by name",
    show: "Show",
    all: "All",
    none: "No file matches.",
    more: "Show more",
    /** @param {number} count */
    found: (count) => `${counted(count, "file")} shown`,
    live: "From GitHub",
    unverified: "Unverified",
    sizeUnknown: "size unknown",
  },

  viewer: {
    close: "Close",
    previous: "Previous file",
    next: "Next file",
    save: "Save a copy",
    openLive: "Open on GitHub",
    loading: "Loading…",
    cut: "This is the beginning; the whole file is longer. Save a copy to read the rest.",
    noText: "This file can't be shown as text.",
    unavailable: "This file can't be shown now.",
    noPreview: "There is no preview for this kind of file.",
    live: "Shown straight from GitHub, not from this device.",
    unverified: "Not checked against what the author published.",
    checked: "Checked against what the author published.",
    away: "The viewer for this kind of file could not be fetched. Check your connection, then load the page again.",
  },

  model: {
    role: "3D model",
    loading: "Setting up the model…",
    controls: "Turn and zoom",
    left: "Turn to the left",
    right: "Turn to the right",
    up: "Tilt from above",
    down: "Tilt from below",
    nearer: "Come nearer",
    farther: "Step back",
    fit: "Show the whole model",
    keys: "Drag or use the arrow keys to turn it, plus and minus or two fingers to zoom, Home to see it whole.",
    again: "Try again",
    /** @param {import("./viewer/model.js").ModelFacts} facts */
    facts: ({ triangles, meshes, materials, textures, lost, size: sides }) => [
      counted(triangles, "triangle"), counted(meshes, "mesh", "meshes"), counted(materials, "material"), counted(textures, "texture"),
      `${sides.map((side) => short.format(side)).join(" × ")} units`,
      ...(lost ? [`${counted(lost, "texture")} could not be read`] : []),
    ].join(" · "),
    trouble: {
      broken: "This model can't be read. Only the mod's author can mend it.",
      "no-graphics": "This browser shows no 3D graphics (WebGL). It may be switched off, or the device has none to give.",
      lost: "The browser took the 3D graphics away, as it does when the device needs them elsewhere.",
      unreachable: "The model or its viewer could not be fetched. Check your connection, then try again.",
    },
  },

  texture: {
    /** @param {import("./viewer/texture-worker.js").Picture} picture */
    facts: ({ width, height, format, compression, levels, faces, layers, shown }) => [
      `${whole.format(width)} × ${whole.format(height)} pixels`, format + (compression ? `, ${compression}` : ""),
      ...(levels > 1 ? [counted(levels, "mip level")] : []),
      ...(faces > 1 ? [`${counted(faces, "face")}, the first is shown`] : []),
      ...(layers > 1 ? [`${counted(layers, "layer")}, the first is shown`] : []),
      ...(shown && shown.width < width ? [`shown at ${whole.format(shown.width)} × ${whole.format(shown.height)}`] : []),
    ].join(" · "),
    trouble: {
      broken: "This texture can't be read. Only the mod's author can mend it.",
      unshowable: "This texture is packed for graphics hardware alone, or too large to be shown here.",
      unreachable: "The texture or its viewer could not be fetched. Check your connection, then try again.",
    },
  },

  decks: {
    heading: "Decks",
    unnamed: "Deck",
    cards: "Cards",
    asCards: "As cards",
    asSheet: "Whole sheet",
    turn: "Turn it over",
    empty: "There is no card in this deck.",
    previous: "Previous deck",
    next: "Next deck",
    /** @param {number} number */
    card: (number) => `Card ${whole.format(number)}`,
    /** @param {string} name */
    backOf: (name) => `The back of ${name}`,
    /** @param {number} place @param {number} all */
    place: (place, all) => `${whole.format(place)} of ${whole.format(all)}`,
    /** @param {number} copies */
    copies: (copies) => counted(copies, "copy", "copies"),
    /** @param {{kinds: number, copies: number}} deck */
    size: ({ kinds, copies }) => `${counted(kinds, "kind")}, ${counted(copies, "card")}`,
  },

  json: {
    broken: "This is no JSON that can be read:",
    failed: "This file can't be shown now.",
    /** @param {number} size */
    items: (size) => counted(size, "item"),
    /** @param {number} size */
    keys: (size) => counted(size, "key"),
    /** @param {number} characters */
    cut: (characters) => `the beginning of ${counted(characters, "character")}`,
    /** @param {number} left */
    more: (left) => `Show more, ${whole.format(left)} left`,
  },

  failed: {
    retry: "Try again",
    reload: "Load the page again",
    report: "Report",
    copy: "Copy the report",
    copied: "Copied",
    current: "Open the current version",
    /** @param {string} when */
    until: (when) => `Too many requests came from your network in a short time. It ends at ${when}; try again then.`,
    detail: "Details",
  },

  scripts: {
    /** @param {string} script */
    panel: (script) => `From ${script.split("#")[0]}`,
    press: "Go on",
    close: "Close",
    field: "Value",
    /** @param {number} size */
    developer: (size) => `What scripts say (${size})`,
    state: { starting: "starts", running: "runs", ended: "has ended", refused: "does not run" },
    /** @param {string} code */
    reason: (code) => SCRIPT_ENDS[code] ?? code,
  },

  markdown: {
    /** @param {string} alt */
    image: (alt) => (alt ? `Image: ${alt}` : "Image"),
    table: "Table",
  },
  newTab: "opens in a new tab",
};
