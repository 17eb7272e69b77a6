/** A tool that proposes: nothing changes before the person accepts it, and the answer tells what was kept. */
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { ProposalChecks, ProposalOutcome, ProposeRequest, ProposedDocument } from "../../proposals/proposal.ts";
import { planChanges } from "../../proposals/texts/planned-changes.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { hasOtherName } from "../../workspace/file-names.ts";
import { fileOfUri } from "../../workspace/file-uri.ts";
import type { DocumentText } from "../../workspace/documents.ts";
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import type { SeenTexts } from "../seen-texts.ts";
import { EditCheck } from "./compiler-check.ts";
import type { ProposalTests } from "./proposal-tests.ts";
import { given } from "../../base/given.ts";
import { defineTool, type Tool, type ToolContext, type ToolDefinition } from "../tool.ts";

/** Contract: `readDocument` answers the open buffer's text before the disk's, undefined when neither exists. */
export interface EditPorts {
  readonly resolvePath: (path: string) => PathResolution;
  readonly readDocument: (uri: string) => Promise<DocumentText | undefined>;
  readonly propose: (request: ProposeRequest, signal: AbortSignal) => Promise<ProposalOutcome>;
  readonly typescript: TypeScriptService;
  readonly seen: SeenTexts;
  readonly tests?: Pick<ProposalTests, "begin" | "afterReview" | "wordsOf">;
  /** Why a rule of the person's forbids to change a file, also for a call that only tries it. By the path from its folder. */
  readonly whyNotChanged: (path: string) => string | undefined;
  /** Why nobody can review a proposal here, or undefined when somebody can. */
  readonly unavailable: () => string | undefined;
  /** Tells the loop that the person wants the turn to end. */
  readonly onStopRequested: (context: ToolContext) => void;
}

export type EditDefinition<Schema extends JsonSchema> = Pick<
  ToolDefinition<Schema>,
  "name" | "description" | "input" | "told" | "run" | "filesOf"
> & {
  /**
   * For a tool that also answers without proposing anything: such a tool asks by itself whether somebody can review.
   */
  readonly isAlsoAnswering?: boolean;
};

export function defineEdit<const Schema extends JsonSchema>(
  { unavailable }: Pick<EditPorts, "unavailable">,
  { isAlsoAnswering = false, ...rest }: EditDefinition<Schema>,
): Tool {
  return defineTool({
    ...rest,
    safety: "dangerous",
    categories: ["edit", "diff"],
    // A review takes as long as the person likes, and is the approval.
    timeoutMs: null,
    asksItself: true,
    ...(isAlsoAnswering ? {} : { unavailable }),
  });
}

export interface Proposal {
  readonly title: string;
  readonly why: string;
  readonly documents: readonly ProposedDocument[];
  /** Other files that the proposal may break. */
  readonly related?: readonly string[];
}

export interface Reviewed {
  readonly outcome: ProposalOutcome;
  /** What the compiler says about the applied text, and what tests said of it before. */
  readonly checked: readonly string[];
}

/** Waits for the person. Call it outside of a query: a review takes minutes. */
export async function propose(ports: EditPorts, context: ToolContext, proposal: Proposal): Promise<Reviewed> {
  const { related = [], ...rest } = proposal;
  const { signal, stopped = signal, onWaiting } = context;
  await planChanges(proposal.documents);
  signal.throwIfAborted();
  const judge = () => ({
    check: new EditCheck({ typescript: ports.typescript, documents: proposal.documents, related }, signal),
    tests: ports.tests?.begin(proposedTexts(proposal.documents), signal),
  });
  let judges = judge();
  const checks = (): ProposalChecks => ({
    check: judges.check.proposed,
    checkTexts: (texts, until) => judges.check.texts(texts, until),
    ...given({ tests: judges.tests?.verdict }),
    judgeAgain: () => {
      judges.check.end();
      judges.tests?.stop();
      judges = judge();
      return checks();
    },
  });
  const why = [proposal.why, ...(await otherNames(proposal.documents))].join(" ");
  const about = { toolCallId: context.callId, ...given({ sessionId: context.sessionId, onWaiting }) };
  const request = { ...rest, why, ...about, ...checks() };
  const outcome = await ports.propose(request, AbortSignal.any([signal, stopped]));
  judges.tests?.stop();
  if (outcome.then === "stop") ports.onStopRequested(context);
  await context.untilEarlier?.();
  context.onReviewed?.(
    outcome.hunks.map(({ path, title, state, applied, conflict, reason }) => {
      return { path, title, state, applied, ...given({ why: conflict ?? reason }) };
    }),
  );
  const isApplied = outcome.hunks.some(({ applied }) => applied);
  const tested = isApplied ? await ports.tests?.afterReview([...proposedTexts(proposal.documents).keys()]) : undefined;
  const ofPatch = outcome.asPatch === undefined ? [] : await judges.check.ofPatch();
  const testsOfPatch = outcome.asPatch === undefined ? undefined : ports.tests?.wordsOf(await judges.tests?.verdict);
  const words = [...ofPatch, ...(await judges.check.afterReview(outcome, signal)), ...(tested ?? testsOfPatch ?? [])];
  return { outcome, checked: words };
}

/** Whoever decides must know that an edit reaches further than its path says. */
async function otherNames(documents: readonly ProposedDocument[]): Promise<string[]> {
  const edited = documents.filter(({ base, target }) => base !== null && target !== null && target !== base.text);
  const found = await Promise.all(
    edited.map(async ({ uri, path }) => {
      const file = fileOfUri(uri);
      return file !== undefined && (await hasOtherName(file)) ? [path] : [];
    }),
  );
  return found
    .flat()
    .map((path) => `${path} has another name, a hard link: editing it may change what stands there too.`);
}

/** By URI the text that each place of a proposal would hold; null for a place that would have no file. */
function proposedTexts(documents: readonly ProposedDocument[]): ReadonlyMap<string, string | null> {
  const texts = documents.filter(({ bytes }) => bytes === undefined);
  const left = texts.flatMap(({ uri, movedTo }) => (movedTo === undefined ? [] : [[uri, null] as const]));
  return new Map([...left, ...texts.map(({ uri, movedTo, target }) => [movedTo?.uri ?? uri, target] as const)]);
}
