import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { keepOnly } from "../../../../server/src/sandbox/layer/kept-layers.ts";
import { layerChanges, type LayerChange } from "../../../../server/src/sandbox/sandbox.ts";
import { fuzz, Runs } from "../../../support/fuzz.ts";
import { describeEachWall, startWall, treeOf, type TestWall } from "../../../support/wall.ts";
import { applyChanges } from "../apply-changes.ts";

const never = new AbortController().signal;

async function changesIn(t: TestWall, isSkipped: (path: string) => boolean = () => false): Promise<LayerChange[]> {
  const changes = await Promise.all(t.layer.roots.map((root) => layerChanges(root, { isSkipped, signal: never })));
  return changes.flat();
}

describeEachWall("a layer", (only) => {
  let t: TestWall;
  afterEach(() => t.dispose());

  it("keeps every byte of the project and tells each change once", async () => {
    t = startWall(
      { "a.txt": "one\n", "src/b.txt": "two\n", "src/deep/c.txt": "three\n", "same.txt": "same\n" },
      {},
      only,
    );
    const before = treeOf(t.root);
    const { end, text } = await t.sh(
      "echo more >> a.txt; rm -r src/deep; mkdir src/deep; echo new > src/deep/d.txt; ln -s a.txt link; chmod 755 src/b.txt; echo same > same.txt; ls src/deep; cat a.txt",
    );
    expect({ end, text }).toEqual({ end: { kind: "ended", code: 0, isStopped: false }, text: "d.txt\none\nmore\n" });
    expect(treeOf(t.root)).toEqual(before);
    const told = (await changesIn(t)).map(({ path, before: was, after }) => `${path}: ${was?.kind} -> ${after?.kind}`);
    expect(told).toEqual([
      "a.txt: file -> file",
      "link: undefined -> link",
      "src/b.txt: file -> file",
      "src/deep/c.txt: file -> undefined",
      "src/deep/d.txt: undefined -> file",
    ]);
  });

  it("goes on where the last run ended, and sees what changed in the project since", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    await t.sh("echo two > b.txt");
    t.write("a.txt", "changed\n");
    t.write("c.txt", "three\n");
    expect((await t.sh("cat a.txt b.txt c.txt")).text).toBe("changed\ntwo\nthree\n");
  });

  it("shows a text that is laid over a file, and nothing where the text is null", async () => {
    t = startWall({ "a.txt": "one\n", "src/b.txt": "two\n" }, {}, only);
    const before = treeOf(t.root);
    const laid = { "a.txt": "laid\n", "src/b.txt": null, "src/none.txt": null, "new/c.txt": "three\n" };
    for (const [path, text] of Object.entries(laid)) await t.layer.lay(join(t.root, path), text);
    expect((await t.sh("cat a.txt new/c.txt; ls src; cat src/b.txt")).text).toBe(
      "laid\nthree\ncat: src/b.txt: No such file or directory\n",
    );
    expect(treeOf(t.root)).toEqual(before);
  });

  it("tells nothing below a link of the project that became a folder", async () => {
    t = startWall({ "real/a.txt": "one\n" }, {}, only);
    symlinkSync("real", join(t.root, "alias"));
    await t.sh("rm alias; mkdir alias; echo b > alias/b.txt");
    expect((await changesIn(t)).map(({ path, after }) => [path, after?.kind])).toEqual([
      ["alias", "folder"],
      ["alias/b.txt", "file"],
    ]);
  });

  it("tells names that are no UTF-8 as nothing that a project keeps, and all others beside them", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    for (const name of ["old", "changed"]) writeFileSync(Buffer.from(`${t.root}/${name}\xff`, "latin1"), "x");
    const script =
      "rm old*; sed -i s,x,y, changed*; touch untouched; rm untouched; mkdir d; printf z > d/$(printf 'new\\377'); echo b > b.txt";
    await t.sh(script);
    const told = (await changesIn(t)).map(({ path, before, after }) => `${path}: ${before?.kind} -> ${after?.kind}`);
    expect(told).toEqual([
      "b.txt: undefined -> file",
      "changed\uFFFD: other -> other",
      "d: undefined -> folder",
      "d/new\uFFFD: undefined -> other",
      "old\uFFFD: other -> undefined",
    ]);
  });

  it("names what is skipped once, without looking into it", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    await t.sh("mkdir -p node_modules/x; echo 1 > node_modules/x/a; echo 2 > node_modules/x/b");
    expect((await changesIn(t, (path) => path === "node_modules")).map(({ path }) => path)).toEqual(["node_modules"]);
  });

  it("is gone once it is dropped, also where a program closed its folders", async () => {
    t = startWall({ "a/b.txt": "one\n" }, {}, only);
    await t.sh("echo x > a/c.txt; mkdir -p a/d/e; echo y > a/d/e/f; chmod 000 a/d/e a/d");
    const { folder } = t.layer;
    await t.sandbox.drop(t.layer);
    expect(readdirSync(tmpdir()).map((name) => join(tmpdir(), name))).not.toContain(folder);
  });

  it("keeps nothing but what is named, so that a later run sees the project's own text", async () => {
    t = startWall({ "a.txt": "one\n", "src/b.txt": "two\n", "src/c.txt": "three\n" }, {}, only);
    await t.sh(
      "touch a.txt; echo x > src/b.txt; rm src/c.txt; mkdir -p out/deep src/out; echo 1 > out/deep/o; echo 2 > src/out/o",
    );
    const [root] = t.layer.roots;
    expect(root !== undefined && (await keepOnly(root, ["out", "src/out"]))).toBe(true);
    for (const name of ["a.txt", "src/b.txt"]) t.write(name, "later\n");
    expect((await t.sh("cat a.txt src/b.txt src/c.txt out/deep/o src/out/o")).text).toBe("later\nlater\nthree\n1\n2\n");
    expect((await changesIn(t)).map(({ path }) => path)).toEqual([
      "out",
      "out/deep",
      "out/deep/o",
      "src/out",
      "src/out/o",
    ]);
  });

  it("keeps nothing below a folder that was made anew, which hides the project's", async () => {
    t = startWall({ "src/b.txt": "two\n" }, {}, only);
    await t.sh("rm -r src; mkdir -p src/out; echo two > src/b.txt; echo 2 > src/out/o");
    const [root] = t.layer.roots;
    expect(root !== undefined && (await keepOnly(root, ["src/out"]))).toBe(false);
  });

  it("lays no text through a link that an earlier run left", async () => {
    t = startWall({ "a.txt": "one\n", "real/a.txt": "one\n" }, {}, only);
    const outside = mkdtempSync(join(tmpdir(), "agentq-wall-outside-"));
    try {
      await t.sh(`ln -s ${outside} out; ln -sfn ${outside}/new a.txt; mv real r; ln -s ${outside} real`);
      for (const name of ["out/x", "a.txt", "real/a.txt"]) await t.layer.lay(join(t.root, name), "typed\n");
      expect(readdirSync(outside)).toEqual([]);
      expect((await t.sh("cat out/x a.txt real/a.txt")).text).toBe("typed\ntyped\ntyped\n");
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it("stops a program with everything that it started, and keeps what it wrote", async () => {
    t = startWall({ "a.txt": "one\n" }, {}, only);
    const stopped = new AbortController();
    const running = t.sh("(sleep 77 &) ; setsid sleep 77 & echo two > b.txt; sleep 77", stopped.signal);
    await vi.waitUntil(() => existsSync(join(t.layer.roots[0]?.upper ?? "", "b.txt")), { timeout: 40_000 });
    stopped.abort();
    expect((await running).end).toEqual({ kind: "ended", code: 137, isStopped: true });
    expect((await changesIn(t)).map(({ path }) => path)).toEqual(["b.txt"]);
  });

  it("says of a program that is stopped while its wall is raised that it never began", async () => {
    t = startWall({}, {}, only);
    for (let afterMs = 0; afterMs <= 80; afterMs += 10) {
      const { end } = await t.sh("sleep 77", AbortSignal.timeout(afterMs));
      const early = { kind: "refused", reason: "it was stopped before it began" };
      expect([early, { kind: "ended", code: 137, isStopped: true }]).toContainEqual(end);
    }
  });
});

/** Names that collide now and then, and are strange enough. */
const name = fc.constantFrom("a", "b", "-é\nö");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `./${names.join("/")}`);
const step = fc.oneof(
  fc.tuple(path, fc.string({ maxLength: 20 })).map(([at, text]) => `printf %s ${quoted(text)} > ${quoted(at)}`),
  path.map((at) => `mkdir -p ${quoted(at)}`),
  path.map((at) => `rm -rf ${quoted(at)}`),
  path.map((at) => `rm -rf ${quoted(at)}; mkdir -p ${quoted(at)}`),
  fc.tuple(path, path).map(([from, to]) => `mv -f ${quoted(from)} ${quoted(to)}`),
  fc.tuple(path, path).map(([from, to]) => `cp -R ${quoted(from)} ${quoted(to)}`),
  fc.tuple(path, path).map(([from, to]) => `ln -sfn ${quoted(from)} ${quoted(to)}`),
  fc.tuple(path, path).map(([from, to]) => `ln -f ${quoted(from)} ${quoted(to)}`),
  fc.tuple(path, fc.constantFrom("750", "755", "700")).map(([at, mode]) => `chmod ${mode} ${quoted(at)}`),
  fc.tuple(path, fc.nat(30)).map(([at, size]) => `truncate -s ${size} ${quoted(at)}`),
);

function quoted(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", `'\\''`)}'`;
}

describeEachWall("random programs", (only) => {
  const runs = new Runs();
  afterAll(() => runs.over());

  it("change nothing of the project, and their changes make of a copy exactly what they saw", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 15 }),
        runs.watched(async (setUp, steps) => {
          const project = startWall({}, {}, only);
          const copy = mkdtempSync(join(tmpdir(), "agentq-wall-copy-"));
          try {
            spawnSync("sh", ["-c", `${setUp.join("\n")}\ntrue`], { cwd: project.root, stdio: "ignore" });
            spawnSync("cp", ["-a", `${project.root}/.`, copy]);
            const before = treeOf(project.root);
            const { end } = await project.sh(`{ ${steps.join("\n")}\ntrue; } >/dev/null 2>&1; cp -a . /tmp/seen`);
            expect(end).toMatchObject({ kind: "ended" });
            expect(treeOf(project.root)).toEqual(before);
            const changes = await changesIn(project);
            applyChanges(changes, project.layer.roots[0]?.upper ?? "", copy);
            expect(treeOf(copy)).toEqual(treeOf(join(project.layer.temporary, "seen")));
          } finally {
            await project.dispose();
            rmSync(copy, { recursive: true, force: true });
          }
        }),
      ),
      fuzz(5),
    );
  }, 150_000);
});
