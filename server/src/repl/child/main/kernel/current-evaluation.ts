/** Whose code runs on the main thread. */
import { AsyncLocalStorage } from "node:async_hooks";

export class CurrentEvaluation {
  // Bound before user code runs, because user code can replace the methods of the class.
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
   * The evaluation whose code runs; 0 for none. Output of a module that is being loaded belongs to the evaluation that
   * loads it.
   */
  id(): number {
    const id = this.#getStore() ?? 0;
    return id < 0 ? -id : id;
  }

  /**
   * The owner of everything that is opened now; 0 for none. A module owns what it opens while it is loaded, so no
   * evaluation does.
   */
  opener(): number {
    const id = this.#getStore() ?? 0;
    return id < 0 ? 0 : id;
  }

  /** From now on the running code belongs to that evaluation. */
  enter(id: number): void {
    this.#enterWith(id);
  }

  /** Runs code that opens things for no evaluation. */
  unowned<T>(run: () => T): T {
    return this.#run(-this.id(), run);
  }
}
