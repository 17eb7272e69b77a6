/** What runs in the chat's web view: shows what the extension tells, and tells what the person does. */
import type { Rest, ToPage } from "../chat/page-messages.ts";
import { Cards } from "./cards.ts";
import { h } from "./dom.ts";
import { tell } from "./extension.ts";
import { Follow } from "./follow.ts";
import { Input } from "./input.ts";
import { Queue } from "./queue.ts";
import { StatusLine } from "./status.ts";
import { Transcript } from "./transcript.ts";

/** Of an answer so much is read aloud. */
const SPOKEN = 400;

const transcript = new Transcript();
const queue = new Queue();
const cards = new Cards();
const status = new StatusLine();
const welcome = h(
  "div",
  { class: "welcome" },
  "Ask about this project. The agent reads it, runs it in the live REPL, and proposes edits that you review.",
);
const follow = new Follow(h("div", {}, welcome, transcript.element, queue.element));
const input = new Input(
  () => transcript.said,
  () => follow.toEnd(),
);
const spoken = h("div", { class: "spoken", aria: { live: "polite" } });

document.body.append(follow.element, status.banner, cards.element, input.element, status.element, spoken);
document.body.addEventListener("click", clicked);
document.body.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.dataset["link"] !== undefined)
    clicked(event);
});
window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => hear(data));
tell({ type: "ready" });

let before: Rest | undefined;

function hear(message: ToPage): void {
  switch (message.type) {
    case "all":
      transcript.show(message.items);
      input.write(message.draft);
      show(message);
      return follow.toEnd();
    case "patch":
      return transcript.patch(message);
    case "rest":
      return show(message);
    case "draft":
      return input.write(message.text);
    case "details":
      return transcript.details(message.id, message.parts);
    case "completion":
      return input.completion.show(message.text, message.candidates);
    case "focus":
      return input.focus();
    default:
      message satisfies never;
  }
}

function show(rest: Rest): void {
  welcome.hidden = transcript.element.childElementCount > 0;
  status.show(rest.head);
  cards.show(rest.cards);
  queue.show(rest.waiting);
  input.show(rest.chips, rest.head.state !== "idle");
  speak(rest);
  before = rest;
}

/** An answer that is complete, and what begins to wait. */
function speak({ head, cards: waiting }: Rest): void {
  if (before === undefined) return;
  const known = new Set(before.cards.map(({ id }) => id));
  const card = waiting.find(({ id }) => !known.has(id));
  if (card !== undefined)
    spoken.textContent = card.kind === "approval" ? card.question : `Proposed: ${card.title}, ${card.size}`;
  else if (before.head.state !== "idle" && head.state === "idle")
    spoken.textContent = transcript.answer.slice(0, SPOKEN);
}

function clicked({ target }: Event): void {
  if (!(target instanceof Element)) return;
  const link = target.closest<HTMLElement>("[data-link]")?.dataset["link"];
  if (link !== undefined) return tell({ type: "open", link });
  const copied = target.closest("[data-copy]");
  if (copied === null) return;
  tell({ type: "copy", text: copied.closest(".code")?.querySelector("code")?.textContent ?? "" });
  copied.textContent = "Copied";
  setTimeout(() => (copied.textContent = "Copy"), 1500);
}
