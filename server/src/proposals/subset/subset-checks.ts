/** Asks the compiler about parts of one proposal while the person decides: for the person, and for what hunks require. */
import { untilAborted } from "../../base/abort.ts";
import { AgentqError, RequestOutdated } from "../../base/errors.ts";
import type { Check, HunkDecision } from "../../protocol/proposal-shapes.ts";
import type { DocumentText } from "../../workspace/documents.ts";
import { checkDecisions } from "../apply/decisions.ts";
import { withoutProposal } from "../apply/without-proposal.ts";
import { raise } from "../hunk-state.ts";
import type { CheckTexts, TrackedHunk } from "../proposal.ts";
import { isPending } from "../proposal-state.ts";
import { findRequired, MAX_HUNKS } from "./required-hunks.ts";
import { chosenHunks, composeSubset } from "./subset.ts";
import type { Tracked } from "../tracked-proposal.ts";

/**
 * Contract: `read` answers the documents of the proposal as they are when the returned function is called. `checkTexts` is
 * undefined where nobody checks.
 */
export interface SubsetPorts {
  readonly checkTexts: () => CheckTexts | undefined;
  readonly read: () => Promise<(uri: string) => DocumentText | undefined>;
  readonly onRequired: () => void;
}

const REQUIRED_LIMIT_MS = 15_000;

export class SubsetChecks {
  readonly #tracked: Tracked;
  readonly #ports: SubsetPorts;
  /** The person's last question, and the search for what the hunks require. */
  #asked: AbortController | undefined;
  #search: AbortController | undefined;
  /** Settles with the person's last question: the search asks nothing meanwhile. */
  #answering: Promise<unknown> = Promise.resolve();

  constructor(tracked: Tracked, ports: SubsetPorts) {
    this.#tracked = tracked;
    this.#ports = ports;
  }

  /**
   * The check of the documents as they are now with exactly the accepted hunks in them. A newer question ends this one
   * with `RequestOutdated`, the end of the review with `alreadyDecided`.
   */
  async check(decisions: readonly HunkDecision[], signal: AbortSignal): Promise<Check> {
    const chosen = chosenHunks(checkDecisions(this.#tracked, decisions));
    this.#asked?.abort(new RequestOutdated("A newer agentq/checkSubset asks about this proposal."));
    const outdated = new AbortController();
    this.#asked = outdated;
    const until = AbortSignal.any([signal, outdated.signal]);
    const answer = untilAborted(this.#checkChosen(chosen, until), until);
    this.#answering = answer.catch(() => undefined);
    return answer;
  }

  /** Looks in the background for hunks that require others, until the first decision. Never rejects. */
  async search(): Promise<void> {
    const tracked = this.#tracked;
    if (this.#ports.checkTexts() === undefined || !isPending(tracked)) return;
    if (!tracked.hunks.every(({ now }) => now.is === "pending")) return;
    const decided = new AbortController();
    this.#search = decided;
    const until = AbortSignal.any([decided.signal, AbortSignal.timeout(REQUIRED_LIMIT_MS)]);
    const requires = new Map<string, readonly string[]>();
    const check = async (ids: readonly string[]): Promise<Check> => {
      await this.#answering;
      until.throwIfAborted();
      const chosen = tracked.hunks.filter(({ id }) => ids.includes(id));
      const found = await untilAborted(this.#checkChosen(chosen, until), until);
      if (found.state !== "done" || found.reason !== undefined) throw new Error(found.reason ?? found.state);
      return found;
    };
    const ids = tracked.hunks.map(({ id }) => id);
    await this.#lookAhead(ids, check);
    // What was found before the time was over, or before the compiler gave up, is true.
    await findRequired(ids, tracked.now.check, check, (id, others) => requires.set(id, others)).catch(() => undefined);
    if (decided.signal.aborted || requires.size === 0) return;
    for (const hunk of tracked.hunks) {
      const others = requires.get(hunk.id);
      if (others !== undefined) raise(hunk, { is: "required", requires: others });
    }
    this.#ports.onRequired();
  }

  /** What rejecting each hunk means, which the person is going to ask: `checkTexts` remembers its answers. */
  async #lookAhead(ids: readonly string[], check: (ids: readonly string[]) => Promise<Check>): Promise<void> {
    if (ids.length > MAX_HUNKS) return;
    try {
      for (const id of ids) await check(ids.filter((other) => other !== id));
    } catch {
      // The search ends for the same reason.
    }
  }

  /** What hunks require may have changed with files around them. */
  forget(): void {
    this.#search?.abort();
    for (const hunk of this.#tracked.hunks) raise(hunk, { is: "required", requires: undefined });
  }

  /** A decision was taken: single hunks are no longer what they were. */
  decided(): void {
    this.#search?.abort();
  }

  /** The review is over. */
  end(): void {
    this.decided();
    this.#asked?.abort(new AgentqError("alreadyDecided", `Proposal ${this.#tracked.id} is decided by now.`));
  }

  async #checkChosen(chosen: readonly TrackedHunk[], signal: AbortSignal): Promise<Check> {
    const { request, documents } = this.#tracked;
    const checkTexts = this.#ports.checkTexts();
    if (checkTexts === undefined)
      return { state: "unavailable", introduced: [], resolved: [], reason: "nobody checks this proposal." };
    const textOf = await this.#ports.read();
    const { texts, conflicts } = composeSubset(documents, chosen, (uri) => textOf(uri) ?? null);
    const without = documents.flatMap((document, index) => {
      const made = request.documents[index]?.base?.text;
      return withoutProposal(document, made, textOf(document.at.uri)?.text) ?? [];
    });
    const check = await checkTexts({ texts, without }, signal);
    if (conflicts.length === 0 || check.state !== "done") return check;
    const left = conflicts.length === 1 ? `hunk ${conflicts[0]}` : `hunks ${conflicts.join(", ")}`;
    return {
      ...check,
      reason: `Without ${left}: the documents changed at ${conflicts.length === 1 ? "its place" : "their places"}.`,
    };
  }
}
