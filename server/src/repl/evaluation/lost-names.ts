/** Names and values that went with an earlier process of the image: who asks for one hears why it is not there. */
import type { Evaluated, InspectAnswer } from "../image.ts";

export interface LostNames {
  /** The present process keeps this value by this name. */
  readonly kept: (handle: string) => void;
  /** The process is gone; `declared` are the names that its forms had. */
  readonly lose: (how: "restart" | "end", declared: Iterable<string>) => void;
  readonly explain: (result: Evaluated) => Evaluated;
  readonly explainLook: (answer: InspectAnswer) => InspectAnswer;
}

const NOT_DEFINED = /^(?:ReferenceError: )?(\S+) is not defined$/;
const MAX_NAMES = 10_000;

export function createLostNames(): LostNames {
  const names = new Map<string, string>();
  let handles: string[] = [];
  const whyNot = (message: string): string | undefined => {
    const name = NOT_DEFINED.exec(message)?.[1] ?? "";
    const how = names.get(name);
    return how === undefined ? undefined : `${message}: it was lost ${how}`;
  };
  return {
    kept: (handle) => void handles.push(handle),
    lose: (why, declared) => {
      const how = why === "restart" ? "in the restart of the REPL" : "when the REPL's process ended";
      for (const name of [...handles, ...declared]) names.set(name, how);
      handles = [];
      for (const oldest of names.keys()) if (names.size > MAX_NAMES) names.delete(oldest);
    },
    explain: (result) => {
      const { error } = result;
      const message = error?.name === "ReferenceError" ? whyNot(error.message) : undefined;
      return error === undefined || message === undefined ? result : { ...result, error: { ...error, message } };
    },
    explainLook: (answer) => {
      const reason = answer.ok ? undefined : whyNot(answer.reason);
      return answer.ok || reason === undefined ? answer : { ...answer, reason };
    },
  };
}
