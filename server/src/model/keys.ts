/** Keys of profiles: from the environment as they are, from a command when one is needed, for a while. */
import { ModelFailure } from "./model-port.ts";
import { errorText } from "../base/errors.ts";
import { runKeyCommand } from "./key-command.ts";
import { sorted, type Profile } from "./profiles.ts";

export interface Key {
  readonly apiKey: string | null;
  readonly authToken: string | null;
}

/** Contract: both throw `ModelFailure` where a key was to be had and was not. */
export interface KeyPort {
  current(): Promise<Key>;
  /** Another key than the one that the server refused; undefined where there is no other. */
  replaced(refused: Key): Promise<Key | undefined>;
}

interface Held {
  readonly key: Promise<Key>;
  readonly since: number;
}

/** A key of a command is asked for again after so long. */
const KEPT_MS = 5 * 60_000;

export class Keys {
  readonly #held = new Map<string, Held>();
  readonly #known = new Set<string>();
  readonly #run: typeof runKeyCommand;

  constructor(profiles: readonly Profile[], run: typeof runKeyCommand = runKeyCommand) {
    this.#run = run;
    for (const { key } of profiles) if (key.kind === "given") this.#note(key);
  }

  /** Every key that was ever in use here, for those who take keys out of texts. */
  known(): readonly string[] {
    return [...this.#known];
  }

  of(profile: Profile, now: () => number = Date.now): KeyPort {
    return {
      current: async () => {
        const held = this.#held.get(profile.name);
        return held !== undefined && now() - held.since < KEPT_MS ? held.key : this.#ask(profile, now());
      },
      replaced: async (refused) => {
        if (profile.key.kind === "given") return undefined;
        // Another request may have asked again already.
        const held = await this.#held.get(profile.name)?.key.catch(() => undefined);
        const isNewer = held !== undefined && held.apiKey !== refused.apiKey;
        const next = isNewer ? held : await this.#ask(profile, now());
        return next.apiKey === refused.apiKey ? undefined : next;
      },
    };
  }

  #ask({ name, key, baseUrl }: Profile, since: number): Promise<Key> {
    if (key.kind === "given") return Promise.resolve(key);
    const asked = this.#run(key.command).then(
      (text) => {
        const own = sorted(text, baseUrl ?? "");
        this.#note(own);
        return own;
      },
      (error: unknown) => {
        this.#held.delete(name);
        throw new ModelFailure(errorText(error), "key");
      },
    );
    this.#held.set(name, { key: asked, since });
    return asked;
  }

  #note({ apiKey, authToken }: Key): void {
    for (const key of [apiKey, authToken]) if (key !== null && key !== "") this.#known.add(key);
  }
}
