import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { EvalResult, EvaluationChange } from "../../../../server/src/protocol/repl-shapes.ts";
import type { Repl } from "../../../../server/src/repl/repl.ts";
import { replOn, startTestImage, type TestImage } from "../with-image.ts";

interface Watched extends TestImage {
  readonly repl: Repl;
  readonly events: { evalId: string; by: string; changes: readonly EvaluationChange[]; message: string }[];
  readonly saved: Map<string, string>;
  readonly uri: (name: string) => string;
  readonly text: (name: string) => string;
  readonly run: (code: string, by?: "person" | "agent") => Promise<EvalResult>;
}

let t: Watched;
afterEach(() => t.dispose());

function start(confinement: "open" | "confined"): Watched {
  const plain = startTestImage({ confinement });
  const events: Watched["events"] = [];
  const saved: Watched["saved"] = new Map();
  const repl = replOn(plain.image, {
    changes: {
      folders: () => [plain.root],
      wasSaved: (path, content) => saved.get(path) === content,
      onChanges: (event) => events.push(event),
      log: (message) => expect.unreachable(message),
    },
  });
  const file = (name: string): string => join(plain.root, name);
  return {
    ...plain,
    repl,
    events,
    saved,
    uri: (name) => pathToFileURL(file(name)).href,
    text: (name) => readFileSync(file(name), "utf8"),
    run: (code, by = "agent") => repl.evaluate({ code, by }, new AbortController().signal),
    dispose: async () => {
      await repl.dispose();
      await plain.dispose();
    },
  };
}

const WRITES = `import fs from 'node:fs';
  fs.writeFileSync('src/money.ts', 'export const rate = 99;');
  fs.mkdirSync('out/deep', { recursive: true }); fs.writeFileSync('out/deep/made.txt', 'made');
  fs.rmSync('package.json'); 1`;

describe("an open image that writes", () => {
  it("shows every change in the result, in words for the model and as an event for the editor", async () => {
    t = start("open");
    const result = await t.run(WRITES);
    expect(result.changes).toEqual([
      { uri: t.uri("out/deep/made.txt"), kind: "created", canRevert: true },
      { uri: t.uri("package.json"), kind: "deleted", canRevert: true },
      { uri: t.uri("src/money.ts"), kind: "modified", canRevert: true },
    ]);
    const message =
      "While this form ran, 3 files changed: out/deep/made.txt (created), package.json (deleted), src/money.ts (modified). " +
      "The person can keep or revert that.";
    expect(result.notes).toContainEqual({ severity: "warning", code: "filesChanged", message });
    expect(t.events).toEqual([{ evalId: result.evalId, by: "agent", changes: result.changes, message }]);
    expect((await t.run("1 + 1")).changes).toBeUndefined();
  });

  it("is not blamed for what others write between two forms, however soon the second one comes", async () => {
    t = start("open");
    await t.run("1");
    writeFileSync(join(t.root, "theirs.txt"), "by somebody else");
    expect((await t.run("2")).changes).toBeUndefined();
  });

  it("is taken back as the person decides, and the model hears of it once", async () => {
    t = start("open");
    const before = { money: t.text("src/money.ts"), manifest: t.text("package.json") };
    const { evalId } = await t.run(WRITES);
    const some = await t.repl.decideChanges(evalId, "keep", [t.uri("src/money.ts")]);
    expect(some).toEqual({ done: [t.uri("src/money.ts")], failed: [] });
    const rest = await t.repl.decideChanges(evalId, "revert", undefined);
    expect(rest?.done).toEqual([t.uri("out/deep/made.txt"), t.uri("package.json")]);
    expect(t.text("src/money.ts")).toBe("export const rate = 99;");
    expect(t.text("package.json")).toBe(before.manifest);
    expect(existsSync(join(t.root, "out"))).toBe(false);
    expect(await t.repl.decideChanges(evalId, "revert", undefined)).toBeUndefined();

    expect((await t.run("1", "person")).notes).toEqual([]);
    const heard = (await t.run("1")).notes.map(({ message }) => message);
    expect(heard).toEqual([
      `The person kept what changed while form ${evalId} ran: src/money.ts.`,
      `The person reverted what changed while form ${evalId} ran: out/deep/made.txt, package.json.`,
    ]);
    expect((await t.run("2")).notes).toEqual([]);
    expect((await t.run("2")).changes).toBeUndefined();
  });

  it("does not take back what somebody changed again, nor what the evaluation did not change", async () => {
    t = start("open");
    const { evalId } = await t.run("require('node:fs').writeFileSync('src/money.ts', 'x')");
    writeFileSync(join(t.root, "src/money.ts"), "mine");
    const answer = await t.repl.decideChanges(evalId, "revert", [t.uri("src/money.ts"), t.uri("package.json")]);
    expect(answer).toEqual({
      done: [],
      failed: [
        { uri: t.uri("src/money.ts"), reason: "it was changed again since" },
        { uri: t.uri("package.json"), reason: "this evaluation did not change it, or it is decided" },
      ],
    });
    expect(t.text("src/money.ts")).toBe("mine");
  });

  it("is seen through a program that it starts, in a failed form, and in one that was stopped", async () => {
    t = start("open");
    const shell = await t.run(
      "require('node:child_process').execSync('echo x >> src/money.ts'); throw new Error('no')",
    );
    expect(shell).toMatchObject({ outcome: "error", changes: [{ kind: "modified", uri: t.uri("src/money.ts") }] });
    const code = "require('node:fs').writeFileSync('late.txt', 'x'); for (;;) {}";
    const stopped = await t.repl.evaluate({ code, by: "agent", timeoutMs: 1_000 }, new AbortController().signal);
    expect(stopped).toMatchObject({ outcome: "timeout", changes: [{ kind: "created" }] });
  });

  it("is not blamed for what the editor saved, nor for what changed before it ran", async () => {
    t = start("open");
    await t.run("1");
    t.write("src/money.ts", "mine before");
    // What follows at once is not looked at again: the watch takes it that nobody had the time.
    await new Promise((resolve) => setTimeout(resolve, 60));
    t.saved.set(join(t.root, "package.json"), "{}");
    const result = await t.run("require('node:fs').writeFileSync('package.json', '{}'); 1");
    expect(result.changes).toBeUndefined();
    const { evalId } = await t.run("require('node:fs').writeFileSync('src/money.ts', 'its')");
    await t.repl.decideChanges(evalId, "revert", undefined);
    expect(t.text("src/money.ts")).toBe("mine before");
  });
});

describe("a confined image", () => {
  it("is not watched: what another program writes meanwhile is not told of a form that cannot write", async () => {
    t = start("confined");
    const running = t.run("await new Promise((resolve) => setTimeout(resolve, 200)); 2");
    t.write("src/other.ts", "by a build");
    const result = await running;
    expect([result.changes, result.notes, t.events]).toEqual([undefined, [], []]);
  });
});
