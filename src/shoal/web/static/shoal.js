// What a keyboard can do beyond Tab: "/" goes to the search box, j and k through the results.
// Everything works without it.
"use strict";

(() => {
  const box = () => document.getElementById("q");
  const hits = () => Array.from(document.querySelectorAll(".hit a.title"));

  const isTyping = (target) =>
    target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

  const move = (step) => {
    const all = hits();
    if (all.length === 0) return;
    const current = document.activeElement && document.activeElement.closest(".hit");
    const at = all.findIndex((link) => current && current.contains(link));
    const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
    if (next >= 0 && next < all.length) {
      all[next].focus({ preventScroll: true });
      all[next].closest(".hit").scrollIntoView({ block: "nearest" });
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "/" && box()) {
      event.preventDefault();
      box().focus();
      box().select();
    } else if (event.key === "j") {
      move(1);
    } else if (event.key === "k") {
      move(-1);
    }
  });
})();
