// Checks the answers that are given.

const answers = JSON.parse(document.getElementById("answers").textContent);
const right = new Map();

/** The parts of a question, each with whether it is right. */
function parts(form, answer) {
  const given = new FormData(form);
  const parts = [];
  if (answer.value !== undefined) {
    const number = (text) => Number(text.trim().replace("−", "-").replace(",", "."));
    parts.push(["the value", given.get("value").trim() !== "" && number(given.get("value")) === number(answer.value)]);
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
    const checked = parts(form, answer);
    const wrong = checked.filter(([, isRight]) => !isRight).map(([name]) => name);
    right.set(number, wrong.length === 0);
    const result = form.querySelector(".result");
    result.className = `result ${wrong.length ? "wrong" : "right"}`;
    result.textContent = wrong.length ? `✗ Not right: ${wrong.join(", ")}.` : `✓ Right. ${answer.solution}`;
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
