/** The person's consent to full rights for a REPL or for tests: asked for once while a server runs, and remembered. */
import { aborted } from "../../../base/abort.ts";
import type { ReplStatus } from "../../../protocol/repl-shapes.ts";

/** The outcome of a question. `nobody`: nobody could answer, for the given reason. */
export type ConsentAnswer =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message?: string }
  | { readonly kind: "nobody"; readonly reason: string };

/**
 * Contract: shows the question until it is answered or `signal` takes it back. Settles soon after that; never rejects.
 */
export type AskConsent = (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;

export interface ConsentQuestion {
  /** The tool that a client names when it shows the approval. */
  readonly tool: "open_repl" | "run_tests";
  readonly text: string;
  /** The reason for the question. */
  readonly why: string;
  readonly risk: string;
  readonly yes: string;
  readonly no: string;
}

/** The texts of the question, and the sentence for a missing consent. */
export interface Asked extends Omit<ConsentQuestion, "why"> {
  readonly refused: string;
  /** When the person is asked once more, after a No. */
  readonly again: string;
  /** How the consent can be given without a question, where it can. */
  readonly beforehand?: string;
}

const MAY =
  "may then write any file, start programs and use the network, as you can. It holds until the server ends; the agent's";

const AGAIN = "When the person restarts the REPL, they are asked again.";
const UNASKED = '"openWithoutAsking" as repl.confinement in the settings of the editor gives the consent beforehand';

export const OPEN_REPL: Asked = {
  tool: "open_repl",
  text: "Run the REPL open, with all of your rights?",
  risk: `Code of yours and of the agent ${MAY} evaluations that may have effects still ask one by one.`,
  yes: "Run open",
  no: "No",
  refused: "The REPL does not run.",
  again: AGAIN,
  beforehand: UNASKED,
};

export const UNWALLED_TESTS: Asked = {
  tool: "run_tests",
  text: "Run tests without a wall, with all of your rights?",
  risk: `Tests, the code that they test and edits that nobody has accepted ${MAY} runs of tests still ask one by one.`,
  yes: "Run tests",
  no: "No",
  refused: "No test runs.",
  again: AGAIN,
  beforehand: UNASKED,
};

interface Question {
  readonly settled: Promise<void>;
  readonly takeBack: AbortController;
  waiters: number;
}

export interface OpenConsentParts {
  readonly asked: Asked;
  /** The person's settings already give the consent. */
  readonly isGiven: boolean;
  readonly ask: AskConsent;
  readonly onState: () => void;
}

export class OpenConsent {
  readonly #asked: Asked;
  readonly #ask: AskConsent;
  readonly #onState: () => void;
  #answer: ConsentAnswer | undefined;
  #question: Question | undefined;
  #reason = "";

  constructor({ asked, isGiven, ask, onState }: OpenConsentParts) {
    this.#asked = asked;
    this.#ask = ask;
    this.#onState = onState;
    this.#answer = isGiven ? { kind: "yes" } : undefined;
  }

  state(): NonNullable<ReplStatus["consent"]> {
    if (this.#answer !== undefined) return this.#answer.kind === "yes" ? "given" : "refused";
    return this.#question === undefined ? "needed" : "asked";
  }

  /**
   * Undefined when the person agrees, else a sentence that tells what to do. Asks if nobody was asked yet. Several
   * callers wait for one question, which is taken back when none of them waits any more. `why` completes the question.
   */
  async obtain(why: string, signal: AbortSignal, onWaiting?: () => void): Promise<string | undefined> {
    if (this.#answer !== undefined || signal.aborted) return this.refusal();
    this.#reason = `${why} `;
    if (this.#question === undefined) {
      this.#question = this.#begin(why);
      this.#onState();
    }
    const mine = this.#question;
    mine.waiters += 1;
    onWaiting?.();
    await Promise.race([mine.settled, aborted(signal)]);
    mine.waiters -= 1;
    if (mine.waiters === 0 && this.#question === mine) {
      this.#question = undefined;
      mine.takeBack.abort();
      this.#onState();
    }
    return this.refusal();
  }

  /** The sentence for a caller that wants to start the process now; undefined when consent was given. */
  refusal(): string | undefined {
    const answer = this.#answer;
    if (answer?.kind === "yes") return undefined;
    const needed = `${this.#asked.refused} ${this.#reason}Full rights need the consent of the person, `;
    if (answer === undefined) return `${needed}who was not asked yet or has not answered.`;
    const { again, beforehand } = this.#asked;
    if (answer.kind === "nobody") {
      return `${needed}and ${answer.reason}.${beforehand === undefined ? "" : ` ${beforehand}.`}`;
    }
    const words = answer.message === undefined ? "" : ` (“${answer.message}”)`;
    return `${needed}who answered No${words}. ${again}`;
  }

  /** Forgets a refusal, so that the next caller asks again. */
  askAgain(): void {
    if (this.#answer?.kind !== "yes") this.#answer = undefined;
  }

  #begin(why: string): Question {
    const takeBack = new AbortController();
    const { refused: _, again: _again, beforehand: _beforehand, ...words } = this.#asked;
    const question: Question = {
      takeBack,
      waiters: 0,
      settled: this.#ask({ ...words, why }, takeBack.signal).then((answer) => {
        if (this.#question !== question) return;
        this.#question = undefined;
        this.#answer = answer;
        this.#onState();
      }),
    };
    return question;
  }
}
