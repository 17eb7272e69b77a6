/** Which project's options a file is compiled with: TypeScript 6 says which project the file belongs to. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "@typescript/typescript6";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EmitOptionsReader } from "../../../../server/src/repl/source/compiler-options.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-options-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function lay(path: string, text = ""): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const FILES = [
  "src/a.ts",
  "src/in/b.tsx",
  "src/a.test.ts",
  "src/in/c.spec.ts",
  "test/t.ts",
  "vite.config.ts",
  "lib/x.mts",
];
const SOLUTION = { files: [], references: [{ path: "./tsconfig.app.json" }, { path: "./tsconfig.node.json" }] };
const APP = { include: ["src"] };
const NODE = { include: ["vite.config.ts"] };

const LAYOUTS: readonly (readonly [string, Readonly<Record<string, object>>])[] = [
  ["folders and files", { "tsconfig.json": SOLUTION, "tsconfig.app.json": APP, "tsconfig.node.json": NODE }],
  [
    "patterns",
    {
      "tsconfig.json": SOLUTION,
      "tsconfig.app.json": { include: ["src/**/*.ts", "src/**/*.tsx"], exclude: ["**/*.test.ts", "src/**/*.spec.ts"] },
      "tsconfig.node.json": { include: ["**/*.test.ts", "**/*.spec.ts", "./*.config.*", "l?b/*"] },
    },
  ],
  [
    "what is left out",
    {
      "tsconfig.json": SOLUTION,
      "tsconfig.app.json": { exclude: ["src/in", "**/test"] },
      "tsconfig.node.json": { files: ["src/in/b.tsx"], include: ["test/**", "src/*"] },
    },
  ],
  [
    "what is inherited",
    {
      "tsconfig.json": SOLUTION,
      "config/base.json": { include: ["../src", "${configDir}/lib"], exclude: ["../src/in"] },
      "tsconfig.app.json": { extends: "./config/base.json" },
      "tsconfig.node.json": { extends: "./config/base.json", include: ["src/in"], exclude: [] },
    },
  ],
  [
    "solutions in solutions, in a circle",
    {
      "tsconfig.json": { files: [], references: [{ path: "./lib" }, { path: "src" }] },
      "src/tsconfig.json": { files: [], references: [{ path: "./tsconfig.app.json" }, { path: ".." }] },
      "src/tsconfig.app.json": { include: ["."] },
      "lib/tsconfig.json": { include: ["**/*", "../test"] },
    },
  ],
  [
    "a project of its own that refers to another",
    { "tsconfig.json": { include: ["src"], references: [{ path: "./test" }] }, "test/tsconfig.json": {} },
  ],
];

it.for(LAYOUTS)("follows the project that holds a file: %s", ([, configs]) => {
  const names = Object.keys(configs);
  for (const [name, config] of Object.entries(configs))
    lay(name, JSON.stringify({ ...config, compilerOptions: { jsxFactory: name } }));
  const files = FILES.map((path) => lay(path));
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const projects = names.map((name) => {
    const parsed = ts.getParsedCommandLineOfConfigFile(join(root, name), {}, host);
    return { name, files: (parsed?.fileNames ?? []).map((each) => realpathSync(each)) };
  });
  const reader = new EmitOptionsReader(root);
  for (const file of files) {
    const holders = projects.filter((project) => project.files.includes(file) && !project.name.startsWith("config/"));
    if (holders.length > 0) expect.soft([file, holders[0]?.name]).toEqual([file, reader.for(file).jsxFactory]);
  }
});

it("gives what no project holds the options of the folder's projects, the first that says something first", () => {
  lay("tsconfig.json", JSON.stringify({ ...SOLUTION, compilerOptions: { module: "esnext" } }));
  lay("tsconfig.node.json", JSON.stringify({ ...NODE, compilerOptions: { target: "es2020", jsx: "react" } }));
  lay(
    "tsconfig.app.json",
    JSON.stringify({ ...APP, compilerOptions: { experimentalDecorators: true, jsx: "preserve" } }),
  );
  expect(new EmitOptionsReader(root).for(join(root, "__repl__.ts"))).toEqual({
    module: "esnext",
    experimentalDecorators: true,
    jsx: "preserve",
    target: "es2020",
  });
});

it("reads the projects anew when they may have changed", () => {
  lay("tsconfig.json", JSON.stringify(SOLUTION));
  lay("tsconfig.app.json", JSON.stringify({ ...APP, compilerOptions: { experimentalDecorators: true } }));
  const file = lay("src/a.ts");
  const reader = new EmitOptionsReader(root);
  expect(reader.for(file)).toEqual({ experimentalDecorators: true });
  lay("tsconfig.app.json", JSON.stringify({ include: ["lib"] }));
  lay("tsconfig.node.json", JSON.stringify({ ...APP, compilerOptions: { jsx: "react" } }));
  expect(reader.for(file)).toEqual({ experimentalDecorators: true });
  reader.forget();
  expect(reader.for(file)).toEqual({ jsx: "react" });
});
