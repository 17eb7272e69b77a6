/** What a person is about to write in a prompt: a command, its argument, or a mention. Pure. */
import type { SlashCommand } from "../commands/command.ts";

export interface Token {
  readonly kind: "command" | "file" | "symbol" | "value";
  /** The text there, without its sign. */
  readonly part: string;
  /** Where the completed text begins, its sign included. */
  readonly start: number;
  /** The sign that the completed text begins with; none for the argument of a command. */
  readonly sign: "" | "/" | "@" | "#" | "$";
}

const KINDS = { "@": "file", "#": "symbol", $: "value" } as const;
const MENTION = /(?<=^|[\s([{"'“‘])([@#$])("?[^\s"'`,;()[\]{}<>]*)$/u;

/** Undefined where the text before the offset begins nothing that is completed. */
export function tokenAt(
  text: string,
  offset: number,
  commands: readonly Pick<SlashCommand, "name" | "completes">[],
): Token | undefined {
  const before = text.slice(0, offset);
  const [, name] = /^\/([\w-]*)$/.exec(before) ?? [];
  if (name !== undefined) return { kind: "command", part: name, start: 0, sign: "/" };
  const [, sign, part = ""] = MENTION.exec(before) ?? [];
  if (sign === "@" || sign === "#" || sign === "$") {
    const start = before.length - part.length - 1;
    return { kind: KINDS[sign], part: part.replace(/^"/, ""), start, sign };
  }
  const [, called, word = ""] = /^\/([\w-]+)\s(?:.*\s)?(\S*)$/s.exec(before) ?? [];
  const kind = commands.find((command) => command.name === called)?.completes;
  if (kind === undefined || kind === "mention" || word === "") return undefined;
  return { kind, part: word, start: before.length - word.length, sign: "" };
}
