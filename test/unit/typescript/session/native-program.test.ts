/** How the end of the compiler's process is told: with its last words, whichever of the two arrives first. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { exitOf } from "../../../../server/src/typescript/session/native-program.ts";

let dying: ChildProcess | undefined;
afterEach(() => {
  (dying?.stdio[3] as Duplex | undefined)?.destroy();
  dying = undefined;
});

/** Ends when what it started is ready, which holds its error output, and writes the words there when it is told to. */
function endBefore(words: string): { readonly child: ChildProcess; readonly tell: () => void } {
  const heir = `const told = new (require("node:net").Socket)({ fd: 3 });
    told.once("data", () => console.error(${JSON.stringify(words)})).once("close", () => process.exit()).resume();
    console.log("ready");`;
  const start = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(heir)}], {
    stdio: ["ignore", "pipe", "inherit", 3] }).stdout.once("data", () => process.exit(2));`;
  const child = spawn(process.execPath, ["-e", start], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  dying = child;
  return { child, tell: () => (child.stdio[3] as Duplex).end("now") };
}

it("reports last words that arrive after the process has ended", async () => {
  const { child, tell } = endBefore("panic: it fell over");
  const ended = exitOf(child, () => undefined);
  await once(child, "exit");
  tell();
  expect(await ended).toBe("the TypeScript compiler process ended with exit code 2: panic: it fell over");
});

it("does not wait for ever for a process that inherited the error output", async () => {
  const { child } = endBefore("never said");
  expect(await exitOf(child, () => undefined)).toBe("the TypeScript compiler process ended with exit code 2");
});

it("reports a program that cannot be started by the error's code and not by the program's path", async () => {
  const nowhere = spawn("/nowhere/tsc", [], { stdio: ["ignore", "ignore", "pipe"] });
  expect(await exitOf(nowhere, () => undefined)).toBe("cannot start the TypeScript compiler: ENOENT");
});
