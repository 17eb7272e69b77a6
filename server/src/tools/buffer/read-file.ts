/** `read_file`: a document's text as it is now, unsaved edits included. */
import type { DocumentText } from "../../workspace/documents.ts";
import { FileError } from "../../workspace/regular-file.ts";
import type { PathResolution, WorkspacePath } from "../../workspace/workspace-paths.ts";
import type { SeenTexts } from "../seen-texts.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { filesNamedLike, folderContents } from "../answers/near-miss.ts";

/** Contract: `readDocument` answers the open buffer's text before the disk's, undefined when neither exists. */
export interface ReadFilePorts {
  readonly resolvePath: (path: string) => PathResolution;
  readonly readDocument: (uri: string) => Promise<DocumentText | undefined>;
  readonly seen: SeenTexts;
}

const MAX_LINES = 400;
const MAX_CHARACTERS = 24_000;
const MAX_LINE = 500;

export function createReadFile(ports: ReadFilePorts): Tool {
  return defineTool({
    name: "read_file",
    description:
      "A text file with line numbers; the editor's unsaved text where it is open. Read the lines that you are about to change.",
    safety: "safe",
    categories: ["buffer", "filesystem"],
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "File path relative to the workspace folder." },
        start: { type: "integer", minimum: 1, description: "First line, 1-based (default 1)." },
        end: { type: "integer", minimum: 1, description: "Last line, inclusive." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    told: { path: { type: "string" }, start: { type: "integer" }, end: { type: "integer" } },
    run: async ({ path, start, end }, { sessionId }) => {
      const resolution = ports.resolvePath(path);
      if (!resolution.ok) throw new ToolFailure(resolution.reason);
      const document = await readOrExplain(ports, resolution.path);
      if (document.text.includes("\0")) throw new ToolFailure(`${resolution.path.relative} is a binary file.`);
      ports.seen.note(sessionId, resolution.path.uri, document.text);
      return numberedLines(resolution.path.relative, document, start ?? 1, end);
    },
  });
}

async function readOrExplain(ports: ReadFilePorts, path: WorkspacePath): Promise<DocumentText> {
  const { uri, relative, absolute } = path;
  try {
    const document = await ports.readDocument(uri);
    if (document !== undefined) return document;
  } catch (error) {
    if (error instanceof FileError && error.trouble === "folder") {
      throw new ToolFailure(`${relative || "."} is a folder. In it: ${await folderContents(absolute)}.`);
    }
    if (error instanceof FileError) throw new ToolFailure(error.message);
    throw error;
  }
  const top = relative === "" ? absolute : absolute.slice(0, -relative.length - 1);
  const alike = await filesNamedLike(top, relative);
  const hint = alike.length === 0 ? "" : ` Did you mean ${alike.join(" or ")}?`;
  throw new ToolFailure(`${relative} does not exist.${hint}`);
}

function numberedLines(path: string, document: DocumentText, start: number, end: number | undefined): ToolAnswer {
  const lines = document.text.split(/\r?\n/);
  // The text after the last line break is a line only when it is not empty.
  if (lines.at(-1) === "") lines.pop();
  if ((start > lines.length && lines.length > 0) || (end !== undefined && end < start)) {
    throw new ToolFailure(`${path} has ${lines.length} lines; there are no lines ${start}-${end ?? "end"}.`);
  }
  const last = Math.min(end ?? lines.length, lines.length);
  const source = document.version === null ? "on disk" : `open in the editor, version ${document.version}`;
  const shown: string[] = [];
  let characters = 0;
  let line = Math.max(1, start);
  for (; line <= last && shown.length < MAX_LINES && characters < MAX_CHARACTERS; line += 1) {
    const text = lines[line - 1] ?? "";
    const cut = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}… (${text.length} characters)` : text;
    shown.push(`${String(line).padStart(5)}  ${cut}`);
    characters += cut.length;
  }
  const more = line <= last;
  const head = `${path} (${source}, ${lines.length} lines)`;
  const tail = more ? [`… lines ${line}-${last} not shown; call again with start: ${line}.`] : [];
  return { content: [head, ...shown, ...tail].join("\n"), truncated: more };
}
