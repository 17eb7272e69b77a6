import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileChange, WorkspaceFiles } from "../../../../server/src/typescript/files/workspace-files.ts";

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-disk-")));
  write("src/a.ts", "1");
  write("node_modules/dep/index.ts", "1");
  write(".cache/b.ts", "1");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const disks: WorkspaceFiles[] = [];
afterEach(() => {
  for (const disk of disks.splice(0)) disk.dispose();
});

async function looked(): Promise<WorkspaceFiles> {
  const disk = new WorkspaceFiles([root]);
  disks.push(disk);
  await disk.look();
  return disk;
}

async function changes(disk: WorkspaceFiles): Promise<Record<string, number>> {
  await disk.look();
  return Object.fromEntries([...disk.takeChanges()].map(([file, type]) => [file.slice(root.length + 1), type]));
}

it("finds sources outside installed packages and folders that tools make, and calls the first look no change", async () => {
  const disk = await looked();
  expect(disk.sourceFiles()).toEqual([join(root, "src/a.ts")]);
  expect(disk.hasChanges()).toBe(false);
});

it("finds what people write in folders that begin with a dot, and not what git ignores there", async () => {
  for (const path of [
    ".storybook/main.ts",
    ".dumi/theme/a.ts",
    ".dumi/tmp/made.ts",
    ".made/b.ts",
    "examples/.test/c.ts",
  ])
    write(path, "1");
  write(".gitignore", ".made\n.dumi/tmp\n");
  execFileSync("git", ["init", "-q"], { cwd: root });
  const disk = await looked();
  const found = (): string[] => disk.sourceFiles().map((file) => file.slice(root.length + 1));
  expect(found().toSorted()).toEqual([".dumi/theme/a.ts", ".storybook/main.ts", "examples/.test/c.ts", "src/a.ts"]);
  write(".storybook/late.ts", "1");
  write(".github/scripts/release.ts", "1");
  expect(Object.keys(await changes(disk)).toSorted()).toEqual([".github/scripts/release.ts", ".storybook/late.ts"]);
});

it("sees a file written, added in a new folder, and removed", async () => {
  const disk = await looked();
  write("src/a.ts", "longer");
  write("src/new/deep/b.ts", "1");
  await disk.look();
  expect(Object.fromEntries(disk.takeChanges())).toEqual({
    [join(root, "src/a.ts")]: FileChange.changed,
    [join(root, "src/new/deep/b.ts")]: FileChange.created,
  });
  rmSync(join(root, "src/new"), { recursive: true });
  await disk.look();
  expect(Object.fromEntries(disk.takeChanges())).toEqual({ [join(root, "src/new/deep/b.ts")]: FileChange.deleted });
});

it("keeps a file new that an editor tells of as created and as saved, with a look in between", async () => {
  const disk = await looked();
  const file = join(root, "src/b.ts");
  write("src/b.ts", "");
  disk.mark(file, FileChange.created);
  await disk.look();
  write("src/b.ts", "1");
  disk.mark(file, FileChange.changed);
  expect(await changes(disk)).toEqual({ "src/b.ts": FileChange.created });
});

it("calls a file changed that an editor tells of as deleted and as created again", async () => {
  const disk = await looked();
  const file = join(root, "src/a.ts");
  disk.mark(file, FileChange.deleted);
  disk.mark(file, FileChange.created);
  expect(await changes(disk)).toEqual({ "src/a.ts": FileChange.changed });
});

it("notices that packages were installed", async () => {
  const disk = await looked();
  expect(disk.takeDependenciesChanged()).toBe(false);
  write("node_modules/.package-lock.json", "{}");
  await disk.look();
  expect(disk.takeDependenciesChanged()).toBe(true);
});

it("takes JavaScript for the sources of a workspace that has no TypeScript", async () => {
  rmSync(join(root, "src"), { recursive: true });
  write("main.js", "1");
  expect((await looked()).sourceFiles()).toEqual([join(root, "main.js")]);
});

it("names a folder that is not there, and one that goes away", async () => {
  const missing = new WorkspaceFiles([join(root, "nowhere")]);
  await missing.look();
  expect(missing.folders().missing()).toEqual([join(root, "nowhere")]);
  const disk = await looked();
  rmSync(root, { recursive: true });
  await disk.look();
  expect(disk.folders().missing()).toEqual([root]);
  expect(disk.sourceFiles()).toEqual([]);
});

describe("a change that leaves few traces", () => {
  it("is seen when size and time of the text stay the same", async () => {
    const disk = await looked();
    const wrong: number[] = [];
    for (let round = 0; round < 300; round += 1) {
      write("src/a.ts", String(round % 10));
      if ((await changes(disk))["src/a.ts"] !== FileChange.changed) wrong.push(round);
    }
    expect(wrong).toEqual([]);
  });

  it("is seen when the time was set back", async () => {
    utimesSync(join(root, "src/a.ts"), 1_000_000, 1_000_000);
    const disk = await looked();
    write("src/a.ts", "2");
    utimesSync(join(root, "src/a.ts"), 1_000_000, 1_000_000);
    expect(await changes(disk)).toEqual({ "src/a.ts": FileChange.changed });
  });

  it("is seen when a folder takes the place of another with the same names in it", async () => {
    write("other/a.ts", "2");
    const disk = await looked();
    renameSync(join(root, "src"), join(root, "old"));
    renameSync(join(root, "other"), join(root, "src"));
    expect(await changes(disk)).toEqual({
      "src/a.ts": FileChange.changed,
      "old/a.ts": FileChange.created,
      "other/a.ts": FileChange.deleted,
    });
  });
});

describe("installed packages", () => {
  it.each([
    ["put there by hand", () => write("node_modules/new/package.json", "{}")],
    ["put into a scope by hand", () => write("node_modules/@scope/new/package.json", "{}")],
    ["put into a package of the workspace", () => write("src/node_modules/new/package.json", "{}")],
    ["linked", () => symlinkSync("../src", join(root, "node_modules/linked"), "junction")],
    ["taken away", () => rmSync(join(root, "node_modules/dep"), { recursive: true })],
  ])("are noticed when one is %s", async (_name, change) => {
    mkdirSync(join(root, "node_modules/@scope"), { recursive: true });
    const disk = await looked();
    await disk.look();
    expect(disk.takeDependenciesChanged()).toBe(false);
    change();
    await disk.look();
    expect(disk.takeDependenciesChanged()).toBe(true);
    await disk.look();
    expect(disk.takeDependenciesChanged()).toBe(false);
  });

  it("are not taken for changed because a tool keeps its cache beside them", async () => {
    const disk = await looked();
    write("node_modules/.cache/tool.json", "{}");
    await disk.look();
    expect(disk.takeDependenciesChanged()).toBe(false);
  });

  it("are looked at file by file where a program reads them", async () => {
    const disk = await looked();
    const file = join(root, "node_modules/dep/index.ts");
    expect(disk.follow(new Set([file]))).toEqual([file]);
    expect(disk.follow(new Set([file]))).toEqual([]);
    write("node_modules/dep/index.ts", "longer");
    expect(await changes(disk)).toEqual({ "node_modules/dep/index.ts": FileChange.changed });
  });
});

describe("links", () => {
  it("that lead out of the workspace are not followed, and are named", async () => {
    symlinkSync("/", join(root, "src/rootfs"));
    symlinkSync("/proc", join(root, "src/proc"));
    const disk = new WorkspaceFiles([root]);
    await disk.look();
    expect(disk.folders().outwardLinks()).toEqual([join(root, "src/proc"), join(root, "src/rootfs")]);
    expect(disk.sourceFiles().filter((file) => /rootfs|proc/.test(file))).toEqual([]);
    rmSync(join(root, "src/proc"));
    expect(await changes(disk)).toEqual({ "src/proc": FileChange.deleted });
    expect(disk.folders().outwardLinks()).toEqual([join(root, "src/rootfs")]);
    symlinkSync("/proc", join(root, "src/proc"));
    expect(await changes(disk)).toEqual({ "src/proc": FileChange.created });
    disk.dispose();
  });

  it("that take the place of a folder end what was known below it, though its files are the same ones", async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "agentq-beside-")));
    write("src/dir/deep/b.ts", "1");
    write("src/dir/tsconfig.json", "{}");
    const disk = await looked();
    renameSync(join(root, "src/dir"), join(outside, "dir"));
    symlinkSync(join(outside, "dir"), join(root, "src/dir"));
    expect(await changes(disk)).toEqual({
      "src/dir": FileChange.created,
      "src/dir/deep/b.ts": FileChange.deleted,
      "src/dir/tsconfig.json": FileChange.deleted,
    });
    writeFileSync(join(outside, "dir/deep/c.ts"), "1");
    await disk.look();
    expect([...disk.names()]).toEqual([join(root, "src/a.ts")]);
    expect(disk.configFiles()).toEqual([]);
    rmSync(join(root, "src/dir"));
    renameSync(join(outside, "dir"), join(root, "src/dir"));
    expect(await changes(disk)).toEqual({
      "src/dir": FileChange.deleted,
      "src/dir/deep/b.ts": FileChange.created,
      "src/dir/deep/c.ts": FileChange.created,
      "src/dir/tsconfig.json": FileChange.created,
    });
    rmSync(outside, { recursive: true });
  });

  it("show a changed file under each of its names", async () => {
    mkdirSync(join(root, "app"));
    symlinkSync("../src", join(root, "app/shared"), "junction");
    const disk = await looked();
    expect(disk.sourceFiles()).toEqual([join(root, "src/a.ts")]);
    write("src/a.ts", "longer");
    expect(await changes(disk)).toEqual({ "src/a.ts": FileChange.changed, "app/shared/a.ts": FileChange.changed });
  });

  it("bring names and take them away", async () => {
    mkdirSync(join(root, "app"));
    const disk = await looked();
    await changes(disk);
    symlinkSync("../src", join(root, "app/shared"), "junction");
    expect(await changes(disk)).toMatchObject({ "app/shared/a.ts": FileChange.created });
    rmSync(join(root, "app/shared"));
    expect(await changes(disk)).toMatchObject({ "app/shared/a.ts": FileChange.deleted });
  });

  it("that lead to nothing are followed once there is something", async () => {
    mkdirSync(join(root, "app"));
    symlinkSync("../later.ts", join(root, "app/link.ts"));
    const disk = await looked();
    write("later.ts", "1");
    expect(await changes(disk)).toMatchObject({ "later.ts": FileChange.created, "app/link.ts": FileChange.created });
  });
});

describe.runIf(process.platform === "linux")("while the system tells what changed", () => {
  /** A while after the first look the watching begins; the next look then needs no time for what did not change. */
  async function watching(): Promise<WorkspaceFiles> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const disk = await looked();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await disk.look();
    return disk;
  }

  it("no change is lost: written, created, renamed, removed, in new folders and in folders that changed places", async () => {
    const disk = await watching();
    disk.takeChanges();
    const wrong: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const name = `new${round}`;
      write("src/a.ts", `${round}`);
      write(`${name}/deep/b.ts`, "1");
      const made = await changes(disk);
      if (made["src/a.ts"] !== FileChange.changed || made[`${name}/deep/b.ts`] !== FileChange.created)
        wrong.push(`made ${name}`);
      write(`${name}/deep/b.ts`, "2");
      if ((await changes(disk))[`${name}/deep/b.ts`] !== FileChange.changed) wrong.push(`wrote ${name}`);
      renameSync(join(root, name), join(root, `${name}-moved`));
      write(`${name}-moved/deep/b.ts`, "3");
      const moved = await changes(disk);
      if (moved[`${name}/deep/b.ts`] !== FileChange.deleted || moved[`${name}-moved/deep/b.ts`] !== FileChange.created)
        wrong.push(`moved ${name}`);
      rmSync(join(root, `${name}-moved`), { recursive: true });
      if ((await changes(disk))[`${name}-moved/deep/b.ts`] !== FileChange.deleted) wrong.push(`removed ${name}`);
    }
    expect(wrong).toEqual([]);
  });

  it("a workspace folder that goes and comes back is seen again", async () => {
    const disk = await watching();
    rmSync(root, { recursive: true });
    await disk.look();
    expect(disk.folders().missing()).toEqual([root]);
    write("src/a.ts", "1");
    await disk.look();
    expect(disk.folders().missing()).toEqual([]);
    expect(disk.sourceFiles()).toEqual([join(root, "src/a.ts")]);
    write("src/a.ts", "longer");
    expect(await changes(disk)).toMatchObject({ "src/a.ts": FileChange.changed });
  });

  it("a package that was installed anew while no program read it is seen to change", async () => {
    const disk = await watching();
    const file = join(root, "node_modules/dep/lib/index.d.ts");
    const installAnew = (text: string): void => {
      rmSync(join(root, "node_modules/dep"), { recursive: true, force: true });
      write("node_modules/dep/lib/index.d.ts", text);
    };
    const old = new Date(Date.now() - 60_000);
    for (let round = 0; round < 5; round += 1) {
      installAnew(`export declare const a: ${round};`);
      utimesSync(file, old, old);
      await disk.look();
      disk.follow(new Set([file]));
      await disk.look();
      disk.takeChanges();
      write("node_modules/dep/lib/index.d.ts", `export declare const b: ${round};`);
      expect(await changes(disk)).toEqual({ "node_modules/dep/lib/index.d.ts": FileChange.changed });
      disk.follow(new Set());
    }
  });

  it("thousands of changes at once are all found", async () => {
    const disk = await watching();
    disk.takeChanges();
    for (let index = 0; index < 4_000; index += 1) write(`many${index % 20}/f${index}.ts`, "1");
    const found = Object.keys(await changes(disk)).filter((file) => file.startsWith("many"));
    expect(found).toHaveLength(4_000);
  });
});
