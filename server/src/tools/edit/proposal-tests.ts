/** Runs the tests that a proposal may break, with the texts that the proposal, or a part of it, would give its files. */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { SubsetTexts } from "../../proposals/subset/subset.ts";
import { AgentqError, errorText, RequestOutdated } from "../../base/errors.ts";
import type { HunkDecision, TestVerdict } from "../../protocol/proposal-shapes.ts";
import type { ProjectTests } from "../../repl/testing/project-tests.ts";
import { importersOf } from "../../typescript/edits/check/importers.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { describeVerdict, unavailable, verdictOf } from "../answers/rendered/test-verdict.ts";

export type TestRunner = Pick<ProjectTests, keyof ProjectTests>;

export interface ProposalTestPorts {
  readonly typescript: TypeScriptService;
  readonly runner: TestRunner;
  /** The proposal's documents as they would be with these decisions. */
  readonly subset: (proposalId: string, hunks: readonly HunkDecision[]) => Promise<SubsetTexts>;
  readonly readDocument: (uri: string) => Promise<{ readonly text: string } | undefined>;
  readonly showUri: (uri: string) => string;
  /** Whether the tests of a proposal run without anybody asking. */
  readonly runsUnasked: boolean;
}

type Texts = SubsetTexts["texts"];

export interface SubsetRequest {
  readonly proposalId: string;
  readonly hunks: readonly HunkDecision[];
}

/** Tests that run while a person reviews. */
export interface UnaskedRun {
  /** Never rejects. */
  readonly verdict: Promise<TestVerdict>;
  readonly stop: () => void;
}

const LIMIT_MS = 120_000;
const MAX_TEST_FILES = 40;
/** Test files of a run that nobody asked for. */
const MAX_UNASKED_FILES = 10;
const MAX_IMPORTERS = 2_000;
const KEPT_VERDICTS = 32;
const NO_TESTS = "no test file imports a file of the proposal.";
const NOT_CONFINED =
  "the tests would run with full rights, and proposed text does so only when the person asks for it.";

export class ProposalTests {
  readonly #ports: ProposalTestPorts;
  readonly #latest = new Map<string, AbortController>();
  /** By the texts with which the tests ran: a review may end with exactly these. */
  readonly #verdicts = new Map<string, TestVerdict>();
  /** Runs that nobody asked for take turns. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ports: ProposalTestPorts) {
    this.#ports = ports;
  }

  /** A newer request about the same proposal ends this one with `RequestOutdated`. */
  async run({ proposalId, hunks }: SubsetRequest, signal: AbortSignal): Promise<TestVerdict> {
    this.#latest.get(proposalId)?.abort(new RequestOutdated("A newer agentq/testSubset asks about this proposal."));
    const outdated = new AbortController();
    this.#latest.set(proposalId, outdated);
    try {
      const { texts, conflicts } = await this.#ports.subset(proposalId, hunks);
      const verdict = await this.#test(texts, MAX_TEST_FILES, AbortSignal.any([signal, outdated.signal]));
      return conflicts.length === 0 ? verdict : { ...verdict, reason: withoutHunks(conflicts, verdict.reason) };
    } finally {
      if (this.#latest.get(proposalId) === outdated) this.#latest.delete(proposalId);
    }
  }

  /** The review of the proposal is over: nobody waits for tests that were asked for. */
  end(proposalId: string): void {
    this.#latest.get(proposalId)?.abort(new AgentqError("alreadyDecided", `Proposal ${proposalId} is decided by now.`));
  }

  /** Begins the tests of everything that is proposed, where the settings say so. */
  begin(texts: Texts, signal: AbortSignal): UnaskedRun | undefined {
    if (!this.#ports.runsUnasked) return undefined;
    const decided = new AbortController();
    const until = AbortSignal.any([signal, decided.signal]);
    const test = async (): Promise<TestVerdict> => {
      until.throwIfAborted();
      if (!(await this.#ports.runner.isConfined())) return unavailable(NOT_CONFINED);
      return this.#test(texts, MAX_UNASKED_FILES, until);
    };
    const verdict = this.#queue.then(test).catch((error: unknown) => unavailable(errorText(error)));
    this.#queue = verdict;
    return { verdict, stop: () => decided.abort(new Error("the proposal was decided before the tests ended.")) };
  }

  /** For the model, which tests ran on the text that the documents hold now; nothing where none did. */
  async afterReview(uris: readonly string[]): Promise<string[]> {
    if (this.#verdicts.size === 0) return [];
    const verdict = this.#verdicts.get(keyOf(await this.#textsNow(uris)));
    if (verdict === undefined) return [];
    const [head = "", ...rest] = describeVerdict(verdict, this.#ports.showUri);
    return [`Tests, run with this text before it was accepted: ${head}`, ...rest];
  }

  /** For the model, which tests ran on text that is not applied yet. */
  wordsOf(verdict: TestVerdict | undefined): string[] {
    if (verdict === undefined) return [];
    const [head = "", ...rest] = describeVerdict(verdict, this.#ports.showUri);
    return [`Tests, run with the patch applied: ${head}`, ...rest];
  }

  async #test(texts: Texts, limit: number, signal: AbortSignal): Promise<TestVerdict> {
    const { typescript, runner } = this.#ports;
    const laid = new Map([...texts].map(([uri, text]) => [fileURLToPath(uri), text]));
    const files = [...laid.keys()];
    const importers = await typescript.query((view) => importersOf(view, files, MAX_IMPORTERS), signal);
    const related = await runner.testFilesAmong([...new Set([...files, ...importers])], laid);
    signal.throwIfAborted();
    if (related.length === 0) return unavailable(NO_TESTS);
    const chosen = related.slice(0, limit);
    const runs = await runner.run({ files: chosen, texts: laid, timeoutMs: LIMIT_MS }, signal);
    signal.throwIfAborted();
    if (typeof runs === "string") return unavailable(runs);
    const verdict = verdictOf(runs, related.length - chosen.length);
    if (verdict.state === "done") this.#keep(keyOf(texts), verdict);
    return verdict;
  }

  async #textsNow(uris: readonly string[]): Promise<Texts> {
    const { readDocument } = this.#ports;
    const read = async (uri: string): Promise<string | null> =>
      readDocument(uri).then(
        (document) => document?.text ?? null,
        () => null,
      );
    return new Map(await Promise.all(uris.map(async (uri) => [uri, await read(uri)] as const)));
  }

  #keep(key: string, verdict: TestVerdict): void {
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > KEPT_VERDICTS && oldest !== undefined) this.#verdicts.delete(oldest);
  }
}

function withoutHunks(conflicts: readonly string[], reason: string | undefined): string {
  const named = `Without ${conflicts.length === 1 ? "hunk" : "hunks"} ${conflicts.join(", ")}: the documents changed there.`;
  return reason === undefined ? named : `${named} ${reason}`;
}

function keyOf(texts: Texts): string {
  const sorted = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
