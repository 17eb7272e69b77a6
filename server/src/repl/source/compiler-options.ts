/** The few compiler options that change the JavaScript of a file, read from the file's tsconfig. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { basesOf, readConfigFile, referencesOf } from "../../workspace/config-file.ts";
import { given } from "../../base/given.ts";
import { holds, projectFiles, type ProjectFiles } from "./project-files.ts";

export interface EmitOptions {
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly verbatimModuleSyntax?: boolean;
  readonly useDefineForClassFields?: boolean;
  readonly target?: string;
  readonly module?: string;
  readonly jsx?: string;
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
  /** Not a compiler option: Node 22, when it runs the code, does not know `using`. */
  readonly lowersUsing?: boolean;
}

export class EmitOptionsReader {
  readonly #root: string;
  readonly #always: EmitOptions;
  readonly #configs = new Map<string, string | undefined>();
  readonly #files = new Map<string, ProjectFiles>();
  readonly #options = new Map<string, EmitOptions>();

  /** `always` holds for every file, and overrides its tsconfig. */
  constructor(root: string, always: EmitOptions = {}) {
    this.#root = root;
    this.#always = always;
  }

  for(path: string): EmitOptions {
    const nearest = this.#nearest(dirname(path));
    return { ...(nearest === undefined ? {} : this.#optionsFor(path, nearest)), ...this.#always };
  }

  /** From now on tsconfigs are read again. */
  forget(): void {
    for (const known of [this.#configs, this.#files, this.#options]) known.clear();
  }

  #nearest(folder: string): string | undefined {
    if (this.#configs.has(folder)) return this.#configs.get(folder);
    const file = join(folder, "tsconfig.json");
    const up = dirname(folder);
    const isTop = folder === this.#root || up === folder;
    const found = existsSync(file) ? file : isTop ? undefined : this.#nearest(up);
    this.#configs.set(folder, found);
    return found;
  }

  /**
   * The options of the project that includes the file. A file that no project includes, such as a form in the root
   * folder, gets the options of the projects in that folder: for each option, the first project that sets it.
   */
  #optionsFor(path: string, nearest: string): EmitOptions {
    const references = referencesOf(nearest);
    const holder = references.length === 0 ? nearest : this.#holder(path, nearest);
    if (holder !== undefined) return readOptions(holder, this.#options);
    const beside = references.filter((each) => dirname(each) === dirname(nearest));
    return Object.assign(
      {},
      ...[nearest, ...beside].toReversed().map((each) => readOptions(each, this.#options)),
    ) as EmitOptions;
  }

  #holder(path: string, config: string, seen = new Set<string>()): string | undefined {
    if (seen.has(config)) return undefined;
    seen.add(config);
    const files = this.#files.get(config) ?? projectFiles(config);
    this.#files.set(config, files);
    if (holds(files, dirname(config), path)) return config;
    for (const reference of referencesOf(config)) {
      const found = this.#holder(path, reference, seen);
      if (found !== undefined) return found;
    }
    return undefined;
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
/** Reads each file once, even when several files extend it, or when they extend each other in a circle. */
function readOptions(file: string, known: Map<string, EmitOptions>): EmitOptions {
  const there = known.get(file);
  if (there !== undefined) return there;
  known.set(file, {});
  const config = readConfigFile(file);
  let options: EmitOptions = {};
  for (const base of basesOf(file, config)) options = { ...options, ...readOptions(base, known) };
  options = { ...options, ...(config["compilerOptions"] as EmitOptions | undefined) };
  known.set(file, options);
  return options;
}
