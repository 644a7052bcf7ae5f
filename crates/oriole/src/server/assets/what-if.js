// Sliders beside the numbers, and answers while they are moved. Without this the button shows the answer.
"use strict";
(() => {
  const form = document.getElementById("what-if");
  const answer = document.getElementById("answer");
  if (!form || !answer) return;
  let waiting = 0, asked = 0;
  const ask = async () => {
    const number = ++asked;
    const query = new URLSearchParams(new FormData(form));
    try {
      const reply = await fetch("/what-if/part?" + query, { credentials: "same-origin" });
      if (!reply.ok || number !== asked) return;
      const parsed = new DOMParser().parseFromString(await reply.text(), "text/html");
      answer.replaceChildren(...parsed.body.childNodes);
      answer.dataset.drawn = String(Number(answer.dataset.drawn || 0) + 1);
    } catch { /* the button still works */ }
  };
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 150);
  };
  const slider = (input) => {
    const range = document.createElement("input");
    range.type = "range";
    range.setAttribute("aria-label", input.labels[0].textContent + ", slider");
    const log = input.dataset.scale === "log";
    const value = Number(input.value) || 1;
    // Thirty-two times less to thirty-two times more, or whole numbers.
    range.min = log ? String(Math.log2(value) - 5) : input.min;
    range.max = log ? String(Math.log2(value) + 5) : input.dataset.most;
    range.step = log ? "0.125" : "1";
    range.value = log ? String(Math.log2(value)) : input.value;
    range.addEventListener("input", () => {
      input.value = log ? String(Number((2 ** Number(range.value)).toPrecision(3))) : range.value;
      soon();
    });
    input.addEventListener("input", () => {
      range.value = log ? String(Math.log2(Number(input.value) || 1)) : input.value;
      soon();
    });
    input.after(range);
  };
  form.querySelectorAll("input[type=number]").forEach(slider);
  form.querySelector("select").addEventListener("change", soon);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
})();
