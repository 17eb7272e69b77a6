/** Names and values that were lost with an earlier process. A form that asks for one is told why it is not there. */
import type { Evaluated, InspectAnswer } from "../image.ts";

const NOT_DEFINED = /^(?:ReferenceError: )?(\S+) is not defined$/;
const MAX_NAMES = 10_000;

export class LostNames {
  readonly #names = new Map<string, string>();
  #handles: string[] = [];

  /** The present process keeps a value under this handle. */
  kept(handle: string): void {
    this.#handles.push(handle);
  }

  /** The process is gone; `declared` are the names that its forms had declared. */
  lose(why: "restart" | "end", declared: Iterable<string>): void {
    const how = why === "restart" ? "in the restart of the REPL" : "when the REPL's process ended";
    for (const name of [...this.#handles, ...declared]) this.#names.set(name, how);
    this.#handles = [];
    for (const oldest of this.#names.keys()) if (this.#names.size > MAX_NAMES) this.#names.delete(oldest);
  }

  explain(result: Evaluated): Evaluated {
    const { error } = result;
    const message = error?.name === "ReferenceError" ? this.#whyNot(error.message) : undefined;
    return error === undefined || message === undefined ? result : { ...result, error: { ...error, message } };
  }

  explainLook(answer: InspectAnswer): InspectAnswer {
    const reason = answer.ok ? undefined : this.#whyNot(answer.reason);
    return answer.ok || reason === undefined ? answer : { ...answer, reason };
  }

  #whyNot(message: string): string | undefined {
    const name = NOT_DEFINED.exec(message)?.[1] ?? "";
    const how = this.#names.get(name);
    return how === undefined ? undefined : `${message}: it was lost ${how}`;
  }
}
