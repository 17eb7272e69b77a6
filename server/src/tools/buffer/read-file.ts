/** `read_file`: a document's text as it is now, unsaved edits included. */
import type { DocumentText } from "../../workspace/documents.ts";
import { FileError } from "../../workspace/regular-file.ts";
import type { PathResolution, WorkspacePath } from "../../workspace/workspace-paths.ts";
import { lineStretches } from "../answers/line-stretches.ts";
import { didYouMean, filesNamedLike } from "../answers/near-miss.ts";
import type { ListingPorts } from "../files/folder-listing.ts";
import { folderAnswer } from "../files/list-directory.ts";
import type { SeenTexts } from "../seen-texts.ts";
import { defineTool, ToolFailure, type Tool } from "../tool.ts";
import { placeInFile, type LineRange } from "./line-ranges.ts";
import { linesOf, numberedLines } from "./numbered-lines.ts";
import { plural } from "../../base/plural.ts";

/** Contract: `readDocument` answers the open buffer's text before the disk's, undefined when neither exists. */
export interface ReadFilePorts extends ListingPorts {
  readonly resolvePath: (path: string) => PathResolution;
  readonly readDocument: (uri: string) => Promise<DocumentText | undefined>;
  /** Whether the text of an open document is another one than the disk's. Contract: never rejects. */
  readonly isUnsaved: (uri: string) => Promise<boolean>;
  readonly seen: SeenTexts;
}

type Found =
  | { readonly path: WorkspacePath; readonly document: DocumentText; readonly ranges?: readonly LineRange[] }
  | { readonly folder: WorkspacePath };

export function createReadFile(ports: ReadFilePorts): Tool {
  return defineTool({
    name: "read_file",
    description: "A text file with line numbers, unsaved text included; or what stands in a folder.",
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
    run: async ({ path: named, start, end }, { sessionId, signal, onRead }) => {
      const found = await find(ports, named);
      if ("folder" in found) {
        const { relative, absolute } = found.folder;
        return folderAnswer(ports, { path: relative, absolute }, signal);
      }
      const { path, document, ranges } = found;
      if (document.text.includes("\0")) throw new ToolFailure(`${path.relative} is a binary file.`);
      const isUnsaved = document.version !== null && (await ports.isUnsaved(path.uri));
      const source = document.version === null ? "on disk" : `open in the editor${isUnsaved ? ", not saved" : ""}`;
      const lines = linesOf(document.text);
      const head = `${path.relative} (${source}, ${plural(lines.length, "line")})`;
      const isSaid = start !== undefined || end !== undefined || ranges === undefined;
      const asked = isSaid ? [{ start: start ?? 1, end }] : ranges;
      const { whole, answer } = numberedLines({ head, name: path.relative }, lines, asked);
      const { uri, text, sha256 } = document;
      const stretches = lineStretches(
        text,
        whole.map((line) => line - 1),
      );
      ports.seen.noteStretches(sessionId, path.uri, { text, stretches });
      onRead?.({ uri, text, sha256, stretches });
      return answer;
    },
  });
}

/** A file may have a name that ends in `:12`, so the whole text is looked for first. */
async function find(ports: ReadFilePorts, named: string): Promise<Found> {
  const resolution = ports.resolvePath(named);
  const found = resolution.ok ? await look(ports, resolution.path) : undefined;
  if (found !== undefined) return found;
  const place = placeInFile(named);
  const other = place === undefined ? resolution : ports.resolvePath(place.path);
  if (!other.ok) throw new ToolFailure(other.reason);
  const there = place === undefined ? undefined : await look(ports, other.path);
  if (there !== undefined) return "folder" in there ? there : { ...there, ranges: place?.ranges ?? [] };
  const { relative, absolute } = other.path;
  const top = relative === "" ? absolute : absolute.slice(0, -relative.length - 1);
  throw new ToolFailure(`${relative} does not exist.${didYouMean(await filesNamedLike(top, relative))}`);
}

/** Undefined where nothing is. */
async function look(ports: ReadFilePorts, path: WorkspacePath): Promise<Found | undefined> {
  try {
    const document = await ports.readDocument(path.uri);
    return document && { path, document };
  } catch (error) {
    if (error instanceof FileError && error.trouble === "folder") return { folder: path };
    if (error instanceof FileError) throw new ToolFailure(error.message);
    throw error;
  }
}
