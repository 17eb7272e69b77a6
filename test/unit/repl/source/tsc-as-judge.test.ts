/**
 * What modules do in the REPL is what they do in Node once TypeScript has compiled them. TypeScript 6 compiles each case, Node runs all cases in one process, and the image runs all of them in one form. A difference that is
 * meant stands in the table with its reason.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "@typescript/typescript6";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";
import { JUDGED, type Judged } from "./judged-modules.ts";

const FORMATS = ["module", "commonjs"] as const;

interface Run extends Judged {
  readonly format: (typeof FORMATS)[number];
  readonly folder: string;
}

const runs = JUDGED.flatMap((each, index): Run[] =>
  (each.formats ?? FORMATS).map((format) => ({ ...each, format, folder: `${index}-${format}` })),
);

/** Errors in types keep nothing from being written, and no library is read. */
const FOR_TEXT_ALONE = { noLib: true, types: [], ignoreDeprecations: "6.0" };

/** Prints what `main` of every folder has as `answer`, or its error, as JSON. */
const asker = (end: string): string => `const told = {};
for (const folder of ${JSON.stringify(runs.map(({ folder }) => folder))}) {
  try {
    const main = await import("./" + folder + "/main.${end}");
    told[folder] = JSON.stringify(main.answer) ?? "undefined";
  } catch (error) {
    told[folder] = String(error);
  }
}
console.log(JSON.stringify(told));`;

let t: TestImage;
let inNode: Readonly<Record<string, string>>;
let inImage: Readonly<Record<string, string>>;

beforeAll(async () => {
  t = startTestImage();
  for (const run of runs) lay(run);
  const judged = join(t.root, "judged");
  writeFileSync(join(judged, "ask.mjs"), asker("js"));
  const told = (text: string): Record<string, string> => JSON.parse(text) as Record<string, string>;
  inNode = told(execFileSync(process.execPath, ["ask.mjs"], { cwd: judged, encoding: "utf8" }));
  await t.value(asker("ts"));
  inImage = told(t.outputs.map(({ text }) => text).join(""));
});
afterAll(() => t.dispose());

it.for(runs)("$format: $title", ({ folder, differs }) => {
  if (differs === undefined) expect(inImage[folder]).toBe(inNode[folder]);
  else expect(inImage[folder]).not.toBe(inNode[folder]);
});

function lay({ files, options, format, folder }: Run): void {
  const compilerOptions = { module: format === "module" ? "esnext" : "commonjs", ...options };
  t.write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions }));
  t.write(`${folder}/package.json`, JSON.stringify({ type: format }));
  t.write(`judged/${folder}/package.json`, JSON.stringify({ type: format }));
  for (const [name, text] of Object.entries(typeof files === "string" ? { main: files } : files)) {
    t.write(`${folder}/${name}.ts`, text);
  }
  const main = join(t.root, folder, "main.ts");
  const given = ts.convertCompilerOptionsFromJson({ ...FOR_TEXT_ALONE, ...compilerOptions }, t.root).options;
  ts.createProgram([main], { ...given, outDir: join(t.root, "judged", folder) }).emit();
}
