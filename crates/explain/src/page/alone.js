
// The page that stands by itself.
const text = (id) => document.getElementById(id).textContent;
readTree(JSON.parse(text("head")), text("data")).then((tree) => {
  globalThis.view = new TreeView(document.getElementById("tree"), tree);
  document.body.classList.add("ready");
}, (error) => { document.getElementById("waiting").textContent = `The tree cannot be read: ${error.message}`; });
