/** What the compiler and the tests say of one proposal: as it is announced, and again when files around it change. */
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckTexts, ProposalChecks } from "../proposal.ts";
import { isPending, record, UNCHECKED, UNTESTED } from "../proposal-state.ts";
import type { Tracked } from "../tracked-proposal.ts";
import type { SubsetChecks } from "./subset-checks.ts";

const A_MOMENT_MS = 150;

export class Verdicts {
  readonly #tracked: Tracked;
  readonly #subsets: SubsetChecks;
  readonly #onChanged: () => void;
  #checks: ProposalChecks;

  /** Contract: `onChanged` must not throw. */
  constructor(tracked: Tracked, subsets: SubsetChecks, onChanged: () => void) {
    this.#tracked = tracked;
    this.#subsets = subsets;
    this.#onChanged = onChanged;
    this.#checks = tracked.request;
  }

  get checkTexts(): CheckTexts | undefined {
    return this.#checks.checkTexts;
  }

  /**
   * Resolves with the compiler's check in the proposal, or without it after a moment: the check then follows. Undefined where
   * nobody checks.
   */
  begin(): Promise<void> | undefined {
    const checked = this.#follow();
    if (checked === undefined) return undefined;
    return Promise.race([checked, sleep(A_MOMENT_MS, undefined, { ref: false })]).then(() => {
      if (this.#tracked.now.check.state === "running") void checked.then(() => this.#onChanged());
    });
  }

  /** Files around the proposal have changed: both are asked again. */
  askAgain(): void {
    const tracked = this.#tracked;
    if (!isPending(tracked)) return;
    const checks = this.#checks.judgeAgain?.();
    if (checks === undefined) return;
    this.#checks = { ...this.#checks, ...checks };
    this.#subsets.forget();
    if (checks.check !== undefined) record(tracked, { is: "checked", check: UNCHECKED });
    if (checks.tests !== undefined) record(tracked, { is: "tested", tests: UNTESTED });
    this.#onChanged();
    void this.#follow()?.then(() => this.#onChanged());
  }

  /**
   * Resolves once the compiler's check is noted in the proposal; undefined where nobody checks. The answer of an
   * earlier request is ignored.
   */
  #follow(): Promise<void> | undefined {
    const tracked = this.#tracked;
    const { check, tests } = this.#checks;
    void tests?.then((verdict) => {
      if (this.#checks.tests !== tests) return;
      record(tracked, { is: "tested", tests: verdict });
      this.#onChanged();
    });
    return check?.then((found) => {
      if (this.#checks.check !== check) return;
      record(tracked, { is: "checked", check: found });
      void this.#subsets.search();
    });
  }
}
