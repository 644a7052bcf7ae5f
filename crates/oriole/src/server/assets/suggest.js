// Completes the word that is being typed. Without this script everything works but this.
"use strict";
(() => {
  const box = document.getElementById("q");
  const list = document.getElementById("suggestions");
  if (!box || !list) return;
  let timer = 0;
  let last = "";
  const show = (words) => {
    list.replaceChildren(...words.map((word) => {
      const option = document.createElement("option");
      option.value = word;
      return option;
    }));
  };
  const ask = async () => {
    const typed = box.value;
    if (typed === last || typed.trim().length < 2) return;
    last = typed;
    try {
      const reply = await fetch("/suggest?q=" + encodeURIComponent(typed));
      if (!reply.ok) return;
      const [asked, words] = await reply.json();
      if (asked === box.value) show(words);
    } catch {
      // The server is gone; typing goes on.
    }
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 150);
  });
})();
