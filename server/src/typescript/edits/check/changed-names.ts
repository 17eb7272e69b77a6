/** Which names of a module mean something else after its text changed, and what follows from that inside of the module. */
import { EVERY, type ModuleNames } from "./module-names.ts";

/** Names inside of the module, and names that it only passes on. */
export interface ChangedNames {
  readonly inside: ReadonlySet<string>;
  readonly outside: ReadonlySet<string>;
}

const ALL: ChangedNames = { inside: new Set([EVERY]), outside: new Set([EVERY]) };

export function changedNames(before: ModuleNames, now: ModuleNames): ChangedNames {
  if (before.isOpaque || now.isOpaque) return ALL;
  const inside = new Set([
    ...differing(shapesOf(before), shapesOf(now)),
    ...differing(localsOf(before), localsOf(now)),
  ]);
  const outside = new Set([...differing(before.given, now.given), ...differing(passedOn(before), passedOn(now))]);
  return { inside, outside: outside.has(EVERY) ? ALL.outside : outside };
}

/** The names that the module gives and whose meaning follows from these names inside of it. */
export function givenThrough(module: ModuleNames, inside: ReadonlySet<string>): Set<string> {
  if (inside.size > 0 && module.isOpaque) return new Set([EVERY]);
  const reached = new Set(inside);
  for (let isGrowing = reached.size > 0; isGrowing;) {
    const known = reached.size;
    for (const { names, words } of module.declared) {
      if (names.every((name) => reached.has(name)) || !meet(words, reached)) continue;
      for (const name of names) reached.add(name);
    }
    isGrowing = reached.size > known;
  }
  return new Set([...module.given].flatMap(([outside, name]) => (reached.has(name) ? outside : [])));
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const each of few) if (many.has(each)) return true;
  return false;
}

/** A name may be declared more than once: overloads, and interfaces that are merged. */
function shapesOf({ declared }: ModuleNames): Map<string, string> {
  const shapes = new Map<string, string>();
  for (const { names, shape } of declared) {
    for (const name of names) shapes.set(name, `${shapes.get(name) ?? ""}\n${shape}`);
  }
  return shapes;
}

function localsOf({ taken }: ModuleNames): Map<string, string> {
  return new Map(taken.flatMap(({ local, from, name }) => (local === undefined ? [] : [[local, `${from} ${name}`]])));
}

function passedOn({ taken }: ModuleNames): Map<string, string> {
  const passed = new Map<string, string>();
  for (const { exported, from, name } of taken) {
    if (exported !== undefined) passed.set(exported, `${passed.get(exported) ?? ""}\n${from} ${name}`);
  }
  return passed;
}

function differing(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name));
}
