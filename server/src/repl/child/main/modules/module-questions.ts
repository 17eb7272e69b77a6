/** The main thread's questions to the server about modules. The main thread waits for each answer. */
import { captured } from "../../shared/captured.ts";
import type { BridgeAnswer, BridgeNeed } from "../../wire/wire.ts";
import type { Bridge } from "../bridge.ts";

const DEEP_STACK = 40;
/** An assignment would throw when user code froze the object. */
const setProperty = Reflect.set;

export class ModuleQuestions {
  readonly #bridge: Bridge;
  readonly #requireCache: NodeJS.Dict<NodeModule>;

  constructor(bridge: Bridge, requireCache: NodeJS.Dict<NodeModule>) {
    this.#bridge = bridge;
    this.#requireCache = requireCache;
  }

  /** Throws the server's error when the specifier leads nowhere. */
  resolve(specifier: string, parent: string, conditions: readonly string[]): BridgeAnswer {
    const answer = this.#bridge.ask({ op: "resolve", specifier, parent, conditions });
    throwIfFailed(answer);
    for (const path of answer.forget ?? []) delete this.#requireCache[path];
    return answer;
  }

  /** Throws the error of the module's text. */
  load(need: Omit<Extract<BridgeNeed, { op: "load" }>, "op">): BridgeAnswer {
    const answer = this.#bridge.ask({ op: "load", ...need });
    throwIfFailed(answer);
    return answer;
  }

  /** Whether the name is that of a type, which does not exist at run time. */
  isType(name: string): boolean {
    return this.#bridge.ask({ op: "isType", name }).yes === true;
  }

  /** Only a report: `urls` threw while they ran, `unbegun` were not begun. */
  threw(urls: readonly string[], unbegun: readonly string[]): void {
    this.#bridge.ask({ op: "threw", urls, unbegun });
  }
}

function throwIfFailed(answer: BridgeAnswer): void {
  if (answer.error === undefined) return;
  // The frames of Node's `require` alone are more than the usual ten, so the place in the form would be cut off.
  const limit = captured.Error.stackTraceLimit;
  setProperty(captured.Error, "stackTraceLimit", DEEP_STACK);
  const error = new captured.Error(answer.error.message) as Error & { code?: string };
  setProperty(captured.Error, "stackTraceLimit", limit);
  error.name = answer.error.name;
  if (answer.error.code !== undefined) error.code = answer.error.code;
  throw error;
}
