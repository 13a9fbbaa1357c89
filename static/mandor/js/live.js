/* The region refreshes itself: one request at a time, as often as the person chose, never while they are at it. */
const { now, setClock, timeOfDay } = globalThis.mandorClock;

const TYPING_MS = 3000;
const BUSY_MS = 500;
const SLOWEST_MS = 5000;
const APART_MS = 250;
const USUAL = "2";
const GONE = 404;
const AWAY = 503;

const region = document.getElementById("region");
const live = document.getElementById("live");
const select = document.getElementById("refresh");
const stale = document.getElementById("stale");

let asOf = Number(document.documentElement.dataset.now) || now();
let started = 0;
let asking = false;
let failures = region && withoutFigures() ? 1 : 0;
let typedAt = -TYPING_MS;
let timer;

const apart = Math.random() * APART_MS;

function interval() {
  return Number(select.value) * 1000;
}

/* What the person is at, so that the region must not change now; empty when it may. */
function busyWith() {
  if (document.hidden) return "hidden";
  if (document.querySelector("dialog[open]")) return "dialog";
  if (document.querySelector("details.menu[open]")) return "menu";
  if (document.querySelector("form[data-sent]")) return "sending";
  if (performance.now() - typedAt < TYPING_MS) return "typing";
  if (region.querySelector("input[type='checkbox']:checked")) return "rows";
  const selection = getSelection();
  return !selection.isCollapsed && region.contains(selection.anchorNode) ? "text" : "";
}

function show() {
  const busy = busyWith();
  const state = failures ? "failing" : !interval() ? "off" : busy ? "paused" : "on";
  const words = [live.dataset[state], ...(state === "paused" ? [live.dataset[busy]] : [])];
  live.className = `live ${state}`;
  const label = live.querySelector("#live-word");
  const said = `${words.join(", ")} · `;
  if (label.textContent !== said) label.textContent = said;
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
  if (!interval() || asking) return;
  if (busyWith()) return schedule(BUSY_MS);
  asking = true;
  started = performance.now();
  htmx.trigger(region, "mandor:tick");
}

/* All tabs ask at the same beat of the server's clock, hardly apart, so that one drawing serves them all. */
function untilBeat(every) {
  const wait = every - ((now() - apart) % every);
  return wait < every / 2 ? wait + every : wait;
}

/* Ask again after the interval; later when answers are slow, and later still while there are none. */
function plan() {
  asking = false;
  const slow = 2 * (performance.now() - started);
  const usual = Math.max(interval(), slow);
  if (failures) schedule(Math.min(Math.max(usual, 1000) * 1.5 ** failures, Math.max(SLOWEST_MS, usual)));
  else schedule(slow < interval() ? untilBeat(interval()) : usual);
}

/* The first good answer on a page that was drawn without figures brings the whole page back. */
function succeed(serverNow) {
  if (withoutFigures()) return location.reload();
  failures = 0;
  asOf = serverNow || now();
  if (serverNow) setClock(serverNow);
  showStale("");
}

function fail(status) {
  failures += 1;
  if (withoutFigures()) return;
  const since = live.dataset.since.replace("{time}", timeOfDay(asOf));
  const why = status === GONE ? live.dataset.gone : status === AWAY ? "" : live.dataset.silent;
  showStale(`${why} ${since}`.trim());
}

function resume() {
  show();
  if (!busyWith()) schedule(0);
}

/* Only what this region asked for by itself: requests of what lies in it have events that bubble. */
function onRegion(name, handle) {
  region.addEventListener(name, (event) => { if (event.target === region) handle(event); });
}

function start() {
  select.value = localStorage.getItem("mandor-refresh") ?? USUAL;
  if (!select.value) select.value = USUAL;
  select.addEventListener("change", () => {
    localStorage.setItem("mandor-refresh", select.value);
    resume();
  });
  onRegion("htmx:before:response", (event) => { if (busyWith()) event.preventDefault(); });
  onRegion("htmx:after:request", (event) => {
    const { status, headers } = event.detail.ctx.response;
    if (status < 400) succeed(Number(headers.get("Mandor-Now")));
    else fail(status);
  });
  onRegion("htmx:error", () => fail(0));
  onRegion("htmx:finally:request", () => {
    plan();
    show();
  });
  document.addEventListener("visibilitychange", resume);
  document.addEventListener("selectionchange", show);
  document.addEventListener("change", show);
  document.addEventListener("close", resume, true);
  document.addEventListener("toggle", resume, true);
  document.addEventListener("input", (event) => {
    if (event.target.closest("main") && event.target.type !== "checkbox") typedAt = performance.now();
    show();
  });
  show();
  schedule(interval());
}

if (region && live && select) start();
