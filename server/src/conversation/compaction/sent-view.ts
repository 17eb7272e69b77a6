/** What of a conversation its model is sent: the views so far, how full the context is, and what the person wants of it. */
import { ContextMeter, type CountedContext } from "./context-meter.ts";
import { WHOLE, type View } from "./view.ts";

export class SentView {
  readonly #views: View[] = [];
  readonly meter: ContextMeter;
  /** By model, the windows that servers told when they refused a request. */
  readonly #learnt = new Map<string, number>();
  #isTakenBack = false;
  #failedIn: string | undefined;
  #wanted: { readonly wish: string | undefined } | undefined;
  /** A summary is being written: there is no second one beside it. */
  isBusy = false;

  /** `views` as they were written, oldest first; undefined takes the one before back. */
  constructor(views: readonly (View | undefined)[] = [], counted?: CountedContext) {
    this.meter = new ContextMeter(counted);
    for (const view of views)
      if (view === undefined) this.takeBack();
      else this.become(view);
  }

  get now(): View {
    return this.#views.at(-1) ?? WHOLE;
  }

  /** How many can be taken back. */
  get count(): number {
    return this.#views.length;
  }

  become(view: View): void {
    this.#views.push(view);
    this.#isTakenBack = false;
  }

  /** Answers whether there was one. The person did not want that: room is made again when nothing else helps. */
  takeBack(): boolean {
    if (this.#views.pop() === undefined) return false;
    this.#isTakenBack = true;
    return true;
  }

  /** By itself no room is made in a turn in which that failed, nor after the person took it back. */
  mayMakeRoom(turnId: string): boolean {
    return !this.#isTakenBack && this.#failedIn !== turnId;
  }

  failed(turnId: string): void {
    this.#failedIn = turnId;
  }

  /** The person wants room made before the next request. */
  want(wish: string | undefined): void {
    this.#wanted = { wish };
  }

  takeWanted(): { readonly wish: string | undefined } | undefined {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    return wanted;
  }

  learn(model: string, window: number | undefined): void {
    if (window !== undefined) this.#learnt.set(model, window);
  }

  learnt(model: string): number | undefined {
    return this.#learnt.get(model);
  }
}
