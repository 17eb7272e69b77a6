/** A random walk over a small workspace: edits of every kind an editor, a person or a tool can make between two questions. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { OpenedDocument } from "../../server/src/typescript/session/open-documents.ts";
import { randomFrom } from "../support/fuzz.ts";

export interface Editor {
  didOpen(document: OpenedDocument): void;
  didChange(document: { uri: string; version: number; text: string }): void;
  didClose(document: { uri: string }): void;
}

const NAMES = ["alpha", "beta", "gamma", "delta", "omega"];
const FOLDERS = ["app/src", "app/src/deep", "lib/src", "loose"];

export class FreshnessWalk {
  readonly root: string;
  readonly #random: () => number;
  readonly #editor: Editor;
  readonly buffers = new Map<string, OpenedDocument>();
  #count = 0;

  constructor(root: string, seed: number, editor: Editor) {
    this.root = root;
    this.#random = randomFrom(seed);
    this.#editor = editor;
    this.#config("app/tsconfig.json", { include: ["src"] });
    this.#config("lib/tsconfig.json", {
      include: ["src"],
      compilerOptions: { composite: true, outDir: "dist", rootDir: "src" },
    });
    this.#write("tsconfig.base.json", baseConfig("true"));
    this.#write("lib/package.json", libPackage("a"));
    this.#write("app/package.json", '{ "name": "app", "type": "module" }');
    for (const name of ["a", "b"]) this.#write(`lib/src/${name}.ts`, this.#code("lib/src"));
    for (const name of ["c", "d", "deep/e"]) this.#write(`app/src/${name}.ts`, this.#code("app/src"));
    this.#link("node_modules/lib", "../lib");
  }

  /** Makes one change, or a few, and says which. */
  step(): string {
    this.#count += 1;
    const steps: readonly (() => string)[] = [
      ...Array.from({ length: 4 }, () => () => this.#rewrite()),
      ...Array.from({ length: 4 }, () => () => this.#editBuffer()),
      () => this.#openBuffer(),
      () => this.#openBuffer(),
      () => this.#closeBuffer(),
      () => this.#create(),
      () => this.#create(),
      () => this.#remove(),
      () => this.#rename(),
      () => this.#sameSize(),
      () => this.#checkout(),
      () => this.#renameFolder(),
      () => this.#changeConfig(),
      () => this.#changePackage(),
      () => this.#install(),
      () => this.#turnLink(),
    ];
    const said = this.#pick(steps)();
    this.#closeLostBuffers();
    return said;
  }

  /**
   * A buffer in a folder that is gone: TypeScript 7.0.2 still resolves an import of it where it did so before, and not
   * where it looks for the first time. No answer to that is the right one.
   */
  #closeLostBuffers(): void {
    for (const { uri } of this.buffers.values()) {
      if (existsSync(dirname(fileURLToPath(uri)))) continue;
      this.buffers.delete(uri);
      this.#editor.didClose({ uri });
    }
  }

  #rewrite(): string {
    const file = this.#pick(this.#sources());
    this.#write(file, this.#code(dirname(file)));
    return `wrote ${file}`;
  }

  /** Same length, and most often the same time stamp too. */
  #sameSize(): string {
    const file = this.#pick(this.#sources());
    const text = this.#read(file);
    const [from, to] = [this.#pick(NAMES), this.#pick(NAMES)];
    this.#write(
      file,
      text.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to.padEnd(from.length, "_").slice(0, from.length)),
    );
    return `replaced ${from} by ${to} in ${file}`;
  }

  #create(): string {
    const folder = this.#pick([...FOLDERS, `app/src/new${this.#count}`]);
    const file = `${folder}/n${this.#count % 7}${this.#pick([".ts", ".ts", ".mts", ".tsx"])}`;
    this.#write(file, this.#code(folder));
    return `created ${file}`;
  }

  #remove(): string {
    const file = this.#pick(this.#sources());
    rmSync(join(this.root, file));
    return `removed ${file}`;
  }

  #rename(): string {
    const file = this.#pick(this.#sources());
    const to = `${this.#pick(FOLDERS)}/r${this.#count % 5}.ts`;
    mkdirSync(dirname(join(this.root, to)), { recursive: true });
    renameSync(join(this.root, file), join(this.root, to));
    return `renamed ${file} to ${to}`;
  }

  #renameFolder(): string {
    const [from, to] = this.#pick<readonly [string, string]>([
      ["app/src/deep", "app/src/deeper"],
      ["app/src/deeper", "app/src/deep"],
      ["loose", "app/src/tight"],
      ["app/src/tight", "loose"],
    ]);
    if (!existsSync(join(this.root, from))) return "nothing";
    rmSync(join(this.root, to), { recursive: true, force: true });
    renameSync(join(this.root, from), join(this.root, to));
    return `renamed folder ${from} to ${to}`;
  }

  #checkout(): string {
    for (const file of this.#sources()) {
      const chance = this.#random();
      if (chance < 0.2) rmSync(join(this.root, file));
      else if (chance < 0.8) this.#write(file, this.#code(dirname(file)));
    }
    const added = this.#create();
    return `checked out, ${added}`;
  }

  #openBuffer(): string {
    const file = this.#random() < 0.9 ? this.#pick(this.#sources()) : `app/src/unsaved${this.#count % 3}.ts`;
    const uri = this.#uri(file);
    if (this.buffers.has(uri)) return this.#editBuffer();
    const isThere = existsSync(join(this.root, file));
    const text = isThere && this.#random() < 0.5 ? this.#read(file) : this.#code(dirname(file));
    const document = { uri, languageId: "typescript", version: 1, text };
    this.buffers.set(uri, document);
    this.#editor.didOpen(document);
    return `opened ${file}`;
  }

  #editBuffer(): string {
    if (this.buffers.size === 0) return this.#openBuffer();
    const document = this.#pick([...this.buffers.values()]);
    const changed = { ...document, version: document.version + 1, text: this.#code("app/src") };
    this.buffers.set(document.uri, changed);
    this.#editor.didChange(changed);
    return `edited ${document.uri.slice(this.#uri("").length)}`;
  }

  #closeBuffer(): string {
    if (this.buffers.size === 0) return "nothing";
    const { uri } = this.#pick([...this.buffers.values()]);
    this.buffers.delete(uri);
    this.#editor.didClose({ uri });
    return `closed ${uri.slice(this.#uri("").length)}`;
  }

  #changeConfig(): string {
    const kind = this.#pick(["base", "base", "app", "extra", "extra", "broken"]);
    if (kind === "base") this.#write("tsconfig.base.json", baseConfig(this.#pick(["true", "false"])));
    else if (kind === "app")
      this.#config("app/tsconfig.json", { include: [this.#pick(["src", "src/deep", "src/*.ts"])] });
    else if (kind === "broken") this.#write("app/tsconfig.json", '{ "include": ["src"], ');
    else if (existsSync(join(this.root, "loose/tsconfig.json"))) rmSync(join(this.root, "loose/tsconfig.json"));
    else this.#config("loose/tsconfig.json", {});
    return `changed the ${kind} config`;
  }

  #changePackage(): string {
    const entry = this.#pick(["a", "b"]);
    this.#write("lib/package.json", libPackage(entry));
    return `lib's entry is ${entry}`;
  }

  /** `dep` by hand: nothing tells of it but the file itself. */
  #install(): string {
    const home = this.#pick(["node_modules/dep", "app/node_modules/dep", "node_modules/@types/dep"]);
    if (existsSync(join(this.root, home)) && this.#random() < 0.4) {
      rmSync(join(this.root, home), { recursive: true });
      return `removed ${home}`;
    }
    const [name, other] = [this.#pick(NAMES), this.#pick(NAMES)];
    // The compiler takes two installations of one version for one package and reads only the first.
    const version = `1.${NAMES.indexOf(name)}.${NAMES.indexOf(other)}`;
    this.#write(`${home}/package.json`, JSON.stringify({ name: "dep", version, types: "index.d.ts" }));
    this.#write(`${home}/index.d.ts`, `export declare function ${name}(): "${other}";\n`);
    return `installed ${name} as ${home}`;
  }

  #turnLink(): string {
    const to = this.#pick(["../lib", "../app/src", "../nowhere"]);
    const [link, target] = this.#pick<readonly [string, string]>([
      ["node_modules/lib", to],
      ["app/src/shared", "../../loose"],
    ]);
    const isThere = existsSync(join(this.root, link));
    rmSync(join(this.root, link), { recursive: true, force: true });
    if (link === "app/src/shared" && isThere) return `removed link ${link}`;
    this.#link(link, target);
    return `linked ${link} to ${target}`;
  }

  /** Declarations of some of the names, and uses of others through every kind of import. */
  #code(folder: string): string {
    const own = NAMES.filter(() => this.#random() < 0.4);
    const others = this.#sources().filter(() => this.#random() < 0.3);
    const paths = others.map((file) => this.#specifier(folder, file));
    if (this.#random() < 0.3) paths.push("lib");
    if (this.#random() < 0.3) paths.push("dep");
    if (this.#random() < 0.2) paths.push("./missing.js");
    const lines = paths.flatMap((path, index) => {
      const name = this.#pick(NAMES);
      return [`import { ${name} as from${index} } from "${path}";`, `export const value${index} = from${index}();`];
    });
    for (const name of own)
      lines.push(`/** ${this.#count} */`, `export function ${name}(): "${this.#count % 90}" { return null!; }`);
    if (this.#random() < 0.1) lines.push("export const broken = ;");
    return `${lines.join("\n")}\n`;
  }

  #specifier(folder: string, file: string): string {
    const up = folder
      .split("/")
      .map(() => "..")
      .join("/");
    return `${up}/${file.replace(/\.([mc]?)tsx?$/, ".$1js")}`;
  }

  #sources(): string[] {
    const all = ["app", "lib", "loose"].flatMap((folder) => listed(this.root, folder));
    const files = all.filter((file) => /\.[cm]?tsx?$/.test(file)).toSorted();
    if (files.length > 0) return files;
    this.#write("app/src/last.ts", "export {};\n");
    return ["app/src/last.ts"];
  }

  #config(path: string, config: Readonly<Record<string, unknown>>): void {
    this.#write(path, JSON.stringify({ extends: "../tsconfig.base.json", ...config }));
  }

  #link(path: string, target: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    symlinkSync(target, join(this.root, path), "junction");
  }

  #write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  #read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  #uri(path: string): string {
    return pathToFileURL(join(this.root, path)).href;
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}

function listed(root: string, folder: string): string[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listed(root, name);
    return entry.isFile() ? [name] : [];
  });
}

function baseConfig(strict: string): string {
  return `{ "compilerOptions": { "strict": ${strict}, "lib": ["es5"], "types": [], "module": "nodenext", "jsx": "preserve", "paths": { "lib/*": ["./lib/src/*"] } } }`;
}

function libPackage(entry: string): string {
  return `{ "name": "lib", "type": "module", "exports": { "types": "./src/${entry}.ts", "default": "./dist/${entry}.js" } }`;
}
