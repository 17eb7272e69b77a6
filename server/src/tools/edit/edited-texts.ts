/** Files as edits would make them, for a call that only tries them: nothing is proposed and nothing is written. */
import { applyChanges } from "../../proposals/texts/hunks.ts";
import type { LaidTexts } from "../../repl/testing/test-run.ts";
import { FileError } from "../../workspace/regular-file.ts";
import { ToolFailure } from "../tool.ts";
import type { TriedEdit } from "../tried-edit.ts";
import type { EditPorts } from "./define-edit.ts";
import { replaceOnce } from "./text-edits.ts";

type FilePorts = Pick<EditPorts, "resolvePath" | "readDocument">;

/** By absolute path. Throws a `ToolFailure` for an edit that does not fit; each edit stands on those before it. */
export async function editedTexts(ports: FilePorts, edits: readonly TriedEdit[]): Promise<LaidTexts> {
  const texts = new Map<string, string>();
  for (const [index, edit] of edits.entries()) {
    const resolution = ports.resolvePath(edit.path);
    if (!resolution.ok) throw new ToolFailure(`edits[${index}]: ${resolution.reason}`);
    const { uri, absolute, relative } = resolution.path;
    const text = texts.get(absolute) ?? (await textOf(ports, uri, index));
    if (edit.original === undefined) {
      texts.set(absolute, edit.modified);
    } else if (text === undefined) {
      throw new ToolFailure(`edits[${index}]: ${relative} does not exist, so it cannot contain \`original\`.`);
    } else {
      const { original, modified } = edit;
      texts.set(absolute, applyChanges(text, [await replaceOnce({ path: relative, text, original, modified })]));
    }
  }
  return texts;
}

async function textOf(ports: FilePorts, uri: string, index: number): Promise<string | undefined> {
  try {
    return (await ports.readDocument(uri))?.text;
  } catch (error) {
    throw error instanceof FileError ? new ToolFailure(`edits[${index}]: ${error.message}`) : error;
  }
}
