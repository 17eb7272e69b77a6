/** The place in the conversation: the end while it grows, unless the person went up to read. */
import { button, h } from "./dom.ts";

/** In pixels: so near is at the end. */
const NEAR = 30;

export class Follow {
  readonly element: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #newest = button("↓ newest", "Go to the newest", () => this.toEnd(), "newest");
  #follows = true;
  #top = 0;

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

  #jump(): void {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#set(true);
  }

  /** Who goes up reads; what has grown meanwhile is no way up. */
  #look(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (scrollHeight - scrollTop - clientHeight < NEAR) this.#set(true);
    else if (scrollTop < this.#top) this.#set(false);
    this.#top = scrollTop;
  }

  #set(follows: boolean): void {
    this.#follows = follows;
    this.#newest.hidden = follows;
  }
}
