import { rmSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { surroundingsOf, type EditedText } from "../../../server/src/typescript/edits/check/edit-check.ts";
import {
  errorsNow,
  errorsOnlyIn,
  errorsWith,
  type FileError,
  type TextsByFile,
} from "../../../server/src/typescript/edits/check/file-errors.ts";
import { StandIns } from "../../../server/src/typescript/edits/check/stand-ins.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

const projects: TestProject[] = [];
afterAll(() => Promise.all(projects.map((project) => project.dispose())));

const FILES = {
  "tsconfig.json":
    '{ "compilerOptions": { "types": [], "strict": true, "module": "nodenext", "noEmit": true, "allowImportingTsExtensions": true } }',
  "src/money.ts": "export const cents = 100;\n",
  "src/setup.ts": "export {};\n",
  "src/bill.ts": 'import { cents } from "./money.ts";\nimport "./setup.ts";\n\nexport const bill: number = cents;\n',
};

/** The errors that these texts bring into a project of its own, as `bill.ts:1 TS2307: …`. */
async function introduced(texts: Readonly<Record<string, string | null>>): Promise<string[]> {
  const project = openProject(FILES);
  projects.push(project);
  const signal = AbortSignal.timeout(60_000);
  const fileOf = (path: string): string => `${project.root}/${path}`;
  const edited = Object.entries(texts).map(([path, target]): EditedText => ({
    file: fileOf(path),
    base: (FILES as Record<string, string>)[path] ?? null,
    target,
  }));
  const found = await project.service.query((view) => surroundingsOf(view, edited), signal);
  if (found?.before === undefined) throw new Error("the compiler has nothing to say");
  const then: TextsByFile = new Map(edited.map(({ file, target }) => [file, target]));
  const errors = errorsOnlyIn(await errorsWith(found, { texts: then, files: found.files }, signal), found.before);
  return errors.map(lineOf);
}

function lineOf({ file, start, code, message }: FileError): string {
  return `${file.split("/").at(-1)}:${start.line + 1}:${start.character + 1} TS${code}: ${message}`;
}

it("misses a deleted file in the files that import it", async () => {
  expect(await introduced({ "src/money.ts": null })).toEqual([
    "bill.ts:1:23 TS2307: Cannot find module './money.ts' or its corresponding type declarations.",
  ]);
});

it("misses a file that is imported for its effects alone", async () => {
  expect(await introduced({ "src/setup.ts": null })).toEqual([
    "bill.ts:2:8 TS2882: Cannot find module or type declarations for side-effect import of './setup.ts'.",
  ]);
});

it("misses nothing when a file moves and its imports follow", async () => {
  const moved = {
    "src/money.ts": null,
    "src/cash.ts": FILES["src/money.ts"],
    "src/bill.ts": FILES["src/bill.ts"].replace("./money.ts", "./cash.ts"),
  };
  expect(await introduced(moved)).toEqual([]);
  expect(await introduced({ ...moved, "src/bill.ts": FILES["src/bill.ts"] })).toEqual([
    "bill.ts:1:23 TS2307: Cannot find module './money.ts' or its corresponding type declarations.",
  ]);
});

it("says the same of a missing file as the compiler does where it is missing on disk", async () => {
  const { "src/money.ts": _money, "src/setup.ts": _setup, ...rest } = FILES;
  const project = openProject(rest);
  projects.push(project);
  const signal = AbortSignal.timeout(60_000);
  const messages = await project.service.query(async (view) => {
    const file = `${project.root}/src/bill.ts`;
    const found = await view.programOf(file)?.project.program.getSemanticDiagnostics(file);
    return found?.map(({ code, text }) => `TS${code}: ${text}`);
  }, signal);
  const ours = [...(await introduced({ "src/money.ts": null })), ...(await introduced({ "src/setup.ts": null }))];
  expect(ours.map((line) => line.replace(/^\S+ /, ""))).toEqual(messages);
});

const SHOP = {
  "tsconfig.json":
    '{ "compilerOptions": { "types": [], "strict": true, "module": "nodenext", "noEmit": true, "allowImportingTsExtensions": true } }',
  "src/price.ts":
    "export interface Price {\n  readonly net: number;\n}\n\nexport function gross(price: Price): number {\n  return price.net * 1.19;\n}\n\nexport const currency = 'EUR';\n",
  "src/all.ts": 'export { gross as total, type Price } from "./price.ts";\nexport * from "./price.ts";\n',
  "src/cart.ts":
    'import { type Price, total } from "./all.ts";\n\nexport const sum = (all: Price[]) => all.map(total);\n',
  "src/sign.ts": 'import { currency } from "./price.ts";\n\nexport const sign: string = currency;\n',
  "src/page.ts": 'import { sum } from "./cart.ts";\n\nexport const page: number[] = sum([]);\n',
};

it.each([
  ["a function whose type is written down changes inside", "* 1.19", "* 1.2", ["price.ts"]],
  ["a comment is added", "export interface", "/** Of one piece. */\nexport interface", ["price.ts"]],
  ["a type changes", "readonly net", "readonly bare", ["price.ts", "all.ts", "cart.ts", "page.ts"]],
  ["a constant changes", "'EUR'", "978", ["price.ts", "all.ts", "sign.ts"]],
])("looks at the files that use what changed, and at no other: %s", async (_what, from, to, names) => {
  const project = openProject(SHOP);
  projects.push(project);
  const file = `${project.root}/src/price.ts`;
  const base = SHOP["src/price.ts"];
  const edited = [{ file, base, target: base.replace(from, to) }];
  const found = await project.service.query((view) => surroundingsOf(view, edited), AbortSignal.timeout(60_000));
  expect(found?.reach).toBe("using");
  expect(found?.files.map((each) => each.split("/").at(-1)).toSorted()).toEqual(names.toSorted());
});

const IN_NEW_FOLDERS = {
  "src/fiscal/rates.ts": 'import { cents } from "../money.ts"; export const rate: string = cents;\n',
  "src/fiscal/deep/more.ts":
    'import { rate } from "../rates.ts"; import { own } from "./own.ts"; import { cents } from "../../money.ts"; export const more: number = rate;\nexport type All = typeof import("./own.ts");\nexport const all = [own, cents, more];\n',
  "src/fiscal/deep/own.ts": 'import { none } from "./none.ts"; export const own: boolean = none;\n',
  "src/bill.ts":
    'import { cents } from "./money.ts"; import { rate } from "./fiscal/rates.ts"; import { own } from "./fiscal/deep/own.ts"; import "./setup.ts"; export const bill: number = rate + own;\nexport const wrong: string = cents;\n',
};

it("judges files in folders that are not on disk yet as the compiler does once the folders are there", async () => {
  const ours = await introduced(IN_NEW_FOLDERS);
  const project = openProject({ ...FILES, ...IN_NEW_FOLDERS });
  projects.push(project);
  const theirs = await project.service.query(async (view) => {
    const errors = await errorsNow(
      view,
      Object.keys(IN_NEW_FOLDERS).map((path) => `${project.root}/${path}`),
    );
    return [...errors.values()].flat().map(lineOf);
  }, AbortSignal.timeout(60_000));
  expect(theirs).toHaveLength(5);
  expect(ours.toSorted()).toEqual(theirs.toSorted());
});

it.each([
  [
    "a name that is no path",
    { "src/fiscal/rates.ts": "export {};\n", "src/bill.ts": 'import "#fiscal/rates";\n' },
    '"#fiscal/rates" may name',
  ],
  ["a package of its own", { "src/fiscal/package.json": '{ "type": "commonjs" }' }, "package.json comes into a folder"],
  ["nothing of the kind", IN_NEW_FOLDERS, undefined],
])("says why files in a new folder cannot be judged: %s", (_what, texts, why) => {
  const places = new StandIns(new Map(Object.entries(texts).map(([path, text]) => [`/no/such/place/${path}`, text])));
  expect(places.whyNot()?.slice(0, why?.length)).toBe(why);
});

it("counts files that were made and deleted by hand meanwhile as those that the edit touches", async () => {
  const project = openProject(SHOP);
  projects.push(project);
  const made = { file: `${project.root}/src/tax.ts`, base: null, target: "export const tax = 0.2;\n" };
  const deleted = { file: `${project.root}/src/sign.ts`, base: SHOP["src/sign.ts"], target: null };
  const touched = async (): Promise<number | undefined> => {
    const ask = project.service.query((view) => surroundingsOf(view, [made, deleted]), AbortSignal.timeout(60_000));
    return (await ask)?.touched;
  };
  expect(await touched()).toBe(2);
  project.write("src/tax.ts", made.target);
  rmSync(deleted.file);
  expect(await touched()).toBe(2);
});
