// Opening files and pasted texts, and help.

import { $, h, isTyping, say } from "./dom.js";
import { fail, game } from "./game.js";
import { openTexts } from "./files.js";
import { aids, lessons } from "./guide.js";

export function setUpDialogs() {
  const dialog = $("open-dialog");
  $("open").addEventListener("click", () => show(""));
  $("open-ok").addEventListener("click", async () => {
    try {
      const files = Array.from($("open-files").files);
      const texts = await Promise.all(files.map(async (file) => [file.name, await file.text()]));
      const pasted = $("open-text").value;
      await openTexts(pasted.trim() ? [["", pasted]] : texts);
      dialog.close();
    } catch (error) {
      say($("open-error"), error.message);
    }
  });
  // Files are opened in place of a text, and a text in place of files.
  $("open-files").addEventListener("change", () => { $("open-text").value = ""; say($("open-error"), ""); });
  $("open-text").addEventListener("input", () => { $("open-files").value = ""; say($("open-error"), ""); });
  $("open-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("open-ok").click();
  });
  // A text that is pasted anywhere else is opened too.
  document.addEventListener("paste", async (event) => {
    if (isTyping(event)) return;
    const text = event.clipboardData.getData("text");
    if (!text.trim()) return;
    try {
      await openTexts([["", text]]);
    } catch (error) {
      show(text, error.message);
    }
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    try {
      const [files, text] = [Array.from(event.dataTransfer.files), event.dataTransfer.getData("text")];
      const texts = await Promise.all(files.map(async (file) => [file.name, await file.text()]));
      await openTexts(texts.length || !text ? texts : [["", text]]);
    } catch (error) {
      fail(error);
    }
  });
  $("help").addEventListener("click", showHelp);
  $("help-dialog").addEventListener("click", ({ target, currentTarget, clientX, clientY }) => {
    const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
    const isInside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
    // What the keyboard clicks is a button.
    if (target === currentTarget && !isInside) currentTarget.close();
  });
}

function show(text, error = "") {
  $("open-text").value = text;
  $("open-files").value = "";
  say($("open-error"), error);
  $("open-dialog").showModal();
  $("open-text").focus();
}

export function showHelp() {
  const keys = [
    ["Tab", "to the next control, or to the board"],
    ["Arrow keys, Enter", "on the board: go to a cell, choose it"],
    ["Escape", "put a chosen piece down again"],
    [", and .", "one move back, one forward, as the left and right arrow outside of the board; Home and End to the ends"],
    ["U", "take back your last move"],
    ["H", "a hint: a good move"],
    ["F", "turn the board"],
    ["P", "pass, where the rules allow it"],
    ["N", "new game"],
    ...(game.about.analysis ? [["A", "values of the moves on and off"]] : []),
    ["M", "type a move: " + game.about.move_hint],
    ...(game.about.analysis ? [["S, B, C", "in the tree of a search: step, step back, to the next cut"]] : []),
  ];
  $("help-text").replaceChildren(
    h("h3", { text: `How to play ${game.about.title}` }), ...lessons(), h("h3", { text: "This page" }),
    h("p", { text: `To move, click the board, or type ${game.about.move_hint}. A pass that is the only move is made by itself.` }),
    h("p", { text: aids() }),
    ...(game.about.analysis ? [h("p", { text: "“Analyze” shows what every move is worth to the player to move, on the board and in a table: bold numbers are exact, slanted ones an estimate, underlined ones the best; ≥ is at least and ≤ is at most, so W≤15 is a win in at most 15 moves. Point at one to see the line of play. In the chart, full dots are exact and empty ones estimates, and a triangle points to where the result may be." })] : []),
    h("dl", {}, ...keys.flatMap(([key, does]) => [h("dt", {}, h("kbd", { text: key })), h("dd", { text: does })])),
    h("p", { text: "To send a position to somebody, use “Copy link”. The game is in the address of the page and in this browser, and nowhere else. A position, a game or a link that you paste or drop on the page is opened." }));
  if (!$("help-dialog").open) $("help-dialog").showModal();
  $("help-dialog").scrollTop = 0;
}
