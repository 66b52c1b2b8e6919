// What answers the questions of the page: here, the server that the page is from.

/** The promise of this page's name with the server, which grants one search at a time to a name that it has given. */
let client = null;

const UNKNOWN_NAME = 401;

/** The answer to a question. */
export async function ask(what, about) {
  if (what !== "game") return answer(await post(what, about));
  const named = Object.entries(about).filter(([, name]) => name);
  const asked = new URLSearchParams(named).toString();
  return answer(await send("game" + (asked ? `?${asked}` : "")));
}

/** The answer to a question that needs a search. There is one search at a time: another one ends it. */
export const search = async (what, about, signal) => answer(await byName(what, about, signal));

/** Calls `onInfo` with all that a search finds, until it ends. */
export async function listen(what, about, signal, onInfo) {
  const response = await byName(what, about, signal);
  if (!response.headers.get("content-type").startsWith("text/event-stream")) await answer(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    // Only the latest counts.
    const latest = events.filter((event) => event.startsWith("data: ")).pop();
    if (latest) onInfo(JSON.parse(latest.slice("data: ".length)));
  }
}

/** Says something when there is no time for an answer. */
export async function leave(what, about) {
  if (!client) return;
  const body = { client: await client, ...about };
  navigator.sendBeacon(path(what), new Blob([JSON.stringify(body)], { type: "application/json" }));
}

/** Asks for a search, by the name of this page: another one if the server has been started again. */
async function byName(what, about, signal) {
  const response = await send(what, { client: await name(), ...about }, signal);
  if (response.status !== UNKNOWN_NAME) return checked(response);
  client = null;
  return checked(await send(what, { client: await name(), ...about }, signal));
}

/** The name of this page, asked for once. */
function name() {
  client ??= post("client", {}).then(answer).then((given) => given.client);
  client.catch(() => { client = null; });
  return client;
}

const path = (what) => `api/${what}`;

const post = async (what, body) => checked(await send(what, body));

/** Asks by POST, or without a body by GET. */
async function send(what, body, signal) {
  try {
    return await fetch(path(what), body && {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw Object.assign(new Error("The server does not answer. Is it still running?"), { isCutOff: true });
  }
}

async function checked(response) {
  if (!response.ok) {
    const text = await response.text();
    throw new Error(reason(text) ?? `The server refuses: ${response.status}`);
  }
  return response;
}

function reason(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return null;
  }
}

/** The answer in a response; `error` says what was wrong with what a person has asked. */
async function answer(response) {
  const body = await response.json();
  if (body.error) throw new Error(body.error);
  return body;
}
