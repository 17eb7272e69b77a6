import { basename } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { openProject, type TestProject } from "./with-typescript.ts";
import { itAtLength } from "../../support/extent.ts";
import { stopProcess } from "../../support/stop-process.ts";

let project: TestProject;
afterEach(() => project.dispose());

const small = {
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "lib": ["es2022"], "types": [] }, "include": ["src"] }',
  "src/a.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
  "src/b.ts": 'import { add } from "./a";\nexport const three = add(1, 2);\n',
};

describe("what the service answers from", () => {
  it("is the unsaved text of open buffers, and the disk again when they are closed", async () => {
    project = openProject(small);
    const { documents } = project.service;
    const uri = project.uri("src/b.ts");
    const text = small["src/b.ts"];
    documents.didOpen({ uri, languageId: "typescript", version: 1, text });
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("1 call site ");
    documents.didChange({ uri, version: 2, text: `${text}export function four(): number {\n  return add(2, 2);\n}\n` });
    const changed = (await project.whoCalls({ symbol: "add" })).content;
    expect(changed).toContain("src/b.ts:4 four: return add(2, 2);");
    documents.didChange({ uri, version: 3, text });
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("1 call site ");
    documents.didChange({ uri, version: 4, text: "export {};\n" });
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("No callers: src/a.ts#add");
    documents.didClose({ uri });
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("1 call site ");
  });

  it("includes the text of a buffer that was changed before it started", async () => {
    project = openProject(small);
    const text = `import { add } from "./a";\n${"add(1, 1);\n".repeat(50)}`;
    project.service.documents.didOpen({ uri: project.uri("src/b.ts"), languageId: "typescript", version: 1, text });
    const { content } = await project.whoCalls({ symbol: "add" });
    expect(content).toContain("50 call sites in 1 file, none in tests");
  });

  it("stays right through many quick edits asked about at once", async () => {
    project = openProject(small);
    const { documents } = project.service;
    const uri = project.uri("src/b.ts");
    documents.didOpen({ uri, languageId: "typescript", version: 1, text: "" });
    const wrong: string[] = [];
    for (let version = 2; version < 60; version += 1) {
      const count = (version * 7) % 11;
      const text = `import { add } from "./a";\n${"\n".repeat(version % 5)}${"add(1, 1);\n".repeat(count)}`;
      documents.didChange({ uri, version, text });
      const [callers, description] = await Promise.all([
        project.whoCalls({ symbol: "add" }),
        project.describe({ symbol: "add" }),
      ]);
      const expected = count === 0 ? "No callers" : `${count} call site`;
      if (!callers.content.includes(expected) || callers.content.includes("passed as value"))
        wrong.push(callers.content);
      if (!description.content.includes(`src/b.ts ${count + 1}`)) wrong.push(description.content);
    }
    expect(wrong).toEqual([]);
  });

  it("includes buffers opened before it started, and files that exist in no folder yet", async () => {
    project = openProject(small);
    project.service.documents.didOpen({
      uri: project.uri("src/unsaved.ts"),
      languageId: "typescript",
      version: 1,
      text: 'import { add } from "./a";\nadd(5, 6);\n',
    });
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("src/unsaved.ts:2 (module): ");
  });

  it("includes what was just written, added and removed on disk without anyone saying so", async () => {
    project = openProject(small);
    await project.whoCalls({ symbol: "add" });
    project.write("src/deep/c.ts", 'import { add } from "../a";\nadd(3, 4);\n');
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("src/deep/c.ts:2 ");
    project.write("src/deep/c.ts", 'import { add } from "../a";\n\nadd(3, 4);\n');
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("src/deep/c.ts:3 ");
    rmSync(`${project.root}/src/deep`, { recursive: true });
    expect((await project.whoCalls({ symbol: "add" })).content).not.toContain("src/deep");
  });

  it("is one state for a whole query although the text changes under it", async () => {
    project = openProject(small);
    const signal = AbortSignal.timeout(30_000);
    const uri = project.uri("src/b.ts");
    await project.service.ready(signal);
    const seen = await project.service.query(async (view) => {
      const before = (await view.source(`${project.root}/src/b.ts`))?.source.text;
      project.service.documents.didOpen({ uri, languageId: "typescript", version: 1, text: "export {};\n" });
      await view.request("workspace/symbol", { query: "add" });
      return [before, (await view.source(`${project.root}/src/b.ts`))?.source.text];
    }, signal);
    expect(seen).toEqual([small["src/b.ts"], small["src/b.ts"]]);
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("No callers");
  });
});

describe("a compiler process that dies", () => {
  it("is replaced: the next answer is right and includes the open buffers", async () => {
    project = openProject(small);
    project.service.documents.didOpen({
      uri: project.uri("src/b.ts"),
      languageId: "typescript",
      version: 1,
      text: 'import { add } from "./a";\nadd(1, 1);\nadd(2, 2);\n',
    });
    const before = await project.whoCalls({ symbol: "add" });
    expect(before.content).toContain("2 call sites");
    const pid = project.service.pid();
    process.kill(pid ?? 0, "SIGKILL");
    expect((await project.whoCalls({ symbol: "add" })).content).toBe(before.content);
    expect(project.service.pid()).not.toBe(pid);
    const states = project.states.map(({ state }) => state);
    expect(states.slice(states.indexOf("ready"))).toContain("restarting");
    expect(project.service.status()).toMatchObject({ state: "ready", projects: [{ name: "tsconfig.json", files: 2 }] });
  });

  it("is asked again, once, for what it was doing", async () => {
    project = openProject(small);
    await project.whoCalls({ symbol: "add" });
    const asked = Promise.all([project.whoCalls({ symbol: "add" }), project.describe({ symbol: "add" })]);
    process.kill(project.service.pid() ?? 0, "SIGKILL");
    const [callers, description] = await asked;
    expect(callers.content).toContain("1 call site ");
    expect(description.content).toContain("export function");
  });

  it("is reported in a sentence when the second attempt dies too", async () => {
    project = openProject(small);
    const signal = AbortSignal.timeout(30_000);
    const die = project.service.query(async () => {
      process.kill(project.service.pid() ?? 0, "SIGKILL");
      await new Promise(() => undefined);
    }, signal);
    await expect(die).rejects.toThrow(/TypeScript compiler process ended with signal SIGKILL; it is being restarted/);
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("1 call site ");
  });
});

describe("workspace folders that change", () => {
  it.each(["while it starts", "while it starts, twice", "once it answers"])("%s are answered from", async (when) => {
    const ts = { "tsconfig.json": "{}", "a.ts": "export function add(): void {}\n" };
    project = openProject(ts);
    const others = ["one", "two"].map((name) =>
      openProject({ [`${name}.ts`]: `export function ${name}(): void {}\n` }),
    );
    onTestFinished(async () => {
      for (const other of others) await other.dispose();
    });
    if (when === "once it answers") await project.describe({ symbol: "add" });
    else project.service.start();
    for (let count = 1; count <= (when.endsWith("twice") ? 2 : 1); count += 1) {
      project.service.setWorkspaceFolders([project.root, ...others.slice(0, count).map(({ root }) => root)]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const wanted = when.endsWith("twice") ? ["add", "one", "two"] : ["add", "one"];
    for (const symbol of wanted) expect((await project.describe({ symbol })).content).toContain(`function ${symbol}(`);
  });

  it("does not wait for ever where packages come while it starts", async () => {
    project = openProject({ "tsconfig.json": "{}", "package.json": "{}", "a.ts": "export function add(): void {}\n" });
    project.service.start();
    for (let count = 0; count < 10; count += 1) {
      project.write(`node_modules/p${count}/package.json`, `{ "name": "p${count}", "version": "1.0.0" }`);
      await project.service.lookAtDisk("everywhere");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await project.describe({ symbol: "add" })).content).toContain("function add(");
  });
});

describe("a compiler that never answers", () => {
  it.skipIf(process.platform !== "linux")(
    "is replaced, and answers once what it stopped at is mended",
    async () => {
      project = openProject({
        "tsconfig.json": '{ "extends": "./one.json", "include": ["src"] }',
        "one.json": '{ "extends": "./tsconfig.json" }',
        "src/a.ts": "export const add = 1;\n",
      });
      await expect(project.describe({ symbol: "add" })).rejects.toThrow(
        "tsconfig.json extends one.json extends tsconfig.json, in a circle. Take one of the extends out.",
      );
      project.write("one.json", "{}");
      expect((await project.describe({ symbol: "add" })).content).toContain("add");
      project.write("one.json", '{ "extends": "./tsconfig.json" }');
      await expect(project.describe({ symbol: "add" })).rejects.toThrow("in a circle");
      project.write("one.json", "{}");
      expect((await project.describe({ symbol: "add" })).content).toContain("add");
    },
    120_000,
  );

  it.skipIf(process.platform !== "linux")(
    "is ended and started again where it stops at what nobody foresaw",
    async () => {
      project = openProject(small);
      await project.describe({ symbol: "add" });
      const stopped = project.service.pid() ?? 0;
      await stopProcess(stopped);
      expect((await project.describe({ symbol: "add" })).content).toContain("add");
      expect(project.service.pid()).not.toBe(stopped);
    },
    120_000,
  );
});

describe("projects", () => {
  it("need no tsconfig: loose files are searched too", async () => {
    project = openProject({
      "a.ts": "export function lone(): void {}\n",
      "b.ts": 'import { lone } from "./a";\nlone();\n',
    });
    const answer = await project.whoCalls({ symbol: "lone" });
    expect(answer.content).toContain("b.ts:2 (module): ");
    expect(answer.notes).toEqual([
      expect.stringMatching(/^Searched files without a tsconfig \(2 files\) with TypeScript 7/),
    ]);
  });

  it("may be several, found through references and by name", async () => {
    project = openProject("ts-workspace");
    const answer = await project.whoCalls({ symbol: "@rooms/core#openDoor" });
    expect(answer.content).toContain("packages/app/src/main.ts:4 main: ");
    expect(answer.content).toContain("packages/core/src/index.ts:7 openAll — passed as value (argument of names.map)");
    expect(
      project.service
        .status()
        .projects.map(({ name }) => name)
        .toSorted(),
    ).toEqual(["packages/app/tsconfig.app.json", "packages/core/tsconfig.json", "tsconfig.json"]);
  });

  it("are searched together although nothing but an import ties them", async () => {
    project = openProject({
      "core/tsconfig.json": '{ "compilerOptions": { "types": [] } }',
      "core/a.ts": "export function shared(): void {}\n",
      "app/tsconfig.json": '{ "compilerOptions": { "types": [] } }',
      "app/b.ts": 'import { shared } from "../core/a";\nshared();\n',
    });
    expect((await project.whoCalls({ symbol: "shared" })).content).toContain("app/b.ts:2 (module): ");
  });

  it("are loaded when their tsconfig appears", async () => {
    project = openProject({ "sub/a.ts": "export function late(): void {}\n" });
    await project.whoCalls({ symbol: "late" });
    expect(project.service.status().projects).toEqual([{ name: "files without a tsconfig", files: 1 }]);
    project.write("sub/tsconfig.json", '{ "compilerOptions": { "types": [] } }');
    await project.whoCalls({ symbol: "late" });
    expect(project.service.status().projects).toEqual([{ name: "sub/tsconfig.json", files: 1 }]);
  });

  it("with errors in the tsconfig are answered from, and every answer says so", async () => {
    project = openProject({
      ...small,
      "tsconfig.json": '{ "compilerOptions": { "noSuchOption": 1, "types": [] }, "include": ["src"] }',
    });
    const answer = await project.whoCalls({ symbol: "add" });
    expect(answer.content).toContain("1 call site ");
    expect(answer.notes?.[0]).toContain(
      "tsconfig.json has errors, so answers may be incomplete: TS5023 Unknown compiler option 'noSuchOption'.",
    );
  });

  it("with a tsconfig that is no JSON do not stop the answers", async () => {
    project = openProject({ ...small, "tsconfig.json": "{ this is not json" });
    const answer = await project.whoCalls({ symbol: "add" });
    expect(answer.content).toContain("1 call site ");
    expect(answer.notes?.join("\n")).toContain("tsconfig.json has errors");
  });
});

describe("awkward files", () => {
  it("a binary file with a TypeScript name changes nothing for the others", async () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 37) % 256));
    project = openProject({ ...small, "src/picture.ts": bytes });
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("1 call site ");
    expect((await project.apropos({ pattern: "add", path: "tsconfig.json" })).content).toContain("src/a.ts#add");
  });

  itAtLength("a file of 5 MB is answered from like any other", async () => {
    const lines = Array.from(
      { length: 60_000 },
      (_, index) => `export const value${index} = { index: ${index}, text: "${"x".repeat(40)}" };`,
    );
    lines.push('import { add } from "./a";', "export const big = add(1, 2);");
    project = openProject({ ...small, "src/big.ts": lines.join("\n") });
    expect(lines.join("\n").length).toBeGreaterThan(5_000_000);
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("src/big.ts:60002 big: ");
  });

  it("a workspace folder that is not there gives a clear answer", async () => {
    project = openProject({});
    rmSync(project.root, { recursive: true });
    const answer = await project.whoCalls({ symbol: "add" });
    expect(answer.content).toContain('No symbol "add"');
    expect(answer.notes?.join()).toContain(`The workspace folder ${basename(project.root)} does not exist.`);
    expect(JSON.stringify(answer)).not.toContain(project.root);
  });

  it("a workspace folder that is a file gives a clear answer", async () => {
    project = openProject({});
    rmSync(project.root, { recursive: true });
    writeFileSync(project.root, "");
    expect((await project.whoCalls({ symbol: "add" })).notes?.join()).toContain("workspace folder");
  });

  it("a workspace folder that is deleted while it runs gives a clear answer, and comes back", async () => {
    project = openProject(small);
    await project.whoCalls({ symbol: "add" });
    rmSync(project.root, { recursive: true });
    const answer = await project.whoCalls({ symbol: "add" });
    expect(answer.notes?.join()).toContain("does not exist");
    for (const [path, text] of Object.entries(small)) project.write(path, text);
    expect((await project.whoCalls({ symbol: "add" })).content).toContain("1 call site ");
  });
});

it("stops waiting when the caller gives up", async () => {
  project = openProject(small);
  const abort = new AbortController();
  const asked = project.service.ready(abort.signal);
  abort.abort(new Error("never mind"));
  await expect(asked).rejects.toThrow("never mind");
});

it("leaves no process behind", async () => {
  project = openProject(small);
  await project.service.ready(AbortSignal.timeout(30_000));
  const pid = project.service.pid() ?? 0;
  await project.service.dispose();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  await expect(project.whoCalls({ symbol: "add" })).rejects.toThrow("shut down");
});
