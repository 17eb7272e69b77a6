/** JavaScript that people wrote into folders whose names builds use as well. */
import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { createListPackageSymbols } from "../../server/src/tools/introspection/list-package-symbols.ts";
import { createRenameSymbol } from "../../server/src/tools/edit/rename-symbol.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";
import { openEditFixture, type EditFixture } from "./edit-fixture.ts";

const files = {
  "lib/greet.js": "exports.greet = (name) => `Hello ${name}`;\n",
  "main.js": 'const { greet } = require("./lib/greet");\ngreet("a");\n',
  "public/app.js": 'const { greet } = require("../lib/greet");\ngreet("b");\n',
  "build/make.js": 'const { greet } = require("../lib/greet");\ngreet("c");\n',
  "docs/tsconfig.json": '{ "compilerOptions": { "outDir": "../out", "types": [] }, "files": ["a.ts"] }\n',
  "docs/a.ts": "export const a = 1;\n",
  "out/greet-a.js": 'require("../lib/greet").greet("d");\n',
};

let project: TestProject | undefined;
let edits: EditFixture | undefined;
afterEach(async () => {
  await project?.dispose();
  await edits?.dispose();
  project = undefined;
  edits = undefined;
});

function git(root: string, ...args: string[]): void {
  execFileSync("git", args, { cwd: root, stdio: "ignore" });
}

describe("hand-written JavaScript in folders such as build and public", () => {
  it("is searched, and what a tsconfig has as its output is named", async () => {
    project = openProject(files);
    const { content, notes } = await project.whoCalls({ symbol: "greet" });
    for (const place of ["main.js:2", "public/app.js:2", "build/make.js:2"]) expect(content).toContain(place);
    expect(notes).toContain("Not searched: 1 JavaScript file that a build made, as it seems: out/greet-a.js.");
  });

  it("is searched where git keeps it; what git does not keep is named", async () => {
    project = openProject({ ...files, ".gitignore": "build\n" });
    git(project.root, "init", "-q");
    git(project.root, "add", ".");
    const { content, notes } = await project.whoCalls({ symbol: "greet" });
    expect(content).toContain("public/app.js:2");
    expect(content).not.toContain("build/make.js");
    expect(notes?.join()).toContain("that a build made, as it seems: build/make.js, out/greet-a.js.");
    const list = createListPackageSymbols(project.service);
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    expect(await list.run({ path: "public" }, context)).toMatchObject({
      content: expect.stringContaining("app.js") as string,
    });
  });

  it("is renamed with the rest, and the answer names what is not", async () => {
    edits = openEditFixture("edits-project");
    edits.write("app.js", 'const { greet } = require("./greet.js");\ngreet("a");\n');
    edits.write("greet.js", "exports.greet = (name) => name;\n");
    edits.write("app.min.js", 'require("./greet.js").greet("b");\n');
    const answer = await edits.ask(createRenameSymbol(edits.ports), { symbol: "greet.js#greet", new_name: "welcome" });
    expect(answer).toContain(
      "WARNING: not renamed in files that were not searched, which may break: 1 place in 1 file that spells the name: app.min.js:1.",
    );
    expect(await edits.textOf("app.js")).toContain("welcome");
  });
});
