/** A server's list of models, asked for when first needed and kept for a while. */
import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "../abort.ts";
import type { ModelEntry } from "./model-port.ts";

type Load = (signal: AbortSignal) => Promise<readonly ModelEntry[]>;

interface Loaded {
  readonly entries: Promise<readonly ModelEntry[]>;
  readonly until: number;
}

const KEPT_MS = 60 * 60_000;
/** A server without a list is asked again after so long. */
const FAILED_MS = 5 * 60_000;
/** A request to a model waits no longer for the list. */
const PATIENCE_MS = 3_000;
const LIMIT_MS = 15_000;

export class ModelCatalog {
  readonly #load: Load;
  #loaded: Loaded | undefined;

  constructor(load: Load) {
    this.#load = load;
  }

  /** Asks the server. Rejects where the server has no list. */
  list(signal: AbortSignal): Promise<readonly ModelEntry[]> {
    const entries = this.#load(AbortSignal.timeout(LIMIT_MS));
    this.#loaded = { entries, until: Date.now() + KEPT_MS };
    entries.catch(() => {
      if (this.#loaded?.entries === entries) this.#loaded = { entries, until: Date.now() + FAILED_MS };
    });
    return untilAborted(entries, signal);
  }

  async find(model: string, signal: AbortSignal): Promise<ModelEntry | undefined> {
    const { entries } = this.#loaded !== undefined && Date.now() < this.#loaded.until ? this.#loaded : {};
    const known = (entries ?? this.list(AbortSignal.timeout(LIMIT_MS))).catch((): readonly ModelEntry[] => []);
    const late = sleep(PATIENCE_MS, [] as readonly ModelEntry[], { ref: false });
    const found = await untilAborted(Promise.race([known, late]), signal);
    // A name without a date stands for one with a date.
    return found.find(({ id }) => id === model) ?? found.find(({ id }) => id.replace(/-\d{8}$/, "") === model);
  }
}
