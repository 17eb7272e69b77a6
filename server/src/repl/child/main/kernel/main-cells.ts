/** Writes and reads the shared numbers for the main thread. */
import { CELL } from "../../wire/shared-cells.ts";

// User code can replace the functions of `Atomics`.
const { store, load, notify } = Atomics;

export class MainCells {
  readonly #cells: Int32Array;

  constructor(cells: Int32Array) {
    this.#cells = cells;
  }

  /** The evaluation has begun, and its code runs. */
  begun(id: number): void {
    this.ran(id);
    store(this.#cells, CELL.begun, id);
    notify(this.#cells, CELL.begun);
  }

  /** The code of that evaluation is about to run; 0 for code of no evaluation. */
  ran(id: number): void {
    store(this.#cells, CELL.owner, id);
    this.stir();
  }

  /** Wakes the memory watch, which sleeps while nothing runs. */
  stir(): void {
    if (load(this.#cells, CELL.watched) !== 0) return;
    store(this.#cells, CELL.watched, 1);
    notify(this.#cells, CELL.watched);
  }

  /** The evaluation whose code began to run last. */
  owner(): number {
    return load(this.#cells, CELL.owner);
  }

  /** The evaluation that the control worker's question is about. */
  asked(): number {
    return load(this.#cells, CELL.asked);
  }
}
