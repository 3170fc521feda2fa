// The dashboard as it changes: numbers and plots are replaced by what /events sends; tables, and what
// has new lines, by what the page says then. It is whole without this; plots.py draws the same curves.
"use strict";

(() => {
  const standing = document.querySelector("[data-live]");
  if (!standing || !window.EventSource) return;

  const WIDTH = 300;
  const HEIGHT = 80;
  const WINDOW_SECONDS = 300;
  const RETRY_MS = 15000;
  const RENEW_MS = 2000;

  const count = (value) => Math.round(value).toLocaleString("en-US");
  const rate = (value) =>
    `${value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })}/s`;
  const size = (value) => {
    if (value < 1000) return `${count(value)} bytes`;
    for (const unit of ["KB", "MB", "GB"]) {
      value /= 1000;
      if (value < 1000) return `${value.toFixed(1)} ${unit}`;
    }
    return `${(value / 1000).toFixed(1)} TB`;
  };

  // Which column of a point each plot shows: when, pages/s, queued, bytes/s, errors/s.
  const KINDS = {
    pages: [1, rate],
    queued: [2, count],
    bytes: [3, (value) => `${size(value)}/s`],
    errors: [4, rate],
  };

  let points = [];

  const niceTop = (highest) => {
    for (let step = 1; ; step *= 10) {
      for (const factor of [1, 2, 5, 10]) {
        if (highest <= factor * step) return factor * step;
      }
    }
  };

  const draw = (figure) => {
    const [column, words] = KINDS[figure.dataset.plot];
    if (points.length === 0) return;
    const now = points[points.length - 1][0];
    const values = points.map((point) => point[column]);
    const highest = Math.max(0, ...values);
    const top = niceTop(highest);
    const places = points.map((point, at) => [
      (WIDTH + ((point[0] - now) * WIDTH) / WINDOW_SECONDS).toFixed(1),
      (HEIGHT - (values[at] / top) * HEIGHT).toFixed(1),
    ]);
    const line = `M${places.map((place) => place.join(" ")).join("L")}`;
    const last = words(values[values.length - 1]);
    const set = (name, d) => figure.querySelector(`[data-plot-${name}]`).setAttribute("d", d);
    set("line", line);
    set("area", `${line}L${places[places.length - 1][0]} ${HEIGHT}L${places[0][0]} ${HEIGHT}Z`);
    figure.querySelector("[data-plot-now]").textContent = last;
    figure.querySelector("[data-plot-top]").textContent = words(top);
    const title = figure.querySelector("figcaption span").textContent;
    figure
      .querySelector("svg")
      .setAttribute(
        "aria-label",
        `${title} over the last 5 minutes: ${last} now, ${words(highest)} at most`,
      );
  };

  const take = (more) => {
    points = points.concat(more);
    if (points.length === 0) return;
    const oldest = points[points.length - 1][0] - WINDOW_SECONDS;
    points = points.filter((point) => point[0] >= oldest);
    document.querySelectorAll("[data-plot]").forEach(draw);
  };

  const put = (element, text) => {
    if (element && element.textContent !== text) element.textContent = text;
  };

  let other = "";
  const show = (figures) => {
    put(document.querySelector("[data-says]"), figures.says);
    document.querySelectorAll("[data-count]").forEach((element) => {
      put(element, count(figures.counts[element.dataset.count] || 0));
    });
    const whole = figures.counts.discovered || 1;
    document.querySelectorAll("[data-bar]").forEach((element) => {
      const share = (100 * (figures.counts[element.dataset.bar] || 0)) / whole;
      element.setAttribute("width", Math.round(share));
    });
    document.querySelectorAll("[data-figure]").forEach((element) => {
      put(element, count(figures[element.dataset.figure]));
    });
    document.querySelectorAll("[data-bytes]").forEach((element) => {
      put(element, size(figures[element.dataset.bytes]));
    });
    // Other buttons belong to another state; not while somebody is typing. Said twice: the first
    // word may be older than the page.
    const typing = document.activeElement && document.activeElement.closest("form");
    const changed = standing.dataset.state !== figures.state;
    if (changed && other === figures.state && !typing) window.location.reload();
    other = changed ? figures.state : "";
  };

  const known = () =>
    new Set(
      Array.from(document.querySelectorAll("[data-count]"), (element) => element.dataset.count),
    );

  let source = null;
  const listen = () => {
    source = new EventSource("/events");
    source.addEventListener("open", () => {
      document.querySelectorAll("[data-when-still]").forEach((element) => {
        element.hidden = true;
      });
      document.body.dataset.listening = "yes";
    });
    const update = (event) => {
      const told = JSON.parse(event.data);
      if (event.type === "history") points = [];
      take(told.points);
      const named = known();
      const missing =
        named.size > 0 && Object.keys(told.figures.counts).some((name) => !named.has(name));
      show(told.figures);
      if (missing || document.querySelector("[data-follows]")) renew();
    };
    source.addEventListener("history", update);
    source.addEventListener("now", update);
    source.addEventListener("error", () => {
      // The server went, or has too many listeners: the numbers stand still and say so.
      document.querySelectorAll("[data-when-still]").forEach((element) => {
        element.hidden = false;
      });
      if (source.readyState === EventSource.CLOSED) window.setTimeout(listen, RETRY_MS);
    });
  };

  // A new cause or reason has a line of its own, a cluster a table of tablets: what is marked is
  // taken from the page as it is now, but not from under somebody who is in it.
  let renewing = false;
  let renewed = 0;
  const renew = async () => {
    if (renewing || Date.now() - renewed < RENEW_MS) return;
    renewing = true;
    renewed = Date.now();
    try {
      const answer = await fetch(window.location.href);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.querySelectorAll("[data-renewed]").forEach((element) => {
        const fresh = page.getElementById(element.id);
        if (fresh && !element.contains(document.activeElement)) element.replaceWith(fresh);
      });
    } catch {
      // The server went; the next event comes when it is back.
    } finally {
      renewing = false;
    }
  };

  window.addEventListener("pagehide", () => source && source.close());
  window.addEventListener("pageshow", (event) => event.persisted && listen());
  listen();
})();
