// Keeps the page, so that it works without a network. Its files in this version, each with its checksum,
// are at the end, written when the site is built.

/** What the copies of this page are called, and of no other on the same host. */
const PREFIX = `plyground ${self.registration.scope} `;

self.addEventListener("install", (event) => {
  // The browser's own cache may have files of another version, and so may a host that is just being given
  // new ones. Then nothing is kept, and the next visit tries again.
  const files = Object.entries(FILES).map(([file, integrity]) => new Request(file, { cache: "no-cache", integrity }));
  event.waitUntil(caches.open(PREFIX + VERSION).then((cache) => cache.addAll(files)));
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(PREFIX) && name !== PREFIX + VERSION;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(find(event.request));
});

async function find(request) {
  const cache = await caches.open(PREFIX + VERSION);
  // There is one page, whatever the link to it has behind its address.
  const wanted = request.mode === "navigate" ? "./" : request;
  return (await cache.match(wanted, { ignoreSearch: true })) ?? fetch(request);
}
