import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { allFiles } from "../../../server/src/search/all-files.ts";
import { installedRipgrep, runRipgrep } from "../../../server/src/search/ripgrep.ts";

const signal = new AbortController().signal;
let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), "agentq-files-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program in ripgrep's place, because the person who runs the tests may be allowed to read every folder. */
function saying(script: string): Promise<{ readonly files: readonly string[]; readonly unread: readonly string[] }> {
  const program = join(folder, "says.sh");
  writeFileSync(program, `#!/bin/sh\n${script}\nexit 2\n`);
  chmodSync(program, 0o755);
  return allFiles(() => Promise.resolve(program), folder, signal);
}

it("lists hidden and ignored files, and none of installed packages", async () => {
  writeFileSync(join(folder, ".gitignore"), "*.log\n");
  writeFileSync(join(folder, "a.log"), "");
  expect(new Set((await allFiles(installedRipgrep, folder, signal)).files)).toEqual(new Set([".gitignore", "a.log"]));
});

it("names every folder that nobody could look into, however many there are", async () => {
  const { unread } = await saying(
    'i=0; while [ $i -lt 3000 ]; do echo "rg: ./closed: folder/number $i: Permission denied (os error 13)"; i=$((i+1)); done >&2',
  );
  expect([unread.length, unread[0], unread.at(-1)]).toEqual([
    3_000,
    "closed: folder/number 0",
    "closed: folder/number 2999",
  ]);
});

it("names a folder whose name arrives in two pieces", async () => {
  const { unread } = await saying(
    String.raw`printf 'rg: ./gr\303' >&2; sleep 0.2; printf '\274n: Permission denied (os error 13)\n' >&2`,
  );
  expect(unread).toEqual(["grün"]);
});

it.each([
  ["a line break", String.raw`printf 'rg: ./one\ntwo: Permission denied (os error 13)\n' >&2`],
  ["bytes that are no UTF-8", String.raw`printf 'rg: ./one\377: Permission denied (os error 13)\n' >&2`],
])("rejects where a folder that nobody could look into has %s in its name", async (_what, script) => {
  await expect(saying(script)).rejects.toThrow("cannot be read");
});

it("rejects where more was said of such folders than is kept", async () => {
  await expect(saying('yes "rg: ./a: Permission denied (os error 13)" | head -c 4100000 >&2')).rejects.toThrow(
    "too many folders",
  );
});

it("runs few searches at once, however many are asked for, and none that was cancelled while it waited", async () => {
  const log = join(folder, "log");
  const program = join(folder, "rg");
  writeFileSync(log, "");
  writeFileSync(program, `#!/bin/sh\nprintf + >> ${log}; sleep 0.1; printf - >> ${log}\n`, { mode: 0o755 });
  const search = (stop: AbortSignal): Promise<unknown> =>
    runRipgrep(
      async () => program,
      { args: [], folder },
      () => undefined,
      stop,
    );
  const late = new AbortController();
  const runs = Array.from({ length: 40 }, () => search(signal));
  const cancelled = search(late.signal);
  late.abort(new Error("cancelled"));
  await expect(cancelled).rejects.toThrow("cancelled");
  await Promise.all(runs);
  const marks = readFileSync(log, "utf8");
  expect(marks).toMatch(/^[+-]{80}$/);
  let [now, most] = [0, 0];
  for (const mark of marks) most = Math.max(most, (now += mark === "+" ? 1 : -1));
  expect(most).toBeLessThanOrEqual(16);
});
