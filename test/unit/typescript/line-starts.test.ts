import { afterEach, expect, it } from "vitest";
import { findLinesQuickly } from "../../../server/src/typescript/line-starts.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

it("finds the lines that the compiler's client finds, however they end", async () => {
  const endings = { "lf.ts": "\n", "crlf.ts": "\r\n", "cr.ts": "\r", "separator.ts": "\u2028", "last.ts": "\n\n" };
  const statements = ["export const a = 'ä';", "", "/* two", "lines */ export const b = 1;", ""];
  const files = Object.entries(endings).map(([name, end]) => [`src/${name}`, statements.join(end)] as const);
  project = openProject({
    "tsconfig.json": JSON.stringify({ compilerOptions: { types: [] }, include: ["src"] }),
    ...Object.fromEntries(files),
    "src/mixed.ts": "export const a = 1;\n\r\nexport const b = 2;\r\rexport const c = 3;",
    "src/empty.ts": "",
  });
  const compared = await project.service.query(async (view) => {
    const found: { readonly own: readonly number[]; readonly theirs: readonly number[] }[] = [];
    for (const file of view.ownFiles()) {
      // Not through the view, which has prepared its files.
      const source = await view.programOf(file)?.project.program.getSourceFile(file);
      if (source === undefined) continue;
      const theirs = [...source.getLineStarts()];
      findLinesQuickly(source);
      found.push({ own: source.getLineStarts(), theirs });
      const end = source.text.length;
      expect(source.getLineAndCharacterOfPosition(end).line).toBe(theirs.length - 1);
    }
    return found;
  }, AbortSignal.timeout(60_000));
  expect(compared).toHaveLength(7);
  for (const { own, theirs } of compared) expect(own).toEqual(theirs);
});
