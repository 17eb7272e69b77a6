/** States of the program that somebody wants to ask later, after the text has moved on. */
import type { Snapshot } from "typescript/unstable/async";
import { takenBeside } from "./outside-file.ts";
import type { ViewState } from "../view.ts";

export interface RememberedState {
  readonly state: ViewState;
  /** The files of which the compiler was told since. */
  readonly changed: ReadonlySet<string>;
  readonly release: () => void;
}

export class RememberedStates {
  readonly #kept = new Map<RememberedState, Set<string>>();
  /** The snapshot that the session itself holds. */
  readonly #current: () => Snapshot | undefined;

  constructor(current: () => Snapshot | undefined) {
    this.#current = current;
  }

  /** `unread` are files of which the compiler was told and that are not part of the state yet. */
  keep(state: ViewState, unread: Iterable<string>): RememberedState {
    const changed = new Set(unread);
    const kept: RememberedState = {
      state,
      changed,
      release: () => {
        if (!this.#kept.delete(kept)) return;
        if (state.snapshot !== this.#current()) this.letGo(state.snapshot);
      },
    };
    this.#kept.set(kept, changed);
    return kept;
  }

  /** The compiler was told of these files. */
  told(files: Iterable<string>): void {
    for (const file of files) for (const changed of this.#kept.values()) changed.add(file);
  }

  /** The session does not need the snapshot any more: the compiler may forget it, unless it is kept. */
  letGo(snapshot: Snapshot): void {
    if ([...this.#kept.keys()].some(({ state }) => state.snapshot === snapshot)) return;
    for (const each of [snapshot, ...takenBeside(snapshot)]) void each.dispose().catch(() => undefined);
  }
}
