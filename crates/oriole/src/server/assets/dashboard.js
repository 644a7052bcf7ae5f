// Redraws the dashboard while the engine tells how it is doing. Without this the page shows how things were when it was loaded.
"use strict";
(() => {
  const live = document.getElementById("live");
  const said = document.getElementById("said");
  if (!live || !window.EventSource) return;
  let busy = false, spoken = Date.now();
  const part = "/dashboard/part?range=" + encodeURIComponent(live.dataset.range);
  // Tables that are open stay open, and so does the focus on one of them.
  const tables = () => [...live.querySelectorAll("details")];
  const places = (is) => tables().flatMap((table, place) => (is(table) ? [place] : []));
  const speak = (status) => {
    const quiet = 60000;
    if (Date.now() - spoken < quiet || status.stale_estimate == null) return;
    spoken = Date.now();
    const share = (part) => (100 * part).toFixed(1) + " per cent";
    said.textContent = "Stale now: " + share(status.stale_estimate) + (status.stale_bound == null ? "" : ", at best without hints " + share(status.stale_bound));
  };
  const redraw = async () => {
    const focus = document.activeElement;
    // Links may be others after that: who is on one of them is not disturbed.
    if (busy || document.hidden || (live.contains(focus) && focus.tagName !== "SUMMARY")) return;
    busy = true;
    try {
      const answer = await fetch(part, { credentials: "same-origin" });
      if (answer.ok) {
        const opened = places((table) => table.open);
        const focused = places((table) => table.contains(document.activeElement));
        const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
        live.replaceChildren(...parsed.body.childNodes);
        opened.forEach((place) => { if (tables()[place]) tables()[place].open = true; });
        focused.forEach((place) => tables()[place]?.querySelector("summary").focus({ preventScroll: true }));
        live.dataset.drawn = String(Number(live.dataset.drawn || 0) + 1);
      }
    } catch { /* the next event tries again */ }
    busy = false;
  };
  const events = new EventSource("/api/v1/events");
  events.addEventListener("status", (event) => {
    speak(JSON.parse(event.data));
    redraw();
  });
})();
