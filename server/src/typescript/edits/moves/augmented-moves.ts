/**
 * The compiler takes a module that anything augments (`declare module "./foo"`) for one that is in no file, and
 * follows none of its imports when the file moves. Asked with the augmentations out of sight, the compiler follows
 * them all.
 */
import { basename, dirname, relative, resolve } from "node:path";
import { TextDocument } from "vscode-languageserver-textdocument";
import { uriOf } from "../../../workspace/file-uri.ts";
import { basisOf, withAppended } from "../../expand/side-compiler.ts";
import { fileTextNow } from "../../files/file-text.ts";
import { writtenPaths } from "../../files/written-paths.ts";
import type { View } from "../../view.ts";
import { movedStems, stemOf, type Moves } from "./moves.ts";
import { fileEditsOf, type CompilerTextEdit, type FileEdits, type LspWorkspaceEdit } from "../workspace-edit.ts";

/** An augmentation of what may be a moved module, or a module that a moved file imports; or one in a file that moves. */
interface Augmentation {
  readonly file: string;
  /** Where the specifier begins in its file, behind the quotation mark. */
  readonly start: number;
  readonly specifier: string;
}

const RELATIVE = /["'](\.{1,2}\/[^"'\n]*)["']/g;

export async function augmentationsOf(view: View, moves: Moves): Promise<Augmentation[]> {
  const stems = new Set([...moves.keys()].flatMap((file) => [stemOf(file), ...importedBy(view, file)]));
  const names = new Set([...stems].map((stem) => basename(stem)));
  const files = view.ownFiles();
  const written = await writtenPaths.ofAll(view, files);
  return files.flatMap((file, index) =>
    (written[index]?.augmented ?? []).flatMap(({ specifier, start }) => {
      const target = stemOf(resolve(dirname(file), specifier));
      const isMeant = /^\.{1,2}\//.test(specifier)
        ? moves.has(file) || stems.has(target) || stems.has(`${target}/index`)
        : names.has(basename(stemOf(specifier)));
      return isMeant ? [{ file, start, specifier }] : [];
    }),
  );
}

/** What the relative specifiers of a file may mean. */
function importedBy(view: View, file: string): string[] {
  if (view.programOf(file) === undefined) return [];
  return [...fileTextNow(view, file).matchAll(RELATIVE)].flatMap(([, specifier = ""]) => {
    const target = resolve(dirname(file), specifier);
    return [stemOf(target), `${target}/index`];
  });
}

/** The compiler's edits for renamed files, with the augmentations out of sight, and the edits of the augmentations themselves. */
export async function editsBeside(
  view: View,
  files: readonly { readonly oldUri: string; readonly newUri: string }[],
  { augmentations, moves }: { readonly augmentations: readonly Augmentation[]; readonly moves: Moves },
): Promise<FileEdits[]> {
  const texts = new Map<string, string>();
  for (const { file, start, specifier } of augmentations) {
    const text = texts.get(file) ?? fileTextNow(view, file);
    texts.set(file, text.slice(0, start) + "_".repeat(specifier.length) + text.slice(start + specifier.length));
  }
  const [host] = [...moves.keys()].filter((file) => view.programOf(file) !== undefined);
  const basis = host === undefined ? undefined : await basisOf(view, host);
  if (basis === undefined) return [];
  const text = texts.get(basis.file) ?? basis.text;
  const beside = new Map([...texts].filter(([file]) => file !== basis.file));
  const answer = await withAppended(
    { ...basis, text, beside },
    "",
    ({ request }) => request<LspWorkspaceEdit | null>("workspace/willRenameFiles", { files }),
    view.signal,
  );
  return withAugmentations(view, fileEditsOf(view, answer), { augmentations, moves });
}

function withAugmentations(
  view: View,
  own: readonly FileEdits[],
  { augmentations, moves }: { readonly augmentations: readonly Augmentation[]; readonly moves: Moves },
): FileEdits[] {
  const all = new Map(own.map((each) => [each.file, each]));
  // What an alias becomes is the same in every file.
  const aliases = new Map(
    own.flatMap(({ file, edits }) => {
      const document = TextDocument.create(uriOf(file), "typescript", 0, fileTextNow(view, file));
      return edits.map(({ range, newText }) => [document.getText(range), newText] as const);
    }),
  );
  const stems = movedStems(moves);
  for (const { file, start, specifier } of augmentations) {
    const newText = specifier.startsWith(".")
      ? movedSpecifier(specifier, file, { stems, moves })
      : aliases.get(specifier);
    if (newText === undefined || newText === specifier) continue;
    const document = TextDocument.create(uriOf(file), "typescript", 0, fileTextNow(view, file));
    const range = { start: document.positionAt(start), end: document.positionAt(start + specifier.length) };
    const { edits = [], ...rest } = all.get(file) ?? { file, creates: false };
    const isThere = edits.some((edit: CompilerTextEdit) => document.offsetAt(edit.range.start) === start);
    if (!isThere) all.set(file, { ...rest, edits: [...edits, { range, newText }] });
  }
  return [...all.values()];
}

/** The relative specifier between the new places, its ending written as before. */
function movedSpecifier(
  specifier: string,
  file: string,
  { stems, moves }: { readonly stems: ReadonlyMap<string, string>; readonly moves: Moves },
): string {
  const target = resolve(dirname(file), specifier);
  const goal = stems.get(stemOf(target)) ?? stems.get(`${target}/index`)?.replace(/\/index$/, "") ?? stemOf(target);
  const path =
    relative(dirname(moves.get(file) ?? file), goal).replaceAll("\\", "/") + target.slice(stemOf(target).length);
  return path.startsWith(".") ? path : `./${path}`;
}
