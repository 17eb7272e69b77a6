/** A compiler that dies again and again: the next question is answered soon, and where it cannot be, the answer says why. */
import type { ChildProcess } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { itAtLength } from "../../../support/extent.ts";
import { CompilerDeaths } from "../../../../server/src/typescript/session/compiler-deaths.ts";
import { watchChildren } from "./compiler-children.ts";
import { openProject, type TestProject } from "../with-typescript.ts";

const files = {
  "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [] } }',
  "a.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\nadd(1, 2);\n",
};
const KILLED = "the TypeScript compiler process ended with signal SIGKILL";
/** So long nobody starts what died five times, unless somebody asks. */
const LONG_REST_MS = 6_400;

let project: TestProject | undefined;
let stop: () => void = () => undefined;
afterEach(async () => {
  stop();
  await project?.dispose();
  project = undefined;
});

function open(): TestProject {
  project = openProject(files);
  return project;
}

function kill(child: ChildProcess): void {
  child.kill("SIGKILL");
}

async function callersIn(opened: TestProject): Promise<string> {
  return (await opened.whoCalls({ symbol: "add" })).content;
}

it("answers soon although the compiler was killed five times before", async () => {
  const opened = open();
  const before = await callersIn(opened);
  for (let death = 0; death < 5; death += 1) {
    process.kill(opened.service.pid() ?? 0, "SIGKILL");
    await callersIn(opened);
  }
  process.kill(opened.service.pid() ?? 0, "SIGKILL");
  const start = performance.now();
  expect(await callersIn(opened)).toBe(before);
  expect(performance.now() - start).toBeLessThan(LONG_REST_MS);
});

it("says how often it died and what to do when it cannot be started, and tries anew with each question", async () => {
  const opened = open();
  let started = 0;
  stop = watchChildren((child) => {
    started += 1;
    kill(child);
  });
  await expect(callersIn(opened)).rejects.toThrow(
    `The TypeScript compiler does not run: it died 5 times in a row, the last time: ${KILLED}. A process that is killed from outside has mostly taken too much memory: close other programs, or open fewer folders. The next question tries to start it once more; tools that need no compiler work meanwhile.`,
  );
  expect(started).toBe(5);
  expect(opened.service.status()).toMatchObject({
    state: "dead",
    reason: `it died 5 times in a row, the last time: ${KILLED}`,
  });
  await expect(callersIn(opened)).rejects.toThrow("it died 6 times in a row");
  expect(started).toBe(6);
  stop();
  expect(await callersIn(opened)).toContain("1 call site ");
  expect(opened.service.status().state).toBe("ready");
});

it("says so when a question is what the compiler dies of", async () => {
  const opened = open();
  const signal = AbortSignal.timeout(30_000);
  const deadly = (): Promise<never> => {
    return opened.service.query(() => {
      process.kill(opened.service.pid() ?? 0, "SIGKILL");
      return new Promise<never>(() => undefined);
    }, signal);
  };
  await expect(deadly()).rejects.toThrow("SIGKILL; it is being restarted, ask again.");
  await expect(deadly()).rejects.toThrow(
    `The TypeScript compiler died 4 times in a row, the last time under this question: ${KILLED}. It is being restarted. If this question is what it dies of, ask a narrower one.`,
  );
  expect(await callersIn(opened)).toContain("1 call site ");
});

it("says why it died although a failed request was the first sign", async () => {
  const opened = open();
  const cutOff = opened.service.query(() => {
    process.kill(opened.service.pid() ?? 0, "SIGKILL");
    return Promise.reject(new Error("write EPIPE"));
  }, AbortSignal.timeout(30_000));
  await expect(cutOff).rejects.toThrow(
    "The TypeScript compiler process ended with signal SIGKILL; it is being restarted",
  );
  expect(await callersIn(opened)).toContain("1 call site ");
});

it("answers a question under which the process was replaced again and again", async () => {
  const opened = open();
  let times = 0;
  const lasting = opened.service.query((view) => {
    times += 1;
    return times <= 3 ? new Promise<never>(() => undefined) : Promise.resolve(view.programs.length);
  }, AbortSignal.timeout(30_000));
  for (let round = 1; round <= 3; round += 1) {
    await vi.waitUntil(() => times === round, { timeout: 40_000 });
    opened.write("node_modules/.package-lock.json", `{ "round": ${round} }`);
    expect(await callersIn(opened)).toContain("1 call site ");
  }
  expect(await lasting).toBe(1);
  expect(times).toBe(4);
});

it("says why it died in the one line of its last words that tells", async () => {
  const opened = open();
  await callersIn(opened);
  // Go answers this signal with the stacks of all its threads.
  process.kill(opened.service.pid() ?? 0, "SIGQUIT");
  await vi.waitUntil(() => opened.states.some(({ state }) => state === "restarting"), { timeout: 40_000 });
  const reasons = opened.states.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  expect(reasons).toEqual(["the TypeScript compiler process ended with exit code 2: SIGQUIT: quit"]);
});

itAtLength("dies of package.json imports in a circle with a stack that overflows", async () => {
  const opened = openProject({
    ...files,
    "package.json": '{ "name": "x", "type": "module", "imports": { "#x": "#y", "#y": "#x" } }',
    "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [], "module": "nodenext" } }',
    "b.ts": 'import "#x";\n',
  });
  project = opened;
  expect(await callersIn(opened).catch(String)).toMatch(/stack overflow.* imports of a package\.json .*circle/s);
  opened.write("package.json", '{ "name": "x", "type": "module" }');
  await vi.waitUntil(async () => (await callersIn(opened).catch(String)).includes("1 call site "), { timeout: 40_000 });
});

describe("the rest before the next start", () => {
  const restsOf = (deaths: CompilerDeaths, count: number): number[] => {
    return Array.from({ length: count }, () => {
      deaths.noteDeath("it fell over", 10);
      return deaths.rest().most;
    });
  };

  it("grows with each death in a row, and is short for a question that waits", () => {
    const deaths = new CompilerDeaths();
    expect(deaths.rest()).toEqual({ least: 0, most: 0 });
    expect(restsOf(deaths, 7)).toEqual([0, 100, 400, 1_600, LONG_REST_MS, LONG_REST_MS, LONG_REST_MS]);
    expect(deaths.rest().least).toBe(100);
  });

  it("comes with what a stack that overflows is mostly about", () => {
    const deaths = new CompilerDeaths();
    deaths.noteDeath("the TypeScript compiler process ended with exit code 2: fatal error: stack overflow", 10);
    expect(deaths.whyNone()).toMatch(/stack overflow\. Mostly imports of a package\.json .* circle/);
  });

  it("is none for a process that lived long", () => {
    const deaths = new CompilerDeaths();
    restsOf(deaths, 4);
    deaths.noteDeath("it fell over", 60_000);
    expect(deaths.rest().most).toBe(0);
    expect(deaths.story()).toBe("it died: it fell over");
  });
});

it("has all attempts to start again once a start has come to be", () => {
  const deaths = new CompilerDeaths();
  for (let attempt = 0; attempt < 5; attempt += 1) deaths.noteFailedStart(KILLED);
  expect(deaths.isHopeless()).toBe(true);
  deaths.noteStarted();
  deaths.noteFailedStart(KILLED);
  expect(deaths.isHopeless()).toBe(false);
});
