/* What just happened goes by itself when it went well, and stays until dismissed when it did not. */
const SHOWN_MS = 8000;

/* Said aloud as well: a live region tells what comes into it, not what it was drawn with. */
const toasts = document.getElementById("toasts");
setTimeout(() => toasts?.append(...toasts.children));

document.querySelectorAll(".toast").forEach((toast) => {
  const dismiss = toast.querySelector("[data-dismiss]");
  dismiss.hidden = false;
  dismiss.addEventListener("click", () => toast.remove());
  if (toast.classList.contains("success")) setTimeout(() => toast.remove(), SHOWN_MS);
});
