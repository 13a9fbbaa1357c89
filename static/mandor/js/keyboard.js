/* `/` goes to the search, `?` shows the keys. No single key ever acts on a job. */
const help = document.getElementById("help");
const helpOpen = document.getElementById("help-open");

function typing(element) {
  return element.closest("input:not([type='checkbox']), textarea, select, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; });
    if (typing(event.target)) event.target.blur();
  }
  if (typing(event.target)) return;
  const search = document.querySelector("main input[type='search'], main .field");
  if (event.key === "/" && search) {
    event.preventDefault();
    search.focus();
    search.select?.();
  }
  if (event.key === "?") help?.showModal();
});

document.addEventListener("click", (event) => {
  document.querySelectorAll("details.menu[open]").forEach((menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

helpOpen?.addEventListener("click", () => help.showModal());
