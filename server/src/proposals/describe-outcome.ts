/** What the model is told after a review: exactly what was kept, what not, and in whose words. */
import { loadDiff } from "./hunks.ts";
import type { HunkOutcome, ProposalOutcome } from "./proposal.ts";

const QUOTED_LINES = 40;

export function describeOutcome(outcome: ProposalOutcome): string {
  if (outcome.state === "withdrawn") {
    return "WITHDRAWN: the turn was cancelled before the person decided. Nothing of this proposal was applied.";
  }
  const applied = outcome.hunks.filter((hunk) => hunk.applied).length;
  const total = outcome.hunks.length;
  const lines = [headline(applied, total, outcome.mismatched.length > 0)];
  for (const hunk of outcome.hunks) lines.push(...describeHunk(hunk));
  for (const document of outcome.documents) {
    lines.push(
      `${document.path}: ${document.saved ? "saved to disk" : "changed in the editor, not saved to disk yet"}.`,
    );
  }
  for (const path of outcome.mismatched) {
    lines.push(`${path}: the text there is not what was approved. Read it again before you build on it.`);
  }
  if (outcome.message !== undefined && outcome.message !== "") lines.push(`The person says: ${outcome.message}`);
  if (outcome.then === "stop") lines.push("The person asked to stop here.");
  return lines.join("\n");
}

function headline(applied: number, total: number, mismatched: boolean): string {
  if (applied === total) return `APPLIED: all ${total} of ${total} hunks.`;
  if (mismatched) return `UNCERTAIN: ${applied} of ${total} hunks are known to be applied; see below what is not.`;
  if (applied === 0) return `NOT APPLIED: none of ${total} hunks. Nothing changed.`;
  return `PARTIALLY APPLIED: ${applied} of ${total} hunks.`;
}

function describeHunk(hunk: HunkOutcome): string[] {
  const name = `hunk ${hunk.id} (${hunk.title})`;
  const reason = hunk.reason === undefined || hunk.reason === "" ? "no reason given" : `"${hunk.reason}"`;
  if (hunk.state === "rejected") return [`- ${name}: NOT applied, the person rejected it: ${reason}`];
  if (hunk.state === "conflict") {
    return [`- ${name}: NOT applied, the document changed at that place since you read it. Read it again.`];
  }
  if (!hunk.applied) return [`- ${name}: NOT applied, the editor did not confirm it.`];
  if (hunk.state === "edited") {
    return editedText(name, hunk.newText, hunk.editedText ?? "");
  }
  return [`- ${name}: applied`];
}

/** The person's whole text, or what they changed in yours where that is shorter. */
function editedText(name: string, proposed: string, edited: string): string[] {
  const whole = quote(edited);
  const patch = loadDiff().createTwoFilesPatch("", "", proposed, edited, "", "", { context: 0, timeout: 100 });
  const changes = (patch ?? "")
    .split("\n")
    .filter((line) => /^[-+@ ]/.test(line) && !/^(?:---|\+\+\+) ?$/.test(line.trimEnd()));
  const isShorter = patch !== undefined && changes.length < whole.length && changes.length <= QUOTED_LINES;
  return isShorter
    ? [`- ${name}: applied with the person's changes to your text:`, ...changes.map((line) => `    ${line}`)]
    : [`- ${name}: applied with the person's own text instead of yours:`, ...whole];
}

function quote(text: string): string[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const shown = lines.slice(0, QUOTED_LINES).map((line) => `    | ${line}`);
  if (lines.length > QUOTED_LINES) shown.push(`    … ${lines.length - QUOTED_LINES} more lines`);
  return shown;
}
