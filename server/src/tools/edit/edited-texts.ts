/** Files as edits would make them, for a call that only tries them: nothing is proposed and nothing is written. */
import { fileURLToPath } from "node:url";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import type { LaidTexts } from "../../repl/testing/test-run.ts";
import type { EditComparison } from "../../typescript/edits/check/edit-check.ts";
import { withOp, type TriedEdits } from "../edit-schema.ts";
import { ToolFailure, type ToolContext } from "../tool.ts";
import { EditCheck } from "./compiler-check.ts";
import type { EditPorts } from "./define-edit.ts";
import { planEdits } from "./plan-edits.ts";
import type { PlanPorts } from "./plan.ts";

/** `whyNotChanged` is why a rule of the person's forbids to change a file, here to try a change of it. */
export type TrialPorts = PlanPorts & Pick<EditPorts, "whyNotChanged">;

/** By absolute path; null for a file that would be gone. Throws a `ToolFailure` that names every edit that does not fit. */
export async function editedTexts(
  ports: TrialPorts,
  tried: TriedEdits,
  context: Pick<ToolContext, "sessionId" | "signal">,
): Promise<LaidTexts> {
  const texts = new Map<string, string | null>();
  for (const { uri, path, target, movedTo, bytes } of await triedDocuments(ports, tried, context)) {
    if (bytes !== undefined && movedTo !== undefined) {
      throw new ToolFailure(`NOT TRIED: ${path} is no text, so a move of it can only be proposed.`);
    }
    if (movedTo !== undefined && !texts.has(fileURLToPath(uri))) texts.set(fileURLToPath(uri), null);
    texts.set(fileURLToPath(movedTo?.uri ?? uri), target);
  }
  return texts;
}

const CHECK_LIMIT_MS = 200_000;

/** What the compiler says of the edits, in all files that use what they change; else why it says nothing. */
export async function checkTried(
  ports: TrialPorts,
  tried: TriedEdits,
  context: Pick<ToolContext, "sessionId" | "signal">,
): Promise<EditComparison | string> {
  const documents = await triedDocuments(ports, tried, context);
  const edit = { typescript: ports.typescript, documents, related: [], limitMs: CHECK_LIMIT_MS };
  const compared = await new EditCheck(edit, context.signal).compared;
  context.signal.throwIfAborted();
  return compared;
}

async function triedDocuments(
  ports: TrialPorts,
  tried: TriedEdits,
  { sessionId: conversation, signal }: Pick<ToolContext, "sessionId" | "signal">,
): Promise<readonly ProposedDocument[]> {
  const { documents } = await planEdits(tried.map(withOp), {
    ports,
    conversation,
    signal,
    isTrial: true,
  });
  for (const { path, movedTo } of documents) {
    const paths = [path, ...(movedTo === undefined ? [] : [movedTo.path])];
    const [denied] = paths.flatMap((each) => ports.whyNotChanged(each) ?? []);
    if (denied !== undefined) throw new ToolFailure(`NOT TRIED: ${denied}`);
  }
  return documents;
}
