/** A tool's call as one line, and its arguments and result as what unfolds below. */
import { shortened } from "../../server/src/base/cut-text.ts";
import { plural } from "../../server/src/base/plural.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { given } from "../../server/src/base/given.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { CallItem, CallState, DetailPart } from "./page-messages.ts";
import { duration } from "./words.ts";

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly state: CallState;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly result?: ToolResult;
  readonly proposal?: Proposal;
  /** For the person, whose time to think is no time of the tool. */
  readonly hasWaited?: boolean;
  /** What the conversation does that answers the call. */
  readonly progress?: string;
  /** Why no result comes. */
  readonly abandoned?: string;
}

const SHOWN = 80;
/** In milliseconds: shorter ones need no word. */
const SHORT = 1000;
/** Whose first line says what matters. */
const RUNS_CODE = new Set(["eval_form", "eval_in_package", "run_tests", "run_command", "try_edit"]);

export function callItem(call: Call): CallItem {
  const { id, name, state } = call;
  const words = wordsOf(call);
  const outcome = outcomeOf(call);
  const brief = call.proposal?.title ?? briefOf(call.arguments);
  return { id, kind: "call", name: line(name), state, brief: line(brief), ...given({ words, outcome }) };
}

export function callDetails({ arguments: said = {}, result, proposal }: Call): DetailPart[] {
  const parts = Object.entries(said).map(([label, value]) => ({ label: line(label), text: textOf(value) }));
  if (proposal !== undefined) parts.push({ label: "proposed", text: outcomeWords(proposal) });
  if (result !== undefined) {
    const text = result.success ? result.content : (result.error ?? "");
    parts.push({ label: result.success ? "result" : "error", text });
  }
  return parts.map(({ label, text }) => ({ label, text: showHidden(text) }));
}

/** What became of a proposal: `2 hunks: 1 accepted, 1 rejected`. */
export function outcomeWords({ state, hunks }: Proposal): string {
  if (state === "withdrawn") return "withdrawn";
  const names = {
    accepted: "accepted",
    edited: "accepted with your text",
    takenBack: "taken back",
    rejected: "rejected",
    conflict: "in conflict",
    pending: "waiting",
  };
  const counts = Object.entries(names).flatMap(([name, words]) => {
    const count = hunks.filter((hunk) => (hunk.takenBack === true ? "takenBack" : hunk.state) === name).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return `${plural(hunks.length, "hunk")}: ${counts.join(", ")}`;
}

/** The model's own words where it gave some, else the shortest arguments, which say what the call is about. */
function briefOf(given_: Call["arguments"] = {}): string {
  const { description } = given_;
  if (typeof description === "string") return description;
  // Of code the last line is the value.
  const values = Object.values(given_).map((value) =>
    typeof value === "string" ? (value.trim().split("\n").at(-1) ?? "") : JSON.stringify(value),
  );
  return values.toSorted((one, other) => one.length - other.length).join(", ");
}

function wordsOf({ state, result, proposal, hasWaited, abandoned, progress }: Call): string | undefined {
  if (abandoned !== undefined) return abandoned;
  if (proposal !== undefined && proposal.state !== "pending") return outcomeWords(proposal);
  if (state === "waitingApproval") return "waits for you";
  if (state === "void") return "was not sent to its end";
  if (result === undefined) return progress;
  const took = result.metadata.executionTimeMs;
  return hasWaited === true || took < SHORT ? undefined : duration(took);
}

function outcomeOf({ name, result }: Call): string | undefined {
  if (result === undefined) return undefined;
  const text = result.success ? (RUNS_CODE.has(name) ? result.content : "") : (result.error ?? "");
  const first = line(text.trim().split("\n", 1)[0] ?? "");
  return first === "" ? undefined : first;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.some((each) => typeof each === "object" && each !== null);
  // Edits read as texts, not as JSON with \n in it.
  return isList ? value.map((each) => fieldsOf(Object(each))).join("\n\n") : JSON.stringify(value, undefined, 1);
}

function fieldsOf(value: object): string {
  return Object.entries(value)
    .map(([name, each]: [string, unknown]) => {
      const text = typeof each === "string" ? each : JSON.stringify(each);
      return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join("\n");
}

function line(text: string): string {
  return showHidden(shortened(text.replaceAll(/\s+/g, " ").trim(), SHOWN));
}
