/** The few compiler options that change what TypeScript becomes at run time, read from the nearest tsconfig.json. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readConfigFile } from "../../workspace/config-file.ts";
import { given } from "../../given.ts";

export interface EmitOptions {
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly verbatimModuleSyntax?: boolean;
  readonly useDefineForClassFields?: boolean;
  readonly module?: string;
  readonly jsx?: string;
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
  /** No compiler option: the Node that runs the code does not know `using` (22). */
  readonly lowersUsing?: boolean;
}

export class EmitOptionsReader {
  readonly #root: string;
  readonly #always: EmitOptions;
  readonly #byFolder = new Map<string, EmitOptions>();

  /** `always` holds for every file, whatever its tsconfig says. */
  constructor(root: string, always: EmitOptions = {}) {
    this.#root = root;
    this.#always = always;
  }

  for(path: string): EmitOptions {
    return { ...this.#find(dirname(path)), ...this.#always };
  }

  /** From now on tsconfigs are read anew. */
  forget(): void {
    this.#byFolder.clear();
  }

  #find(folder: string): EmitOptions {
    const known = this.#byFolder.get(folder);
    if (known !== undefined) return known;
    const file = join(folder, "tsconfig.json");
    const up = dirname(folder);
    const isTop = folder === this.#root || up === folder;
    const found = existsSync(file) ? readOptions(file, 0) : isTop ? {} : this.#find(up);
    this.#byFolder.set(folder, found);
    return found;
  }
}

/** Adds the JSX pragmas of a file's top comments: a form that is compiled for the file has no such comments. */
export function withPragmas(emit: EmitOptions, text: string): EmitOptions {
  const pragmas = new Map([...text.matchAll(PRAGMA)].map(([, name = "", value = ""]) => [name, value]));
  const source = pragmas.get("ImportSource");
  const [factory, fragment, runtime] = ["", "Frag", "Runtime"].map((name) => pragmas.get(name));
  return {
    ...emit,
    ...(source === undefined ? {} : { jsx: "react-jsx", jsxImportSource: source }),
    ...(factory === undefined ? {} : { jsx: "react", jsxFactory: factory }),
    ...given({ jsxFragmentFactory: fragment }),
    ...(runtime === undefined ? {} : { jsx: runtime === "classic" ? "react" : "react-jsx" }),
  };
}

const PRAGMA = /^[ \t]*(?:\/\*\*?|\*)[ \t]*@jsx(ImportSource|Frag|Runtime|)[ \t]+([\w$@./-]+)/gm;
const MAX_EXTENDS = 8;

function readOptions(file: string, depth: number): EmitOptions {
  const config = readConfigFile(file);
  let options: EmitOptions = {};
  for (const base of depth < MAX_EXTENDS ? basesOf(file, config) : []) {
    options = { ...options, ...readOptions(base, depth + 1) };
  }
  return { ...options, ...(config["compilerOptions"] as EmitOptions | undefined) };
}

/** The files that a tsconfig extends and that are there, in the order in which they count. */
export function basesOf(file: string, config: Readonly<Record<string, unknown>>): string[] {
  const named: unknown = config["extends"];
  const bases: readonly unknown[] = Array.isArray(named) ? named : [named];
  return bases.flatMap((base) => (typeof base === "string" ? (findBase(file, base) ?? []) : []));
}

function findBase(file: string, base: string): string | undefined {
  if (base.startsWith(".") || isAbsolute(base)) {
    const path = resolve(dirname(file), base);
    return [path, `${path}.json`].find((candidate) => existsSync(candidate));
  }
  const require = createRequire(file);
  for (const request of [base, `${base}.json`, `${base}/tsconfig.json`]) {
    try {
      return require.resolve(request);
    } catch {
      // The next form of the name may exist.
    }
  }
  return undefined;
}
