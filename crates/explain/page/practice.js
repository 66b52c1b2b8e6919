// Checks the answers that are given.

const answers = JSON.parse(document.getElementById("answers").textContent);
const right = new Map();
const EXAMPLE = "-0.50";

/** What people write for a number, with a sign before and decimals after the point, or a comma. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)$/;

/** The number that a text says, or null. */
function readNumber(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return NUMBER.test(plain) ? Number(plain) : null;
}

/** Says that what is given as a value is no number, and whether that is so: it is a slip, and no wrong answer. */
function refuse(form, { value }) {
  const field = form.elements.value;
  if (value === undefined) return false;
  const isNumber = readNumber(field.value) !== null;
  field.setAttribute("aria-invalid", !isNumber);
  if (isNumber) return false;
  show(form, false, `“${field.value}” is not a number: write one such as ${EXAMPLE}.`);
  field.focus();
  return true;
}

function show(form, isRight, text) {
  const result = form.querySelector(".result");
  result.className = `result ${isRight ? "right" : "wrong"}`;
  result.textContent = text;
}

/** The parts of a question, each with whether it is right. */
function parts(form, answer) {
  const given = new FormData(form);
  const parts = [];
  if (answer.value !== undefined) {
    parts.push(["the value", readNumber(given.get("value")) === readNumber(answer.value)]);
  }
  parts.push(["the move", answer.moves.includes(given.get("move"))]);
  if (answer.leaves) parts.push(["the leaves", given.getAll("leaf").join() === answer.leaves.join()]);
  return parts;
}

for (const form of document.querySelectorAll("form.question")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const number = Number(form.dataset.question);
    const answer = answers[number];
    if (refuse(form, answer)) return;
    const checked = parts(form, answer);
    const wrong = checked.filter(([, isRight]) => !isRight).map(([name]) => name);
    right.set(number, wrong.length === 0);
    show(form, !wrong.length, wrong.length ? `✗ Not right: ${wrong.join(", ")}.` : `✓ Right. ${answer.solution}`);
    if (wrong.length && !form.querySelector("details")) addSolution(form, answer);
    const count = [...right.values()].filter(Boolean).length;
    document.getElementById("score").textContent = `${count} of ${answers.length} right, ${right.size} answered.`;
  });
}

/** Adds what one may open to see the solution. */
function addSolution(form, { solution, drawing }) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "The solution";
  const words = document.createElement("p");
  words.textContent = solution;
  details.append(summary, words);
  if (drawing) details.insertAdjacentHTML("beforeend", drawing);
  form.append(details);
}

document.body.classList.add("ready");
