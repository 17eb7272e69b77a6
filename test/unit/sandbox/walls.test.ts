import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import { childEnvironment } from "../../../server/src/process/child-environment.ts";
import { LIMITS } from "../../../server/src/sandbox/wall/limits.ts";
import { machineMounts } from "../../../server/src/sandbox/places/machine-places.ts";
import { runInLayer, type LayerRunEnd } from "../../../server/src/sandbox/runs/run-in-layer.ts";
import type { Mount } from "../../../server/src/sandbox/wall/view.ts";
import { describeEachWall, describeEveryWall, startWall, walledPath, type TestWall } from "../../support/wall.ts";
import { casesToRun } from "../../support/extent.ts";

describeEveryWall("a wall", (only) => {
  let t: TestWall;
  afterEach(() => t.dispose());

  it("leaves a program no right of its own, whoever the person is", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    const { text } = await t.sh(
      "id -u; grep -E '^(Cap|NoNewPrivs)' /proc/self/status; cat /proc/sys/user/max_user_namespaces",
    );
    expect(text.replaceAll(/\s+/g, " ")).toMatch(new RegExp(`^${process.getuid?.()} (Cap\\w+: 0+ ){5}NoNewPrivs: 1 `));
    expect((await t.sh("unshare -U true && echo CANARY; unshare -Ur true && echo CANARY")).text).not.toContain(
      "CANARY",
    );
  });

  it("shows a program its own processes and devices, and lets it write to nothing but what is its own", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    const { text } = await t.sh(
      "ls /proc | grep -cE '^[0-9]+$'; ls /dev; for d in null zero full random urandom; do head -c 1 /dev/$d >/dev/null 2>&1 || echo no $d; done; " +
        "awk '{print $5, $6}' /proc/self/mountinfo | grep -E ' rw' | cut -d' ' -f1 | grep -vE '^/(dev|proc)' | sort -u",
    );
    const [processes, ...lines] = text.trim().split("\n");
    expect(Number(processes)).toBeLessThan(10);
    expect(lines).toEqual(expect.arrayContaining(["full", "null", "ptmx", "pts", "random", "shm", "urandom", "zero"]));
    expect(lines.filter((line) => /^(sd|vd|nvme|loop|kmsg|mem|no )/.test(line))).toEqual([]);
    const open = lines.filter((line) => line.startsWith("/"));
    expect(open).toEqual([childEnvironment()["HOME"] ?? "", "/tmp", t.root].toSorted());
  });

  it("tells the code of a program, also of one that a signal ended", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    expect((await t.sh("exit 125")).end).toMatchObject({ kind: "ended", code: 125 });
    expect((await t.sh("kill -9 $$")).end).toMatchObject({ kind: "ended", code: 137 });
    expect((await t.sh("node -e 'process.kill(process.pid, \"SIGTERM\")'")).end).toMatchObject({ code: 143 });
  });

  it("has a loopback of its own, on which programs speak to each other", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    const code =
      'const s=require("net").createServer(c=>c.end("heard")).listen(0,"127.0.0.1",()=>require("net").connect(s.address().port,"127.0.0.1").on("data",d=>{console.log(""+d);process.exit()}))';
    expect((await t.sh(`node -e '${code}'`)).text).toBe("heard\n");
  });
});

describeEveryWall("the programs that make a wall", (only) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agentq-home-")));
  const told = join(home, "told");
  let t: TestWall;
  afterEach(() => t.dispose());
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Each tells whether it has a right of its own, which a program behind the wall has not. */
  const plant = (folder: string): string =>
    `mkdir -p ${folder}; for name in find xargs sed mv sh grep rm kill mount umount unshare setpriv prlimit awk cut ip ifconfig mkdir rmdir; do ` +
    `printf '#!/bin/sh\nread -r _ rights <<END\n$(/usr/bin/grep CapEff /proc/self/status)\nEND\n` +
    `echo "%s $rights" >>${told}; exec /usr/bin/%s "$@"\n' "$name" "$name" >${folder}/$name; /usr/bin/chmod 755 ${folder}/$name; done`;

  it.each(
    casesToRun(
      [
        ["a relative entry", (): string => "./bin", "bin"],
        ["an empty entry", (): string => "", "."],
        ["the project", (): string => join(t.root, "bin"), "bin"],
        ["installed packages", (): string => join(t.root, "node_modules/.bin"), "node_modules/.bin"],
        ["the home folder", (): string => join(home, "bin"), "~/bin"],
        ["the folder for temporary files", (): string => "/tmp/bin", "/tmp/bin"],
      ] as const,
      2,
    ),
  )("are never those that a program left in %s, to which the search path leads", async (_what, entry, folder) => {
    const env = { ...childEnvironment(), HOME: home, PATH: "" };
    t = startWall({}, {}, { ...only, env });
    env.PATH = `${entry()}:${walledPath()}`;
    expect((await t.sh(plant(folder))).end).toMatchObject({ kind: "ended", code: 0 });
    const { end, text } = await t.sh("ip link; find . -name nothing");
    expect([end.kind, text]).toEqual(["ended", expect.anything()]);
    expect(existsSync(told)).toBe(false);
    const inside = readFileSync(join(t.layer.home, "told"), "utf8");
    expect(inside).toContain("find 0000000000000000\n");
    expect(inside).not.toMatch(/^\w+ 0*[1-9a-f]/m);
  });
});

describeEachWall("a program that may reach a host", (only) => {
  it("has the way of the proxy and no other, and no name that is looked up", async () => {
    const t = startWall({ "a.txt": "one\n" }, {}, only);
    const asked: (string | undefined)[] = [];
    const web = createServer(({ url }, answer) => {
      asked.push(url);
      answer.end("from outside");
    });
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    const { port } = web.address() as AddressInfo;
    const network = await t.sandbox.network(t.layer, [`localhost:${port}`]);
    try {
      const get = (url: string): string =>
        `await fetch("${url}").then((r) => r.text()).then(console.log, () => console.log("no"));`;
      const code =
        get(`http://localhost:${port}/a`) +
        get(`http://127.0.0.1:${port}/b`) +
        get("http://other.example/c") +
        `require("net").connect(${port}, "127.0.0.1").on("error", (e) => console.log(e.code)).on("connect", () => console.log("CANARY"));`;
      let text = "";
      const hear = (_: string, chunk: Buffer): void => void (text += chunk.toString("utf8"));
      const program = `(async () => { ${code} })()`;
      const script =
        'node -e "$1"; cat /proc/net/dev | grep -c :; echo x > /run/agentq/x; rm /run/agentq/proxy; ls /run/agentq';
      const command: [string, ...string[]] = ["sh", "-c", `exec 2>&1; ${script}`, "sh", program];
      const { signal } = new AbortController();
      await t.sandbox.run({ layer: t.layer, folder: t.root, command, network, onOutput: hear, signal });
      expect(text).toMatch(
        /^from outside\n[^]*ECONNREFUSED\n1\n[^]*Read-only file system\n[^]*(?:Read-only file system|busy)\nproxy\n/,
      );
      expect(text).not.toContain("CANARY");
      expect(asked).toEqual(["/a"]);
      expect(network.denials().join()).toContain("other.example");
    } finally {
      network.dispose();
      web.close();
      await t.dispose();
    }
  });
});

describeEveryWall("a view that changes while it is made", (only) => {
  it("is made once more, and what the first try said is nobody's output", async () => {
    const t = startWall({ "a.txt": "one\n" }, {}, only);
    let looks = 0;
    const network = {
      get mounts(): Mount[] {
        looks += 1;
        // No mount can be made below a file.
        return looks > 1 ? [] : [{ kind: "read", path: join(t.root, "a.txt/b"), from: t.layer.empty }];
      },
      env: {},
      command: [],
      denials: () => [],
      dispose: () => undefined,
    };
    let text = "";
    const run = {
      layer: t.layer,
      folder: t.root,
      command: ["sh", "-c", "cat a.txt; echo two >a.txt; cat a.txt"] as [string, ...string[]],
      network,
      onOutput: (_: string, chunk: Buffer) => void (text += chunk.toString("utf8")),
      signal: new AbortController().signal,
    };
    try {
      expect(await t.sandbox.run(run)).toMatchObject({ kind: "ended", code: 0 });
      expect([text, looks]).toEqual(["one\ntwo\n", 2]);
      // What never comes is refused.
      looks = -2;
      expect(await t.sandbox.run(run)).toMatchObject({ kind: "refused" });
      expect([text, looks]).toEqual(["one\ntwo\n", 0]);
    } finally {
      await t.dispose();
    }
  });
});

describeEachWall("a view", (only) => {
  const out = realpathSync(mkdtempSync(join(tmpdir(), "agentq-view-")));
  let t: TestWall;
  afterEach(() => t.dispose());
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  async function runWith(mounts: readonly Mount[], script: string): Promise<{ end: LayerRunEnd; text: string }> {
    const found = await t.sandbox.wall();
    if (found.kind !== "walled") throw new Error(found.reason);
    const env: Record<string, string> = { ...childEnvironment(), PATH: walledPath() };
    const machine = machineMounts({ home: "/nowhere", path: walledPath(), programs: [], layer: t.layer });
    const roots = t.layer.roots.map(({ root, merged }): Mount => ({ kind: "write", path: root, from: merged }));
    let text = "";
    const end = await runInLayer({
      layer: t.layer,
      view: { mounts: [...machine, ...roots, ...mounts], folder: t.root },
      command: ["sh", "-c", script],
      env,
      wall: found.wall,
      limits: LIMITS,
      onOutput: (_, chunk) => void (text += chunk.toString("utf8")),
      signal: new AbortController().signal,
    });
    return { end, text };
  }

  it("that cannot be made is refused, and no program runs: a mask to which a link leads, or below a file", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    writeFileSync(join(out, "secret"), "CANARY");
    symlinkSync(out, join(t.root, "link"));
    for (const path of ["link/secret", "a.txt/b"]) {
      const mask: Mount = { kind: "read", path: join(t.root, path), from: t.layer.empty };
      const { end, text } = await runWith([mask], "echo RAN");
      expect(end.kind).toBe("refused");
      expect(text).not.toContain("RAN");
    }
  });

  it("closes disks that are mounted inside of a folder as it closes the folder", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    const shown: Mount = { kind: "read", path: "/shown", from: "/dev" };
    const { end, text } = await runWith(
      [shown],
      "exec 2>&1; ls -d /shown/pts; touch /shown/a /shown/shm/agentq-was-here; echo end",
    );
    expect(end).toMatchObject({ kind: "ended", code: 0 });
    expect(text).toMatch(/^\/shown\/pts\n[^]*Read-only[^]*Read-only[^]*end\n$/);
    expect(existsSync("/dev/shm/agentq-was-here")).toBe(false);
  });
});
