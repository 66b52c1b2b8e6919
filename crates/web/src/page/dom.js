// Small helpers for the document.

export const $ = (id) => document.getElementById(id);

/** An element with properties (`class`, `text`, `on…` handlers, else attributes) and children. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for SVG. */
export function s(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  set(element, properties);
  element.append(...children);
  return element;
}

function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** Changes the text only where it differs, so that nothing is read out twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Whether keys that are typed now belong to a field. */
export function isTyping(event) {
  return event.target.closest?.("input:not([type=checkbox]), textarea, select, dialog") != null;
}

/** Gives the user a file. */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
