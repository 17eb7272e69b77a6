/** Names and values that went with an earlier process of the image: who asks for one hears why it is not there. */
import type { Evaluated, InspectAnswer } from "../image.ts";

export interface LostNames {
  /** A process is gone. `upTo` is the number of its last evaluation, `names` what its forms had declared. */
  readonly lose: (how: "restart" | "end", upTo: number, names: Iterable<string>) => void;
  readonly explain: (result: Evaluated) => Evaluated;
  readonly explainLook: (answer: InspectAnswer) => InspectAnswer;
}

const NOT_DEFINED = /^(?:ReferenceError: )?(\S+) is not defined$/;
const MAX_NAMES = 10_000;

export function createLostNames(): LostNames {
  const names = new Map<string, string>();
  let handles = { upTo: 0, how: "" };
  const whyNot = (message: string): string | undefined => {
    const name = NOT_DEFINED.exec(message)?.[1] ?? "";
    const number = Number(/^\$(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    const how = number <= handles.upTo ? handles.how : names.get(name);
    return how === undefined ? undefined : `${message}: it was lost ${how}`;
  };
  return {
    lose: (why, upTo, declared) => {
      const how = why === "restart" ? "in the restart of the REPL" : "when the REPL's process ended";
      handles = { upTo, how };
      for (const name of declared) names.set(name, how);
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
