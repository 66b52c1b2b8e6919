// Elements, and what is typed into them.

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

/** Whether keys that are typed now belong to a field. */
export function isTyping(event) {
  return event.target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, dialog") != null;
}
