/** Turns a type somebody wrote into a question about a module: which module, and what every name in it means there. */
import { sep } from "node:path";
import { SymbolFlags } from "typescript/unstable/async";
import { inspectDeclaration } from "../names/tree/inspect-declaration.ts";
import { moduleScope } from "../names/tree/module-scope.ts";
import { resolveSymbol, type Resolution } from "../names/resolve-symbol.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import { specifier } from "./specifier.ts";
import { basisOf, type ModuleBasis } from "./side-compiler.ts";
import { parseTypeForm, type TypeForm } from "./type-form.ts";
import type { ProgramView, View } from "../view.ts";

export interface TypeQuestion {
  readonly basis: ModuleBasis;
  /** The form with every name as the module can say it. */
  readonly text: string;
  /** Declarations to put before it; "" for none. */
  readonly declarations: string;
  /** Names that were taken from other modules: `Config from src/config.ts`. */
  readonly borrowed: readonly string[];
}

export type TypeQuestionResult =
  | { readonly kind: "question"; readonly question: TypeQuestion }
  | { readonly kind: "unresolved"; readonly asked: string; readonly resolution: Exclude<Resolution, { kind: "found" }> }
  | { readonly kind: "no module"; readonly reason: string };

interface Found {
  readonly target: SymbolTarget;
  readonly exported: boolean;
  /** True when every module can name the symbol without an import. */
  readonly global: boolean;
}

const ADDRESS =
  /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)|((?:[\p{ID_Continue}@.$-]+\/)*[\p{ID_Continue}@.$-]*[\p{ID_Continue}$]#[\p{ID_Start}$_][\p{ID_Continue}$.]*)/gu;
const ANY_MEANING: SymbolFlags = SymbolFlags.Value | SymbolFlags.Type | SymbolFlags.Namespace;

/** A text with the addresses in it replaced by names: `Partial<src/a.ts#Config>`. */
export interface AddressedForm {
  readonly form: TypeForm;
  /** The address behind each name that was put in. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** Undefined when the text is no type. */
export function readTypeForm(text: string): AddressedForm | undefined {
  const addresses = new Map<string, string>();
  const replaced = text.replaceAll(ADDRESS, (match, quoted: string | undefined, address: string | undefined) => {
    if (quoted !== undefined || address === undefined) return match;
    const name = `__at${addresses.size}`;
    addresses.set(name, address);
    return name;
  });
  const form = parseTypeForm(replaced);
  return form === undefined ? undefined : { form, addresses };
}

/** The type of one symbol: `typeof ` before its address, `["member"]` behind it. */
export function addressedType(type: {
  readonly prefix: string;
  readonly address: string;
  readonly suffix: string;
}): AddressedForm | undefined {
  const name = "__at0";
  const form = parseTypeForm(type.prefix + name + type.suffix);
  return form === undefined ? undefined : { form, addresses: new Map([[name, type.address]]) };
}

/**
 * The module is the one given; else the one of the first name that cannot be said elsewhere; else of the first name the
 * project declares; else any. Names that the module does not see are said as `import("…").Name`.
 */
export async function typeQuestion(
  view: View,
  { form, addresses }: AddressedForm,
  packageName: string | undefined,
): Promise<TypeQuestionResult> {
  const found = new Map<string, Found>();
  for (const [name, address] of addresses) {
    const resolution = await resolveSymbol(view, address);
    if (resolution.kind !== "found") return { kind: "unresolved", asked: address, resolution };
    found.set(name, await inspectTarget(view, resolution.target));
  }
  const given = packageName === undefined ? undefined : givenModule(view, packageName);
  if (packageName !== undefined && given === undefined) {
    const resolution = await resolveSymbol(view, packageName.includes("#") ? packageName : `${packageName}#_`);
    if (resolution.kind !== "found") return { kind: "unresolved", asked: packageName, resolution };
  }
  const names = new Set(form.names.map(({ name }) => name).filter((name) => !addresses.has(name)));
  const open = given === undefined ? [...names] : await unknownNames(view, given, names);
  for (const name of open) {
    const resolution = await resolveSymbol(view, name);
    if (resolution.kind === "found" && view.paths.isOwn(resolution.target.file))
      found.set(name, await inspectTarget(view, resolution.target));
    // The reader has to choose one of several only when the module itself does not know the name.
    else if (resolution.kind === "ambiguous") return { kind: "unresolved", asked: name, resolution };
  }
  const file = given ?? chosenModule(view, [...found.values()]);
  const hidden = [...found.values()].find(
    ({ target, exported, global }) => target.file !== file && !exported && !global,
  );
  if (hidden !== undefined) return { kind: "no module", reason: notExported(view, hidden.target) };
  const basis = file === undefined ? undefined : await basisOf(view, file);
  if (file === undefined || basis === undefined)
    return { kind: "no module", reason: "The workspace has no module in which the type could be looked at." };
  const borrowed: string[] = [];
  const text = replaceNames(form, (name) => {
    const known = found.get(name);
    if (known === undefined) return name;
    const { target } = known;
    if (target.file === file || known.global) return target.path;
    borrowed.push(`${target.path} from ${view.paths.show(target.file)}`);
    return `import(${JSON.stringify(specifier(file, target.file))}).${target.path}`;
  });
  const question = {
    basis,
    text: form.declares ?? text,
    declarations: form.declares === undefined ? "" : text,
    borrowed: [...new Set(borrowed)],
  };
  return { kind: "question", question };
}

function notExported(view: View, { path, file }: SymbolTarget): string {
  const shown = view.paths.show(file);
  return `${path} is not exported by ${shown}, so only that module can name it: ask with path "${shown}".`;
}

async function inspectTarget(view: View, target: SymbolTarget): Promise<Found> {
  const detail = await inspectDeclaration(view, target.declarations[0]);
  // A global name, or one of an installed package, needs no `export` keyword.
  const exported = detail?.modifiers.includes("export") === true || !view.paths.isOwn(target.file);
  const { checker } = view.programOf(target.file)?.project ?? {};
  const [outer = ""] = target.path.split(".");
  return { target, exported, global: (await checker?.resolveName(outer, ANY_MEANING)) !== undefined };
}

function givenModule(view: View, name: string): string | undefined {
  const files = moduleScope(view, name)?.files ?? [];
  return files.find((file) => /[/\\]index\.[cm]?tsx?$/.test(file)) ?? files[0];
}

function chosenModule(view: View, found: readonly Found[]): string | undefined {
  const own = found.filter(({ target }) => view.paths.isOwn(target.file));
  const chosen = own.find(({ exported }) => !exported) ?? own[0];
  if (chosen !== undefined) return chosen.target.file;
  const files = outermostProgram(view)?.own ?? [];
  return files.find((file) => /\.[cm]?tsx?$/.test(file)) ?? files[0];
}

/** The program whose tsconfig is nearest to the workspace folder: it reads a form without a module. */
export function outermostProgram(view: View): ProgramView | undefined {
  const depth = ({ configFile }: ProgramView): number => configFile?.split(sep).length ?? Number.POSITIVE_INFINITY;
  const withFiles = view.programs.filter(({ own }) => own.length > 0);
  return withFiles.toSorted((a, b) => depth(a) - depth(b) || (a.name < b.name ? -1 : 1))[0];
}

async function unknownNames(view: View, file: string, names: ReadonlySet<string>): Promise<string[]> {
  const found = await view.source(file);
  if (found === undefined) return [];
  const { checker } = found.program.project;
  const location = { document: file, position: found.source.text.length };
  const known = await Promise.all([...names].map((name) => checker.resolveName(name, ANY_MEANING, location)));
  return [...names].filter((_name, index) => known[index] === undefined);
}

function replaceNames({ text, names }: TypeForm, say: (name: string) => string): string {
  let replaced = text;
  for (const { name, start, end } of names.toSorted((a, b) => b.start - a.start))
    replaced = replaced.slice(0, start) + say(name) + replaced.slice(end);
  return replaced;
}
