// What answers the questions of the page: here, the engine in workers of the page itself.

const HERE = import.meta.url;

/** The size of the engine in bytes, which the build of the site fills in. */
const SIZE = 1_600_000;

/** The engine, compiled once for all workers. */
const program = compile(new URL("engine.wasm", HERE));

async function compile(url) {
  const response = await fetch(url).catch(() => { throw new Error("The engine does not load: the network has failed."); });
  if (!response.ok) throw new Error(`The engine is not there: ${response.status} ${url.pathname}`);
  let loaded = 0;
  const count = new TransformStream({
    transform(part, controller) {
      loaded += part.length;
      dispatchEvent(new CustomEvent("engine-progress", { detail: `${Math.min(100, Math.round(100 * loaded / SIZE))} %` }));
      controller.enqueue(part);
    },
  });
  // A host that does not know what a .wasm is sends it as something else.
  const headers = { "content-type": "application/wasm" };
  return WebAssembly.compileStreaming(new Response(response.body.pipeThrough(count), { headers }));
}

/** A worker with an engine, which answers one question after the other. */
class Thinker {
  #worker = new Worker(new URL("worker.js", HERE));
  #asked = [];

  constructor() {
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    // Neither a worker that does not load nor one that fails answers anything any more.
    this.#worker.onerror = (event) => this.end(new Error(event.message || "The engine does not load."));
    this.#post(program).catch((error) => this.end(error));
  }

  /** Resolves at the end of the answers, of which the last that is known is given to `onTold` now and then. */
  ask(what, about, onTold) {
    return new Promise((resolve, reject) => {
      this.#asked.push({ onTold, resolve, reject });
      // After the engine itself.
      this.#post(program.then(() => JSON.stringify({ ask: what, about }))).catch(() => {});
    });
  }

  async #post(message) {
    this.#worker.postMessage(await message);
  }

  #hear({ told, done, fault }) {
    if (this.ended) return;
    const [asked] = this.#asked;
    if (fault) return this.end(new Error(`The engine has failed: ${fault}`));
    if (told !== undefined) {
      asked.latest = told;
      // Of many texts that have arrived together, only the latest counts.
      asked.timer ??= setTimeout(() => this.#tell(asked));
    }
    if (!done) return;
    this.#asked.shift();
    clearTimeout(asked.timer);
    this.#tell(asked);
    asked.resolve();
  }

  #tell(asked) {
    asked.timer = null;
    try {
      const answer = JSON.parse(asked.latest);
      if (answer.error) throw new Error(answer.error);
      asked.onTold(answer);
    } catch (error) {
      asked.reject(error);
    }
  }

  /** Ends it at once, whatever it does. */
  end(reason) {
    this.#worker.terminate();
    this.ended = true;
    for (const { timer, reject } of this.#asked.splice(0)) {
      clearTimeout(timer);
      reject(reason);
    }
  }
}

/** What answers at once, while others search. */
let clerk = null;
/** What searches, and keeps what it has found out for the next search. */
let searcher = null;
/** What searches next if a search is ended: a worker that searches hears nothing and can only be ended. */
let spare = null;
let isSearching = false;

const alive = (thinker) => (thinker && !thinker.ended ? thinker : new Thinker());

/** The answer to a question. */
export async function ask(what, about) {
  clerk = alive(clerk);
  let answer;
  await clerk.ask(what, about, (told) => { answer = told; });
  spare = alive(spare);
  return answer;
}

/** The answer to a question that needs a search. There is one search at a time: another one ends it. */
export async function search(what, about, signal) {
  let answer;
  await listen(what, about, signal, (told) => { answer = told; });
  return answer;
}

/** Calls `onInfo` with all that a search finds, until it ends. */
export async function listen(what, about, signal, onInfo) {
  signal?.throwIfAborted();
  if (isSearching) searcher.end(new DOMException("Another search has begun.", "AbortError"));
  if (!searcher || searcher.ended) searcher = alive(spare);
  if (spare === searcher) spare = null;
  const mine = searcher;
  const end = () => mine.end(signal.reason);
  signal?.addEventListener("abort", end);
  isSearching = true;
  try {
    const answers = mine.ask(what, about, onInfo);
    spare = alive(spare);
    await answers;
  } finally {
    signal?.removeEventListener("abort", end);
    if (mine === searcher) isSearching = false;
  }
}

/** Nobody is there who would have to know. */
export function leave() {}

// A page that is left may be kept for the way back, and its workers would search on.
addEventListener("pagehide", () => {
  for (const thinker of [clerk, searcher, spare]) thinker?.end(new DOMException("The page was left.", "AbortError"));
});
// The game is in the address.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

/** Lets the browser keep the page, so that from the second visit on it needs no network. */
async function keep() {
  await program;
  await navigator.serviceWorker?.register("sw.js");
}

keep().catch((error) => console.info(`Not kept for use without a network: ${error}`));
