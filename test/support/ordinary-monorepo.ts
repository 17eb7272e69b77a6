/**
 * A monorepo as teams have them, made in a temporary folder: packages that export what a build left, in each state that a
 * build can be in, and around them what such repositories hold besides: a folder that begins with a dot, examples with a
 * tsconfig of their own, prose, a tracked .env, a submodule.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "@typescript/typescript6";

export interface OrdinaryMonorepo {
  readonly root: string;
  /** Every source of the packages, of who uses them, and of the corners around. */
  readonly sources: readonly string[];
  readonly write: (path: string, text: string) => void;
  readonly remove: () => void;
}

export interface BuildState {
  /** In `package.json`, what leads to the built files. */
  readonly leads: object;
  readonly specifier?: string;
  /** Undefined for a package of which nothing is built. */
  readonly built?: { readonly to: string; readonly hasMap: boolean; readonly isOneFile?: boolean };
  /** A name that the sources had when they were built, and what they have now. */
  readonly renamed?: readonly [string, string];
  /** What was written above the sources after the build. */
  readonly above?: string;
  readonly compilerOptions?: object;
}

const DIST = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } };

export const buildStates: Readonly<Record<string, BuildState>> = {
  fresh: { leads: { exports: DIST }, built: { to: "dist", hasMap: true } },
  stale: { leads: { exports: DIST }, built: { to: "dist", hasMap: true }, above: "/** Written after the build. */\n" },
  shifted: { leads: { exports: DIST }, built: { to: "dist", hasMap: true }, above: "// One.\n\n\n\n" },
  mapless: { leads: { exports: DIST }, built: { to: "dist", hasMap: false } },
  "mapless-stale": { leads: { exports: DIST }, built: { to: "dist", hasMap: false }, above: "// One.\n" },
  unbuilt: { leads: { exports: DIST } },
  classic: { leads: { main: "lib/index.js", types: "lib/index.d.ts" }, built: { to: "lib", hasMap: false } },
  "classic-unbuilt": { leads: { main: "build/index.js", types: "build/index.d.ts" } },
  conditions: {
    leads: {
      exports: {
        ".": {
          import: { types: "./dist/esm/index.d.ts", default: "./dist/esm/index.js" },
          require: { types: "./dist/cjs/index.d.ts", default: "./dist/cjs/index.js" },
        },
      },
    },
    built: { to: "dist/esm", hasMap: false },
  },
  pattern: {
    leads: { exports: { "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" } } },
    specifier: "/index",
    built: { to: "dist", hasMap: true },
    above: "// One.\n",
  },
  versions: {
    leads: { main: "dist/index.js", typesVersions: { "*": { index: ["dist/index.d.ts"], "*": ["dist/*"] } } },
    specifier: "/index",
    built: { to: "dist", hasMap: false },
  },
  behind: { leads: { exports: DIST }, built: { to: "dist", hasMap: true }, renamed: ["read", "parse"] },
  bundled: { leads: { exports: DIST }, built: { to: "dist", hasMap: false, isOneFile: true } },
};

const OPTIONS = { module: "nodenext", target: "es2022", strict: true, lib: ["es2022"], types: [], skipLibCheck: true };
/** Built files stand beside sources of these names. */
const SOURCES = {
  text: `export interface Job {
  title: string;
}
const own = 1;
export function format(job: Job): string {
  return job.title;
}
export function parse(title: string): Job {
  return { title };
}
`,
  store: `import type { Job } from "./text.js";
export class Store {
  get(id: string): Job {
    return { title: id };
  }
  static of(): Store {
    return new Store();
  }
}
export enum Level {
  Low = 1,
}
export const limits = { most: 3 };
`,
  index: `export { format, format as shape, type Job } from "./text.js";
export * from "./store.js";
export default class Main {
  run(): number {
    return 1;
  }
}
`,
};

/** How a file uses a package, in each form that an import has. */
function usesOf(specifier: string): string {
  return `import Main, { format, shape as mould, Level, limits, parse, Store, type Job } from "${specifier}";
import * as all from "${specifier}";
export { format as passed } from "${specifier}";

const job: Job = { title: "a" };
export const texts = [format(job), mould(job), all.format(job), job.title, new Store().get("x").title];
export const others = [Store.of(), Level.Low, new Main().run(), all.Level.Low, limits.most, parse("p")];
export type Title = Job["title"];
export const list = [job].map(format);
`;
}

const CORNERS: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "ordinary", "private": true }\n',
  "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
  ".gitignore": "node_modules\ndist\nlib\nbuild\n.next\n",
  ".env": "TOKEN=none\n",
  "docs/guide.md": "Call `format` of @w/fresh.\n",
  "docs/page.mdx": 'import { format } from "@w/fresh";\n\n{format({ title: "x" })}\n',
  ".storybook/main.ts": 'import { first } from "../packages/base/src/first";\nexport const story = first("story");\n',
  ".next/types/made.ts": 'import { first } from "../../packages/base/src/first";\nexport const made = first("made");\n',
  "examples/basic/tsconfig.json": tsconfig({ paths: { "base/*": ["../../packages/base/src/*"] } }),
  "examples/basic/use.ts": 'import { first } from "base/first";\nexport const example = first("example");\n',
  "packages/base/package.json": '{ "name": "@w/base" }\n',
  "packages/base/tsconfig.json": tsconfig({ composite: true, outDir: "dist", rootDir: "src" }),
  "packages/base/src/first.ts": `export function first(text: string): string {
  return text;
}
`,
  "packages/corner/package.json": '{ "name": "@w/corner" }\n',
  "packages/corner/tsconfig.json": tsconfig({ composite: true, outDir: "dist" }, [{ path: "../base" }]),
  "packages/corner/src/second.ts":
    'import { first } from "../../base/src/first";\nexport const second = first("second");\n',
};

function tsconfig(options: object, references?: readonly object[]): string {
  const module = { ...OPTIONS, module: "esnext", moduleResolution: "bundler" };
  return `${JSON.stringify({ compilerOptions: { ...module, ...options }, references })}\n`;
}

export function makeOrdinaryMonorepo(): OrdinaryMonorepo {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-ordinary-")));
  const sources: string[] = [];
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const add = (path: string, text: string): void => {
    write(path, text);
    sources.push(join(root, path));
  };
  for (const [path, text] of Object.entries(CORNERS))
    (/\.tsx?$/.test(path) && !path.startsWith(".next") ? add : write)(path, text);
  write("packages/app/package.json", '{ "name": "@w/app", "type": "module" }\n');
  write(
    "packages/app/tsconfig.json",
    JSON.stringify({ compilerOptions: { ...OPTIONS, noEmit: true }, include: ["src"] }),
  );
  for (const [name, state] of Object.entries(buildStates)) {
    const home = `packages/${name}`;
    write(`${home}/package.json`, `${JSON.stringify({ name: `@w/${name}`, type: "module", ...state.leads })}\n`);
    const compilerOptions = { ...OPTIONS, noEmit: true, ...state.compilerOptions };
    write(`${home}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["src"] }));
    build(state, home, write);
    for (const [file, text] of Object.entries(SOURCES)) add(`${home}/src/${file}.ts`, `${state.above ?? ""}${text}`);
    add(`packages/app/src/${name}.ts`, usesOf(`@w/${name}${state.specifier ?? ""}`));
    add(
      `packages/app/src/${name}-passed.ts`,
      `import { passed } from "./${name}.js";\nexport const last = passed({ title: "z" });\n`,
    );
    link(root, `packages/app/node_modules/@w/${name}`, `../../../${name}`);
  }
  submodule(root, add);
  return { root, sources, write, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function build(
  { built, renamed: [older, newer] = ["", ""] }: BuildState,
  home: string,
  write: OrdinaryMonorepo["write"],
): void {
  if (built === undefined) return;
  if (built.isOneFile === true) {
    const parts = Object.values(SOURCES)
      .join("")
      .replaceAll(/^(?:import|export (?:\{|\*)).*\n/gm, "");
    const { outputText } = ts.transpileDeclaration(parts, { fileName: "index.ts" });
    write(`${home}/${built.to}/index.d.ts`, `${outputText}export { format as shape };\n`);
    return;
  }
  for (const [file, text] of Object.entries(SOURCES)) {
    const source = `${"../".repeat(built.to.split("/").length)}src/${file}.ts`;
    const { outputText, sourceMapText } = ts.transpileDeclaration(newer === "" ? text : text.replaceAll(newer, older), {
      fileName: `${file}.ts`,
      compilerOptions: { declarationMap: built.hasMap },
    });
    write(`${home}/${built.to}/${file}.d.ts`, outputText);
    if (sourceMapText === undefined) continue;
    const map = JSON.parse(sourceMapText) as object;
    write(`${home}/${built.to}/${file}.d.ts.map`, JSON.stringify({ ...map, sources: [source] }));
  }
}

function link(root: string, path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(process.platform === "win32" ? join(root, dirname(path), target) : target, join(root, path), "junction");
}

/** A repository inside of the other, and all but the submodule's own files tracked by git. */
function submodule(root: string, add: OrdinaryMonorepo["write"]): void {
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: root, stdio: "pipe" });
  };
  add(
    "vendor/sub/src/outer.ts",
    'import { first } from "../../../packages/base/src/first";\nexport const outer = first("outer");\n',
  );
  git("init", "-q", "vendor/sub");
  git("-C", "vendor/sub", "add", "-A");
  git("-C", "vendor/sub", "commit", "-qm", "sub");
  git("init", "-q");
  git("add", "-A");
}
