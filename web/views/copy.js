/**
 * Puts text on the clipboard. Where the browser does not let a page do that, the field that holds it is marked instead.
 *
 * @param {string} words
 * @param {HTMLInputElement|null} field
 * @returns {Promise<boolean>}
 */
export async function copied(words, field) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    field?.focus();
    field?.select();
    return false;
  }
}
