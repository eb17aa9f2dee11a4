/** Every word of the page that checks scripts; it comes with that page, so the others stay as light as they are. */
import { counted } from "../text.js";

export const words = {
  title: "Check a script – DiceyTable",
  heading: "Check a script",
  lead: "See what the registry would say of your mod’s scripts before you publish. Files and pasted text are read on this "
    + "device and go nowhere.",
  choose: "Choose files",
  drop: "or drop them here: scripts, setup.json, diceytable.mod.json",
  paste: "Or paste a script",
  pasted: "pasted script",
  repository: "Or name a repository",
  repositoryHint: "owner/repository, a path in it, or its address on github.com; it is read as it stands there now",
  check: "Check",
  checkRepository: "Check the repository",
  nothingPasted: "Paste a script first.",
  noRepository: "Name a repository first, like owner/repository.",
  tooLarge: (/** @type {string} */ name) => `${name} is larger than any file that is read here.`,
  busy: "Reading…",
  busyHint: "A long script can take half a minute.",
  cancel: "Stop",
  cancelled: "Stopped.",
  failed: "This could not be checked",
  died: "The check ended before it was done: the script may be nested deeper than this browser can follow.",
  results: "What was found",
  /** @param {number} findings @param {number} files */
  summary: (findings, files) => (findings
    ? `${counted(findings, "finding")} in ${counted(files, "file")}.` : `Nothing found in ${counted(files, "file")}.`),
  verdicts: { refused: "Would be refused", warned: "Published with warnings", clean: "Nothing found" },
  clean: "The registry would publish this as it is.",
  noScripts: "No script is in here.",
  capabilities: "What its scripts may ask for",
  noCapabilities: "It asks for no capability, so its scripts can call nothing of the script API.",
  issues: "Also worth knowing",
  /** @param {number} line @param {number} column */
  place: (line, column) => `Line ${line}, column ${column}`,
  refuses: "Refused",
  warns: "Warning",
  instead: "Instead:",
  /** @type {Record<string, string>} */
  errors: {
    "unknown-mod": "There is no such public repository or file.",
    blocked: "The registry has stopped this mod.",
    "refused-path": "That path can’t name a file of a repository.",
    "manifest-unreadable": "Its manifest, diceytable.mod.json, can’t be read.",
    "rate-limited": "Too many requests were made. Wait a few minutes, then try again.",
    unreachable: "Nobody answered. Check your connection, then try again.",
    incomplete: "Part of this page did not arrive. Check your connection, then try again.",
  },
  /** @type {Record<string, {title: string, instead: string}>} what each rule of client/finding.py is about */
  rules: {
    unreadable: {
      title: "It can’t be read",
      instead: "mend what stands there. Scripts are plain JavaScript in UTF-8, at most 1 MB: no import and export, no "
        + "TypeScript, no JSX, no decorators.",
    },
    "hidden-text": {
      title: "Hidden characters",
      instead: "delete the character; where a text needs it, write it as an escape such as \\u200b.",
    },
    "html-comment": { title: "HTML comment", instead: "write // or /* … */." },
    "look-alike": { title: "A name that looks like another", instead: "write the name in letters of one alphabet." },
    "out-of-sight": { title: "Code out of sight", instead: "move the code to where it can be seen without scrolling." },
    "code-from-text": {
      title: "Code made of text",
      instead: "write a function. setTimeout takes one, and a table of functions replaces most uses of eval.",
    },
    network: {
      title: "Network",
      instead: "scripts have no network. Ship data among the mod’s assets, ask a plugin by api.callPlugin, or send to the "
        + "host by api.sendToHost.",
    },
    page: { title: "The page", instead: "show things with api.setUiElement; scripts have no page of their own." },
    storage: {
      title: "The browser’s storage",
      instead: "keep state in variables of the script, or in objects on the table.",
    },
    worker: { title: "Other scripts", instead: "put all code into the one script; a bundler can join modules." },
    messages: {
      title: "Messages past the script API",
      instead: "use api.on for events and api.sendToHost for messages.",
    },
    timer: { title: "An endless timer", instead: "call setTimeout again at the end of each turn, or use api.on." },
    "global-object": {
      title: "The global object",
      instead: "name what is wanted of it, such as globalThis.rounds; don’t hand it on or ask it by computed names.",
    },
    "joined-name": { title: "A name put together", instead: "write the name as it is; if it is one that is refused, do without." },
    "odd-member": { title: "A member that reveals too much", instead: "do without it; plain getters and properties will do." },
    with: { title: "with", instead: "take the object apart into variables: const { a, b } = object." },
    "plugin-call": {
      title: "A plugin call that can’t be told",
      instead: "write api.callPlugin(\"plugin\", \"function\", …) with both names as texts, and use api by its own name: "
        + "what players are warned of is worked out from these calls.",
    },
    obfuscated: { title: "Hard to read", instead: "publish what a person wrote; players and reviewers may read it." },
    minified: { title: "Minified", instead: "publish the script before it is minified." },
  },
};
