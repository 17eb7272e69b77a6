/** Diagnostics for editors that wait to be told: the compiler only answers when asked, so this side asks for them. */

export interface PushedDiagnosticsParts {
  /** The URIs of the open documents. */
  readonly openDocuments: () => readonly string[];
  /** Rejects when the document cannot be diagnosed now. */
  readonly diagnose: (uri: string, signal: AbortSignal) => Promise<readonly unknown[]>;
  readonly publish: (uri: string, diagnostics: readonly unknown[]) => void;
}

/** Long enough that a word is typed in between, short enough not to be noticed. */
const QUIET_MS = 200;

/**
 * One change can move the errors of every open document. Whatever an older state said is never shown after a newer
 * change: that change cuts off the round that asks.
 */
export class PushedDiagnostics {
  readonly #parts: PushedDiagnosticsParts;
  readonly #shown = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #round = new AbortController();

  constructor(parts: PushedDiagnosticsParts) {
    this.#parts = parts;
  }

  /** Something changed: the open documents are diagnosed once it has been quiet for a moment. */
  changed(): void {
    this.#round.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#diagnoseAll(), QUIET_MS);
  }

  dispose(): void {
    this.#round.abort();
    clearTimeout(this.#timer);
  }

  async #diagnoseAll(): Promise<void> {
    this.#round = new AbortController();
    const { signal } = this.#round;
    const open = new Set(this.#parts.openDocuments());
    for (const uri of this.#shown) if (!open.has(uri)) this.#show(uri, []);
    for (const uri of open) {
      // A document that cannot be diagnosed keeps none of its old diagnostics.
      const found = await this.#parts.diagnose(uri, signal).catch(() => []);
      if (signal.aborted) return;
      this.#show(uri, found);
    }
  }

  #show(uri: string, diagnostics: readonly unknown[]): void {
    if (diagnostics.length === 0 && !this.#shown.delete(uri)) return;
    if (diagnostics.length > 0) this.#shown.add(uri);
    this.#parts.publish(uri, diagnostics);
  }
}
