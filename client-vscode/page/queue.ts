/** What the person said that the model has not heard yet. */
import type { WaitingPrompt } from "../chat/page-messages.ts";
import { button, h } from "./dom.ts";
import { tell } from "./extension.ts";

const WORDS = { sending: "sending …", queued: "waits for the turn", held: "was not sent" } as const;

export class Queue {
  readonly element = h("section", { class: "queue", aria: { label: "Messages that wait" } });
  /** The message that is being edited where it waits. */
  #edited: string | undefined;
  #told = "";

  show(prompts: readonly WaitingPrompt[]): void {
    const told = JSON.stringify(prompts);
    if (told === this.#told) return;
    // What is typed stays, while the message waits.
    if (this.#edited !== undefined && prompts.some(({ id }) => id === this.#edited)) return;
    this.#told = told;
    this.#edited = undefined;
    this.element.replaceChildren(...prompts.map((prompt) => this.#element(prompt)));
    this.element.hidden = prompts.length === 0;
  }

  #element(prompt: WaitingPrompt): HTMLElement {
    const { id, text, state } = prompt;
    const element = h("div", { class: `waiting ${state}` }, h("div", { class: "said" }, text));
    const take = button(
      state === "held" ? "Take back" : "Remove",
      "Back into the input",
      () => tell({ type: "takeBack", id }),
      "link",
    );
    const edit = button("Edit", "Change the message where it waits", () => this.#edit(element, prompt), "link");
    const buttons = { sending: [], queued: [edit, take], held: [take] }[state];
    element.append(h("div", { class: "label" }, WORDS[state], ...buttons));
    return element;
  }

  #edit(element: HTMLElement, { id, text }: WaitingPrompt): void {
    this.#edited = id;
    const area = h("textarea", { aria: { label: "The message that waits" } });
    area.value = text;
    area.rows = Math.min(10, text.split("\n").length + 1);
    const end = (changed: string): void => {
      this.#edited = undefined;
      if (changed !== text && changed !== "") tell({ type: "editQueued", id, text: changed });
      element.replaceWith(this.#element({ id, text: changed === "" ? text : changed, state: "queued" }));
    };
    const save = button("Save", "The model hears the changed message", () => end(area.value.trim()), "link");
    const leave = button("Leave", "The message stays as it was", () => end(text), "link");
    element.replaceChildren(area, h("div", { class: "label" }, save, leave));
    area.focus();
  }
}
