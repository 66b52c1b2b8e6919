// A worker with an engine. It is first sent the compiled engine, and then questions, which it answers
// by `{ told }` as often as there is something to tell, and `{ done: true }`.

const utf8 = { decoder: new TextDecoder(), encoder: new TextEncoder() };

/** What the engine exports, once it is there. */
let engine = null;

const bytes = (start, length) => new Uint8Array(engine.memory.buffer, start, length);
const text = (start, length) => utf8.decoder.decode(bytes(start, length));

const given = {
  now: () => performance.now(),
  fill: (start, length) => { crypto.getRandomValues(bytes(start, length)); },
  tell: (start, length) => postMessage({ told: text(start, length) }),
  fault: (start, length) => postMessage({ fault: text(start, length) }),
};

function begin(program) {
  engine = new WebAssembly.Instance(program, { worker: given }).exports;
  engine.begin();
}

function answer(question) {
  const encoded = utf8.encoder.encode(question);
  bytes(engine.question(encoded.length), encoded.length).set(encoded);
  engine.answer();
  postMessage({ done: true });
}

onmessage = ({ data }) => {
  try {
    if (typeof data === "string") answer(data);
    else begin(data);
  } catch (error) {
    postMessage({ fault: String(error) });
  }
};
