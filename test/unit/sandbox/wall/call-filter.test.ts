/** What no namespace takes away and bubblewrap's filter does. The programs are Perl's, which asks the kernel by numbers. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callFilter } from "../../../../server/src/sandbox/wall/call-filter.ts";
import { findProgram } from "../../../../scripts/editors/find.ts";
import { describeWalled, startWall, type TestWall } from "../../../support/wall.ts";

const isHere = process.arch === "x64" && spawnSync("perl", ["-e", "1"]).status === 0;

it("the filter knows the calls of the machines that it names, and is empty for others", () => {
  expect([callFilter("x64").length % 8, callFilter("arm64").length % 8]).toEqual([0, 0]);
  expect(callFilter("x64").length).toBeGreaterThan(0);
  expect(callFilter("riscv64")).toHaveLength(0);
});

describeWalled("behind bubblewrap", () => {
  let wall: TestWall;
  beforeAll(() => {
    wall = startWall();
  });
  afterAll(() => wall.dispose());

  it.runIf(isHere && findProgram("bwrap") !== undefined).each([
    ["a key of the person's keyring", "syscall(250, 0, -3, 0)", 38],
    ["a new key", 'syscall(248, my $k = "user", my $n = "a", my $v = "b", 1, -3)', 38],
    ["a socket to the host of a virtual machine", "(socket($s, 40, 1, 0) ? 0 : -1)", 97],
    ["a ring of calls", 'syscall(425, 8, my $b = "\\0" x 200)', 38],
    ["a call by its second number", "syscall(0x40000000 + 39)", 38],
  ])("%s is refused", async (_, call, error) => {
    expect((await wall.sh(`perl -e 'my $s; my $r = ${call}; print "$r ", $! + 0'`)).text).toBe(`-1 ${error}`);
  });

  it.runIf(isHere)("sockets of the usual kinds are not", async () => {
    const kinds = 'my $s; print join " ", map { socket($s, $_, 1, 0) ? 1 : 0 } 1, 2';
    expect((await wall.sh(`perl -e '${kinds}'`)).text).toBe("1 1");
  });
});
