/**
 * Which files of the project may have other errors once some files have other texts: those that name something whose
 * meaning changes, directly or through names that depend on it. Read from the texts alone, and never too few.
 */
import { dirname, isAbsolute, join } from "node:path";
import { fileText } from "../../files/file-text.ts";
import { specifiersIn, stemOf, stemsNaming } from "../../files/packages/specifiers.ts";
import type { View } from "../../view.ts";
import { giveWay } from "../../yielding.ts";
import { changedNames, givenThrough } from "./changed-names.ts";
import { EVERY, UNREAD, type ModuleNames } from "./module-names.ts";

/** Null for a file that does not exist. */
export interface TextPair {
  readonly before: string | null;
  readonly now: string | null;
}

export interface AffectedFiles {
  /** By file, nearest first, the changed files that matter to it. A changed file matters to itself. */
  readonly sources: ReadonlyMap<string, ReadonlySet<string>>;
  /** False when the walk stopped at its limit. */
  readonly isEvery: boolean;
}

/** Reading a longer text would keep everybody waiting; all its names are then taken as changed. */
const MAX_READ = 150_000;
const SLICE_MS = 4;

/** What texts say about names, read once for each text: the parts of a proposal are mostly made of the same texts. */
export class KnownModules {
  readonly #known = new Map<string, Map<string, ModuleNames>>();
  #sliceEnd = performance.now() + SLICE_MS;

  async names(file: string, text: string | null): Promise<ModuleNames> {
    if (text === null || text.length > MAX_READ) return UNREAD;
    const own = this.#known.get(file) ?? new Map<string, ModuleNames>();
    this.#known.set(file, own);
    const known = own.get(text);
    if (known !== undefined) return known;
    if (performance.now() > this.#sliceEnd) {
      await giveWay();
      this.#sliceEnd = performance.now() + SLICE_MS;
    }
    // Few calls need the parser.
    const { readModule } = await import("./read-module.ts");
    const names = readModule(file, text);
    own.set(text, names);
    return names;
  }
}

/** Undefined when a change may reach every file: one of global names, or in a project that resolves imports by rules of its own. */
export async function affectedFiles(
  view: View,
  changes: ReadonlyMap<string, TextPair>,
  { modules, limit }: { readonly modules: KnownModules; readonly limit: number },
): Promise<AffectedFiles | undefined> {
  const hasOwnRules = view.programs.some(({ project: { compilerOptions } }) => {
    return compilerOptions.rootDirs !== undefined || compilerOptions.moduleSuffixes !== undefined;
  });
  if (hasOwnRules) return undefined;
  const sources = new Map<string, Set<string>>();
  const walk = new Walk(view, changes, modules);
  for (const [file, { before, now }] of changes) {
    if (before === now) continue;
    const [then, after] = [await modules.names(file, before), await modules.names(file, now)];
    if (then.isGlobal || after.isGlobal) return undefined;
    const others = await walk.from(file, then, after);
    if (others === undefined) return undefined;
    for (const reached of [file, ...others]) {
      const known = sources.get(reached);
      if (known !== undefined) known.add(file);
      else if (sources.size >= limit) return { sources, isEvery: false };
      else sources.set(reached, new Set([file]));
    }
  }
  return { sources, isEvery: true };
}

/** What is known in one walk of a file that was reached: names inside that changed, and names outside. */
interface Reached {
  readonly inside: Set<string>;
  readonly outside: Set<string>;
}

class Walk {
  readonly #view: View;
  readonly #changes: ReadonlyMap<string, TextPair>;
  readonly #modules: KnownModules;
  /** By program and specifier. */
  readonly #places = new Map<string, string>();

  constructor(view: View, changes: ReadonlyMap<string, TextPair>, modules: KnownModules) {
    this.#view = view;
    this.#changes = changes;
    this.#modules = modules;
  }

  /** The files that a change of this one reaches, nearest first; undefined when it reaches global names. */
  async from(file: string, then: ModuleNames, now: ModuleNames): Promise<string[] | undefined> {
    const { inside, outside } = changedNames(then, now);
    const names = new Set([...outside, ...givenThrough(then, inside), ...givenThrough(now, inside)]);
    const reached = new Map<string, Reached>([[file, { inside: new Set(inside), outside: names }]]);
    const affected = new Set<string>();
    let level = new Set(names.size === 0 ? [] : [file]);
    while (level.size > 0) {
      const next = new Set<string>();
      for (const each of level) {
        const given = reached.get(each)?.outside ?? new Set();
        for (const importer of await this.#mayImport(each)) {
          const own = reached.get(importer) ?? { inside: new Set(), outside: new Set() };
          const { isAffected, isFurther, isGlobal } = await this.#take(importer, { file: each, given }, own);
          if (isGlobal) return undefined;
          if (!isAffected) continue;
          reached.set(importer, own);
          if (importer !== file) affected.add(importer);
          if (isFurther) next.add(importer);
        }
      }
      level = next;
    }
    return [...affected];
  }

  /** Own files and changed ones whose text may name the file. */
  async #mayImport(file: string): Promise<string[]> {
    const naming = await this.#view.state.specifiers.naming(this.#view, [file]);
    const stems = new Set(stemsNaming(this.#view, file));
    const changed = [...this.#changes].flatMap(([each, { before, now }]) => {
      return specifiersIn(`${before ?? ""}\n${now ?? ""}`).some((name) => stems.has(stemOf(name))) ? each : [];
    });
    return [...new Set([...naming, ...changed])].filter((each) => each !== file);
  }

  /** Notes in `own` what the importer takes of the names that `file` gives, and what follows. */
  async #take(
    importer: string,
    { file, given }: { readonly file: string; readonly given: ReadonlySet<string> },
    own: Reached,
  ): Promise<{ readonly isAffected: boolean; readonly isFurther: boolean; readonly isGlobal: boolean }> {
    const known = own.outside.size;
    const found = { isAffected: false, isGlobal: false };
    const isAll = given.has(EVERY);
    for (const text of await this.#textsOf(importer)) {
      const module = await this.#modules.names(importer, text);
      const named = await this.#naming(importer, text, file);
      const taken = module.taken.filter(({ from, name }) => {
        return named.has(from) && (name === EVERY || isAll || given.has(name));
      });
      const isLoose = named.size > 0 && (module.isOpaque || [...named].some((name) => module.loose.has(name)));
      const isMissed = isAll && [...named].some((name) => module.bare.has(name));
      if (taken.length === 0 && !isLoose && !isMissed) continue;
      found.isAffected = true;
      found.isGlobal ||= module.isGlobal;
      if (isLoose) own.outside.add(EVERY);
      for (const { local, exported } of taken) {
        if (local !== undefined) own.inside.add(local);
        if (exported === EVERY) for (const name of given) own.outside.add(name);
        else if (exported !== undefined) own.outside.add(exported);
      }
      for (const name of givenThrough(module, own.inside)) own.outside.add(name);
    }
    return { ...found, isFurther: own.outside.size > known };
  }

  async #textsOf(file: string): Promise<string[]> {
    const change = this.#changes.get(file);
    if (change === undefined) return [await fileText(this.#view, file)];
    return [...new Set([change.before, change.now])].filter((text) => text !== null);
  }

  /** The specifiers in the text that name the file. */
  async #naming(importer: string, text: string, file: string): Promise<Set<string>> {
    const stems = new Set(stemsNaming(this.#view, file));
    const named = new Set<string>();
    for (const specifier of new Set(specifiersIn(text))) {
      if (!stems.has(stemOf(specifier))) continue;
      if (/^\.{0,2}\//.test(specifier) || /^\.{1,2}$/.test(specifier)) {
        if (isSamePlace(join(isAbsolute(specifier) ? "/" : dirname(importer), specifier), file)) named.add(specifier);
        continue;
      }
      // What the compiler resolves to nothing may be resolved to a file that comes.
      const place = await this.#resolved(importer, specifier);
      if (place === undefined || place.toLowerCase() === file.toLowerCase()) named.add(specifier);
    }
    return named;
  }

  /** Where a specifier that is no path leads: to the same file in all modules of a program. */
  async #resolved(importer: string, specifier: string): Promise<string | undefined> {
    const config = this.#view.programOf(importer)?.configFile ?? "";
    const key = `${config}\0${specifier}`;
    if (!this.#places.has(key)) {
      const found = await this.#view.source(importer);
      const imports = found === undefined ? [] : [...found.source.imports];
      const symbols = await found?.program.project.checker.getSymbolAtLocation(imports);
      for (const [index, node] of imports.entries()) {
        const name = found?.source.text.slice(node.pos, node.end).trim().slice(1, -1);
        const place = symbols?.[index]?.declarations[0]?.path;
        if (name !== undefined && place !== undefined) this.#places.set(`${config}\0${name}`, place);
      }
    }
    return this.#places.get(key);
  }
}

/** A path without an ending, or of a folder, names a file as the compiler would look for it. */
function isSamePlace(named: string, file: string): boolean {
  const [wanted, is] = [withoutEnding(named).toLowerCase(), withoutEnding(file).toLowerCase()];
  return wanted === is || named.toLowerCase() === is || is.startsWith(`${wanted.replace(/\/$/, "")}/`);
}

function withoutEnding(path: string): string {
  return path.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, "");
}
