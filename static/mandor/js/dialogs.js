/* A link with `data-dialog` opens, in a dialog, the part of its page that the selector names. */
const dialog = document.getElementById("dialog");

async function open(link) {
  if (dialog.open) return;
  try {
    const answer = await fetch(link.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = answer.ok && page.querySelector(link.dataset.dialog);
    if (!part) throw new Error(`${answer.status}`);
    dialog.replaceChildren(document.importNode(part, true));
    dialog.dispatchEvent(new CustomEvent("mandor:filled", { bubbles: true }));
    dialog.showModal();
  } catch {
    location.assign(link.href);
    if (link.pathname === location.pathname && link.search === location.search) location.reload();
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-dialog]");
  if (link && dialog && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    open(link);
  }
  event.target.closest("[data-close]")?.closest("dialog")?.close();
});
