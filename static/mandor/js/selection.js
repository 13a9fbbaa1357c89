/* The rows that are selected: all of a page at once, how many there are, and the question about them in a dialog. */
const form = document.getElementById("selection");
const dialog = document.getElementById("dialog");
const count = document.getElementById("selection-count");

function boxes() {
  return [...form.elements].filter((element) => element.name === "job");
}

function show() {
  const all = boxes();
  const picked = all.filter((box) => box.checked).length;
  form.hidden = picked === 0;
  count.textContent = form.dataset.counts.replace("%", picked);
  form.querySelector("[data-pick-every]").hidden = picked === all.length;
  const every = document.querySelector("[data-pick-all]");
  if (!every) return;
  every.hidden = all.length === 0;
  every.checked = picked > 0 && picked === all.length;
  every.indeterminate = picked > 0 && picked < all.length;
}

function tick(checked) {
  boxes().forEach((box) => { box.checked = checked; });
}

function pick(event) {
  if (event.target.matches("[data-pick-all]")) tick(event.target.checked);
  show();
}

/* Where tables have no head, there is no box for all of them. */
function pickEvery(event) {
  if (!event.target.matches("[data-pick-every]")) return;
  tick(true);
  boxes()[0].dispatchEvent(new Event("change", { bubbles: true }));
}

/* The same page that a browser without scripts gets, of which the form is shown in the dialog. */
async function ask(action, fields) {
  const answer = await fetch(action, { method: "POST", body: new URLSearchParams(fields) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = answer.ok && page.querySelector(form.dataset.asks);
  if (!part) throw new Error(`${answer.status}`);
  dialog.replaceChildren(document.importNode(part, true));
  dialog.dispatchEvent(new CustomEvent("mandor:filled", { bubbles: true }));
  dialog.showModal();
}

async function submit(event) {
  event.preventDefault();
  event.stopPropagation();
  const action = event.submitter?.formAction ?? form.action;
  try {
    await ask(action, new FormData(form));
  } catch {
    form.action = action;
    form.submit();
  }
}

if (form) {
  form.addEventListener("submit", submit);
  document.addEventListener("change", pick);
  form.addEventListener("click", pickEvery);
  document.addEventListener("htmx:after:swap", show);
  window.addEventListener("pageshow", show);
  show();
}
