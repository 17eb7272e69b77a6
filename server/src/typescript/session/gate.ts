/** Lets queries read one unchanging state together, and brings the state up to date only between them. */

/**
 * Contract: every `enter` that resolves is followed by exactly one `leave`. While anyone is inside, `update` is not
 * run; an `enter` that finds the state stale waits until all are out, so an old reader never meets new text.
 */
export class Gate {
  #inside = 0;
  #updating: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  async enter(isStale: () => boolean, update: () => Promise<void>): Promise<void> {
    for (;;) {
      if (this.#updating !== undefined) await this.#updating.catch(() => undefined);
      else if (!isStale()) break;
      else if (this.#inside > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else await this.#update(update);
    }
    this.#inside += 1;
  }

  leave(): void {
    this.#inside -= 1;
    if (this.#inside > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  async #update(update: () => Promise<void>): Promise<void> {
    this.#updating = update().finally(() => {
      this.#updating = undefined;
    });
    await this.#updating;
  }
}
