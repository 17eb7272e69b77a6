/** The calls that the person approved for more than once: the same tool with exactly the same arguments. */
import { createHash, randomUUID } from "node:crypto";
import type { RememberedCall } from "../../protocol/tool-shapes.ts";
import { errorText } from "../../base/errors.ts";
import { canonicalText } from "../canonical.ts";

/** Keeps calls by a key that is made of the tool and its arguments. Contract: may throw. */
export interface RememberedKeeper {
  readonly has: (key: string) => boolean;
  readonly get: (key: string) => Omit<RememberedCall, "scope" | "sessionId"> | undefined;
  readonly add: (key: string, call: Omit<RememberedCall, "scope" | "sessionId">) => void;
  readonly list: () => readonly Omit<RememberedCall, "scope" | "sessionId">[];
  /** How many were forgotten: the one with that id, or all. */
  readonly forget: (id?: string) => number;
}

interface RememberedPorts {
  /** Takes keys out of arguments that are kept to be shown. Contract: never throws. */
  readonly redact?: (args: RememberedCall["arguments"]) => RememberedCall["arguments"];
  /** Tells the person why something was not kept or not looked up. */
  readonly onFailure?: (message: string) => void;
}

export interface Approved {
  readonly sessionId?: string;
  readonly tool: string;
  readonly arguments: RememberedCall["arguments"];
}

export class RememberedCalls {
  readonly #ports: RememberedPorts;
  readonly #ofSessions = new Map<string, RememberedCall>();
  /** As long as there is no other place, this memory, which ends with the server. */
  #workspace: RememberedKeeper = keeperInMemory();

  constructor(ports: RememberedPorts = {}) {
    this.#ports = ports;
  }

  /** From now on what is remembered for the workspace outlives the server. */
  keepIn(keeper: RememberedKeeper): void {
    this.#workspace = keeper;
  }

  /** For how long the same call was approved; undefined when it was not, and when nobody can say. */
  scopeOf({ sessionId, tool, arguments: args }: Approved): RememberedCall["scope"] | undefined {
    if (sessionId !== undefined && this.#ofSessions.has(keyOf([sessionId, tool, args]))) return "session";
    return this.#safely(() => this.#workspace.has(keyOf([tool, args]))) === true ? "workspace" : undefined;
  }

  /** What the workspace remembers of the call; undefined when it remembers nothing, and when nobody can say. */
  inWorkspace({ tool, arguments: args }: Approved): Omit<RememberedCall, "scope" | "sessionId"> | undefined {
    return this.#safely(() => this.#workspace.get(keyOf([tool, args])));
  }

  /** `listed` is what the person reads of it later, where that is more than the arguments. */
  remember(
    scope: RememberedCall["scope"],
    { sessionId, tool, arguments: args }: Approved,
    listed: RememberedCall["arguments"] = args,
  ): void {
    const shown = this.#ports.redact?.(listed) ?? listed;
    const call = { id: randomUUID(), at: new Date().toISOString(), tool, arguments: shown };
    if (scope === "workspace") this.#safely(() => this.#workspace.add(keyOf([tool, args]), call));
    else if (sessionId !== undefined)
      this.#ofSessions.set(keyOf([sessionId, tool, args]), { ...call, scope, sessionId });
  }

  /** Oldest first. */
  list(): RememberedCall[] {
    const kept = this.#safely(() => this.#workspace.list()) ?? [];
    return [...kept.map((call) => ({ ...call, scope: "workspace" as const })), ...this.#ofSessions.values()].toSorted(
      (a, b) => (a.at < b.at ? -1 : 1),
    );
  }

  /** How many were forgotten: the one with that id, or all. Throws where the workspace's cannot be forgotten. */
  forget(id?: string): number {
    const keys = [...this.#ofSessions].filter(([, call]) => id === undefined || call.id === id).map(([key]) => key);
    for (const key of keys) this.#ofSessions.delete(key);
    return keys.length + this.#workspace.forget(id);
  }

  #safely<Value>(use: () => Value): Value | undefined {
    try {
      return use();
    } catch (error) {
      this.#ports.onFailure?.(`What you approved for this project cannot be looked up or kept: ${errorText(error)}`);
      return undefined;
    }
  }
}

/** A hash, so that no secret of an argument is kept. */
function keyOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(canonicalText(parts)).digest("hex");
}

function keeperInMemory(): RememberedKeeper {
  const calls = new Map<string, Omit<RememberedCall, "scope" | "sessionId">>();
  return {
    has: (key) => calls.has(key),
    get: (key) => calls.get(key),
    add: (key, call) => void calls.set(key, call),
    list: () => [...calls.values()],
    forget: (id) => {
      const keys = [...calls].filter(([, call]) => id === undefined || call.id === id).map(([key]) => key);
      for (const key of keys) calls.delete(key);
      return keys.length;
    },
  };
}
