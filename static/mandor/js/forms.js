/* A form sends once, and one that asks for a name to be typed sends only when that is right and nothing else is missing. */
function buttons(form) {
  return form.querySelectorAll("button:not([type='button'])");
}

function check(input) {
  const right = input.value === input.dataset.mustEqual && input.form.checkValidity();
  buttons(input.form).forEach((button) => { button.disabled = !right; });
}

function checkAll() {
  document.querySelectorAll("input[data-must-equal]").forEach(check);
}

document.addEventListener("input", (event) => {
  const typed = event.target.form?.querySelector("input[data-must-equal]");
  if (typed) check(typed);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "true";
  setTimeout(() => buttons(form).forEach((button) => { button.disabled = true; }));
});

/* A page that comes back from the browser's cache has its forms ready again. */
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  document.querySelectorAll("form[data-sent]").forEach((form) => {
    delete form.dataset.sent;
    buttons(form).forEach((button) => { button.disabled = false; });
  });
  checkAll();
});

document.addEventListener("mandor:filled", checkAll);
checkAll();
