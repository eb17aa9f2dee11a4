/**
 * The whole conversation between the page and the worker, as types: nothing else crosses.
 * Structured values travel as JSON text, because one string is cheaper to clone than a tree and Python makes it natively;
 * a Blob travels beside it, because a blob URL minted in a worker would die with the worker.
 *
 * @typedef {{type: "call", id: number, method: Method, json: string}} Call page → worker: `json` holds the arguments
 * @typedef {{type: "reply", id: number, json: string, blob?: Blob}} Reply worker → page: the call's value
 * @typedef {{type: "refusal", id: number, code: string, message: string, retryAt: number|null}} Refusal worker → page: the call
 *   failed; `retryAt` is when a host that wants to be left alone may be asked again, in milliseconds since the epoch
 * @typedef {{type: "ready", boot: "snapshot"|"plain", ms: number, reason: string|null}} Ready once, when Python answers
 * @typedef {{type: "view", json: string}} ViewMessage at most ten a second; `json` holds a {@link View}
 * @typedef {{type: "fatal", message: string}} Fatal the runtime could not start or died
 * @typedef {{type: "script", script: string, source: string, json: string}} ScriptStart run this in a frame of its own; `json`
 *   holds what the frame's worker is told
 * @typedef {{type: "script-stop", script: string}} ScriptStop
 * @typedef {{type: "script-ui", json: string}} ScriptUi at most twenty a second; `json` holds {@link ScriptElement}s, all there are
 * @typedef {{type: "script-note", json: string}} ScriptNoted `json` holds a {@link ScriptNote}
 * @typedef {Reply|Refusal|Ready|ViewMessage|Fatal|ScriptStart|ScriptStop|ScriptUi|ScriptNoted} FromWorker
 *
 * @typedef {{type: "script-line", script: string}} ScriptLine page → worker: the frame is there; the port into the script
 *   travels beside it
 * @typedef {{type: "script-ended", script: string, reason: string}} ScriptEnded page → worker: its frame is gone
 * @typedef {{type: "script-error", script: string, message: string, line: number|null, column: number|null}} ScriptFailed
 * @typedef {ScriptLine|ScriptEnded|ScriptFailed} ScriptNews
 *
 * @typedef {object} UiPart what a script declares; `hooks` are the properties that name an event
 * @property {string} id
 * @property {"panel"|"modal"|"screen"|"layout"|"text"|"button"|"input"|"select"} type
 * @property {Record<string, any>} props
 * @property {Record<string, string>} hooks
 * @property {UiPart[]} children
 * @typedef {{script: string, element: UiPart}} ScriptElement
 * @typedef {{kind: "state", script: string, mod: string, path: string, state: "starting"|"running"|"ended"|"refused",
 *   reason: string|null}} ScriptState
 * @typedef {{kind: "note", script: string, path: string, level: "log"|"info"|"debug"|"warn"|"error", text: string,
 *   line: number|null, column: number|null}} ScriptSaying
 * @typedef {ScriptState|ScriptSaying} ScriptNote
 *
 * @typedef {"open"|"openNow"|"close"|"report"|"asset"|"text"|"details"|"box"|"deck"|"retry"|"cancel"|"cached"|"forget"|"repair"
 *   |"about"|"standing"|"storage"|"mend"|"lastReport"|"trace"|"room"|"table"|"scripts"
 *   |"press"|"online"} Method
 * `open` and `about` take (mod, {version?}), `asset` and `text` take (path, {mod?: "owner/repo"}) where `mod` names a pack
 * or the mod whose page is shown; with {mod, version}, `asset` takes what is kept of that version.
 * `standing` takes ({owner, repo, version}[]), `mend` (owner, repo, version).
 * `box` takes (search, {group: portions to tell, where one is not enough}).
 * `deck` takes the `index` of one of the `decks` in `box` and replies a {@link Deck}, or null when there is none.
 * `online` says that the browser has a network again. `room` is also asked to hear whether anyone answers.
 * `asset` replies {source, verified, url: string|null, mime} and, when the bytes are at hand, the Blob to mint a URL from.
 *
 * @typedef {object} Progress
 * @property {number} percent 0–100, whole, never falls
 * @property {number} bytesDone
 * @property {number|null} bytesTotal null when no sizes are known: then count files
 * @property {number} filesDone
 * @property {number} filesTotal
 * @property {number} rate bytes a second
 * @property {number|null} secondsLeft
 * @property {string[]} current up to three paths being fetched
 *
 * @typedef {{path: string, mod: string, reason: string}} Failure `mod` is owner/repo of the game or the pack
 * @typedef {{kind: "storage"|"preview"|"incompatible"|"offline"|"issues"|"restarted", code: string,
 *   data: Record<string, unknown>}} Notice `restarted` is the page's own: Python can't know that it died
 * @typedef {{role: string, name: string, owner: string, repo: string, version: string, state: "loading"|"open"|"failed",
 *   percent: number, code: string|null}} PackLine
 *
 * @typedef {object} View what the page draws; Python is the only one who knows it
 * @property {"lobby"|"loading"|"open"|"failed"} state
 * @property {{owner: string, repo: string, version: string, ref: string, name: string, kind: string,
 *   preview: boolean, compatible: boolean}|null} mod
 * @property {Progress|null} progress
 * @property {boolean} pulling files are still without an outcome, also while the table is open
 * @property {number} failureCount
 * @property {Failure[]} failures the first 200
 * @property {Notice[]} notices
 * @property {PackLine[]} packs
 * @property {{code: string, message: string, retryAt: number|null}|null} error in state `failed`
 * @property {string[]} settled paths whose outcome changed since the last view, as "owner/repo:path"
 * @property {number} revision moves when `details` or `box` would answer something else
 *
 * @typedef {"image"|"model"|"sound"|"data"|"text"|"other"} AssetGroup
 * @typedef {"cached"|"carried"|"downloaded"|"failed"|"pending"} FileStatus
 * @typedef {{path: string, mod: string|null, from: string|null, group: AssetGroup, mime: string, bytes: number|null,
 *   status: FileStatus, reason: string|null, deck: number|null}} BoxFile `mod` is owner/repo of a pack, else null; `from` is
 *   the pack's name; `deck` the place of the deck whose faces the picture holds
 * @typedef {{group: AssetGroup, matching: number, portions: string[]}} Shelf the first of those that match, each portion the
 *   JSON text of a {@link BoxFile}[]: the page reads and draws anew only those that are other than before
 * @typedef {{files: number, bytes: number, decks: DeckLine[], groups: Shelf[]}} Box every kind there is a file of, and all
 *   files' count and bytes; of the decks those that match
 * @typedef {{mod: string, code: string, file: string, key: string|null, message: string}} Issue `mod` is owner/repo
 *
 * @typedef {object} Sheet of cards, all of one size; the file of a part of it is not always one of the mod's `files`
 * @property {string|null} path null where there is no such file: the platform's, or a path that can't be one
 * @property {FileStatus|null} status
 * @property {number} columns
 * @property {number} rows
 * @property {number|null} shape a card's width divided by its height
 *
 * @typedef {[sheet: number, column: number, row: number]} Cell `sheet` is the place of one of the deck's sheets
 * @typedef {{label: string, copies: number, face: Cell|null, back: Cell|null}} Card `label` may be empty
 * @typedef {{label: string, copies: number, sheets: Sheet[], cards: Card[]}} Deck
 * @typedef {{index: number, label: string, kinds: number, copies: number,
 *   picture: (Sheet & {column: number, row: number})|null}} DeckLine
 *
 * @typedef {object} Story what a mod says of itself
 * @property {string} name
 * @property {string} kind game|room|table
 * @property {string|null} release
 * @property {string|null} summary
 * @property {string|null} description Markdown
 * @property {string|null} license
 * @property {string[]} tags
 * @property {{min: number, max: number}|null} players
 * @property {{path: string, status: FileStatus|null}|null} cover
 * @property {{path: string, status: FileStatus|null, title: string|null, alt: string|null,
 *   crop: {x: number, y: number, w: number, h: number}|null}[]} screenshots
 * @property {{title: string, path: string|null, video: string|null}[]} rules
 * @property {{title: string|null, author: string|null, license: string|null, origin: string|null, source: string|null,
 *   files: number}[]} credits `source` is an https address
 * @property {{owner: string, repo: string, ref: string}[]} assetRepos listed, never pulled
 *
 * @typedef {object} OwnDetails
 * @property {string[]} seats colours
 * @property {{objects: number, decks: number, cards: number}} scene
 * @property {Issue[]} issues
 * @typedef {Story & OwnDetails} Details of the open mod
 *
 * @typedef {"cached"|"update"|"none"} Standing the published version is here, another one is, or none
 * @typedef {object} OwnPage
 * @property {NonNullable<View["mod"]>} mod
 * @property {Standing} standing
 * @property {number} files
 * @property {number|null} bytes null while nobody knows all sizes
 * @property {number|null} missing bytes that opening it would fetch
 * @property {Issue[]} issues
 * @property {{version: string, sha: string|null, release: string|null, at: string, current: boolean, kept: boolean}[]} versions
 *   newest first
 * @typedef {Story & OwnPage} ModPage
 *
 * @typedef {{owner: string, repo: string, version: string, files: number, bytes: number, lastUsed: number, name: string,
 *   kind: string, release: string|null, cover: string|null, tabs: number, pinnedBy: string[]}} KeptVersion `lastUsed` in
 *   milliseconds since the epoch, 0 where unknown; `tabs` show it, and the cached games `pinnedBy` need this very version
 */
export {};
