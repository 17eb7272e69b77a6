import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { spawn } from "../../../../server/src/process/spawn.ts";
import { describeEachNode } from "../../../support/node-versions.ts";
import { isRunning, startTestImage, until, type TestImage } from "../with-image.ts";

/** The second one leaves the image's group and holds its output. */
const START = `globalThis.started = [false, true].map((detached) => require('node:child_process').spawn(process.execPath,
  ['-e', 'setTimeout(() => {}, detached)'.replace('detached', detached ? '3000' : '600000')], { detached, stdio: ['ignore', 'inherit', 'inherit'] }));
started.map(({ pid }) => pid)[0]`;

let t: TestImage;
afterEach(() => t.dispose());

describeEachNode([22, 24, 26], (node) => {
  it.for([
    ["a restart", () => t.image.restart()],
    ["the end", () => t.image.dispose()],
    ["a crash", () => t.evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})")],
  ] as const)("%s leaves no process of the image's and none that a form had started", async ([, end]) => {
    t = startTestImage({ nodePath: node.path, confinement: "open" });
    const child = Number(await t.value(START));
    const image = t.image.status().pid ?? 0;
    expect([isRunning(child), isRunning(image)]).toEqual([true, true]);
    await end();
    await until(() => !isRunning(child) && !isRunning(image));
  });
});

it("leaves no temporary folder behind, and takes away those of servers that were killed", async () => {
  t = startTestImage();
  const folder = JSON.parse(await t.value("require('node:os').tmpdir()")) as string;
  expect(existsSync(folder)).toBe(true);
  const script = fileURLToPath(new URL("parent-that-dies.ts", import.meta.url));
  const parent = spawn(process.execPath, [script, t.root, process.execPath, "confined"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  parent.stdout?.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  await until(() => text.includes("\n"));
  const ofParent = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`agentq-image-${parent.pid}-`));
  expect(ofParent()).not.toEqual([]);
  parent.kill("SIGKILL");
  await until(() => !isRunning(Number(text)));
  await t.image.restart();
  await until(() => ofParent().length === 0);
  expect(existsSync(folder)).toBe(false);
});
