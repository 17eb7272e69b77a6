/**
 * From an edit the compiler made to a proposal, and from the person's decisions to what the compiler says about them.
 */
import { TextDocument } from "vscode-languageserver-textdocument";
import { loneCarriageReturnLine, withLineEndingsOf } from "../../proposals/texts/hunks.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import type { View } from "../../typescript/view.ts";
import type { FileEdits } from "../../typescript/edits/workspace-edit.ts";
import { mapLimited } from "../../typescript/yielding.ts";
import { FileError } from "../../workspace/regular-file.ts";
import { ToolFailure } from "../tool.ts";
import type { EditPorts } from "./define-edit.ts";

/** The touched documents as they are now and as the edit makes them. */
export interface PreparedEdit {
  readonly documents: readonly ProposedDocument[];
  readonly files: readonly string[];
  /** Other files that the edit may break, to be looked at as well. */
  readonly related: readonly string[];
}

const MAX_TEXT = 2_000_000;

/**
 * Runs inside a query, so that the edit and the texts belong together. A file that must not be touched refuses the
 * whole edit.
 */
export async function prepareEdit(
  ports: EditPorts,
  view: View,
  files: readonly FileEdits[],
  related: readonly string[] = [],
): Promise<PreparedEdit> {
  const documents = await mapLimited(files, (each) => proposedDocument(ports, view, each), view.signal);
  const changed = files.filter((_each, index) => documents[index]?.base?.text !== documents[index]?.target);
  const paths = changed.map(({ file }) => file);
  return {
    documents: documents.filter((document) => document.base?.text !== document.target),
    files: paths,
    related,
  };
}

async function proposedDocument(ports: EditPorts, view: View, edited: FileEdits): Promise<ProposedDocument> {
  const { file, edits } = edited;
  const shown = view.paths.show(file);
  const refuse = (reason: string): ToolFailure =>
    new ToolFailure(`Nothing was proposed: the compiler's edit reaches ${shown}. ${reason}`);
  if (!view.paths.isOwn(file)) throw refuse("That file is not the project's own, so it cannot change with the rest.");
  const resolution = ports.resolvePath(file);
  if (!resolution.ok) throw refuse(resolution.reason.replaceAll(file, shown));
  const { uri, relative: path } = resolution.path;
  const current = await ports.readDocument(uri).catch((error: unknown) => {
    throw error instanceof FileError ? refuse(`It ${error.finding}.`) : error;
  });
  if (current === undefined) {
    if (!edited.creates) throw refuse("It does not exist any more. Ask again.");
    return { uri, path, base: null, target: edits.map(({ newText }) => newText).join("") };
  }
  if (edited.creates) throw refuse("It exists already.");
  if (current.text.length > MAX_TEXT)
    throw refuse(`It has ${current.text.length} characters; the limit is ${MAX_TEXT}.`);
  if (loneCarriageReturnLine(current.text) !== undefined) {
    throw refuse("It has a carriage return without a line feed, where editors count lines differently.");
  }
  const seen = (await view.source(file))?.source.text;
  if (seen !== undefined && seen.replace(/^\uFEFF/, "") !== current.text) {
    throw refuse("It changed while the edit was being made. Ask again.");
  }
  const document = TextDocument.create(uri, "typescript", 0, current.text);
  const fitted = edits.map(({ range, newText }) => ({ range, newText: withLineEndingsOf(current.text, newText) }));
  return { uri, path, base: current, target: TextDocument.applyEdits(document, fitted) };
}
