/* The theme button: system, light, dark; `theme.js` applies what was chosen before the first paint. */
const THEMES = ["system", "light", "dark"];
const button = document.getElementById("theme");

function chosen() {
  return document.documentElement.dataset.theme ?? "system";
}

function choose(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("mandor-theme");
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("mandor-theme", theme);
  }
  show();
}

function show() {
  button.title = button.dataset[chosen()];
  button.setAttribute("aria-label", button.title);
}

if (button) {
  button.addEventListener("click", () => choose(THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length]));
  show();
}
