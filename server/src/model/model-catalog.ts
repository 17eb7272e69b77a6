/** A server's list of models, asked for when first needed and kept for a while. */
import { untilAborted } from "../base/abort.ts";
import type { ModelEntry } from "./model-port.ts";

type Load = (signal: AbortSignal) => Promise<readonly ModelEntry[]>;

interface Loaded {
  readonly entries: Promise<readonly ModelEntry[]>;
  until: number;
  /** What came, or nothing from a server without a list; undefined while the server is asked. */
  known?: readonly ModelEntry[];
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
    return untilAborted(this.#ask().entries, signal);
  }

  async find(model: string, signal: AbortSignal): Promise<ModelEntry | undefined> {
    const loaded = this.#loaded !== undefined && Date.now() < this.#loaded.until ? this.#loaded : this.#ask();
    const found = loaded.known ?? (await patiently(loaded.entries, signal));
    // A name without a date means the same model as the name with a date.
    return found.find(({ id }) => id === model) ?? found.find(({ id }) => id.replace(/-\d{8}$/, "") === model);
  }

  #ask(): Loaded {
    const entries = this.#load(AbortSignal.timeout(LIMIT_MS));
    const loaded: Loaded = { entries, until: Date.now() + KEPT_MS };
    this.#loaded = loaded;
    entries.then(
      (known) => (loaded.known = known),
      () => {
        loaded.known = [];
        loaded.until = Date.now() + FAILED_MS;
      },
    );
    return loaded;
  }
}

async function patiently(entries: Promise<readonly ModelEntry[]>, signal: AbortSignal): Promise<readonly ModelEntry[]> {
  const late = Promise.withResolvers<readonly ModelEntry[]>();
  const timer = setTimeout(() => late.resolve([]), PATIENCE_MS);
  try {
    return await untilAborted(Promise.race([entries.catch(() => []), late.promise]), signal);
  } finally {
    clearTimeout(timer);
  }
}
