/* Before the first paint: the theme this person chose. A classic script, so that nothing flashes. */
(() => {
  const theme = localStorage.getItem("mandor-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
