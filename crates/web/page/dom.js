// Small helpers for the document.

import { h } from "./tree-dom.js";

export { h, isTyping, s } from "./tree-dom.js";

export const $ = (id) => document.getElementById(id);

/** Changes the text only where it differs, so that nothing is read out twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Gives the user a file. */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Copies a text, and returns whether that was possible. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain HTTP there is no clipboard, only what is selected.
    const field = h("textarea", { class: "unseen", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
