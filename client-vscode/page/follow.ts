/** The place in the conversation: the end while it grows, unless the person went up to read. */
import { button, h } from "./dom.ts";

/** In pixels: so near is at the end. */
const NEAR = 30;

export class Follow {
  readonly element: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #newest = button("↓ newest", "Go to the newest", () => this.toEnd(), "newest");
  #follows = true;

  constructor(content: HTMLElement) {
    this.#scroller = h("div", { class: "scroller" }, content);
    this.element = h("main", {}, this.#scroller, this.#newest);
    this.#newest.hidden = true;
    this.#scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    // What grows is the content (an answer) or what takes its room (a card, the input).
    const observer = new ResizeObserver(() => this.#follows && this.#jump());
    observer.observe(content);
    observer.observe(this.#scroller);
  }

  toEnd(): void {
    this.#follows = true;
    this.#jump();
  }

  /** Whoever wheels up reads, also where the scroll that follows is a small one. */
  listen(): void {
    this.#scroller.addEventListener(
      "wheel",
      ({ deltaY }) => {
        if (deltaY < 0 && this.#scroller.scrollTop > 0) this.#set(false);
      },
      { passive: true },
    );
  }

  #jump(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#set(true);
  }

  #look(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#set(scrollHeight - scrollTop - clientHeight < NEAR);
  }

  #set(follows: boolean): void {
    this.#follows = follows;
    this.#newest.hidden = follows;
  }
}
