/** Files that a workspace shows under several names, because a folder or file in it is a symbolic link. */
import { sep } from "node:path";

/** A link inside the workspace and the real path it leads to. */
export type Links = ReadonlyMap<string, string>;

/** The same file under every link that leads to it. */
export function aliasesOf(file: string, links: Links): string[] {
  const found: string[] = [];
  for (const [link, target] of links) {
    if (file === target) found.push(link);
    else if (file.startsWith(target + sep)) found.push(link + file.slice(target.length));
  }
  return found;
}

/** The path with its links resolved; a path without links is returned as it is. */
export function realName(file: string, links: Links): string {
  let name = file;
  // A link may be inside the target of another; a circle of them has no end.
  for (let depth = 0; depth < 8; depth += 1) {
    const link = [...links].find(([path]) => name === path || name.startsWith(path + sep));
    if (link === undefined) return name;
    name = link[1] + name.slice(link[0].length);
  }
  return name;
}

/**
 * Chooses the name that stands for a file in answers: the real name where a program knows the file by it, else the
 * first name by which a program does. The compiler takes every name for a file of its own.
 */
export class FileAliases {
  readonly #primary = new Map<string, string>();
  readonly #names = new Map<string, string[]>();

  constructor(files: ReadonlySet<string>, links: Links) {
    if (links.size === 0) return;
    for (const [real, names] of Map.groupBy(files, (file) => realName(file, links))) {
      if (names.length === 1) continue;
      const primary = names.includes(real) ? real : (names.toSorted()[0] ?? real);
      for (const name of names) this.#primary.set(name, primary);
      this.#names.set(primary, names.toSorted());
    }
  }

  primary(file: string): string {
    return this.#primary.get(file) ?? file;
  }

  /** Every name by which a program knows the file. */
  namesOf(file: string): readonly string[] {
    return this.#names.get(this.primary(file)) ?? [file];
  }
}
