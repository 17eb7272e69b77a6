/** The items of the conversation, from the first to the newest. */
import type { CallItem, DetailPart, Item, Patch, SaidItem, TextItem } from "../chat/page-messages.ts";
import { h } from "./dom.ts";
import { tell } from "./extension.ts";
import { draw } from "./markdown.ts";

const MARKS = { preparing: "○", running: "●", waitingApproval: "?", done: "✓", failed: "✗", void: "○" } as const;
const STATES = {
  preparing: "is being written",
  running: "runs",
  waitingApproval: "waits for you",
  done: "done",
  failed: "failed",
  void: "void",
} as const;
const NOTICE_MARKS = { info: "·", warning: "!", error: "✗" } as const;

export class Transcript {
  readonly element = h("div", { class: "transcript", role: "log", aria: { label: "Conversation", live: "off" } });
  /** Texts that grew and are not drawn yet. */
  readonly #grown = new Set<string>();
  /** In milliseconds: how long drawing took last. A long text is drawn less often. */
  #cost = 0;
  readonly #items = new Map<string, { item: Item; readonly element: HTMLElement }>();

  /** What the person said, oldest first. */
  get said(): string[] {
    return [...this.#items.values()].flatMap(({ item }) => (item.kind === "you" ? [item.text] : []));
  }

  /** The newest text of the agent's, as it reads. */
  get answer(): string {
    return [...this.element.querySelectorAll(".text")].at(-1)?.textContent ?? "";
  }

  show(items: readonly Item[]): void {
    this.#items.clear();
    this.element.replaceChildren();
    this.patch({ items, added: [] });
  }

  patch({ items, added }: Patch): void {
    for (const item of items) this.#put(item);
    for (const { id, text } of added) {
      const known = this.#items.get(id);
      if (known?.item.kind !== "text" && known?.item.kind !== "thoughts") continue;
      known.item = { ...known.item, text: known.item.text + text };
      if (this.#grown.size === 0) setTimeout(() => this.#drawGrown(), this.#cost * 4);
      this.#grown.add(id);
    }
  }

  #drawGrown(): void {
    const begun = performance.now();
    for (const id of this.#grown) {
      const known = this.#items.get(id);
      if (known !== undefined) fill(known.element, known.item);
    }
    this.#grown.clear();
    this.#cost = performance.now() - begun;
  }

  details(id: string, parts: readonly DetailPart[]): void {
    const shown = parts.flatMap(({ label, text }) => [
      h("div", { class: "label" }, label),
      h("pre", { class: "quoted" }, text),
    ]);
    const nothing = h("div", { class: "label" }, "no arguments, no result yet");
    this.#items
      .get(id)
      ?.element.querySelector(".details")
      ?.replaceChildren(...(parts.length === 0 ? [nothing] : shown));
  }

  #put(item: Item): void {
    const known = this.#items.get(item.id);
    const element = known?.element ?? newElement(item);
    if (known === undefined) this.element.append(element);
    this.#items.set(item.id, { item, element });
    fill(element, item);
  }
}

function newElement(item: Item): HTMLElement {
  const given = { class: `item ${item.kind}`, data: { id: item.id } };
  switch (item.kind) {
    case "text":
      return h("div", { ...given, class: `${given.class} markdown` });
    case "thoughts":
    case "compacted":
      return h("details", given, h("summary"), h("div", { class: "markdown" }));
    case "call":
      return newCall(item.id, given);
    default:
      return h("div", given);
  }
}

/** What the call was given and what it answered is fetched when somebody looks. */
function newCall(id: string, given: { readonly class: string }): HTMLElement {
  const element = h("details", given, h("summary"), h("div", { class: "details" }));
  element.addEventListener("toggle", () => element.open && tell({ type: "details", id }));
  return element;
}

function fill(element: HTMLElement, item: Item): void {
  switch (item.kind) {
    case "you":
      return fillSaid(element, item);
    case "text":
      element.classList.toggle("void", item.isVoid === true);
      return draw(element, item.text);
    case "thoughts":
      return fillThoughts(element, item);
    case "call":
      return fillCall(element, item);
    case "notice":
      element.classList.add(item.level);
      return element.replaceChildren(
        h("span", { class: "mark", aria: { hidden: "true" } }, NOTICE_MARKS[item.level]),
        item.text,
      );
    case "compacted":
      element.querySelector("summary")?.replaceChildren(`⊟ ${item.text}`);
      return drawIn(element, item.summary ?? "");
    case "end":
      element.classList.toggle("calm", item.isCalm);
      return element.replaceChildren(item.text);
    default:
      item satisfies never;
  }
}

function fillSaid(element: HTMLElement, { text, attached }: SaidItem): void {
  const names = attached.map((name) => h("span", {}, `⊕ ${name}`));
  element.replaceChildren(h("div", { class: "said" }, text), h("div", { class: "attached" }, ...names));
}

function fillThoughts(element: HTMLElement, { text, words, isVoid }: TextItem): void {
  element.classList.toggle("void", isVoid === true);
  element.querySelector("summary")?.replaceChildren(words ?? "Thoughts");
  drawIn(element, text);
}

function drawIn(element: HTMLElement, text: string): void {
  const into = element.querySelector(".markdown");
  if (into !== null) draw(into, text);
}

function fillCall(element: HTMLElement, { id, name, state, brief, outcome, words }: CallItem): void {
  element.dataset["state"] = state;
  const line = h(
    "span",
    { class: "line" },
    h("span", { class: "mark", role: "img", title: STATES[state], aria: { label: STATES[state] } }, MARKS[state]),
    h("span", { class: "name" }, name),
    h("span", { class: "brief", title: brief }, brief),
    words !== undefined && h("span", { class: "words", title: words }, words),
  );
  const came = outcome === undefined ? [] : [h("span", { class: "outcome", title: outcome }, `→ ${outcome}`)];
  element.querySelector("summary")?.replaceChildren(line, ...came);
  // The result may have come while somebody looks.
  if (element instanceof HTMLDetailsElement && element.open) tell({ type: "details", id });
}
