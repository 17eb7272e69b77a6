/** What one file exports and what it keeps to itself. */
import { largeNote } from "../names/tree/outline.ts";
import { handedOn } from "../names/javascript/commonjs-exports.ts";
import { inspectDeclaration } from "../names/tree/inspect-declaration.ts";
import type { Declaration } from "../names/tree/declaration.ts";
import { unlistedExports } from "./assigned-exports.ts";
import { exportOrigin, exportsOf, type ExportedName } from "./module-exports.ts";
import type { TypeContext } from "./type-text.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export interface FileExport extends ExportedName {
  /** For a default export, its name where it is declared. */
  readonly declared: string | undefined;
}

export interface FileExports {
  /** The exports that the file declares itself, by kind and name. */
  readonly own: readonly FileExport[];
  /** How many more it passes on. */
  readonly passedOn: number;
  /** The names of what it declares and does not export. */
  readonly internal: readonly string[];
  /** `name (line 3)` of what it exports by assignments that the compiler does not follow. */
  readonly assigned: readonly string[];
  readonly syntaxErrors: number;
}

/** The exports of one file, for the overview of many. */
export async function fileExports(view: View, file: string, includeInternal: boolean): Promise<FileExports> {
  const found = await view.source(file);
  const module = await found?.program.project.checker.getSymbolAtLocation(found.source);
  if (found === undefined) return { own: [], passedOn: 0, internal: [], assigned: [], syntaxErrors: 0 };
  const context = { view, program: found.program, enclosing: found.source };
  const exports = module === undefined ? [] : await exportsOf(context, module);
  const own = exports.filter((each) => each.file === file);
  const internal = includeInternal ? await internalNames(context, { file, inside: "" }, exports) : [];
  const names = internal.map(({ name }) => name).filter((name) => name !== "global");
  const problems = await found.program.project.program.getSyntacticDiagnostics(file);
  const passedOn = exports.length - own.length;
  const assigned = await unlistedExports(context, new Set(exports.map(({ name }) => name)));
  const defaults = await mapLimited(
    own,
    (each) => (each.name === "default" ? exportOrigin(context, each) : none),
    view.signal,
  );
  const named = own.map((each, index) => ({ ...each, declared: defaults[index]?.name }));
  return { own: named, passedOn, internal: [...new Set(names)], assigned, syntaxErrors: problems.length };
}

const none = Promise.resolve(undefined);

/** What a module or a namespace declares and does not export. */
export async function internalNames(
  context: TypeContext,
  { file, inside }: { readonly file: string; readonly inside: string },
  exports: readonly ExportedName[],
): Promise<Declaration[]> {
  const { view } = context;
  const { declarations, outermostOnly } = await view.outline(file);
  if (outermostOnly) view.doubts.add(largeNote(view.paths, file));
  const own = exports.filter((each) => each.file === file);
  const origins = await mapLimited(own, (each) => exportOrigin(context, each), view.signal);
  const known = new Set(origins.map((origin) => `${origin?.at.line}:${origin?.at.character}`));
  const names = new Set(origins.map((origin) => origin?.name));
  const direct = declarations.filter(({ path, name, local, ordinal }) => {
    return !local && ordinal === 1 && path === (inside === "" ? name : `${inside}.${name}`);
  });
  const hidden = direct.filter(({ at, path }) => !known.has(`${at.line}:${at.character}`) && !names.has(path));
  const inspected = await mapLimited(hidden, (each) => inspectDeclaration(view, each), view.signal);
  return hidden.filter((_each, index) => {
    const detail = inspected[index];
    if (detail === undefined || handedOn(detail.node) !== undefined) return false;
    return detail.kind !== "alias" && detail.kind !== "import";
  });
}
