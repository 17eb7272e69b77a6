/** What the system tells of a process, before anything is said to the process. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { allListeners, listenersOf, nodeProcess } from "../../../../server/src/terminal/programs/node-process.ts";
import { readTarget } from "../../../../server/src/terminal/programs/target.ts";

const proc = mkdtempSync(path.join(tmpdir(), "agentq-proc-"));
afterAll(() => rmSync(proc, { recursive: true, force: true }));

const own = process.getuid?.() ?? 0;
let last = 100;

interface Told {
  readonly status?: Readonly<Record<string, string>>;
  readonly exe?: string;
  readonly command?: readonly string[];
  readonly variables?: readonly string[];
}

/** A process as the system would tell of it. */
function told({ status, exe = "/usr/bin/node", command = ["node", "a.js"], variables = [] }: Told): number {
  const pid = ++last;
  const place = path.join(proc, String(pid));
  mkdirSync(place);
  const fields = {
    State: "S (sleeping)",
    Tgid: String(pid),
    Uid: `${own}\t${own}\t${own}\t${own}`,
    SigCgt: "0000000100004602",
  };
  const lines = Object.entries({ ...fields, ...status }).map(([name, value]) => `${name}:\t${value}\n`);
  writeFileSync(path.join(place, "status"), lines.join(""));
  writeFileSync(path.join(place, "cmdline"), command.map((word) => `${word}\0`).join(""));
  writeFileSync(path.join(place, "environ"), variables.map((word) => `${word}\0`).join(""));
  writeFileSync(
    path.join(place, "stat"),
    `${pid} (no de) x) S ${Array.from({ length: 40 }, (_, at) => at + 4).join(" ")}\n`,
  );
  symlinkSync(exe, path.join(place, "exe"));
  return pid;
}

describe("a process", () => {
  it.each<[string, Told, RegExp]>([
    ["another user's", { status: { Uid: `${own + 1}\t${own + 1}\t${own + 1}\t${own + 1}` } }, /is another user's/],
    ["with another user's rights", { status: { Uid: `${own}\t${own + 1}\t${own}\t${own}` } }, /is another user's/],
    ["a thread", { status: { Tgid: "1" } }, /is a thread of process 1/],
    ["ended", { status: { State: "Z (zombie)" } }, /has ended/],
    ["stopped", { status: { State: "T (stopped)" } }, /is stopped/],
    ["no Node", { exe: "/usr/bin/python3.12" }, /is not known to be Node: it runs python3\.12/],
    ["another runtime", { exe: "/usr/bin/bun" }, /is not known to be Node: it runs bun/],
  ])("that is %s is refused", (_what, as, words) => {
    expect(nodeProcess(told(as), proc)).toMatch(words);
  });

  it("that there is not is refused", () => {
    expect(nodeProcess(4711, proc)).toBe("There is no process 4711.");
  });

  it.each<[string, Told, object]>([
    ["plain", {}, { port: 9229, isInspectedFromStart: false, opensOnSignal: true, began: "22" }],
    ["replaced on the disk", { exe: "/opt/node-24/bin/node (deleted)" }, { opensOnSignal: true }],
    ["without the signal", { status: { SigCgt: "0000000100004402" } }, { opensOnSignal: false }],
    ["inspected", { command: ["node", "--inspect", "a.js"] }, { port: 9229, isInspectedFromStart: true }],
    [
      "on a port",
      { command: ["node", "--inspect-brk=0.0.0.0:9333", "a.js"] },
      { port: 9333, isInspectedFromStart: true },
    ],
    ["on any port", { command: ["node", "--inspect=0", "a.js"] }, { port: 0 }],
    [
      "with a port alone",
      { command: ["node", "--inspect-port", "9444", "a.js"] },
      { port: 9444, isInspectedFromStart: false },
    ],
    ["by NODE_OPTIONS", { variables: ["NODE_OPTIONS=--no-warnings --inspect=9555"] }, { port: 9555 }],
    [
      "with a script's own option",
      { command: ["node", "a.mjs", "--inspect=1"] },
      { port: 9229, isInspectedFromStart: false },
    ],
  ])("of Node is known as %s", (_how, as, expected) => {
    expect(nodeProcess(told(as), proc)).toMatchObject(expected);
  });

  it("has the ports that it listens on, of both families", () => {
    const pid = told({});
    const place = path.join(proc, String(pid));
    mkdirSync(path.join(place, "net"));
    mkdirSync(path.join(place, "fd"));
    const line = (address: string, state: string, inode: number): string =>
      ` 0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 1000 0 ${inode} 1 0 100\n`;
    const head = "  sl  local_address rem_address   st\n";
    const six = "000000000000000000000000";
    writeFileSync(
      path.join(place, "net/tcp"),
      head + line("0100007F:240D", "0A", 1) + line("00000000:1F90", "0A", 2) + line("0100007F:0050", "01", 3),
    );
    writeFileSync(
      path.join(place, "net/tcp6"),
      head + line(`${six}01000000:240E`, "0A", 4) + line(`${six}00000000:240F`, "0A", 5),
    );
    for (const inode of [1, 2, 3, 4]) symlinkSync(`socket:[${inode}]`, path.join(place, "fd", String(inode)));
    expect(listenersOf(pid, proc).map(({ host, port }) => `${host} ${port}`)).toEqual([
      "127.0.0.1 9229",
      "127.0.0.1 8080",
      "::1 9230",
    ]);
    expect(allListeners(place).map(({ user }) => user)).toEqual([1000, 1000, 1000, 1000]);
  });
});

describe("what is named", () => {
  it.each<[string, object | undefined]>([
    [String(process.pid), { pid: process.pid }],
    [
      ":9229",
      {
        isTyped: false,
        isBare: false,
        addresses: [
          { host: "127.0.0.1", port: 9229 },
          { host: "::1", port: 9229 },
        ],
      },
    ],
    ["box.local:9229", { isTyped: true, isBare: false, addresses: [{ host: "box.local", port: 9229 }] }],
    ["[::1]:9229", { isTyped: true, isBare: false, addresses: [{ host: "::1", port: 9229 }] }],
    ["70000", { pid: 70_000 }],
    [":70000", undefined],
    ["http://127.0.0.1:9229", undefined],
    ["-1", undefined],
    ["9229x", undefined],
    ["9999999", undefined],
  ])("%s", (word, target) => {
    expect(readTarget(word)).toEqual(target);
  });
});
