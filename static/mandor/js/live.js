/* The region refreshes itself: one request at a time, as often as the person chose, never while they are at it. */
const { now, setClock, timeOfDay } = globalThis.mandorClock;

const TYPING_MS = 3000;
const SLOWEST_MS = 5000;

const region = document.getElementById("region");
const live = document.getElementById("live");
const select = document.getElementById("refresh");
const stale = document.getElementById("stale");

let asOf = now();
let started = 0;
let failures = region && withoutFigures() ? 1 : 0;
let typedAt = -TYPING_MS;
let timer;

function interval() {
  return Number(select.value) * 1000;
}

/* Why the region must not change now, in words; empty when it may. */
function reason() {
  if (document.hidden) return "tab hidden";
  if (document.querySelector("dialog[open]")) return "dialog open";
  if (document.querySelector("details.menu[open]")) return "menu open";
  if (performance.now() - typedAt < TYPING_MS) return "typing";
  if (region.querySelector("input[type='checkbox']:checked")) return "rows selected";
  const selection = getSelection();
  return !selection.isCollapsed && region.contains(selection.anchorNode) ? "text selected" : "";
}

function show() {
  const pause = reason();
  const state = failures ? "failing" : !interval() ? "off" : pause ? "paused" : "on";
  const word = { failing: "no answer", off: "refresh off", paused: `paused, ${pause}`, on: "live" }[state] + " · ";
  live.className = `live ${state}`;
  const label = live.querySelector("#live-word");
  if (label.textContent !== word) label.textContent = word;
  const time = live.querySelector("time");
  time.dateTime = new Date(asOf).toISOString();
  time.textContent = timeOfDay(asOf);
}

function showStale(text) {
  document.body.classList.toggle("stale", Boolean(text));
  stale.hidden = !text;
  if (stale.textContent !== text) stale.textContent = text;
}

function withoutFigures() {
  return region.querySelector("[data-away]") !== null;
}

function schedule(delay) {
  clearTimeout(timer);
  timer = setTimeout(ask, delay);
}

function ask() {
  show();
  if (!interval()) return;
  if (reason()) return schedule(500);
  started = performance.now();
  htmx.trigger(region, "mandor:tick");
}

/* Ask again after the interval; later when answers are slow, and later still while there are none. */
function plan() {
  const took = performance.now() - started;
  const usual = Math.max(interval(), 2 * took);
  schedule(failures ? Math.min(Math.max(usual, 1000) * 1.5 ** failures, SLOWEST_MS) : usual);
}

/* The first good answer on a page that was drawn without figures brings the whole page back. */
function succeed(serverNow) {
  if (withoutFigures()) return location.reload();
  failures = 0;
  asOf = serverNow || now();
  if (serverNow) setClock(serverNow);
  showStale("");
}

function fail(away) {
  failures += 1;
  if (withoutFigures()) return;
  const since = `The figures below are from ${timeOfDay(asOf)}.`;
  showStale(away ? since : `The server does not answer. ${since}`);
}

function resume() {
  show();
  if (!reason()) schedule(0);
}

function start() {
  select.value = localStorage.getItem("mandor-refresh") ?? "2";
  if (!select.value) select.value = "2";
  select.hidden = false;
  select.addEventListener("change", () => {
    localStorage.setItem("mandor-refresh", select.value);
    resume();
  });
  region.addEventListener("htmx:before:response", (event) => {
    if (event.target === region && reason()) event.preventDefault();
  });
  region.addEventListener("htmx:after:request", (event) => {
    if (event.target !== region) return;
    const { status, headers } = event.detail.ctx.response;
    if (status < 400) succeed(Number(headers.get("Mandor-Now")));
    else fail(status === 503);
  });
  region.addEventListener("htmx:error", (event) => event.target === region && fail(false));
  region.addEventListener("htmx:finally:request", (event) => {
    if (event.target !== region) return;
    show();
    plan();
  });
  document.addEventListener("visibilitychange", resume);
  document.addEventListener("selectionchange", show);
  document.addEventListener("change", show);
  document.addEventListener("close", resume, true);
  document.addEventListener("toggle", resume, true);
  document.addEventListener("input", (event) => {
    if (event.target.closest("main")) typedAt = performance.now();
  });
  show();
  schedule(interval());
}

if (region && live && select) start();
