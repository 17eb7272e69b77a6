import { readdirSync, rmSync } from "node:fs";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createMacroexpandForm } from "../../../../server/src/tools/introspection/macroexpand-form.ts";
import type { ToolAnswer } from "../../../../server/src/tools/tool.ts";
import { sideCompilerPid } from "../../../../server/src/typescript/expand/side-compiler.ts";
import { openProject, type TestProject } from "../with-typescript.ts";

const projects: TestProject[] = [];
afterAll(() => Promise.all(projects.map((project) => project.dispose())));

function open(files: Record<string, string>): TestProject {
  const project = openProject({ "tsconfig.json": '{ "compilerOptions": { "types": [], "strict": true } }', ...files });
  projects.push(project);
  return project;
}

const signal = (): AbortSignal => AbortSignal.timeout(60_000);

async function expand(project: TestProject, form: string, args: object = {}, until = signal()): Promise<string> {
  const context = { callId: "1", caller: "model", signal: until } as const;
  const answer = (await createMacroexpandForm(project.service).run({ form, ...args }, context)) as ToolAnswer;
  return answer.content;
}

function sidePid(project: TestProject): Promise<number | undefined> {
  return project.service.query((view) => Promise.resolve(sideCompilerPid(view.state.native)), signal());
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const FILES = {
  "a.ts":
    'import type { B } from "./b.ts";\nexport type A = { b: B };\nexport function use(a: A): A {\n  return a;\n}\n',
  "b.ts": "export interface B {\n  one: number;\n}\n",
};

describe("the side compiler", () => {
  it("leaves no trace in the compiler that answers, and none on disk", async () => {
    const project = open(FILES);
    const look = (): Promise<unknown> =>
      project.service.query(async (view) => {
        const found = await view.request("workspace/symbol", { query: "__form" });
        const text = (await view.source(`${project.root}/a.ts`))?.source.text;
        return {
          snapshot: view.state.snapshot.id,
          found,
          text,
          files: view.ownFiles(),
          entries: readdirSync(project.root),
        };
      }, signal());
    const before = await look();
    const callers = await project.whoCalls({ symbol: "use" });
    expect(await expand(project, "Partial<A>")).toContain("b?: B;");
    expect(await expand(project, "Nope<A>")).toContain("The compiler rejects it");
    expect(await look()).toEqual(before);
    expect(await project.whoCalls({ symbol: "use" })).toEqual(callers);
  });

  it("sees unsaved text, of the module and of those it imports", async () => {
    const project = open(FILES);
    expect(await expand(project, "A", { full: true })).toContain("one: number;");
    project.service.documents.didOpen({
      uri: project.uri("b.ts"),
      languageId: "typescript",
      version: 1,
      text: "export interface B {\n  two: string;\n}\n",
    });
    expect(await expand(project, "A", { full: true })).toContain("two: string;");
    project.service.documents.didOpen({
      uri: project.uri("a.ts"),
      languageId: "typescript",
      version: 1,
      text: 'import type { B } from "./b.ts";\nexport type A = { b: B; own: true };\n',
    });
    expect(await expand(project, "A", { full: true })).toMatch(/two: string;[^]*own: true;/);
    project.service.documents.didClose({ uri: project.uri("b.ts") });
    project.service.documents.didClose({ uri: project.uri("a.ts") });
    expect(await expand(project, "A", { full: true })).not.toMatch(/two|own/);
  });

  it("sees what changed on disk: a file, a new file, a deleted one, the tsconfig", async () => {
    const project = open(FILES);
    expect(await expand(project, "A", { full: true })).toContain("one: number;");
    project.write("b.ts", "export interface B {\n  three: boolean;\n}\n");
    expect(await expand(project, "A", { full: true })).toContain("three: boolean;");
    project.write("c.ts", "export type C = { fresh: 1 };\n");
    project.write("b.ts", 'import type { C } from "./c.ts";\nexport type B = C;\n');
    expect(await expand(project, "A", { full: true })).toContain("fresh: 1;");
    expect(await expand(project, "Partial<C>", { full: true })).toContain("fresh?: 1;");
    project.write("b.ts", "export interface B {\n  one?: number;\n}\n");
    expect(await expand(project, "Required<B>['one']")).toContain("=\nnumber");
    expect(await expand(project, "B['one']")).toContain("=\nnumber | undefined");
    project.write("tsconfig.json", '{ "compilerOptions": { "types": [], "strict": false } }');
    expect(await expand(project, "B['one']")).not.toContain("undefined");
    rmSync(`${project.root}/b.ts`);
    expect(await expand(project, "A", { full: true })).not.toContain("one");
  });

  it("answers questions asked at once, each in its own module", async () => {
    const project = open({ ...FILES, "d.ts": "interface Own {\n  d: 1;\n}\nexport type D = Own;\n" });
    const forms = ["A", "D", "B", "Own", "Partial<D>", "A['b']"];
    const alone: string[] = [];
    for (const form of forms) alone.push(await expand(project, form, { full: true }));
    const together = await Promise.all(forms.map((form) => expand(project, form, { full: true })));
    expect(together).toEqual(alone);
    expect(new Set(alone).size).toBe(forms.length);
  });

  it("goes on after a question that was given up", async () => {
    const project = open(FILES);
    await expand(project, "A");
    const controller = new AbortController();
    const given = expand(project, "Partial<A>", {}, controller.signal);
    controller.abort(new Error("given up"));
    await expect(given).rejects.toThrow("given up");
    expect(await expand(project, "Partial<A>")).toContain("b?: B;");
  });

  it("is started again when its process was killed", async () => {
    const project = open(FILES);
    await expand(project, "A");
    const pid = await sidePid(project);
    if (pid === undefined) throw new Error("there is no side compiler");
    process.kill(pid, "SIGKILL");
    // The question may meet the dying process, the dead one or none.
    expect(await expand(project, "Partial<A>")).toContain("b?: B;");
    expect(await sidePid(project)).not.toBe(pid);
  });

  it("ends with the compiler it stands beside", async () => {
    const project = open(FILES);
    await expand(project, "A");
    const pid = await sidePid(project);
    if (pid === undefined) throw new Error("there is no side compiler");
    expect(isRunning(pid)).toBe(true);
    await project.service.dispose();
    await vi.waitUntil(() => !isRunning(pid), { timeout: 40_000, interval: 20 });
  });

  it("reads forms in files that no tsconfig includes", async () => {
    const project = openProject({ "loose.ts": "export type Loose = { at: Date };\n" });
    projects.push(project);
    expect(await expand(project, "Partial<Loose>")).toContain("at?: Date;");
    project.write("loose.ts", "export type Loose = { now: Date };\n");
    expect(await expand(project, "Partial<Loose>")).toContain("now?: Date;");
  });
});
