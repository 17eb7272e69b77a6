/** An MCP client as the services see it: it shows no reviews and no buffers, and is asked by elicitation where it can be. */
import type { ClientPort } from "../../services.ts";
import { ELSEWHERE } from "./approval-form.ts";

export interface Heard {
  /** Whether the client can put a form to the person. */
  readonly elicits: () => boolean;
  /** Contract: must not throw. */
  readonly notify: ClientPort["notify"];
  /** What takes its time from now on, undefined when that is over. */
  readonly onWork: (words: string | undefined) => void;
  readonly report: (message: string) => void;
}

export function createClientPort({ elicits, notify, onWork, report }: Heard): ClientPort {
  const noBuffers = async (): Promise<never> => {
    throw new Error("An MCP client has no buffers.");
  };
  return {
    name: () => "an MCP client",
    announced: () => ({ proposals: false, approvals: elicits(), buffers: false }),
    editsAs: "patch",
    whyNobody: `this client cannot ask the person: it announced no elicitation. ${ELSEWHERE}`,
    notify,
    choose: async () => undefined,
    buffers: { list: noBuffers, read: noBuffers, reload: noBuffers },
    warn: report,
    log: (level, message) => {
      if (level === "error" || level === "warning") report(message);
    },
    progress: (title) => {
      onWork(title);
      return { report: (message) => onWork(`${title}: ${message}`), end: () => onWork(undefined) };
    },
    showLong: async (title, _token, work) => {
      onWork(title);
      try {
        return await work;
      } finally {
        onWork(undefined);
      }
    },
  };
}
