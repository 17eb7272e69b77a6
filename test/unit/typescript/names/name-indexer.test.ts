import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { View } from "../../../../server/src/typescript/view.ts";
import { openProject, type TestProject } from "../with-typescript.ts";

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
  await expect.poll(() => [names.has(other), kept.has(other)], { timeout: 20_000 }).toEqual([true, true]);
  expect([names.has(lib), kept.has(lib)]).toEqual([true, false]);
});
