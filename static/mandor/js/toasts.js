/* What just happened goes by itself when it went well, and stays until dismissed when it did not. */
const SHOWN_MS = 8000;

document.querySelectorAll(".toast").forEach((toast) => {
  const dismiss = toast.querySelector("[data-dismiss]");
  dismiss.hidden = false;
  dismiss.addEventListener("click", () => toast.remove());
  if (toast.classList.contains("success")) setTimeout(() => toast.remove(), SHOWN_MS);
});
