/** A module that anything augments moves as any other module: its imports follow, and so do the augmentations. */
import { afterAll, expect, it } from "vitest";
import { importEdits } from "../../../server/src/typescript/edits/moves/file-moves.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

const projects: TestProject[] = [];
afterAll(() => Promise.all(projects.map((project) => project.dispose())));

const FILES = {
  "tsconfig.json":
    '{ "compilerOptions": { "types": [], "strict": true, "module": "esnext", "moduleResolution": "bundler", "noEmit": true, "paths": { "~/*": ["./src/*"] } } }',
  "src/foo.ts": "export interface Opts {\n  a?: number;\n}\nexport const foo = (opts: Opts) => opts;\n",
  "src/near.ts": 'import { foo } from "./foo";\nexport const near = foo({});\n',
  "src/sub/far.ts": 'import { foo } from "../foo.js";\nexport const far = () => import("../foo");\nfoo({});\n',
  "src/alias.ts": 'import { foo } from "~/foo";\nexport const alias = foo({});\n',
};
const INTERFACE = "{ interface Opts { more?: number } }\n";

/** By file, the texts that the compiler's edits put in. */
async function edits(files: Readonly<Record<string, string>>, from: string, to: string): Promise<object> {
  const project = openProject(files);
  projects.push(project);
  const moves = new Map([[`${project.root}/${from}`, `${project.root}/${to}`]]);
  const found = await project.service.query((view) => importEdits(view, moves, new Map()), AbortSignal.timeout(60_000));
  return Object.fromEntries(
    found.map((each) => [
      each.file.slice(project.root.length + 1),
      each.edits.map(({ newText }) => newText).toSorted(),
    ]),
  );
}

it.each([
  [
    "in another file",
    { "src/aug.ts": `export {};\ndeclare module "./foo" ${INTERFACE}` },
    { "src/aug.ts": ["./core/food"] },
  ],
  [
    "with an ending",
    { "src/aug.ts": `export {};\ndeclare module "./foo.js" ${INTERFACE}` },
    { "src/aug.ts": ["./core/food.js"] },
  ],
  [
    "by an alias",
    { "src/sub/aug.ts": `export {};\ndeclare module "~/foo" ${INTERFACE}` },
    { "src/sub/aug.ts": ["~/core/food"] },
  ],
  [
    "in a declaration file",
    { "src/aug.d.ts": `export {};\ndeclare module './foo' ${INTERFACE}` },
    { "src/aug.d.ts": ["./core/food"] },
  ],
  [
    "in the module itself",
    { "src/foo.ts": `${FILES["src/foo.ts"]}declare module "./foo" ${INTERFACE}` },
    { "src/foo.ts": ["./food"] },
  ],
])("moves a module that is augmented %s", async (_where, augmenting, own) => {
  const bare = await edits(FILES, "src/foo.ts", "src/core/food.ts");
  expect(Object.keys(bare).toSorted()).toEqual(["src/alias.ts", "src/near.ts", "src/sub/far.ts"]);
  expect(await edits({ ...FILES, ...augmenting }, "src/foo.ts", "src/core/food.ts")).toEqual({ ...bare, ...own });
});

it("moves a file that imports an augmented module, and one that augments", async () => {
  const augmented = { ...FILES, "src/aug.ts": `import "./foo";\ndeclare module "./foo" ${INTERFACE}` };
  expect(await edits(augmented, "src/near.ts", "src/core/near.ts")).toEqual({ "src/near.ts": ["../foo"] });
  expect(await edits(augmented, "src/aug.ts", "src/core/aug.ts")).toEqual({ "src/aug.ts": ["../foo", "../foo"] });
});

it("leaves the augmentation of a package alone", async () => {
  const other = { ...FILES, "src/aug.ts": `export {};\ndeclare module "foo" ${INTERFACE}declare module "*.css" { }\n` };
  expect(await edits(other, "src/foo.ts", "src/core/food.ts")).toEqual(
    await edits(FILES, "src/foo.ts", "src/core/food.ts"),
  );
});
