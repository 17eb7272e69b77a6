/** The input: what the person writes, what is attached, and the keys. */
import type { Chip } from "../chat/page-messages.ts";
import { Completion } from "./completion.ts";
import { button, h } from "./dom.ts";
import { tell } from "./extension.ts";

const ICONS = { selection: "❐", picture: "▣", file: "❐" } as const;
const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/;

export class Input {
  readonly element: HTMLElement;
  readonly #area = h("textarea", { aria: { label: "Message to Agent-Q" } });
  readonly #chips = h("div", { class: "chips" });
  readonly #send = button("Send", "Send (Enter)", () => this.#say(), "send");
  readonly #stop = button("Stop", "Stop the turn", () => tell({ type: "stop" }), "secondary stop");
  readonly #said: () => readonly string[];
  readonly #sent: () => void;
  readonly completion = new Completion(this.#area, () => this.#changed());
  /** How far back the person went in what was said; 0 is their own new text. */
  #recalled = 0;
  #isOwn = true;

  constructor(said: () => readonly string[], sent: () => void) {
    [this.#said, this.#sent] = [said, sent];
    this.#area.rows = 1;
    this.#area.placeholder = "Ask, or / for commands, @ files, # symbols, $ values";
    this.#area.addEventListener("input", () => {
      this.#isOwn = true;
      this.#changed();
      this.completion.ask();
    });
    this.#area.addEventListener("keydown", (event) => this.#key(event));
    this.#area.addEventListener("blur", () => this.completion.close());
    this.#area.addEventListener("paste", (event) => this.#paste(event));
    const row = h("div", { class: "row" }, this.#stop, this.#send);
    this.element = h("footer", { class: "input" }, this.completion.element, this.#chips, this.#area, row);
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => this.#drop(event));
    this.#stop.hidden = true;
  }

  focus(): void {
    this.#area.focus();
  }

  write(text: string): void {
    this.#area.value = text;
    this.#area.setSelectionRange(text.length, text.length);
    this.#grow();
  }

  show(chips: readonly Chip[], isRunning: boolean): void {
    this.#chips.replaceChildren(
      ...chips.map(({ id, label, icon }) =>
        h(
          "span",
          { class: "chip", title: `${label} goes along` },
          `${ICONS[icon]} ${label}`,
          button("×", `Without ${label}`, () => tell({ type: "removeChip", id }), "link"),
        ),
      ),
    );
    this.#chips.hidden = chips.length === 0;
    this.#stop.hidden = !isRunning;
    this.#send.textContent = isRunning ? "Queue" : "Send";
    this.#send.title = isRunning ? "The model hears it with the next results (Enter)" : "Send (Enter)";
  }

  #key(event: KeyboardEvent): void {
    // A key that ends the composition of a character is no Enter.
    if (event.isComposing) return;
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    const isPlain = !shiftKey && !altKey && !ctrlKey && !metaKey;
    if (this.completion.takes(event)) event.preventDefault();
    else if (key === "Enter" && !shiftKey && !altKey) {
      event.preventDefault();
      this.#say();
    } else if (key === "Escape" && isPlain) {
      event.preventDefault();
      tell({ type: "leave" });
    } else if (isPlain && (key === "ArrowUp" || key === "ArrowDown") && this.#recall(key === "ArrowUp" ? 1 : -1))
      event.preventDefault();
  }

  #say(): void {
    const text = this.#area.value.trim();
    if (text === "") return;
    tell({ type: "send", text });
    this.write("");
    [this.#recalled, this.#isOwn] = [0, true];
    this.#sent();
  }

  /** From an empty input, and from what came from there: whoever has typed moves in their text. */
  #recall(by: number): boolean {
    if (this.#area.value !== "" && this.#isOwn) return false;
    const said = [...new Set(this.#said().toReversed())];
    const index = Math.max(0, Math.min(said.length, this.#recalled + by));
    if (index === this.#recalled) return false;
    this.#recalled = index;
    this.#isOwn = false;
    this.write(said[index - 1] ?? "");
    tell({ type: "draft", text: this.#area.value });
    return true;
  }

  #changed(): void {
    this.#recalled = 0;
    this.#grow();
    tell({ type: "draft", text: this.#area.value });
  }

  /** To ten lines, which the style says. */
  #grow(): void {
    this.#area.style.height = "auto";
    this.#area.style.height = `${this.#area.scrollHeight + 2}px`;
  }

  #paste(event: ClipboardEvent): void {
    if (attach(event.clipboardData)) event.preventDefault();
  }

  #drop(event: DragEvent): void {
    event.preventDefault();
    const { dataTransfer } = event;
    const named =
      dataTransfer?.getData("application/vnd.code.uri-list") || dataTransfer?.getData("text/uri-list") || "";
    const uris = named.split(/\r?\n/).filter((line) => line.startsWith("file:"));
    if (uris.length > 0) tell({ type: "drop", uris });
    else attach(dataTransfer);
    this.focus();
  }
}

/** Whether there was a picture. */
function attach(data: DataTransfer | null): boolean {
  const pictures = [...(data?.files ?? [])].filter(({ type }) => PICTURE.test(type));
  for (const picture of pictures) {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const { result } = reader;
      const base64 = typeof result === "string" ? result.slice(result.indexOf(",") + 1) : "";
      tell({ type: "picture", name: picture.name, base64 });
    });
    reader.readAsDataURL(picture);
  }
  return pictures.length > 0;
}
