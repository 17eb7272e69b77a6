import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { View } from "../../../../../server/src/typescript/view.ts";
import { openProject, type TestProject } from "../../with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

interface Kept {
  readonly sourceFileCache: { has(path: string): boolean };
}

function ask<Answer>(run: (view: View) => Answer): Promise<Answer> {
  if (project === undefined) throw new Error("no project is open");
  return project.service.query((view) => Promise.resolve(run(view)), AbortSignal.timeout(60_000));
}

function keptBy(program: unknown): Kept["sourceFileCache"] {
  return (program as Kept).sourceFileCache;
}

it("reads names and trees of files that nobody asked about, a while after a question", async () => {
  project = openProject({
    "tsconfig.json": JSON.stringify({ compilerOptions: { types: [], lib: ["es2023"] }, include: ["src"] }),
    "src/asked.ts": "export const asked = 1;\n",
    "src/other.ts": "export const other = 1;\n",
  });
  // What the first question saw is looked at afterwards: another question would put the reading off.
  const { other, names, kept, lib } = await ask((view) => ({
    other: join(project?.root ?? "", "src/other.ts"),
    lib: view.externalFiles().find((file) => file.endsWith("lib.es5.d.ts")) ?? "",
    names: view.state.outlines.names,
    kept: keptBy(view.programs[0]?.project.program),
  }));
  expect([names.has(other), kept.has(other)]).toEqual([false, false]);
  await expect.poll(() => [names.has(other), kept.has(other)]).toEqual([true, true]);
  expect([names.has(lib), kept.has(lib)]).toEqual([true, false]);
});

it("reads nothing ahead of a project whose text is large, and finds its names all the same", async () => {
  const filler = `/* ${"filler ".repeat(200_000)} */\n`;
  const large = Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [`src/large${index}.ts`, `${filler}export const large${index} = 1;\n`]),
  );
  project = openProject({
    "tsconfig.json": JSON.stringify({ compilerOptions: { types: [], lib: ["es2023"] }, include: ["src"] }),
    ...large,
  });
  const { own, names, kept, lib } = await ask((view) => ({
    own: view.ownFiles(),
    lib: view.externalFiles().find((file) => file.endsWith("lib.es5.d.ts")) ?? "",
    names: view.state.outlines.names,
    kept: keptBy(view.programs[0]?.project.program),
  }));
  // Own names come before those of the language's files.
  await expect.poll(() => names.has(lib)).toBe(true);
  expect(own.filter((file) => names.has(file) || kept.has(file))).toEqual([]);
  expect((await project.apropos({ pattern: "large4" })).content).toContain("src/large4.ts");
});
