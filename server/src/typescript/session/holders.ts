/** Several may hold something up at once; it goes on when the last of them lets go. */
export class Holders {
  #count = 0;
  #free: PromiseWithResolvers<void> | undefined;

  /** The returned function lets go, and is called once. */
  take(): () => void {
    this.#count += 1;
    this.#free ??= Promise.withResolvers();
    return () => {
      this.#count -= 1;
      if (this.#count > 0) return;
      this.#free?.resolve();
      this.#free = undefined;
    };
  }

  /** Undefined when nobody holds. */
  untilFree(): Promise<void> | undefined {
    return this.#free?.promise;
  }
}
