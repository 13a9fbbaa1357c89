/* A button with `data-copy` copies the text of the element that has this id, and says so. */
const SAID_MS = 1500;

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  const source = button && document.getElementById(button.dataset.copy);
  if (!source) return;
  const usual = button.dataset.usual ??= button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = document.body.dataset.copied;
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = document.body.dataset.selected;
  }
  setTimeout(() => { button.textContent = usual; }, SAID_MS);
});
