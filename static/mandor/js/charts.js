/* Charts: each is drawn from the table behind it, and again when the figures have changed. */
const EVERY_MS = 10_000;
const DAY_S = 86_400;
const WIDTHS = { count: 46, "per minute": 46, seconds: 52, percent: 46 };

/* How far apart the lines behind a chart may be: whole jobs, and times as clocks divide them. */
const STEPS = {
  count: decades(0, 9),
  seconds: [...decades(-3, -1), 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 18_000, 36_000, DAY_S, 7 * DAY_S],
};

const language = document.documentElement.lang;
const [, hour, minute, second] = document.documentElement.dataset.units.split(" ");
const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const moment = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

const charts = document.getElementById("charts");
const drawn = new Map();
const sizes = new ResizeObserver(fit);

function decades(from, to) {
  const powers = Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
  return powers.flatMap((power) => [power, 2 * power, 5 * power]);
}

/* A value as people read it; short where there is little room. */
function say(value, unit, format = number) {
  if (value === null || value === undefined) return "–";
  if (unit === "percent") return `${format.format(value)} %`;
  if (unit !== "seconds") return format.format(value);
  if (value && value < 1) return `${number.format(value * 1000)} ms`;
  if (value < 60) return `${number.format(value)} ${second}`;
  return value < 3600 ? `${number.format(value / 60)} ${minute}` : `${number.format(value / 3600)} ${hour}`;
}

/* The figures of a table by column, oldest first: times in seconds, then a line each; an empty cell is a gap. */
function read(table) {
  const rows = [...table.tBodies[0].rows].reverse();
  const [first, step] = [Number(table.dataset.first), table.dataset.second - table.dataset.first];
  const cell = (row, place) => (row.cells[place].textContent ? Number(row.cells[place].textContent.replace(",", ".")) : null);
  const lines = [...table.tHead.rows[0].cells].slice(1);
  return [rows.map((_, at) => first + at * step), ...lines.map((_, line) => rows.map((row) => cell(row, line + 1)))];
}

/* Times of the table in the viewer's zone, as everywhere on the page. */
function localise(table, times) {
  [...table.tBodies[0].rows].reverse().forEach((row, at) => {
    const shown = moment.format(times[at] * 1000);
    if (row.cells[0].textContent !== shown) row.cells[0].textContent = shown;
  });
}

function colours(chart) {
  return [...chart.querySelectorAll(".key > span")].map((line) => getComputedStyle(line).color);
}

/* Points that have a gap on both sides would leave no trace as a line. */
function alone(plot, line) {
  const values = plot.data[line];
  return values.flatMap((value, at) => (value !== null && values[at - 1] == null && values[at + 1] == null ? [at] : []));
}

function axes(box, unit, spanS) {
  const { color, borderTopColor, fontFamily, fontSize } = getComputedStyle(box);
  const look = { stroke: color, font: `${fontSize} ${fontFamily}`, grid: { stroke: borderTopColor, width: 1 }, ticks: { show: false } };
  const format = spanS > 2 * DAY_S ? day : time;
  return [
    { ...look, grid: { show: false }, size: 26, space: 56, values: (_, at) => at.map((second) => format.format(second * 1000)) },
    {
      ...look,
      size: WIDTHS[unit],
      space: 26,
      incrs: STEPS[unit],
      values: (_, at) => at.map((value) => say(value, unit, short)),
    },
  ];
}

/* From nought up to a little above the highest; a part of a whole has all of it. */
function reach(unit) {
  return (_, __, highest) => [0, unit === "percent" ? 100 : Math.max((highest ?? 0) * 1.1, unit === "count" ? 4 : 0.001)];
}

/* What the cursor points at, beside the names; the newest values while it points at nothing. */
function tell(chart, unit, plot) {
  const at = plot.cursor.idx;
  chart.querySelectorAll(".key b").forEach((value, line) => {
    value.textContent = at == null ? value.dataset.newest : say(plot.data[line + 1]?.[at], unit);
  });
  const when = chart.querySelector("header small");
  when.textContent = at == null ? when.dataset.newest : moment.format(plot.data[0][at] * 1000);
}

/* What the server wrote, to come back to. */
function remember(chart) {
  for (const element of chart.querySelectorAll(".key b, header small")) element.dataset.newest = element.textContent;
}

function options(chart, box, unit, data) {
  const width = 1.5;
  return {
    width: box.clientWidth,
    height: box.clientHeight,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "mandor" } },
    scales: { y: { range: reach(unit) } },
    axes: axes(box, unit, data[0].at(-1) - data[0][0]),
    series: [{}, ...colours(chart).map((stroke) => ({ stroke, width, points: { show: true, size: 4, fill: stroke, filter: alone } }))],
    hooks: { setCursor: [(plot) => tell(chart, unit, plot)] },
  };
}

function forget(id) {
  const plot = drawn.get(id)?.plot;
  if (plot) sizes.unobserve(plot.root.parentElement);
  plot?.destroy();
  drawn.delete(id);
}

/* Draw a chart, or only move its lines where these are the same as before. */
function draw(chart) {
  const [table, box] = [chart.querySelector("table"), chart.querySelector(".plot")];
  const unit = table?.dataset.unit;
  if (!unit || !table.tBodies[0].rows.length) return;
  const data = read(table);
  const lines = [unit, ...[...table.tHead.rows[0].cells].map((cell) => cell.textContent)].join("\n");
  localise(table, data[0]);
  remember(chart);
  if (drawn.get(chart.id)?.lines === lines) return drawn.get(chart.id).plot.setData(data);
  forget(chart.id);
  drawn.set(chart.id, { lines, plot: new uPlot(options(chart, box, unit, data), data, box) });
  sizes.observe(box);
}

function drawAll() {
  charts.querySelectorAll(".chart").forEach(draw);
}

/* In other colours; the lines are the same. */
function redrawAll() {
  [...drawn.keys()].forEach(forget);
  drawAll();
}

function fit(entries) {
  for (const { target, contentRect } of entries) {
    drawn.get(target.parentElement.id)?.plot.setSize({ width: contentRect.width, height: contentRect.height });
  }
}

/* Ask for newer figures, unless nobody looks, or the person has turned refreshing off or marks text. */
function ask() {
  const off = document.getElementById("refresh")?.value === "0";
  const selection = getSelection();
  const marking = !selection.isCollapsed && charts.contains(selection.anchorNode);
  if (!document.hidden && !off && !marking) htmx.trigger(charts, "mandor:charts");
}

if (charts) {
  drawAll();
  document.addEventListener("htmx:after:swap", (event) => event.target === charts && drawAll());
  new MutationObserver(redrawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  setInterval(ask, EVERY_MS);
}
