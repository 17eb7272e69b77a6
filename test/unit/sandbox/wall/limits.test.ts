import { spawnSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, expect, it } from "vitest";
import { LIMITS, limitWords, type Limits } from "../../../../server/src/sandbox/wall/limits.ts";
import { describeEachWall, describeWalled, startWall, type TestWall } from "../../../support/wall.ts";

const MIB = 2 ** 20;

describeEachWall("a program in a wall", (only) => {
  let t: TestWall;
  afterEach(() => t.dispose());
  const start = (limits: Partial<Limits>): void => {
    t = startWall({ "a.txt": "one\n" }, {}, { ...only, limits });
  };

  it("can take no more memory than its limit", async () => {
    start({ memoryBytes: 2_000 * MIB });
    // Memory that nobody writes to costs the machine nothing.
    const code =
      "const kept = []; try { for (let i = 0; i < 30; i++) kept.push(Buffer.allocUnsafe(256 * 2 ** 20)); console.log('CANARY') } catch { console.log('refused', kept.length < 8) }";
    expect((await t.sh(`node -e "${code}" 2>&1 || true`)).text).toBe("refused true\n");
  });

  it("is ended when it has used its time of the processor", async () => {
    start({ processorSeconds: 1 });
    expect((await t.sh("sh -c 'while :; do :; done'; echo code $?", AbortSignal.timeout(15_000))).text).toMatch(
      /code (?:137|152)\n$/,
    );
  });

  it("writes no file that is larger than the limit", async () => {
    start({ fileBytes: MIB });
    expect((await t.sh("head -c 3000000 /dev/zero > big; wc -c < big")).text).toContain(`${MIB}\n`);
  });

  it("is stopped when the disk that holds its layer gets full", async () => {
    const { bavail, bsize } = statfsSync(tmpdir());
    start({ freeBytes: bavail * bsize - 40 * MIB });
    const script = "for i in $(seq 60); do head -c 20000000 /dev/zero > f$i; sleep 0.1; done; echo CANARY";
    const { end, text } = await t.sh(script);
    expect(end).toMatchObject({ kind: "ended", code: 137, isDiskFull: true });
    expect(text).not.toContain("CANARY");
  });

  it("is the first that the kernel ends where memory is scarce, and has the usual limits", async () => {
    start({});
    const { text } = await t.sh("cat /proc/self/oom_score_adj; prlimit --raw --noheadings --output RESOURCE,SOFT,HARD");
    expect(text).toMatch(/^1000\n/);
    const { processes, memoryBytes, processorSeconds, fileBytes } = LIMITS;
    const told = { CORE: 0, CPU: processorSeconds, DATA: memoryBytes, FSIZE: fileBytes, NPROC: processes };
    for (const [name, value] of Object.entries(told)) expect(text).toContain(`${name} ${value} ${value}\n`);
  });
});

describeWalled("the limit of processes", () => {
  it("holds in the namespace of a wall for everybody but root", () => {
    const loop = "for i in $(seq 60); do sleep 3 & done; wait; echo CANARY";
    const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    const walled = ["unshare", "--user", "--", ...limitWords({ ...LIMITS, processes: 40 }), "sh", "-c", loop];
    const [program = "", ...args] = process.getuid?.() === 0 ? [...asNobody, ...walled] : walled;
    const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: "/" });
    expect(stderr).toMatch(/[Cc]annot fork|Resource temporarily unavailable/);
    expect(stdout).toBe("");
  });
});
