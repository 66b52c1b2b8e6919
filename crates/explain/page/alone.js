
// The page that stands by itself.
const text = (id) => document.getElementById(id).textContent;
readTree(JSON.parse(text("head")), text("data")).then((tree) => {
  globalThis.view = new TreeView(document.getElementById("tree"), tree);
  // The page is the view: keys are heard wherever the focus is.
  document.addEventListener("keydown", (event) => view.key(event));
  document.body.classList.add("ready");
}, (error) => { document.getElementById("waiting").textContent = `The tree cannot be read: ${error.message}`; });
