/*
 * Says what is missing where the page can't work, instead of leaving it blank.
 *
 * It runs before everything else, as a module and, where there are none, as a classic script: so it imports nothing, has
 * its own few sentences, and keeps to the language of ten years ago. What it throws keeps main.js, which imports it first,
 * from starting.
 */
(function () {
  var root = document.documentElement;

  /** @param {string} title @param {string} advice @param {string[]} list @param {string} code */
  function say(title, advice, list, code) {
    root.setAttribute("data-state", "failed");
    document.title = title;
    var main = document.getElementById("main");
    if (!main) return document.addEventListener("DOMContentLoaded", function () { say(title, advice, list, code); });
    main.innerHTML = '<article class="narrow"><section class="panel failed"><h1 tabindex="-1"></h1><p></p></section></article>';
    var panel = /** @type {HTMLElement} */ (main.querySelector("section"));
    panel.setAttribute("data-code", code);
    /** @type {HTMLElement} */ (panel.querySelector("h1")).textContent = title;
    /** @type {HTMLElement} */ (panel.querySelector("p")).textContent = advice;
    if (!list.length) return;
    var missing = panel.appendChild(document.createElement("p"));
    missing.className = "detail";
    missing.textContent = "Missing here: " + list.join(", ") + ".";
  }

  function hasModuleWorkers() {
    var asked = false;
    try {
      // The options are read first; then the address is refused, so that nothing is fetched.
      new Worker("https://[", { get type() { asked = true; return /** @type {const} */ ("module"); } });
    } catch (error) {
      return asked;
    }
    return asked;
  }

  /** @type {[string, boolean][]} */
  var needs = [
    ["WebAssembly", typeof WebAssembly === "object" && "Exception" in WebAssembly],
    ["module workers", typeof Worker === "function" && hasModuleWorkers()],
    ["cryptography (crypto.subtle)", typeof crypto === "object" && Boolean(crypto.subtle)],
    ["Web Locks", "locks" in navigator && Boolean(navigator.locks)],
    ["streams", typeof ReadableStream === "function" && typeof Response === "function" && "body" in Response.prototype],
    ["BigInt", typeof BigInt === "function"],
  ];
  var missing = needs.filter(function (need) { return !need[1]; }).map(function (need) { return need[0]; });

  if (missing.length && window.isSecureContext === false) {
    say("This page needs a secure connection",
      "Browsers give a page over plain http from another machine neither storage nor the means to check what it loads. "
      + "Open it over https; on the machine that serves it, http://localhost" + (location.port && ":" + location.port)
      + "/ works too. If you run the server, put https in front of it.", missing, "insecure");
    throw new Error("insecure context");
  }
  if (missing.length) {
    say("This browser is missing something",
      "DiceyTable needs a few things that this browser does not have or has switched off. Update it, switch them on, "
      + "or use a current Chrome, Edge, Firefox or Safari.", missing, "unsupported");
    throw new Error("unsupported browser: " + missing.join(", "));
  }

  // What can't even be read as a script has no words of its own.
  window.addEventListener("error", function (event) {
    if ("peer" in window) return;
    if (event.target instanceof HTMLScriptElement) {
      say("Part of this page did not arrive", "Check your connection, then load the page again.", [], "incomplete");
    } else if (event.error instanceof SyntaxError) {
      say("This browser is too old", "It can't read this page's scripts. Update it, or use a current Chrome, Edge, "
        + "Firefox or Safari.", [], "unsupported");
    }
  }, true);
})();
