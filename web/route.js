/**
 * What the address names, and the address of each screen. Everything stands in the query: a static host knows one page.
 *
 * @typedef {{screen: "catalogue"|"storage"|"sign-in"|"projects"|"check"}} Fixed
 * @typedef {{screen: "about", mod: string}} About a mod's own page
 * @typedef {{screen: "table", mod: string, version: string|null}} Open
 * @typedef {Fixed|About|Open} Route
 */

export const HOME = "./";
/** @type {Exclude<Fixed["screen"], "catalogue">[]} */
const NAMED = ["storage", "sign-in", "projects", "check"];

/** @param {string} search @returns {Route} */
export function routeOf(search) {
  const wanted = new URLSearchParams(search);
  const mod = wanted.get("mod");
  const about = wanted.get("about");
  if (mod) return { screen: "table", mod, version: wanted.get("version") };
  if (about) return { screen: "about", mod: about };
  return { screen: NAMED.find((name) => wanted.has(name)) ?? "catalogue" };
}

/** @param {Route} route */
export function address(route) {
  switch (route.screen) {
    case "catalogue": return HOME;
    case "storage":
    case "sign-in":
    case "projects":
    case "check": return `${HOME}?${route.screen}`;
    case "about": return `${HOME}?about=${encoded(route.mod)}`;
    case "table": return `${HOME}?mod=${encoded(route.mod)}${route.version ? `&version=${encodeURIComponent(route.version)}` : ""}`;
  }
}

/** @param {string} mod the address of a table */
export const tableOf = (mod) => address({ screen: "table", mod, version: null });

/** @param {string} mod the address of a mod's own page */
export const pageOf = (mod) => address({ screen: "about", mod });

/** @param {string} mod */
const encoded = (mod) => mod.split("/").map(encodeURIComponent).join("/");
