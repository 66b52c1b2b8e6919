// Keeps the page, so that it works without a network. The names of its files and what they are in this
// version are at the end, written when the site is built.

/** What the copies of this page are called, and of no other on the same host. */
const PREFIX = `plyground ${self.registration.scope} `;

self.addEventListener("install", (event) => {
  // Past the browser's own cache, which may have files of another version.
  const files = FILES.map((file) => new Request(file, { cache: "reload" }));
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
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
