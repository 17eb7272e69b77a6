/** What the model is told after a review: exactly what was kept, what not, and in whose words. */
import { cutText } from "../base/cut-text.ts";
import type { ExportResult } from "../protocol/proposal-shapes.ts";
import { isSimplyApplied, piecesToQuote, quotePiece } from "./describe-part.ts";
import { loadDiff } from "./texts/hunks.ts";
import type { DocumentOutcome, HunkOutcome, ProposalOutcome } from "./proposal.ts";
import { capitalized } from "../base/capitalized.ts";

const QUOTED_LINES = 40;
const NO_REASON = "no reason given";
const NAMED_FILES = 10;
/** When at least so many hunks have the same sentence, the sentence is told once. */
const MANY_ALIKE = 3;
const LONGEST_PATCH = 60_000;
const CHANGED = "the document changed at that place since you read it.";

const UNCONFIRMED: Readonly<Record<HunkOutcome["kind"], string>> = {
  edit: "the text there is neither the old nor the approved one.",
  create: "the text there is neither the old nor the approved one.",
  delete: "the file is still there, with another text.",
  entry: "what stands there is neither the old nor the approved one.",
  rename: "the file stands at both places, or nobody can say where.",
};

/** `countApplied`: hunks that were simply applied, and files that were saved, are counted instead of named one by one. */
export function describeOutcome(outcome: ProposalOutcome, { countApplied = false } = {}): string {
  const { hunks, documents, asPatch } = outcome;
  if (asPatch !== undefined) return describePatch(asPatch, hunks);
  const lines = [headline(outcome, hunks.filter((hunk) => hunk.applied).length)];
  const isWithdrawn = outcome.state === "withdrawn";
  if (!isWithdrawn || hunks.some((hunk) => hunk.state !== "pending")) {
    const quoted = piecesToQuote(hunks);
    const named = hunks.filter((hunk) => !countApplied || !isSimplyApplied(hunk) || quoted.has(hunk));
    const told = named.map((hunk): Told => ({ hunk, ...describeHunk(hunk, isWithdrawn) }));
    const groups = countApplied ? alike(told, quoted) : told.map((each) => [each]);
    for (const group of groups) {
      if (group.length >= MANY_ALIKE) lines.push(describeAlike(group, hunks));
      else for (const each of group) lines.push(...describeOne(each, quoted.has(each.hunk)));
    }
  }
  for (const document of documents) {
    if (!countApplied) lines.push(describeSaving(document));
    if (document.changedElsewhere) lines.push(`${document.path}: other places changed too since you read it.`);
  }
  for (const path of outcome.mismatched) {
    lines.push(`${path}: the text there is not what was approved. Read it again before you build on it.`);
  }
  if (outcome.message !== undefined && outcome.message !== "") lines.push(`The person says: ${outcome.message}`);
  if (outcome.then === "stop") lines.push("The person asked to stop here.");
  if (countApplied) lines.push(...countHunks(outcome), ...countFiles(documents));
  return lines.join("\n");
}

/** Nobody reviewed: whoever asked has the patch, which is cut where it is longer than an answer may be. */
function describePatch({ patch, left }: ExportResult, hunks: readonly HunkOutcome[]): string {
  const shown = cutText(patch, LONGEST_PATCH);
  const titleOf = (id: string): string => hunks.find((hunk) => hunk.id === id)?.title ?? id;
  return [
    "PATCH: no file was changed, because nobody reviews edits here. Show the person this patch; apply it once they agree, " +
      "with `git apply` in the workspace folder or by your own edits.",
    ...left.map(({ id, why }) => `- not in the patch: ${titleOf(id)}: ${why}`),
    ...(shown === patch
      ? []
      : [`The patch has ${patch.length} characters and is cut here: propose fewer files at once.`]),
    "```diff",
    shown.replace(/\n$/, ""),
    "```",
  ].join("\n");
}

interface Told {
  readonly hunk: HunkOutcome;
  /** What became of it. */
  readonly what: string;
  /** Lines of text that go with that. */
  readonly below: readonly string[];
}

/** Hunks with the same sentence as groups, each in the place of its first hunk. */
function alike(told: readonly Told[], quoted: ReadonlySet<HunkOutcome>): (readonly Told[])[] {
  const groups = Map.groupBy(told, (each) =>
    quoted.has(each.hunk) || each.below.length > 0 || each.hunk.partOf !== undefined ? each : each.what,
  );
  return [...groups.values()];
}

/** `- hunks h1–h34 (src/a.ts ×3, src/b.ts): NOT applied, the person rejected it: "…"` */
function describeAlike(group: readonly Told[], all: readonly HunkOutcome[]): string {
  const own = new Set(group.map(({ hunk }) => hunk));
  const files = [...Map.groupBy(own, ({ path }) => path)];
  const shown = files.slice(0, NAMED_FILES).map(([path, { length }]) => `${path}${length > 1 ? ` ×${length}` : ""}`);
  const more = files.length > NAMED_FILES ? ` and ${files.length - NAMED_FILES} more files` : "";
  return `- hunks ${idsOf(all, own)} (${shown.join(", ")}${more}): ${group[0]?.what ?? ""}`;
}

function describeOne({ hunk, what, below }: Told, isQuoted: boolean): string[] {
  const name = `hunk ${hunk.id} (${hunk.title})${hunk.partOf === undefined ? "" : `, a part of ${hunk.partOf}`}`;
  return [`- ${name}: ${what}`, ...(isQuoted ? quotePiece(hunk) : []), ...below];
}

/** The hunks that were simply applied and not named, where not all were applied: `- applied: h1–h8, h10`. */
function countHunks({ state, hunks }: ProposalOutcome): string[] {
  const quoted = piecesToQuote(hunks);
  const applied = new Set(hunks.filter((hunk) => isSimplyApplied(hunk) && !quoted.has(hunk)));
  return applied.size === 0 || state === "applied" ? [] : [`- applied: ${idsOf(hunks, applied)}`];
}

/** `h1–h8, h10` of hunks that follow each other. */
function idsOf(all: readonly HunkOutcome[], own: ReadonlySet<HunkOutcome>): string {
  const runs: [HunkOutcome, HunkOutcome][] = [];
  let before: HunkOutcome | undefined;
  for (const hunk of all) {
    const run = runs.at(-1);
    if (own.has(hunk)) {
      if (run !== undefined && run[1] === before) run[1] = hunk;
      else runs.push([hunk, hunk]);
    }
    before = hunk;
  }
  return runs.map(([first, last]) => (first === last ? first.id : `${first.id}–${last.id}`)).join(", ");
}

function countFiles(all: readonly DocumentOutcome[]): string[] {
  const isWhole = ({ isDeleted, movedFrom }: DocumentOutcome): boolean => isDeleted === true || movedFrom !== undefined;
  const documents = all.filter((document) => !isWhole(document));
  const whole = all.filter(isWhole);
  const saved = documents.filter((document) => document.saved);
  const unsaved = documents.filter((document) => !document.saved);
  return [
    ...whole.slice(0, NAMED_FILES).map(describeSaving),
    ...(whole.length > NAMED_FILES ? [`… and ${whole.length - NAMED_FILES} more files moved or deleted.`] : []),
    ...(saved.length > 1
      ? [`${saved.length} ${unsaved.length === 0 ? "files" : `of ${documents.length} files`} saved to disk.`]
      : []),
    ...(saved.length === 1 ? saved.map(describeSaving) : []),
    ...(unsaved.length === 1 ? unsaved.map(describeSaving) : []),
    ...(unsaved.length > 1 ? [`Changed in the editor, not saved to disk yet: ${unsaved.length} files.`] : []),
  ];
}

function headline({ state, hunks, mismatched }: ProposalOutcome, applied: number): string {
  const total = hunks.length;
  if (state === "withdrawn") return withdrawn(hunks, applied);
  if (applied === total) return `APPLIED: all ${total} of ${total} hunks.`;
  if (mismatched.length > 0) {
    return `UNCERTAIN: ${applied} of ${total} hunks are known to be applied; see below what is not.`;
  }
  const isTouched = hunks.some((hunk) => hunk.later !== undefined);
  if (applied === 0) return `NOT APPLIED: none of ${total} hunks.${isTouched ? "" : " Nothing changed."}`;
  return `PARTIALLY APPLIED: ${applied} of ${total} hunks.`;
}

function withdrawn(hunks: readonly HunkOutcome[], applied: number): string {
  const isOpen = hunks.some((hunk) => (isAccepted(hunk) || hunk.trouble === "unconfirmed") && !hunk.applied);
  if (applied === 0 && !isOpen) {
    return "WITHDRAWN: the turn was cancelled before the person decided. Nothing of this proposal was applied.";
  }
  const rest = "The turn was cancelled before the rest was decided.";
  return `WITHDRAWN: ${applied} of ${hunks.length} hunks were applied before. ${rest}`;
}

function describeHunk(hunk: HunkOutcome, isWithdrawn: boolean): Omit<Told, "hunk"> {
  const reason = hunk.reason === undefined || hunk.reason === "" ? NO_REASON : `"${hunk.reason}"`;
  const refusal = notAccepted(hunk, reason);
  if (refusal !== undefined) return only(refusal);
  if (hunk.later === "undone") return only("NOT applied any more: it was accepted and applied, then undone");
  if (hunk.later === "changed" && hunk.kind === "rename") {
    return only("NOT there any more: the file was moved, and is at neither place now. Look where it is.");
  }
  if (hunk.later === "changed") {
    return only("NOT there any more: it was applied, then the text at that place was changed. Read it again.");
  }
  if (!hunk.applied && isWithdrawn) return only("accepted, but nobody confirmed that it was applied. Read the file.");
  if (!hunk.applied) return only(`NOT confirmed: ${UNCONFIRMED[hunk.kind]}`);
  if (hunk.state === "edited" && hunk.trouble !== undefined) {
    const what = "applied, merged by the person with what came to that place since you read it. This stands there now:";
    return { what, below: quote(hunk.editedText ?? "") };
  }
  return hunk.state === "edited" ? editedText(hunk.newText, hunk.editedText ?? "") : only("applied");
}

function only(what: string): Omit<Told, "hunk"> {
  return { what, below: [] };
}

function notAccepted(hunk: HunkOutcome, reason: string): string | undefined {
  if (hunk.state === "pending") return "NOT applied, not decided";
  if (hunk.state === "conflict") return undecided(hunk);
  if (hunk.state !== "rejected") return undefined;
  if (hunk.trouble !== undefined) return givenUp(hunk, reason);
  if (hunk.by === "program") return `NOT applied: ${hunk.reason ?? NO_REASON}`;
  if (hunk.isLeftOut === true && reason === NO_REASON) return "left out";
  return `NOT applied, the person rejected it: ${reason}`;
}

/** A conflict that nobody decided about before the review ended. */
function undecided({ trouble, kind, conflict }: HunkOutcome): string {
  if (trouble === "unconfirmed") return `NOT confirmed: it was accepted, but ${UNCONFIRMED[kind]} Read it again.`;
  return `NOT applied, not decided: ${conflict ?? CHANGED} Read it again.`;
}

/** A conflict that the person rejected: not because of what was proposed alone. */
function givenUp({ trouble, kind, conflict, by }: HunkOutcome, reason: string): string {
  const who = by === "program" ? "and it was left at that" : "and the person left it at that";
  const words = reason === NO_REASON ? who : `${who}: ${reason}`;
  if (trouble === "unconfirmed") {
    return `NOT confirmed: it was accepted, but ${UNCONFIRMED[kind]} ${capitalized(words.slice(4))}. Read it again.`;
  }
  const why = (conflict ?? CHANGED).replace(/\.$/, "");
  return `NOT applied: ${why}, ${words}. Read it again.`;
}

/** The person's whole text, or what they changed in yours where that is shorter. */
function editedText(proposed: string, edited: string): Omit<Told, "hunk"> {
  const whole = quote(edited);
  const patch = loadDiff().createTwoFilesPatch("", "", proposed, edited, "", "", { context: 0, timeout: 100 });
  const changes = (patch ?? "")
    .split("\n")
    .filter((line) => /^[-+@ ]/.test(line) && !/^(?:---|\+\+\+) ?$/.test(line.trimEnd()));
  const isShorter = patch !== undefined && changes.length < whole.length && changes.length <= QUOTED_LINES;
  return isShorter
    ? { what: "applied with the person's changes to your text:", below: changes.map((line) => `    ${line}`) }
    : { what: "applied with the person's own text instead of yours:", below: whole };
}

function describeSaving({ path, saved, isDeleted = false, movedFrom }: DocumentOutcome): string {
  if (isDeleted) return `${path}: deleted.`;
  if (movedFrom !== undefined)
    return `${path}: moved from ${movedFrom}${saved ? "" : ", its text is not saved to disk yet"}.`;
  return `${path}: ${saved ? "saved to disk" : "changed in the editor, not saved to disk yet"}.`;
}

function isAccepted({ state }: HunkOutcome): boolean {
  return state === "accepted" || state === "edited";
}

function quote(text: string): string[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const shown = lines.slice(0, QUOTED_LINES).map((line) => `    | ${line}`);
  if (lines.length > QUOTED_LINES) shown.push(`    … ${lines.length - QUOTED_LINES} more lines`);
  return shown;
}
