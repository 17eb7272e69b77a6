import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeLimited, planUnwalled } from "../../../../server/src/repl/confinement/limited/limited.ts";
import { findSeatbelt, seatbeltProfile } from "../../../../server/src/repl/confinement/limited/seatbelt.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agentq-belt-test-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A program that is called as `sandbox-exec -p PROFILE PROGRAM ARGUMENTS...`. */
function standIn(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const HERE = { nodePath: process.execPath, network: "none" } as const;

describe("the Seatbelt of macOS does not count", () => {
  test("where it lets everything through, and the status names all of that", async () => {
    const found = await findSeatbelt({ ...HERE, program: standIn("open", 'shift 2; exec "$@"') });
    const reason = [
      "Seatbelt did not hold: a file was written outside",
      "a file was moved outside",
      "a file was changed outside",
      "a closed file was read",
      "another process was reached by a signal",
      "a program was started",
      "the network was reached",
    ].join(", ");
    expect(found).toStrictEqual({ kind: "none", reason });
    const told = describeLimited({ nodeVersion: "v24.21.0", seatbelt: found });
    expect(told).toContain(`${reason}. A seat belt, not a wall.`);
    expect(told).not.toContain("refuses writes, programs and signals too");
  });

  test("where the profile is not accepted", async () => {
    const found = await findSeatbelt({ ...HERE, program: standIn("refusing", "exit 65") });
    expect(found).toStrictEqual({ kind: "none", reason: "Seatbelt did not hold: the probe ended with code 65" });
  });

  test("where it never comes to an end", async () => {
    const found = await findSeatbelt({ ...HERE, program: standIn("endless", "exec sleep 600"), limitMs: 200 });
    expect(found).toStrictEqual({ kind: "none", reason: "Seatbelt did not hold: the probe ended with SIGKILL" });
  });

  test("where it did not hold once: nobody tries again while the server runs", async () => {
    const count = join(folder, "count");
    const program = standIn("counting", `echo tried >> ${count}; exit 65`);
    await Promise.all([findSeatbelt({ ...HERE, program }), findSeatbelt({ ...HERE, program })]);
    await findSeatbelt({ ...HERE, program });
    expect(readFileSync(count, "utf8")).toBe("tried\n");
  });

  test("where there is none", async () => {
    const found = await findSeatbelt({ ...HERE, program: join(folder, "absent") });
    expect(found).toStrictEqual({ kind: "none", reason: expect.stringContaining("ENOENT") });
  });
});

test("what the profile lets through stands after what it takes away, and no name of a file can end a string of it", () => {
  const profile = seatbeltProfile({
    scratch: '/private/tmp/a "b" \\c',
    closed: ['/p/.env") (allow file-write* (subpath "/'],
    network: "none",
  });
  expect(profile.split("\n")).toStrictEqual([
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    String.raw`(allow file-write* (subpath "/private/tmp/a \"b\" \\c") (literal "/dev/null"))`,
    String.raw`(deny file-read* (subpath "/p/.env\") (allow file-write* (subpath \"/"))`,
    "(deny process-fork)",
    "(deny signal)",
    "(allow signal (target self))",
    "(deny network*)",
  ]);
});

test("what holds starts Node, with the scratch folder of that start and what is kept back from it", () => {
  const tree = { secrets: ["/p/.env"], outward: [], unseen: [], closed: [], grants: { grants: ["/p"], unlisted: [] } };
  const plan = planUnwalled({
    nodePath: "/bin/node",
    nodeVersion: "v24.21.0",
    isOpen: false,
    readable: ["/p"],
    wall: { network: "none", prefix: [], detail: "no network, by Seatbelt" },
    tree,
    seatbelt: { kind: "held", held: (belt) => ["belt", JSON.stringify(belt)] },
  });
  try {
    const belt = { scratch: plan.scratch, closed: ["/p/.env"], network: "none" };
    expect(plan.line(["boot.js"])).toStrictEqual(["belt", JSON.stringify(belt), "/bin/node", "boot.js"]);
  } finally {
    plan.dispose();
  }
});

if (process.platform === "darwin") {
  test("Seatbelt holds on a Mac", async () => {
    expect(await findSeatbelt(HERE)).toMatchObject({ kind: "held" });
    expect(await findSeatbelt({ ...HERE, network: "open" })).toMatchObject({ kind: "held" });
  });
}
