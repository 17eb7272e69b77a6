/** The list of what fits at the cursor: files, symbols, values of the REPL and commands. */
import type { Candidate } from "../chat/page-messages.ts";
import { h } from "./dom.ts";
import { tell } from "./extension.ts";

/** A word that mentions something, or a command and what it takes. */
const COMPLETED = /^\/[^\n]*$|(?:^|\s)[@#$](?:"[^"\n]*|\S*)$/;

export class Completion {
  readonly element = h("ul", { class: "completion", role: "listbox", aria: { label: "Completion" } });
  readonly #area: HTMLTextAreaElement;
  readonly #changed: () => void;
  #candidates: readonly Candidate[] = [];
  #chosen = 0;

  constructor(area: HTMLTextAreaElement, changed: () => void) {
    [this.#area, this.#changed] = [area, changed];
    this.element.hidden = true;
    this.element.id = "completion";
    area.setAttribute("aria-controls", "completion");
    area.setAttribute("aria-autocomplete", "list");
  }

  /** To be called when something was typed. */
  ask(): void {
    const text = this.#before();
    if (COMPLETED.test(text)) tell({ type: "complete", text });
    else this.close();
  }

  /** An answer to what is not typed any more is none. */
  show(text: string, candidates: readonly Candidate[]): void {
    if (text !== this.#before() || document.activeElement !== this.#area) return;
    const isWritten = candidates.length === 1 && text.endsWith(candidates[0]?.insert ?? "\n");
    this.#candidates = isWritten ? [] : candidates;
    this.#chosen = 0;
    this.#draw();
  }

  close(): void {
    this.#candidates = [];
    this.#draw();
  }

  /** Whether the key was one of the list's. */
  takes({ key, shiftKey }: KeyboardEvent): boolean {
    const count = this.#candidates.length;
    if (count === 0 || shiftKey) return false;
    if (key === "Escape") this.close();
    else if (key === "Tab" || key === "Enter") this.#accept(this.#chosen);
    else if (key === "ArrowDown" || key === "ArrowUp") {
      this.#chosen = (this.#chosen + (key === "ArrowDown" ? 1 : count - 1)) % count;
      this.#draw();
    } else return false;
    return true;
  }

  #before(): string {
    return this.#area.value.slice(0, this.#area.selectionStart);
  }

  #accept(index: number): void {
    const candidate = this.#candidates[index];
    if (candidate === undefined) return;
    const after = this.#area.value.slice(this.#area.selectionStart);
    const isPart = /[/:]$/.test(candidate.insert);
    // A folder goes on; behind anything else stands a space.
    const insert = isPart || /^\s/.test(after) ? candidate.insert : `${candidate.insert} `;
    this.#area.setRangeText(insert, candidate.start, this.#area.selectionStart, "end");
    this.close();
    this.#changed();
    if (isPart) this.ask();
  }

  #draw(): void {
    const options = this.#candidates.map(({ label, detail }, index) => {
      const isChosen = index === this.#chosen;
      const option = h(
        "li",
        { role: "option", class: isChosen ? "chosen" : "", aria: { selected: String(isChosen) } },
        h("span", {}, label),
        h("span", { class: "label" }, detail),
      );
      option.id = `option-${index}`;
      option.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        this.#accept(index);
      });
      return option;
    });
    this.element.replaceChildren(...options);
    this.element.hidden = options.length === 0;
    const chosen = options[this.#chosen];
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen === undefined) this.#area.removeAttribute("aria-activedescendant");
    else this.#area.setAttribute("aria-activedescendant", chosen.id);
  }
}
