/** What a review says of proposals and hunks. Texts of a model are written so that they are no Markdown, and hide nothing. */
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { Check, Hunk, Proposal, TestVerdict } from "../../server/src/protocol/proposal-shapes.ts";
import type { DiagnosticLine } from "../../server/src/protocol/shapes.ts";
import type { Lines } from "./composed.ts";
import { isOpen } from "./waiting.ts";

/** Of errors that are named at a hunk. */
const MOST_ERRORS = 5;
const LONGEST_ORIGINAL = 4000;

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function plain(text: string): string {
  return showHidden(text).replace(/\s+/g, " ").trim();
}

/** Every character that means something in Markdown is escaped; theme icons too. */
export function escaped(text: string): string {
  return showHidden(text).replace(/[\\`*_{}[\]()#+\-!|<>~$&:.@]/g, "\\$&");
}

export function tabTitle(proposal: Proposal): string {
  const title = plain(proposal.title);
  return `Agent-Q: ${title.length > 60 ? `${title.slice(0, 59)}…` : title}`;
}

/** Its place among the others, and its state where that is not that it waits. */
export function hunkLabel(proposal: Proposal, hunk: Hunk): string {
  const label = `Hunk ${proposal.hunks.indexOf(hunk) + 1} of ${proposal.hunks.length}`;
  return hunk.state === "conflict" ? `${label} · in conflict` : label;
}

/** What is said at a hunk, as Markdown; the first hunk of a proposal says what the proposal is for. */
export function hunkWords(
  proposal: Proposal,
  hunk: Hunk,
  { lines, isFirst }: { readonly lines: Lines | undefined; readonly isFirst: boolean },
  pathOf: (uri: string) => string,
): string {
  const parts = [
    isFirst && proposal.why.trim() !== "" ? escaped(proposal.why.trim()) : "",
    conflictWords(hunk),
    needs(proposal, hunk),
    hunk.defaultDecision === "reject" ? "*Accept All* leaves this hunk out: accept it by itself." : "",
    hunk.kind === "delete" ? "The file is deleted." : "",
    hunk.newUri === undefined ? "" : `The file moves to ${escaped(pathOf(hunk.newUri))}.`,
    ...(isFirst ? [checkWords(proposal.check, pathOf), testWords(proposal.tests)] : []),
    isFirst ? "" : errorsAt(proposal.check, hunk, lines, pathOf),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

export function statusWords(count: number): string {
  return `$(diff) ${counted(count, "hunk")} wait${count === 1 ? "s" : ""}`;
}

function conflictWords(hunk: Hunk): string {
  if (hunk.state !== "conflict") return "";
  const why = hunk.conflict === undefined ? "The text at this place changed." : escaped(hunk.conflict);
  const original =
    hunk.oldText === "" ? "" : `\n\nThe hunk was made for:\n\n${fenced(hunk.oldText.slice(0, LONGEST_ORIGINAL))}`;
  return `$(warning) ${why} *Edit* opens what is there now beside what is proposed; *Accept* tries again.${original}`;
}

function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${showHidden(text).replace(/\n$/, "")}\n${fence}`;
}

function needs(proposal: Proposal, hunk: Hunk): string {
  const required = proposal.hunks.filter(({ id }) => hunk.requires?.includes(id));
  const named = (others: readonly Hunk[]): string =>
    others.map((other) => `hunk ${proposal.hunks.indexOf(other) + 1} (${escaped(plain(other.title))})`).join(", ");
  const open = required.filter(isOpen);
  const rejected = required.filter(({ state, takenBack }) => state === "rejected" || takenBack === true);
  // TypeScript's extension asks about the imports of a file that moves, also about those that the person left.
  const asks = hunk.kind === "rename" ? ", and VS Code may ask whether to update imports" : "";
  return [
    ...(open.length === 0 ? [] : [`$(link) Needs ${named(open)}: *Accept* takes it along.`]),
    ...(rejected.length === 0
      ? []
      : [`$(warning) Needs ${named(rejected)}, which was rejected: accepting this brings errors in${asks}.`]),
  ].join("\n\n");
}

function checkWords(check: Check, pathOf: (uri: string) => string): string {
  if (check.state === "running") return "$(sync) The compiler looks at it…";
  const limits = check.reason === undefined ? "" : ` (${escaped(plain(check.reason))})`;
  if (check.state === "unavailable") return `$(info) The compiler was not asked${limits}.`;
  const gone = check.resolved.length === 0 ? "" : `, ${counted(check.resolved.length, "error")} less`;
  if (check.introduced.length === 0) return `$(pass) The compiler finds no new error${gone}${limits}.`;
  const shown = check.introduced.slice(0, MOST_ERRORS).map((line) => `- ${errorWords(line, pathOf)}`);
  const rest = check.introduced.length - shown.length;
  if (rest > 0) shown.push(`- and ${rest} more`);
  return `$(error) The compiler finds ${counted(check.introduced.length, "new error")}${gone}${limits}:\n\n${shown.join("\n")}`;
}

/** Places of errors are those in the text with the whole proposal. */
function errorsAt(check: Check, hunk: Hunk, lines: Lines | undefined, pathOf: (uri: string) => string): string {
  const here = check.introduced.filter(({ uri, range }) => {
    const isHere = uri === hunk.uri || (uri !== undefined && uri === hunk.newUri);
    const line = range?.start.line ?? -1;
    return isHere && lines !== undefined && lines.first <= line && line <= lines.last;
  });
  return here
    .slice(0, MOST_ERRORS)
    .map((error) => `$(error) ${errorWords(error, pathOf)}`)
    .join("\n\n");
}

function errorWords({ uri, range, message }: DiagnosticLine, pathOf: (uri: string) => string): string {
  const line = range === undefined ? "" : `:${range.start.line + 1}`;
  return `${uri === undefined ? "" : `${escaped(pathOf(uri))}${line}: `}${escaped(plain(message))}`;
}

function testWords(tests: TestVerdict | undefined): string {
  if (tests === undefined) return "";
  if (tests.state === "running") return "$(sync) The tests run…";
  const limits = tests.reason === undefined ? "" : ` (${escaped(plain(tests.reason))})`;
  if (tests.state === "unavailable") return `$(info) No test ran${limits}.`;
  if (tests.failed === 0) return `$(pass) Tests: ${tests.passed} pass${limits}.`;
  const failures = tests.failures.slice(0, MOST_ERRORS).map(({ name }) => `- ${escaped(plain(name))}`);
  const rest = tests.failures.length - failures.length;
  if (rest > 0) failures.push(`- and ${rest} more`);
  return `$(error) Tests: ${tests.failed} of ${tests.passed + tests.failed} fail${limits}:\n\n${failures.join("\n")}`;
}
