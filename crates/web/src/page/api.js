// The questions that the server answers. Each carries the whole game.

/** The promise of this page's name with the server, which grants one search at a time to a name that it has given. */
let client = null;

const UNKNOWN_NAME = 401;

async function post(path, body, signal) {
  return checked(await send(path, body, signal));
}

/** Asks for a search, by the name of this page: another one if the server has been started again. */
async function search(path, body, signal) {
  const response = await send(path, { client: await name(), ...body }, signal);
  if (response.status !== UNKNOWN_NAME) return checked(response);
  client = null;
  return checked(await send(path, { client: await name(), ...body }, signal));
}

/** The name of this page, asked for once. */
function name() {
  client ??= post("/api/client", {}).then(answer).then((given) => given.client);
  client.catch(() => { client = null; });
  return client;
}

async function send(path, body, signal) {
  try {
    return await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
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

/** The description of a game; without a name, of the first that the server has. */
export async function about(game, rules) {
  const asked = new URLSearchParams({ ...(game && { game }), ...(rules && { rules }) }).toString();
  return answer(await fetch("/api/game" + (asked ? `?${asked}` : "")));
}

export const position = async (game, from) => answer(await post("/api/position", { game, from }));

/** The last saying about programs. What it says of an earlier game must not come after the next game has begun. */
let said = Promise.resolve();

export async function choice(game, player, signal) {
  await said;
  return answer(await search("/api/choice", { game, player }, signal));
}

/** Says that this page is there and plays this game with these players; what the server says of those that are programs. */
export async function programs(game, players) {
  const answered = said.then(() => search("/api/programs", { game, players })).then(answer);
  said = answered.then(() => {}, () => {});
  return answered;
}

/** Says, when there is no time for an answer, that this page no longer plays. */
export async function leave(game) {
  if (!client) return;
  const body = { client: await client, game, players: ["human", "human"] };
  navigator.sendBeacon("/api/programs", new Blob([JSON.stringify(body)], { type: "application/json" }));
}

/** The tree of a search of the position after `ply` moves, as `tree.js` reads it. */
export const explain = async (game, ply, asked) => answer(await search("/api/explain", { game, ply, search: asked }));

/** What our search says of the positions in which moves were made: `asked` has the plies and depths. */
export const beside = async (game, asked) => answer(await search("/api/beside", { game, asked }));

export const open = async ({ game, rules }, text) => answer(await post("/api/open", { game, rules, text }));

export const record = async (game, players, times) =>
  (await answer(await post("/api/record", { game, players, times }))).text;

/** Calls `onInfo` with everything that the analysis of the position after `ply` moves finds. */
export async function analysis(game, ply, earlier, signal, onInfo) {
  const response = await search("/api/analysis", { game, ply, earlier }, signal);
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
