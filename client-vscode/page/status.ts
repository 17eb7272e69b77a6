/** The lines about the conversation: why nothing can be asked, what goes on, who answers, how full the context is, and what it costs. */
import type { Head } from "../chat/page-messages.ts";
import { button, h } from "./dom.ts";
import { tell } from "./extension.ts";

const WORDS = { idle: "", working: "works", waiting: "waits for you" } as const;

export class StatusLine {
  readonly banner = h("section", { class: "banner", role: "status" });
  readonly element = h("div", { class: "status" });
  readonly #state = h("span", { class: "state" });
  readonly #model = button(
    "",
    "Choose the model",
    () => tell({ type: "command", command: "agentq.chooseModel" }),
    "link",
  );
  readonly #mode = button("", "", () => tell({ type: "command", command: "agentq.plan" }), "link");
  readonly #facts = h("span");
  #head: Head = { state: "idle", isPlanning: false };

  constructor() {
    this.element.append(this.#state, this.#model, this.#mode, this.#facts);
    setInterval(() => this.#tick(), 1000);
  }

  show(head: Head): void {
    const isSame = JSON.stringify(head.banner) === JSON.stringify(this.#head.banner);
    this.#head = head;
    this.#model.textContent = head.model ?? "choose a model";
    this.#mode.textContent = head.isPlanning ? "plan only" : "may act";
    this.#mode.title = head.isPlanning
      ? "The agent looks and plans; /go carries the plan out. A click ends plan mode"
      : "The agent proposes edits and runs code. A click begins plan mode, in which nothing is changed or run";
    this.#facts.textContent = [head.context, head.cost].filter((fact) => fact !== undefined).join(" · ");
    this.#tick();
    if (isSame && this.banner.childElementCount > 0) return;
    const { banner } = head;
    this.banner.hidden = banner === undefined;
    const buttons = (banner?.buttons ?? []).map(({ label, command }, index) =>
      button(label, label, () => tell({ type: "command", command }), index === 0 ? "" : "secondary"),
    );
    this.banner.replaceChildren(
      h("div", {}, banner?.text ?? ""),
      buttons.length > 0 ? h("div", { class: "answers" }, ...buttons) : "",
    );
  }

  #tick(): void {
    const { state, since = 0 } = this.#head;
    const seconds = Math.max(0, Math.floor((Date.now() - since) / 1000));
    this.element.dataset["state"] = state;
    this.#state.textContent = state === "working" ? `${WORDS.working} · ${seconds} s` : WORDS[state];
  }
}
