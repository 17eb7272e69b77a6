/** The files in which a project says what agents are to do: found in a folder, read as data until a person trusts them. */
import { stat } from "node:fs/promises";
import { headOf } from "../base/cut-text.ts";
import { showHidden } from "../workspace/hidden-characters.ts";

export interface InstructionFile {
  /** With links followed, which makes two names of one file one file. */
  readonly absolute: string;
  /** As people and models read the path. */
  readonly path: string;
  /** The folder that the instructions are for; empty for a whole workspace folder. */
  readonly folder: string;
  readonly content: InstructionContent;
}

export type InstructionContent =
  /** `text` is what may be shown: cut, and with hidden characters written out. */
  | { readonly text: string; readonly sha256: string; readonly lines: number; readonly cutAt?: number }
  /** Why there is none, as the end of a sentence that begins with the file: "is a binary file". */
  | { readonly reason: string };

/** A file as it is now. Contract: undefined where there is none; never rejects. */
export type FindInstructions = (
  folder: string,
  name: string,
) => Promise<
  | { readonly absolute: string; readonly path: string; readonly text: string; readonly sha256: string }
  | { readonly absolute: string; readonly path: string; readonly reason: string }
  | undefined
>;

export const INSTRUCTION_NAMES: readonly string[] = ["AGENTS.md", "CLAUDE.md"];
/** About 3,000 tokens. */
export const MAX_INSTRUCTIONS = 12_000;

/**
 * `folder` is absolute, `shown` as people read it and empty for a workspace folder. None where there is no such folder: a call
 * may have touched a file without an ending, such as Makefile. The same text is answered once.
 */
export async function instructionsIn(
  folder: string,
  shown: string,
  find: FindInstructions,
): Promise<InstructionFile[]> {
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [];
  const files: InstructionFile[] = [];
  const seen = new Set<string>();
  for (const name of INSTRUCTION_NAMES) {
    const found = await find(folder, name);
    if (found === undefined) continue;
    const content = "reason" in found ? { reason: found.reason } : contentOf(found.text, found.sha256);
    const key = "sha256" in content ? content.sha256 : found.absolute;
    if (seen.has(key) || ("text" in content && saysNothing(content.text))) continue;
    seen.add(key);
    files.push({ absolute: found.absolute, path: found.path, folder: shown, content });
  }
  return files;
}

function contentOf(text: string, sha256: string): InstructionContent {
  const shown = showHidden(text.replaceAll(/\r\n?/g, "\n")).trimEnd();
  const lines = shown.split("\n").length;
  if (shown.length <= MAX_INSTRUCTIONS) return { text: shown, sha256, lines };
  const head = headOf(shown, MAX_INSTRUCTIONS);
  return { text: head, sha256, lines, cutAt: head.split("\n").length };
}

/** Nothing at all, or a mere reference to another of these files, which is read by its own name. */
function saysNothing(text: string): boolean {
  return text.split("\n").every((line) => line.trim() === "" || /^@(?:\.\/)?(?:AGENTS|CLAUDE)\.md$/.test(line.trim()));
}
