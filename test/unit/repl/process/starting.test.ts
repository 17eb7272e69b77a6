/** What becomes of a process that is still being started when it is no longer wanted. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isRunning, startTestImage, until, type TestImage } from "../with-image.ts";

let folder: string;
let t: TestImage;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agentq-slow-node-"));
  // Its processes write down who they are, and start for as long as there is a file `stall`.
  const node = join(folder, "node");
  writeFileSync(
    node,
    `#!/bin/sh
if [ "$1" != --version ]; then
  echo $$ >> ${folder}/pids
  while [ -e ${folder}/stall ]; do sleep 0.02; done
fi
exec ${process.execPath} "$@"
`,
  );
  chmodSync(node, 0o755);
  writeFileSync(join(folder, "stall"), "");
  t = startTestImage({ nodePath: node });
});
afterEach(async () => {
  rmSync(join(folder, "stall"), { force: true });
  await t.dispose();
  rmSync(folder, { recursive: true });
});

const started = (): number[] => {
  const file = join(folder, "pids");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
};
const goOn = (): void => rmSync(join(folder, "stall"));

it.for(["before there is a process", "while the process starts"])(
  "leaves no process when closed %s",
  async (moment) => {
    const running = t.evaluate("1 + 1");
    if (moment === "while the process starts") await until(() => started().length === 1);
    await t.image.dispose();
    expect(started().filter(isRunning)).toEqual([]);
    goOn();
    expect(await running).toMatchObject({
      outcome: "interrupted",
      error: { message: "Stopped before it began: the REPL was closed." },
    });
    expect(await t.evaluate("1 + 1")).toMatchObject({ outcome: "error", error: { message: "The REPL is closed." } });
    expect(started().filter(isRunning)).toEqual([]);
  },
);

it("starts anew when restarted while it starts, and tells the forms that had not begun", async () => {
  const running = t.evaluate("globalThis.old = 'old'");
  await until(() => started().length === 1);
  const restarted = t.image.restart();
  expect(await running).toMatchObject({
    outcome: "interrupted",
    stateKept: true,
    error: { message: "Stopped before it began: the REPL was restarted." },
  });
  const after = t.evaluate("typeof old");
  await until(() => started().length === 2);
  goOn();
  const [first = 0, second = 0] = started();
  expect(await restarted).toMatchObject({ pid: second });
  expect(await after).toMatchObject({ outcome: "value", preview: '"undefined"' });
  expect([first, second].filter(isRunning)).toEqual([second]);
  expect(t.states.map(({ state }) => state)).not.toContain("dead");
});

it.for(["interrupted", "aborted"])("answers at once for a form that is %s while it starts", async (how) => {
  const stop = new AbortController();
  const running = t.image.evaluate({ code: "globalThis.ran = true", by: "agent", evalId: "early" }, stop.signal);
  const other = t.evaluate("typeof ran");
  await until(() => started().length === 1);
  if (how === "aborted") stop.abort();
  else expect(await t.image.interrupt("early")).toBe(true);
  expect(await running).toMatchObject({ outcome: "interrupted", error: { message: "Stopped before it began." } });
  goOn();
  expect(await other).toMatchObject({ outcome: "value", preview: '"undefined"' });
});

it("comes to rest when everything was stopped while it started", async () => {
  const running = t.evaluate("1");
  await until(() => started().length === 1);
  expect(await t.image.interrupt()).toBe(true);
  await running;
  goOn();
  await until(() => t.image.status().state === "idle");
  expect(await t.value("2")).toBe("2");
  expect(started()).toHaveLength(1);
});
