/** What moving files means for the rest of the project: import paths that the compiler changes, and what it leaves. */
import { dirname, relative, resolve, sep } from "node:path";
import { TextDocument } from "vscode-languageserver-textdocument";
import { uriOf } from "../../../workspace/file-uri.ts";
import { fileTextNow } from "../../files/file-text.ts";
import { readRegularText } from "../../../workspace/regular-file.ts";
import { statsOf } from "../../../workspace/file-names.ts";
import { packageEntry } from "../../files/packages/package-entry.ts";
import { isTracked } from "../../files/tracked-names.ts";
import { writtenPaths } from "../../files/written-paths.ts";
import { homeOf, packageImporters } from "../../names/package-importers.ts";
import type { View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";
import { augmentationsOf, editsBeside } from "./augmented-moves.ts";
import { movedStems, stemOf, type Moves } from "./moves.ts";
import { fileEditsOf, type CompilerTextEdit, type FileEdits, type LspWorkspaceEdit } from "../workspace-edit.ts";

export interface Mention {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

const MAX_SIZE = 1_000_000;
const IMPORTED_PATH = /\b(?:from|import|require|URL)\s*\(?\s*["'](\.{1,2}\/[^"'\n]*)["']/g;

/**
 * The compiler's own edits of import paths, in files that import what moves and in the moved files themselves. `folders`
 * are the folders that move with all of their files: asked about as such, the compiler keeps the imports between those.
 */
export async function importEdits(view: View, moves: Moves, folders: Moves): Promise<FileEdits[]> {
  const single = [...moves].filter(([from]) => ![...folders.keys()].some((folder) => from.startsWith(folder + sep)));
  // The compiler of 7.0.2 ends when it is asked about a file that it cannot read.
  const asked = [...folders, ...single.filter(([from]) => isTracked(from))];
  const files = asked.map(([from, to]) => ({ oldUri: uriOf(from), newUri: uriOf(to) }));
  const augmentations = files.length === 0 ? [] : await augmentationsOf(view, moves);
  const answered =
    augmentations.length > 0
      ? await editsBeside(view, files, { augmentations, moves })
      : fileEditsOf(
          view,
          files.length === 0
            ? null
            : await view.request<LspWorkspaceEdit | null>("workspace/willRenameFiles", { files }),
        );
  const own = answered.map((each) => ({ ...each, edits: oneForEachImport(each, moves) }));
  return (await withOtherImports(view, own, moves)).filter(({ edits }) => edits.length > 0);
}

/** Imports of files that are no source, such as pictures and style sheets: the compiler does not follow those. */
async function withOtherImports(view: View, own: readonly FileEdits[], moves: Moves): Promise<FileEdits[]> {
  const all = new Map(own.map((each) => [each.file, each]));
  const isOtherMoved = [...moves.keys()].some((from) => !isTracked(from));
  await forEachYielding(
    isOtherMoved ? view.ownFiles() : view.ownFiles().filter((file) => moves.has(file)),
    (file) => {
      const text = fileTextNow(view, file);
      const document = TextDocument.create(uriOf(file), "typescript", 0, text);
      const { edits = [], ...rest } = all.get(file) ?? { file, creates: false };
      const known = new Set(edits.map(({ range: { start } }) => document.offsetAt(start)));
      const more = [...text.matchAll(IMPORTED_PATH)].flatMap(
        ({ index, 1: name = "", 0: whole }): CompilerTextEdit[] => {
          const target = resolve(dirname(file), name);
          const goal = moves.get(target) ?? (moves.has(file) ? target : undefined);
          const start = index + whole.length - 1 - name.length;
          if (goal === undefined || known.has(start) || isTracked(target) || statsOf(target)?.isFile() !== true)
            return [];
          const path = relative(dirname(moves.get(file) ?? file), goal).replaceAll("\\", "/");
          const range = { start: document.positionAt(start), end: document.positionAt(start + name.length) };
          return [{ range, newText: path.startsWith(".") ? path : `./${path}` }];
        },
      );
      if (more.length > 0) all.set(file, { ...rest, edits: [...edits, ...more] });
    },
    view.signal,
  );
  return [...all.values()].toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

/**
 * For an import between two files that both move, the compiler of 7.0.2 makes two edits: one as if only the one file
 * moved, and one as if only the other did. The path between their new places is neither.
 */
function oneForEachImport({ file, edits }: FileEdits, moves: Moves): CompilerTextEdit[] {
  const place = moves.get(file);
  const newStems = movedStems(moves);
  const byPlace = Map.groupBy(edits, ({ range: { start } }) => `${start.line}:${start.character}`);
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    if (place === undefined || first === undefined) return first === undefined ? [] : [first];
    const folder = dirname(place);
    for (const edit of same) {
      const target = resolve(folder, edit.newText);
      const goal = /^\.{1,2}\//.test(edit.newText) ? newStems.get(stemOf(target)) : undefined;
      if (goal === undefined) continue;
      const path = relative(folder, goal) + target.slice(stemOf(target).length);
      return [{ ...edit, newText: (path.startsWith(".") ? path : `./${path}`).replaceAll("\\", "/") }];
    }
    return [first];
  });
}

/**
 * Places that name a moved file in a way that the compiler does not follow: strings of code that are no import, and text
 * that is no code. `edited` are the edits of `importEdits`.
 */
export async function leftMentions(view: View, moves: Moves, edited: readonly FileEdits[]): Promise<Mention[]> {
  const newStems = movedStems(moves);
  const files = view.ownFiles();
  const written = await writtenPaths.ofAll(view, files);
  const found = files.flatMap((file, index): Mention[] => {
    const quoted = (written[index]?.quoted ?? []).filter(({ path }) => {
      const goal = newStems.get(stemOf(resolve(dirname(file), path)));
      // Between files that move together the path stays what it is.
      return goal !== undefined && goal !== stemOf(resolve(dirname(moves.get(file) ?? file), path));
    });
    if (quoted.length === 0) return [];
    const lines = new Set(edited.find((each) => each.file === file)?.edits.map(({ range }) => range.start.line + 1));
    return quoted.flatMap(({ line }) => (lines.has(line) ? [] : [{ file, line }]));
  });
  const byPackage = await mentionsByPackage(view, moves, edited);
  return [...found, ...byPackage, ...(await mentionsInProse(view, [...newStems.keys()], edited))];
}

/** Imports by the name of a package of the workspace that lead to a moved file, or to what is built from that file. */
async function mentionsByPackage(view: View, moves: Moves, edited: readonly FileEdits[]): Promise<Mention[]> {
  const homes = new Set([...moves.keys()].map((from) => homeOf(view, from)));
  const importers = [...(await packageImporters(view))].flatMap(([home, each]) => (homes.has(home) ? each : []));
  const entries = new Map<string, string | undefined>();
  return importers.flatMap(({ file, specifiers, imported }) => {
    const naming = [...specifiers].filter((specifier) => {
      const subpath = specifier.slice(imported.name.length + 1);
      if (!entries.has(specifier)) entries.set(specifier, packageEntry(view, imported, subpath));
      return moves.has(entries.get(specifier) ?? "");
    });
    if (naming.length === 0) return [];
    const lines = new Set(edited.find((each) => each.file === file)?.edits.map(({ range }) => range.start.line));
    return fileTextNow(view, file)
      .split("\n")
      .flatMap((text, line) => {
        const isNamed = naming.some((name) => text.includes(`"${name}"`) || text.includes(`'${name}'`));
        return isNamed && !lines.has(line) ? [{ file, line: line + 1 }] : [];
      });
  });
}

/** Pages and settings name files by their path from the workspace folder. */
async function mentionsInProse(view: View, stems: readonly string[], edited: readonly FileEdits[]): Promise<Mention[]> {
  const { state } = view;
  const configs = view.programs.flatMap(({ configFile }) => configFile ?? []);
  const files = [...new Set([...state.unreadFiles(), ...state.proseFiles(), ...state.packageFiles, ...configs])].filter(
    (file) => edited.every((each) => each.file !== file),
  );
  const found = await mapLimited(
    files,
    async (file) => {
      const text = await readRegularText(file, { limit: MAX_SIZE, lossy: true }).catch(() => "");
      const names = stems.flatMap((stem) => [view.paths.show(stem), `./${relative(dirname(file), stem)}`]);
      return text.split("\n").flatMap((line, index) => {
        return names.some((name) => namesPath(line, name)) ? [{ file, line: index + 1 }] : [];
      });
    },
    view.signal,
  );
  return found.flat();
}

/** `src/a` in `see src/a.ts`, but not in `src/abc.ts` or `lib/src/a`. */
function namesPath(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1)) {
    const isWhole = !/[\w$/-]/.test(line[at + name.length] ?? "") && !/[\w$-]/.test(line[at - 1] ?? "");
    if (isWhole) return true;
  }
  return false;
}
