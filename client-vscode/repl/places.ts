/** Where the forms that were taken from files stand there, so that a place in a form is shown as a place in its file. */
import type { ErrorInfo } from "../../server/src/protocol/repl-shapes.ts";

export interface Place {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

/** The name of an evaluation among those of all processes, each of which counts its own. */
export function keyOf(evalId: string, process?: string): string {
  return process === undefined ? evalId : `${process}/${evalId}`;
}

export class Places {
  readonly #origins = new Map<string, Place>();

  remember(key: string, origin: Place | undefined): void {
    if (origin !== undefined) this.#origins.set(key, origin);
  }

  /** The place in a file that a place stands for. */
  find<At extends Place>(at: At, process?: string): At {
    const form = /^repl:(\d+)$/.exec(at.uri)?.[1];
    const origin = form === undefined ? undefined : this.#origins.get(keyOf(form, process));
    if (origin === undefined) return at;
    const character = at.character + (at.line === 0 ? origin.character : 0);
    return { ...at, uri: origin.uri, line: at.line + origin.line, character };
  }

  /** The error with places in files. */
  put(error: ErrorInfo, process?: string): ErrorInfo {
    return {
      ...error,
      frames: error.frames.map((frame) => this.find(frame, process)),
      ...(error.cause === undefined ? {} : { cause: this.put(error.cause, process) }),
      ...(error.errors === undefined ? {} : { errors: error.errors.map((part) => this.put(part, process)) }),
    };
  }

  /** With its process the forms are gone, and another one counts anew. */
  clear(): void {
    this.#origins.clear();
  }
}
