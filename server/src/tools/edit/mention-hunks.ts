/** Mentions of a renamed symbol that no compiler is sure of, as hunks that are left out unless the person takes them. */
import { pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import { applyChanges, changesBetween, mapThrough } from "../../proposals/texts/hunks.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import { lineBreaksIn } from "../../base/line-breaks.ts";
import { spellingsIn } from "../../typescript/edits/mentions.ts";
import type { RenamePlan } from "../../typescript/edits/rename/rename.ts";
import type { LspPosition } from "../../typescript/places.ts";
import type { PreparedEdit } from "./compiler-edit.ts";
import type { EditPorts } from "./define-edit.ts";

type Apart = NonNullable<ProposedDocument["apart"]>;

export interface MentionsWanted {
  readonly newName: string;
  readonly also: readonly ("comments" | "strings" | "docs")[];
}

/** Mentions on a line that changes anyway are left out: the two hunks would be about one line. */
export async function withMentions(
  ports: Pick<EditPorts, "resolvePath" | "readDocument">,
  { edit, mentions, prose, oldName }: RenamePlan & { readonly edit: PreparedEdit; readonly oldName: string },
  { newName, also }: MentionsWanted,
): Promise<PreparedEdit> {
  const documents = edit.documents.map((document, index) => {
    const { base, target, uri } = document;
    const found = mentions.find(({ file }) => file === edit.files[index]);
    if (base === null || target === null || found === undefined) return document;
    const changed = changesBetween(base.text, target);
    const text = TextDocument.create(uri, "typescript", 0, base.text);
    const hunksOf = (what: string, places: readonly LspPosition[]): Apart =>
      lineHunks(document, { what, oldName, newName, offsets: places.map((at) => text.offsetAt(at)) });
    const apart = [
      ...(also.includes("comments") ? hunksOf("comment", found.comments) : []),
      ...(also.includes("strings") ? hunksOf("string", found.strings) : []),
    ];
    const free = apart.filter(({ change }, at) => {
      const isSameLine = apart.findIndex((each) => each.change.start === change.start) < at;
      return !isSameLine && mapThrough(change, changed) !== undefined;
    });
    return free.length === 0 ? document : { ...document, apart: free };
  });
  const pages = also.includes("docs") ? prose : [];
  const found = await Promise.all(pages.map(({ file }) => pageDocument(ports, file, { oldName, newName })));
  const known = found.filter((each) => each !== undefined);
  return {
    ...edit,
    documents: [...documents, ...known.map(({ document }) => document)],
    files: [...edit.files, ...known.map(({ file }) => file)],
  };
}

interface Named {
  readonly what: string;
  readonly oldName: string;
  readonly newName: string;
  /** The places of the old name. */
  readonly offsets: readonly number[];
}

/** One hunk a line, with all mentions of the line. */
function lineHunks(
  { base, path }: Pick<ProposedDocument, "base" | "path">,
  { what, oldName, newName, offsets }: Named,
): Apart {
  const text = base?.text ?? "";
  const byLine = Map.groupBy(offsets, (offset) => text.lastIndexOf("\n", offset - 1) + 1);
  return [...byLine].map(([start, own]) => {
    const end = text.indexOf("\n", start) === -1 ? text.length : text.indexOf("\n", start) + 1;
    const renamed = own.map((offset) => ({ start: offset, end: offset + oldName.length, newText: newName }));
    const newText = applyChanges(text, renamed).slice(start, end + own.length * (newName.length - oldName.length));
    return { title: `${what} in ${path}:${lineBreaksIn(text, 0, start) + 1}`, change: { start, end, newText } };
  });
}

async function pageDocument(
  ports: Pick<EditPorts, "resolvePath" | "readDocument">,
  file: string,
  { oldName, newName }: { readonly oldName: string; readonly newName: string },
): Promise<{ readonly file: string; readonly document: ProposedDocument } | undefined> {
  const resolution = ports.resolvePath(file);
  if (!resolution.ok) return undefined;
  const { uri, relative: path } = resolution.path;
  const base = await ports.readDocument(pathToFileURL(file).href).catch(() => undefined);
  if (base === undefined) return undefined;
  const offsets = spellingsIn(base.text, oldName);
  const apart = lineHunks({ base, path }, { what: "text", oldName, newName, offsets });
  return { file, document: { uri, path, base, target: base.text, apart } };
}
