// Bundles server/src into dist/, with all packages that are plain JavaScript: an installation brings what is native and little
// else. Few files load faster than many, and the compiler, which loads the projects at the same time, waits for whatever this
// process does. What is imported lazily stays lazy.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { rolldown, type CodeSplittingGroup, type InputOptions } from "rolldown";
import { errorText } from "./error-text.mjs";
import { root } from "./paths.mjs";

/** Packages that are there when the program runs: the `dependencies` of package.json. What is native, and what must be the host's own. */
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object };
const INSTALLED = new Set(Object.keys(dependencies));
/** Of the compiler's package the client that speaks to the native program. */
const BUNDLED = /^typescript\/unstable(?:\/|$)/;
const child = "server/src/repl/child";

interface Program {
  readonly input: Record<string, string>;
  /** Where the bundle goes, from the root of the checkout. */
  readonly folder: string;
  readonly format?: "esm" | "cjs";
}

/**
 * The server, what is loaded into a test run, and the two threads of the REPL's process. A thread starts sooner from
 * one CommonJS file each: Node's loader for ES modules is then only made ready while the other thread starts.
 */
const programs: readonly Program[] = [
  // A server within another process, as in tests, is made of the parts that the fronts export.
  {
    input: {
      main: "server/src/main.ts",
      stdio: "server/src/fronts/stdio.ts",
      mcp: "server/src/fronts/mcp.ts",
      acp: "server/src/fronts/acp.ts",
    },
    folder: "dist",
  },
  // Built alone: the program asks where compiled code can be kept before it loads anything else.
  { input: { "own-place": "server/src/process/own-place.ts" }, folder: "dist" },
  // Built alone: what stands before each start of a person's program is one file.
  { input: { run: "server/src/terminal/programs/run-app.ts" }, folder: "dist", format: "cjs" },
  {
    input: inputs("tests/run-vitest"),
    folder: "dist/child",
  },
  {
    input: inputs(
      "tests/node-test-reporter",
      "tests/only-asked-mocha",
      "tests/resolve-typescript",
      "tests/jest-reporter",
      "tests/mocha-reporter",
    ),
    folder: "dist/child",
  },
  // Built alone: a test run loads this one file, and none that it shares with others.
  { input: inputs("tests/run-node-tests"), folder: "dist/child" },
  { input: inputs("limited/seatbelt-probe"), folder: "dist/child" },
  { input: inputs("boot"), folder: "dist/child", format: "cjs" },
  { input: inputs("threads/thread-hooks"), folder: "dist/child", format: "cjs" },
  { input: inputs("threads/process-hooks"), folder: "dist/child", format: "cjs" },
  { input: inputs("threads/relay"), folder: "dist/child", format: "cjs" },
  { input: inputs("control/control-worker"), folder: "dist/child", format: "cjs" },
  // In the person's own programs: every Node process loads the first, the second one that loads code of a workspace, the third
  // one that a server works with.
  { input: { preload: "server/src/repl/app/preload.ts" }, folder: "dist/child", format: "cjs" },
  { input: { app: "server/src/repl/app/app.ts" }, folder: "dist/child", format: "cjs" },
  // By `agentq attach`, in place of the first.
  { input: { attach: "server/src/repl/app/attach.ts" }, folder: "dist/child", format: "cjs" },
  { input: { "app-thread": "server/src/repl/app/app-thread.ts" }, folder: "dist/child", format: "cjs" },
];

try {
  const modules = new Set<string>();
  for (const program of programs) for (const id of await bundle(program)) modules.add(id);
  writeFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), licensesOf(modules));
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = 1;
}

function inputs(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${child}/${name}.ts`]));
}

async function bundle({ input, folder, format = "esm" }: Program): Promise<string[]> {
  const options = {
    cwd: root,
    input,
    platform: "node" as const,
    external: (id: string) => isBuiltin(id) || (isInstalled(id) && !BUNDLED.test(id)),
  };
  const groups = "main" in input ? await loadedTogether(options) : [];
  const graph = await rolldown(options);
  const { output } = await graph.write({
    dir: join(root, folder),
    format,
    ...(groups.length === 0 ? {} : { codeSplitting: { groups } }),
    // The sources are modules, which are strict: a frame of the stack gives nobody a strict function.
    ...(format === "cjs" ? { banner: '"use strict";' } : {}),
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: `[name].${extensionOf(format)}`,
    chunkFileNames: `[name].${extensionOf(format)}`,
    // A server that still runs may load a chunk of the next build: its names must mean the same there.
    minifyInternalExports: false,
    // Names stay: they are in the stacks that the log shows.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await graph.close();
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

/**
 * A file for all modules that the same fronts of `main.ts` load at their start, and one for those of three and more: a file for
 * each set of lazy imports makes seventy, and each costs the start of the server a third of a millisecond. What is loaded later
 * stays in files of its own.
 */
async function loadedTogether(options: InputOptions): Promise<CodeSplittingGroup[]> {
  const graph = await rolldown({ ...options, logLevel: "silent" });
  const { output } = await graph.generate({ format: "esm", chunkFileNames: "[name].js" });
  await graph.close();
  const chunks = new Map(output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each] as const] : [])));
  const loadedBy = (name: string, found = new Set<string>()): Set<string> => {
    const chunk = chunks.get(name);
    if (chunk === undefined || found.has(name)) return found;
    found.add(name);
    for (const other of chunk.imports) loadedBy(other, found);
    return found;
  };
  const first = loadedBy("main.js");
  const fronts = (chunks.get("main.js")?.dynamicImports ?? []).map((front) => ({ front, loaded: loadedBy(front) }));
  const fileOf = (name: string): string => {
    const by = fronts.filter(({ loaded }) => loaded.has(name)).map(({ front }) => front.replace(/\.js$/, ""));
    return first.has(name) ? "of-main" : by.length > 2 ? "of-several" : by.length === 0 ? "" : `of-${by.join("-and-")}`;
  };
  const files = Map.groupBy(chunks.values(), ({ fileName }) => fileOf(fileName));
  // What a module needs is loaded by all that load the module, so the files of the most fronts take their modules first.
  const rank = (name: string): number =>
    name === "of-main" ? 4 : name === "of-several" ? 3 : name.split("-and-").length;
  return [...files]
    .filter(([name]) => name !== "")
    .map(([name, members]) => {
      const ids = new Set(
        members.flatMap(({ moduleIds, facadeModuleId }) => moduleIds.filter((id) => id !== facadeModuleId)),
      );
      return { name, test: (id) => ids.has(id), priority: rank(name) };
    });
}

function isInstalled(id: string): boolean {
  const [scope = "", name = ""] = id.split("/");
  return INSTALLED.has(id.startsWith("@") ? `${scope}/${name}` : scope);
}

function isPackaged(importer: string | undefined): boolean {
  return importer?.includes("/node_modules/") ?? false;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** What the licenses of the bundled packages ask for: their own texts beside the code. */
function licensesOf(modules: ReadonlySet<string>): string {
  const folders = new Set([...modules].filter((id) => isPackaged(id)).map((id) => packageFolder(id)));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined && license === undefined) throw new Error(`${name} says nowhere what its license is`);
    const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

function packageFolder(id: string): string {
  let folder = dirname(id);
  while (!/\/node_modules\/(?:@[^/]+\/)?[^/]+$/.test(folder)) folder = dirname(folder);
  return existsSync(join(folder, "package.json")) ? folder : dirname(folder);
}

function extensionOf(format: Program["format"]): string {
  return format === "cjs" ? "cjs" : "js";
}
