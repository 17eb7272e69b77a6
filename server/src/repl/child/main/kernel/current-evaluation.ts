/** Whose code runs on the main thread. */
import { AsyncLocalStorage } from "node:async_hooks";

export class CurrentEvaluation {
  // Bound before user code runs, which can replace the methods of the class.
  readonly #getStore: () => number | undefined;
  readonly #enterWith: (id: number) => void;
  readonly #run: <T>(id: number, run: () => T) => T;

  constructor() {
    const storage = new AsyncLocalStorage<number>();
    this.#getStore = storage.getStore.bind(storage);
    this.#enterWith = storage.enterWith.bind(storage);
    this.#run = storage.run.bind(storage);
  }

  /**
   * The evaluation whose code runs; 0 for none. A module's output while it is loaded belongs to the evaluation that
   * loads it.
   */
  id(): number {
    const id = this.#getStore() ?? 0;
    return id < 0 ? -id : id;
  }

  /** Who owns what is opened now; 0 for nobody. What a module opens while it is loaded is the module's own. */
  opener(): number {
    const id = this.#getStore() ?? 0;
    return id < 0 ? 0 : id;
  }

  /** From here on the running code is that evaluation's. */
  enter(id: number): void {
    this.#enterWith(id);
  }

  /** Runs code whose timers, sockets and the like belong to no evaluation. */
  unowned<T>(run: () => T): T {
    return this.#run(-this.id(), run);
  }
}
