/** The program as it was when each conversation's turn began, kept until the next turn of that conversation. */
import type { RememberedProgram, TypeScriptService } from "../../typescript/typescript-service.ts";

/** A program of the past costs the compiler memory. */
const MAX_KEPT = 4;
const LIMIT_MS = 120_000;

type Kept = Promise<RememberedProgram | undefined>;

export class TurnBaselines {
  readonly #typescript: Pick<TypeScriptService, "remember">;
  readonly #kept = new Map<string, Kept>();

  constructor(typescript: Pick<TypeScriptService, "remember">) {
    this.#typescript = typescript;
  }

  /** A turn begins. Nobody waits for this: the compiler brings itself up to date beside the turn's first request. */
  begin(sessionId: string): void {
    this.#release(sessionId);
    const kept = this.#typescript.remember(AbortSignal.timeout(LIMIT_MS)).catch(() => undefined);
    this.#kept.set(sessionId, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#release(oldest);
  }

  /** Undefined when no turn of the conversation has begun, or when the program of that moment is not there any more. */
  async of(sessionId: string): Kept {
    return this.#kept.get(sessionId);
  }

  #release(sessionId: string): void {
    const kept = this.#kept.get(sessionId);
    this.#kept.delete(sessionId);
    void kept?.then((program) => program?.release());
  }
}
