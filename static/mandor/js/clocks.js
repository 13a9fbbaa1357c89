/* Every ticking element: ages, countdowns, bars and times of day, by the server's clock and in the viewer's zone. */
const root = document.documentElement;
const names = (root.dataset.units || "d h m s").split(" ");
const UNITS = [86400, 3600, 60, 1].map((size, place) => [names[place], size]);
const OFF_MS = 1000;
const time = new Intl.DateTimeFormat(root.lang, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(root.lang === "en" ? "sv" : root.lang, { year: "numeric", month: root.lang === "en" ? "2-digit" : "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" });

let offset = 0;

function now() {
  return Date.now() + offset;
}

/* Set the clock by what the server said a moment ago, unless it is right: what several tabs share is up to 0.5 s old. */
function setClock(serverNow) {
  if (Math.abs(serverNow - now()) > OFF_MS) offset = serverNow - Date.now();
}

function timeOfDay(ms) {
  return time.format(ms);
}

/* A duration in its two largest units, as the server writes it: "4 m 12 s". */
function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const at = UNITS.findIndex(([, size]) => whole >= size);
  if (at === -1 || at === UNITS.length - 1) return `${whole} ${names.at(-1)}`;
  const [[unit, size], [below, smaller]] = UNITS.slice(at, at + 2);
  return `${Math.floor(whole / size)} ${unit} ${String(Math.floor((whole % size) / smaller)).padStart(2, "0")} ${below}`;
}

function text(kind, at) {
  if (kind === "since") return duration((now() - at) / 1000);
  if (kind === "until") return duration((at - now()) / 1000);
  return kind === "day" ? day.format(at) : timeOfDay(at);
}

function absolute(at) {
  const name = zone.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "";
  return `${day.format(at)} ${name}`;
}

function tickTime(element) {
  const at = Date.parse(element.dateTime);
  const shown = text(element.dataset.clock, at);
  if (element.textContent !== shown) element.textContent = shown;
  const full = absolute(at);
  if (element.title !== full) element.title = full;
}

function tickMeter(element) {
  element.value = Math.min(element.max, Math.max(0, (now() - Date.parse(element.dataset.since)) / 1000));
}

/* Figures that are known to be old stand still. */
function tick() {
  if (document.body.classList.contains("stale")) return;
  document.querySelectorAll("time[data-clock]").forEach(tickTime);
  document.querySelectorAll("meter[data-clock]").forEach(tickMeter);
}

/* What other modules ask: plain script tags instead of imports, so that any storage may rename the files. */
globalThis.mandorClock = { now, setClock, timeOfDay };

setClock(Number(root.dataset.now) || Date.now());
tick();
setInterval(tick, 1000);
document.addEventListener("htmx:after:swap", tick);
