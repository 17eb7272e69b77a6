/** The person's consent to a REPL with full rights: asked for once in the life of a server, and remembered. */
import type { ReplStatus } from "../../../protocol/repl-shapes.ts";

/** What became of a question. `nobody`: it could not be answered, and why. */
export type ConsentAnswer =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message?: string }
  | { readonly kind: "nobody"; readonly reason: string };

/** Contract: shows the question until it is answered or `signal` takes it back. Settles soon after; never rejects. */
export type AskConsent = (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;

export interface ConsentQuestion {
  readonly text: string;
  /** Why it is asked. */
  readonly why: string;
  readonly risk: string;
  readonly yes: string;
  readonly no: string;
}

export interface OpenConsent {
  readonly state: () => NonNullable<ReplStatus["consent"]>;
  /**
   * Undefined when the person agrees, else a sentence that says what to do. Asks where nobody was asked yet; several
   * callers wait for one question, and when none of them waits any more it is taken back. `why` completes the question.
   */
  readonly obtain: (why: string, signal: AbortSignal, onWaiting?: () => void) => Promise<string | undefined>;
  /** The sentence for who wants to start it now; undefined when consent was given. */
  readonly refusal: () => string | undefined;
  /** Forgets a refusal: the next caller asks again. */
  readonly askAgain: () => void;
}

const RISK = "Code of yours and of the agent may then write any file, start programs and use the network, as you can.";
const UNASKED = '"openWithoutAsking" as repl.confinement in the settings of the editor gives the consent beforehand';

interface Question {
  readonly settled: Promise<void>;
  readonly takeBack: AbortController;
  waiters: number;
}

export function createOpenConsent(parts: {
  /** The person's own settings give it. */
  readonly isGiven: boolean;
  readonly ask: AskConsent;
  readonly onState: () => void;
}): OpenConsent {
  let answer: ConsentAnswer | undefined = parts.isGiven ? { kind: "yes" } : undefined;
  let question: Question | undefined;
  let reason = "";

  const state: OpenConsent["state"] = () => {
    if (answer !== undefined) return answer.kind === "yes" ? "given" : "refused";
    return question === undefined ? "needed" : "asked";
  };

  const refusal = (): string | undefined => {
    if (answer?.kind === "yes") return undefined;
    const needed = `The REPL does not run. ${reason}Full rights need the consent of the person, `;
    if (answer === undefined) return `${needed}who was not asked yet or has not answered.`;
    if (answer.kind === "nobody") return `${needed}and ${answer.reason}. ${UNASKED}.`;
    const words = answer.message === undefined ? "" : ` (“${answer.message}”)`;
    return `${needed}who answered No${words}. When the person restarts the REPL, they are asked again.`;
  };

  const begin = (why: string): Question => {
    const takeBack = new AbortController();
    const text = "Run the REPL open, with all of your rights?";
    const risk = `${RISK} It holds until the server ends; the agent's evaluations that may have effects still ask one by one.`;
    const asked: Question = {
      takeBack,
      waiters: 0,
      settled: parts.ask({ text, why, risk, yes: "Run open", no: "No" }, takeBack.signal).then((given) => {
        if (question !== asked) return;
        question = undefined;
        answer = given;
        parts.onState();
      }),
    };
    return asked;
  };

  return {
    state,
    refusal,
    obtain: async (why, signal, onWaiting) => {
      if (answer !== undefined || signal.aborted) return refusal();
      reason = `${why} `;
      if (question === undefined) {
        question = begin(why);
        parts.onState();
      }
      const mine = question;
      mine.waiters += 1;
      onWaiting?.();
      await Promise.race([mine.settled, aborted(signal)]);
      mine.waiters -= 1;
      if (mine.waiters === 0 && question === mine) {
        question = undefined;
        mine.takeBack.abort();
        parts.onState();
      }
      return refusal();
    },
    askAgain: () => {
      if (answer?.kind === "yes") return;
      answer = undefined;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
