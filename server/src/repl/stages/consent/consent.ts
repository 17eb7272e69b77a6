/**
 * Asks for the person's consent before every evaluation: no process with full rights starts before the person agrees.
 * An evaluation that waits for the answer has no number yet, and is not in the history.
 */
import type { ReplStatus } from "../../../protocol/repl-shapes.ts";
import type { LateWall } from "../../confinement/image-wall.ts";
import { whyNot } from "../../confinement/level.ts";
import { canConfine, NEEDED } from "../../confinement/limited/limited.ts";
import type { Confinement } from "../../image.ts";
import type { Stage } from "../stage.ts";
import { OpenConsent, OPEN_REPL, UNWALLED_TESTS, type AskConsent, type Asked } from "./open-consent.ts";

export type Admission = { readonly confinement: Confinement } | { readonly refusal: string };

export interface ConsentOptions {
  /** The person's setting. A Node that cannot confine runs open, or not at all. */
  readonly wanted: Confinement;
  /** The operating system's wall holds the image for any version of Node. */
  readonly wall: LateWall;
  /** The person's settings already give the consent. */
  readonly isGiven: boolean;
  readonly ask: AskConsent;
  /** Asked in the place of the question about the REPL, once more with each form of the person's own after a No. */
  readonly program?: { readonly asked: Asked; readonly why: () => string };
}

interface ConsentParts extends ConsentOptions {
  /** The version of the Node that runs the image; undefined when there is no Node. */
  readonly nodeVersion: () => Promise<string | undefined>;
  readonly onState: () => void;
}

const DETAILS = {
  needed: "a question comes before it starts.",
  asked: "it waits for the answer whether it may.",
  refused: "it was not allowed. Restarting the REPL asks again.",
} as const;

export class Consent implements Stage {
  readonly #question: OpenConsent;
  readonly #tests: OpenConsent;
  readonly #nodeVersion: ConsentParts["nodeVersion"];
  readonly #program: ConsentOptions["program"];
  readonly #wall: LateWall;
  /** Evaluations that wait for the person's answer. */
  readonly #waiting = new Set<AbortController>();
  #isOpen: boolean;
  /** The facts about the image's Node, and the consent, hold until the server ends. */
  #admitted: Admission | undefined;

  constructor({ wanted, wall, isGiven, ask, nodeVersion, onState, program }: ConsentParts) {
    this.#wall = wall;
    this.#question = new OpenConsent({ asked: program?.asked ?? OPEN_REPL, isGiven, ask, onState });
    this.#tests = new OpenConsent({ asked: UNWALLED_TESTS, isGiven, ask, onState: () => undefined });
    this.#nodeVersion = nodeVersion;
    this.#isOpen = wanted === "open";
    this.#program = program;
  }

  async admit(signal: AbortSignal): Promise<AbortSignal> {
    if (this.#admitted !== undefined) return signal;
    const stop = new AbortController();
    this.#waiting.add(stop);
    await this.mayRun(AbortSignal.any([signal, stop.signal]));
    this.#waiting.delete(stop);
    return stop.signal.aborted ? stop.signal : signal;
  }

  /**
   * Answers how the image's process may run. Asks the person where the image cannot or shall not be confined, and calls
   * `onWaiting` when it waits for the person.
   */
  async mayRun(signal: AbortSignal, onWaiting?: () => void): Promise<Admission> {
    if (this.#admitted !== undefined) return this.#admitted;
    const admission = await this.#obtain(signal, onWaiting);
    if (!("refusal" in admission)) this.#admitted = admission;
    return admission;
  }

  /**
   * The reason why tests may not run with full rights; undefined when the person has agreed to that, or to a REPL with
   * the same rights. `why` is the reason why there is no wall.
   */
  async whyNotTest(why: string, signal: AbortSignal, onWaiting?: () => void): Promise<string | undefined> {
    if (!this.#isOpen) return this.#tests.obtain(why, signal, onWaiting);
    const admission = await this.mayRun(signal, onWaiting);
    return "refusal" in admission ? admission.refusal : undefined;
  }

  /** Stops the evaluations that wait for the answer; false when none waits. */
  stopWaiting(): boolean {
    const stopped = [...this.#waiting];
    for (const stop of stopped) stop.abort();
    return stopped.length > 0;
  }

  /** Questions that the person answered with No are asked again. */
  askAgain(): void {
    this.#question.askAgain();
    this.#tests.askAgain();
  }

  /** The person evaluates a form of their own: in a program of theirs, a No of before is over. */
  byPerson(): void {
    if (this.#program !== undefined) this.#question.askAgain();
  }

  confinement(): Confinement {
    return this.#isOpen ? "open" : "confined";
  }

  /** The reason why no process may start now. */
  whyNotStart(): string | undefined {
    return this.#isOpen || this.#question.state() === "refused" ? this.#question.refusal() : undefined;
  }

  /** Works also before there is a process. */
  seen(status: ReplStatus): ReplStatus {
    const cannot = /^v/.test(status.nodeVersion) && !this.#canConfine(status.nodeVersion);
    if (!this.#isOpen && !cannot) return status;
    const state = this.#question.state();
    if (state === "given") return { ...status, consent: state };
    if (this.#program !== undefined) return { ...status, consent: state };
    const chosen = this.#isOpen ? "It is set to run open, with full rights" : cannotConfine(status.nodeVersion);
    return { ...status, consent: state, confinementDetail: `Not running. ${chosen}: ${DETAILS[state]}` };
  }

  #canConfine(nodeVersion: string): boolean {
    return this.#wall.peek()?.kind === "walled" || canConfine(nodeVersion);
  }

  async #obtain(signal: AbortSignal, onWaiting?: () => void): Promise<Admission> {
    let why = this.#program?.why() ?? 'The setting repl.confinement is "open".';
    if (!this.#isOpen) {
      const [version] = await Promise.all([this.#nodeVersion(), this.#wall()]);
      // Without a Node that can run the image there is nothing to ask: the start itself reports that.
      if (version === undefined || this.#canConfine(version) || whyNot(version, "open") !== undefined)
        return { confinement: "confined" };
      why = `${cannotConfine(version)}; Node ${NEEDED} or later can.`;
    }
    const refusal = await this.#question.obtain(why, signal, onWaiting);
    if (refusal !== undefined) return { refusal };
    this.#isOpen = true;
    return { confinement: "open" };
  }
}

function cannotConfine(nodeVersion: string): string {
  return `Node ${nodeVersion} cannot confine the REPL`;
}
