/** The few compiler options that change what TypeScript becomes at run time, read from the nearest tsconfig.json. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { basesOf, readConfigFile } from "../../workspace/config-file.ts";
import { given } from "../../given.ts";

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
    const found = existsSync(file) ? readOptions(file) : isTop ? {} : this.#find(up);
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
/** Each file is read once, however many extend it, and whether or not they do so in a circle. */
function readOptions(file: string, known: Map<string, EmitOptions> = new Map()): EmitOptions {
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
