/** What no summary replaces: the person's own words and what became of proposals, from a part that is left out. Pure. */
import type { ModelMessage, UserBlock } from "../../model/model-port.ts";
import { shortened } from "../../base/cut-text.ts";

/** In characters: of one message of the person's, and of one line about a proposal. */
const LONGEST_SAID = 500;
const LONGEST_LINE = 240;
const ATTACHED = /^## Context\n[^]*\n## Request\n\n/;
const OUTCOME = /^(?:APPLIED|PARTIALLY APPLIED|NOT APPLIED|UNCERTAIN|WITHDRAWN): .*$/m;
/** What the person did otherwise than was proposed. */
const OWN_WORD =
  /^- hunk .*(?:rejected it|left it at that|changes to your text|own text|undone|merged).*$|^The person .*$/gm;

/** Texts for the model, each no longer than `longest` in characters; the first message and the newest ones go before others. */
export function wordForWord(left: readonly ModelMessage[], longest: number): string[] {
  const said = fitting(left.flatMap(saidIn), longest);
  const decided = fitting(
    left.flatMap((message, index) => decidedIn(message, left[index - 1])),
    longest,
  );
  return [
    ...listed("What the developer said in the part that was left out, word for word, the oldest first", said),
    ...listed("What became of your proposals in that part", decided),
  ];
}

function listed(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`[${head}:]\n${lines.join("\n")}`];
}

/**
 * The person's words are the last text of the message that begins a turn; beside results, the text that is not in
 * brackets.
 */
function saidIn({ role, content }: ModelMessage): string[] {
  if (role !== "user") return [];
  const texts = content.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  const hasResults = content.some(({ kind }) => kind === "toolResult");
  const own = hasResults ? texts.filter((text) => !text.startsWith("[")) : texts.slice(-1);
  return own.map((text) => `- ${shortened(inLine(text.replace(ATTACHED, "")), LONGEST_SAID)}`);
}

function decidedIn({ role, content }: ModelMessage, before: ModelMessage | undefined): string[] {
  if (role !== "user") return [];
  return content.flatMap((block) => (block.kind === "toolResult" ? outcomeOf(block, before) : []));
}

function outcomeOf(
  { toolCallId, content }: Extract<UserBlock, { kind: "toolResult" }>,
  before?: ModelMessage,
): string[] {
  const [headline] = OUTCOME.exec(content) ?? [];
  if (headline === undefined) return [];
  const call = before?.content.find((block) => block.kind === "toolUse" && block.id === toolCallId);
  const { description, symbol, new_name: newName } = call?.kind === "toolUse" ? call.arguments : {};
  const what = [description, symbol, newName].filter((each) => typeof each === "string").join(" → ");
  const own = content.match(OWN_WORD) ?? [];
  return [`- ${what === "" ? "" : `${what}: `}${headline}`, ...own.map((line) => `  ${line}`)].map((line) =>
    shortened(inLine(line), LONGEST_LINE),
  );
}

/** Indentation stays. */
function inLine(text: string): string {
  const [indentation = ""] = /^ */.exec(text) ?? [];
  return indentation + text.trim().replaceAll(/\s+/g, " ");
}

/** The first, which has the task, and as many of the newest as there is room for. */
function fitting(lines: readonly string[], longest: number): string[] {
  const [first, ...rest] = lines;
  if (first === undefined) return [];
  let room = longest - first.length;
  let from = rest.length;
  while (from > 0 && (rest[from - 1]?.length ?? 0) + 1 <= room) {
    from -= 1;
    room -= (rest[from]?.length ?? 0) + 1;
  }
  return [first, ...(from === 0 ? [] : [`(${from} more are left out here)`]), ...rest.slice(from)];
}
