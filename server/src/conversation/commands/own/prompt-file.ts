/**
 * A prompt that somebody wrote into a Markdown file: its text, and the prompt that a command's words make of it.
 * Pure.
 */
import { plainLine } from "../../../workspace/plain-text.ts";
import { showHidden } from "../../../workspace/hidden-characters.ts";

export interface PromptFile {
  /** The file's name without its ending. */
  readonly name: string;
  /** With links followed. */
  readonly absolute: string;
  /** As people read the path. */
  readonly path: string;
  readonly from: "person" | "repository";
  readonly content:
    | { readonly text: string; readonly sha256: string }
    /** Why there is no text, as the end of a sentence that begins with the file: "is a binary file". */
    | { readonly reason: string; readonly isMissing?: boolean };
  /** The file is a skill's SKILL.md, and the name that of the skill's folder. */
  readonly isSkill?: true;
}

export interface Prompt {
  /** With hidden characters written out. */
  readonly body: string;
  readonly description: string;
  /** All of the description, in one line: when a model is to read a skill. */
  readonly about: string;
  /** A model is not to read the skill by itself. */
  readonly isForPeople: boolean;
  /** What the words after the command are, as its author says. */
  readonly takes?: string;
}

/** About 8,000 tokens. A cut prompt would say something else than its author meant. */
export const MAX_PROMPT = 32_000;
const DESCRIPTION = 100;
/** As the open format of skills has it. */
const ABOUT = 1_024;
const TAKES = 40;
const PLACE = /\\?\$(ARGUMENTS|[1-9])(?!\w)/g;

/** Answers why the text is no prompt, as the end of a sentence that begins with the file. */
export function readPrompt(text: string): Prompt | { readonly reason: string } {
  const shown = showHidden(text.replaceAll(/\r\n?/g, "\n"));
  const [, head, rest] = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)([\s\S]*)$/.exec(shown) ?? [];
  if (rest === undefined && /^---[ \t]*\n/.test(shown)) return { reason: "begins with --- and has no second ---" };
  const body = (rest ?? shown).trim();
  if (body === "") return { reason: "says nothing" };
  if (body.length > MAX_PROMPT)
    return { reason: `has ${body.length} characters, and a prompt has at most ${MAX_PROMPT}` };
  const fields = fieldsOf(head ?? "");
  const described = fields.get("description") ?? firstLine(body);
  const hint = fields.get("argument-hint") ?? (new RegExp(PLACE).test(body) ? "[WORDS]" : "");
  const takes = plainLine(hint, TAKES);
  return {
    body,
    description: plainLine(described, DESCRIPTION),
    about: plainLine(described, ABOUT),
    isForPeople: fields.get("disable-model-invocation") === "true",
    ...(takes === "" ? {} : { takes }),
  };
}

/**
 * The prompt with the words after the command: `$ARGUMENTS` are all of them, `$1` to `$9` single ones, `"two words"` one.
 * `\$1` stays. Where the text has no place for them, they follow it.
 */
export function filledIn({ body }: Pick<Prompt, "body">, rest: string): string {
  const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  let isTaken = false;
  const filled = body.replace(PLACE, (written: string, place: string) => {
    if (written.startsWith("\\")) return written.slice(1);
    isTaken = true;
    return place === "ARGUMENTS" ? rest : (words[Number(place) - 1] ?? "");
  });
  return isTaken || rest === "" ? filled : `${filled}\n\n${rest}`;
}

function firstLine(body: string): string {
  return (body.split("\n")[0] ?? "").replace(/^#+\s+/, "");
}

/** The texts of a front matter, by their names in small letters. Lists and nested fields are ignored. */
function fieldsOf(head: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = "", value = "", more = ""] of head.matchAll(
    /^([\w-]+):[ \t]*(.*)\n((?:[ \t]+.*\n|[ \t]*\n)*)/gm,
  )) {
    const isBlock = /^[|>][+-]?$/.test(value.trim());
    fields.set(name.toLowerCase(), isBlock ? more.trim() : unquoted(`${value} ${more}`.trim()));
  }
  return fields;
}

function unquoted(value: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')(?:\s+#.*)?$/s.exec(value) ?? [];
  if (double !== undefined) return double.replaceAll(/\\(.)/gs, "$1");
  return single?.replaceAll("''", "'") ?? value.replace(/(?:^|\s+)#.*$/s, "");
}
