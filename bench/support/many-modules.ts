/** A generated TypeScript project: so many modules of some kilobytes each that import each other, with one entry. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface ManyModules {
  readonly folder: string;
  readonly entry: string;
  /** What the entry exports as `total`. */
  readonly total: number;
  readonly megabytes: number;
}

/** Kinds of functions in each module; with them a module has about six kilobytes. */
const FUNCTIONS = 14;

/** Only syntax that can be stripped, and imports by file name: otherwise Node alone could not load it. */
export function writeManyModules(folder: string, count: number): ManyModules {
  const source = path.join(folder, "src");
  mkdirSync(source, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(path.join(folder, "tsconfig.json"), `${JSON.stringify({ compilerOptions: CONFIG }, undefined, 2)}\n`);
  for (let index = 0; index < count - 1; index += 1) {
    writeFileSync(path.join(source, `part${index}.ts`), moduleText(index));
  }
  const entry = path.join(source, "entry.ts");
  const indices = Array.from({ length: count - 1 }, (_, index) => index);
  const imports = indices.map((index) => `import { sum${index} } from "./part${index}.ts";`);
  const parts = indices.map((index) => `sum${index}`).join(", ");
  writeFileSync(
    entry,
    `${imports.join("\n")}\n\nexport const total: number = [${parts}].reduce((sum, part) => sum + part, 0);\n`,
  );
  const bytes = readdirSync(source).reduce((sum, name) => sum + statSync(path.join(source, name)).size, 0);
  const total = indices.reduce((sum, index) => sum + index, 0);
  return { folder, entry, total, megabytes: bytes / 1e6 };
}

const CONFIG = { target: "esnext", module: "nodenext", strict: true, allowImportingTsExtensions: true, noEmit: true };

/** Each module but the first few imports three earlier ones, so that the graph is deep as well as wide. */
function moduleText(index: number): string {
  const earlier = [1, 7, 31].map((step) => index - step).filter((other) => other >= 0);
  const imports = earlier.map((other) => `import { pick${other}, type Item${other} } from "./part${other}.ts";`);
  const uses = earlier.map((other) => `export const seen${other}: Item${other} | undefined = pick${other}([], "x");`);
  const functions = Array.from({ length: FUNCTIONS }, (_, each) => functionText(index, each));
  return `${imports.join("\n")}

export interface Item${index} {
  readonly name: string;
  readonly tags: ReadonlyArray<{ readonly label: string; readonly weight?: number }>;
  readonly nested: Readonly<Record<string, Partial<Pick<Item${index}, "name">>>>;
}

${uses.join("\n")}

export function pick${index}<T extends { readonly name: string }>(items: readonly T[], name: string): T | undefined {
  return items.find((item: T): boolean => item.name === name);
}

${functions.join("\n")}
export const sum${index}: number = ${index};
`;
}

function functionText(index: number, each: number): string {
  const name = `step${index}_${each}`;
  return `/** What is left of the items after step ${each}. */
export function ${name}(items: readonly Item${index}[], limit: number = ${each}): Map<string, number> {
  const found: Map<string, number> = new Map();
  for (const { name, tags } of items) {
    const weight: number = tags.reduce((sum: number, tag) => sum + (tag.weight ?? 1), 0);
    if (weight > limit) found.set(\`\${name}-${each}\`, (found.get(name) ?? 0) + (weight as number));
  }
  return found;
}
`;
}
