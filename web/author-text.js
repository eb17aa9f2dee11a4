/** The sentences of sign-in, account and projects: apart from text.js, because they come with those pages alone. */
import { clock, counted } from "./text.js";

/** @type {Record<string, {title: string, advice: string}>} */
const refusals = {
  "unsafe-script": {
    title: "A script does what no script may do here",
    advice: "Change the lines below, push them, and publish again.",
  },
  "dynamic-plugin-call": {
    title: "A script calls a plugin that can't be told in advance",
    advice: "Write the plugin's and the function's name into the call itself, as plain text.",
  },
  "unknown-capability": {
    title: "The mod asks for something that does not exist here",
    advice: "Take the capability out of the manifest, or mend its spelling.",
  },
  "manifest-unreadable": {
    title: "The manifest can't be read",
    advice: "diceytable.mod.json has to be at the top of the repository, and be JSON as the format describes it.",
  },
  "unpinned-scan": {
    title: "This commit could not be proven",
    advice: "Name it by all 40 characters; it has to belong to the published branch. Without a commit the newest one is published.",
  },
  "draft-not-publishable": {
    title: "Drafts are not published",
    advice: "Merge it into the repository's main branch, then publish.",
  },
  "repo-already-registered": {
    title: "This repository is a mod already",
    advice: "It belongs to another account, or it was published under another manifest id. One repository is one mod for ever.",
  },
  "not-owner": { title: "This mod belongs to another account", advice: "Sign in as its owner to change it." },
  "push-permission-required": {
    title: "GitHub does not say that you may push there",
    advice: "Sign in with GitHub as somebody who may write to the repository.",
  },
  "too-large": { title: "The repository is too large", advice: "Take out what the mod does not need, or make its files smaller." },
  "repository-not-found": {
    title: "There is no such public repository",
    advice: "Check its spelling on GitHub. Private repositories can't be played, because every player loads them from there.",
  },
  "invalid-repository": { title: "That is not a repository", advice: "Write it like owner/repository or https://github.com/owner/repository." },
  "github-unreachable": { title: "GitHub could not be read", advice: "It may have a problem of its own. Try again in a while." },
  "rate-limited": { title: "That was too often", advice: "Wait a few minutes, then try again." },
  "membership-required": {
    title: "Private mods are for members",
    advice: "Making a mod private needs a paid membership; making it public again never does.",
  },
  "in-use": { title: "Other mods need this one", advice: "It can be deleted once they no longer name it." },
  blocked: { title: "The operators have stopped this mod", advice: "Ask whoever runs this site." },
  "unknown-mod": { title: "This mod is gone", advice: "It may have been deleted in another window. Load the page again." },
  "unknown-token": { title: "That token opens nothing", advice: "It may be mistyped, or a newer one has ended it." },
  "unknown-invite": { title: "That invite code opens nothing", advice: "It may be mistyped, used up or too old." },
  "name-taken": { title: "Somebody has that name already", advice: "Choose another one; your code is still good." },
  "sign-in-refused": { title: "The sign-in was refused on GitHub", advice: "Nothing was changed. You can start again." },
  "sign-in-expired": { title: "The time for this code is over", advice: "Start again to get a new one." },
  "invalid-request": { title: "That can't be taken like this", advice: "Check what you wrote." },
  offline: { title: "Nobody answered", advice: "Check your connection, then try again." },
};
const unexpected = { title: "Something went wrong", advice: "This should not have happened. Try again in a while." };

/** @param {{code: string, retryAt: number|null}} refusal */
export function refusalText({ code, retryAt }) {
  const { title, advice } = refusals[code] ?? unexpected;
  return { title, advice: retryAt === null ? advice : `It ends at ${clock(retryAt)}; try again then.` };
}

export const words = {
  titles: { signIn: "Sign in – DiceyTable", projects: "My projects – DiceyTable" },
  copy: "Copy",
  copied: "Copied.",
  notCopied: "This browser did not copy it: it is marked, so copy it by hand.",
  cancel: "Cancel",
  goOn: "Go on",
  again: "Try again",

  signIn: {
    heading: "Sign in",
    lead: "Playing needs no account. With one you publish mods, and your favourites are the same in every browser.",
    asking: "Asking who you are…",
    nowhere: "There are no accounts here",
    nowhereHint: "This page has no registry: it opens mods straight from GitHub, and nothing on it asks who you are.",
    elsewhere: "Accounts are on the registry's own page",
    elsewhereHint: "Sign-ins don't cross from one site to another, so this happens there.",
    /** @param {string} host */
    elsewhereLink: (host) => `Sign in on ${host}`,
    unreachable: "The registry did not answer",
    already: "You are signed in",
    /** @param {string} name */
    as: (name) => `You are signed in as ${name}.`,

    github: "With GitHub",
    githubHint: "GitHub tells us who you are and which repositories you may write to, nothing else.",
    githubStart: "Sign in with GitHub",
    githubStep: "Enter this code on GitHub",
    /** @param {string} until */
    githubWaiting: (until) => `Waiting until you have agreed there. The code is good until ${until}.`,
    /** @param {string} code @param {string} address */
    githubSpoken: (code, address) => `Your code is ${code}. Enter it at ${address}.`,
    code: "Your code",

    token: "With a token",
    tokenLabel: "Token",
    tokenHint: "You got it with your account, or made it in the menu under your name.",
    tokenSubmit: "Sign in",
    tokenMissing: "Paste your token here.",
    busy: "One moment…",

    invite: "With an invite code",
    inviteLabel: "Invite code",
    nameLabel: "Your name here",
    nameHint: "Others see it. It can't be changed later.",
    inviteSubmit: "Make my account",
    inviteMissing: "Write the code here, with or without dashes.",
    nameMissing: "Choose a name.",
    nameRefused: "Names are up to 40 characters, with single spaces between words.",
    /** @param {string} name */
    welcome: (name) => `Welcome, ${name}`,
    keepToken: "Keep your token: it signs you in elsewhere and publishes from CI. It will not be shown again.",
    tokenShown: "Your token",
  },

  menu: {
    account: "Account",
    projects: "My projects",
    newToken: "New token…",
    signOut: "Sign out",
    signedOut: "You are signed out.",
    notSignedOut: "You could not be signed out: nobody answered. Try again.",
    tokenHeading: "A new token",
    tokenIntro: "It signs you in in another browser, and publishes from CI. The token you made before ends at once.",
    tokenMake: "Make a new token",
    tokenMade: "It will not be shown again.",
    done: "Done",
  },

  projects: {
    heading: "My projects",
    lead: "Repositories on GitHub that you make mods of. Publishing reads the newest commit of the main branch, and players get what it holds.",
    loading: "Looking up your projects…",
    signedOut: "Sign in to see your projects",
    signedOutHint: "They belong to your account.",
    linkHeading: "Link a repository",
    link: "Link",
    linking: "Looking…",
    linkMissing: "Write it like owner/repository or https://github.com/owner/repository.",
    /** @param {string} name */
    linked: (name) => `${name} is linked. It becomes playable when you publish it.`,
    /** @param {string} name */
    isBack: (name) => `${name} is back as it was.`,
    none: "No project yet",
    noneHint: "Push a mod to a public repository on GitHub, with its diceytable.mod.json at the top. Link it above, then publish it.",
    more: "Show more",
    unpublished: "Not published yet",
    /** @param {string} when */
    published: (when) => `published ${when}`,
    publish: "Publish",
    /** @param {string} name */
    publishLabel: (name) => `Publish ${name}`,
    publishing: "Publishing…",
    /** @param {string} name */
    reading: (name) => `Reading ${name} from GitHub and looking through it. This takes longer for large mods.`,
    open: "Open",
    copyLink: "Copy link",
    copyPlay: "Copy play link",
    /** @param {string} name */
    linkOf: (name) => `Link to ${name}`,
    /** @param {string} name */
    linkCopied: (name) => `The link to ${name} is copied.`,
    settings: "Settings",
    commit: "A certain commit",
    commitHint: "All 40 characters of a commit on the main branch, for instance the one your CI has tested.",
    commitMissing: "A commit is named by 40 characters, 0–9 and a–f.",
    commitPublish: "Publish this commit",
    makePrivate: "Make private",
    makePublic: "Make public",
    privateHint: "Hides the mod from every list but yours; whoever has its play link can still open it, and the repository stays public. "
      + "Needs a membership. Publishing again keeps it private.",
    publicHint: "The mod is private. Making it public shows it in the catalogue again, and needs no membership.",
    playHint: "Opens the table at once, and works while the mod is private.",
    isPrivate: "It is private now.",
    isPublic: "It is public now.",
    unlink: "Unlink",
    unlinkHint: "Takes the repository off this list. Nothing else changes.",
    /** @param {string} name */
    unlinked: (name) => `${name} is no longer on the list.`,
    remove: "Delete…",
    removeHint: "Takes the mod off DiceyTable. You can bring it back.",
    /** @param {string} name */
    sure: (name) => `Delete ${name}?`,
    sureHint: "It goes from every list, and its page answers that there is none. Its record stays: importing the repository again brings "
      + "the same mod back with its versions and ratings, and players keep what they earned. Your repository is not touched.",
    sureYes: "Delete it",
    /** @param {string} name */
    deleted: (name) => `${name} is deleted.`,
    bringBack: "Bring it back",
    working: "One moment…",
    /** @param {string} version */
    first: (version) => `Published. Players get version ${version}.`,
    /** @param {string} version */
    moved: (version) => `Published. Players get the new version ${version}.`,
    /** @param {string} version */
    same: (version) => `Published at ${version}. No file that players load has changed.`,
    stays: "Nothing was published: players keep the version they have.",
    notYet: "Nothing was published.",
    /** @param {number} count @param {number} files */
    issues: (count, files) => `${counted(count, "problem")} in ${counted(files, "file")}`,
    issuesHint: "Published all the same; what can't be used is left out.",
    /** @param {number} line @param {number|null} column */
    place: (line, column) => (column === null ? `Line ${line}` : `Line ${line}, column ${column}`),
    wholeFile: "In this file",
    onGitHub: "on GitHub, opens in a new tab",
    needing: "Needed by:",
  },
};
