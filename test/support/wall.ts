/** A project on disk and programs that run behind the wall over it. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
  type Dirent,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "vitest";
import { findProgram } from "../../scripts/editors/find.ts";
import { childEnvironment } from "../../server/src/process/child-environment.ts";
import { findWall } from "../../server/src/sandbox/find-wall.ts";
import {
  Sandbox,
  type Layer,
  type LayerRunEnd,
  type FoundWall,
  type SandboxOptions,
} from "../../server/src/sandbox/sandbox.ts";
import { runsAll } from "./extent.ts";

const bubblewrap = findProgram("bwrap");
const trial = { env: { ...childEnvironment(), PATH: walledPath() }, folder: realpathSync(tmpdir()) };
const found = await findWall(trial);
const plain = await findWall({ ...trial, only: "namespaces" });

/** Whether this machine can wall a program in. */
export const hasWall: boolean = found.kind === "walled";
/** The same by util-linux alone. */
export const hasPlainWall: boolean = plain.kind === "walled";

/**
 * Describes what only a walled program shows. Where this machine cannot wall any in, the tests are skipped with the reason in
 * their title; in CI that is a failure.
 */
export function describeWalled(title: string, body: () => void, wall: FoundWall = found): void {
  if (wall.kind === "walled") {
    describe(title, body);
    return;
  }
  const reason = `${wall.reason} ${wall.remedy ?? ""} Or try \`npm run editors bwrap\`.`;
  if (process.env["CI"] !== "true") {
    it.skip(`${title} (${reason})`);
    return;
  }
  it(title, () => {
    throw new Error(reason);
  });
}

/**
 * The same behind the wall that is found here, and with `AGENTQ_TESTS=all` behind each kind of wall; what `body` gets is for
 * `startWall`.
 */
export function describeEachWall(title: string, body: (only: Pick<SandboxOptions, "only">) => void): void {
  if (runsAll) describeEveryWall(title, body);
  else describeWalled(title, () => body({}));
}

/** Describes behind each kind of wall always what every kind must hold. */
export function describeEveryWall(title: string, body: (only: Pick<SandboxOptions, "only">) => void): void {
  describeWalled(`${title}, by bubblewrap`, () => body({}), asBubblewrap(found));
  describeWalled(`${title}, by util-linux`, () => body({ only: "namespaces" }), plain);
}

/** Without bubblewrap the best wall is the other one, which would be tried twice. */
function asBubblewrap(wall: FoundWall): FoundWall {
  if (wall.kind === "none" || wall.wall.kind === "bubblewrap") return wall;
  return { kind: "none", reason: "There is no bubblewrap (bwrap) here." };
}

/** What a child of the server gets, with the prepared bubblewrap on its search path. */
export function walledPath(path = process.env["PATH"] ?? ""): string {
  return bubblewrap === undefined ? path : [dirname(bubblewrap), path].join(delimiter);
}

export interface TestWall {
  /** The project's folder, by its real path. */
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly layer: Layer;
  readonly write: (path: string, text: string) => void;
  /** Runs a script of the shell in the layer and answers what it printed, both streams in one. */
  readonly sh: (script: string, signal?: AbortSignal) => Promise<{ end: LayerRunEnd; text: string }>;
  readonly dispose: () => Promise<void>;
}

export function startWall(
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
  options: Partial<SandboxOptions> = {},
): TestWall {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-wall-test-")));
  const write: TestWall["write"] = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const sandbox = new Sandbox({
    folders: () => [root],
    env: { ...childEnvironment(), PATH: walledPath(), ...env },
    listFiles: async (folder) => ({ files: filesBelow(folder), unread: [] }),
    ...options,
  });
  const layer = sandbox.open();
  return {
    root,
    sandbox,
    layer,
    write,
    sh: async (script, signal = new AbortController().signal) => {
      let text = "";
      const onOutput = (_: string, chunk: Buffer): void => void (text += chunk.toString("utf8"));
      const end = await sandbox.run({ layer, folder: root, command: ["sh", "-c", script], onOutput, signal });
      return { end, text };
    },
    dispose: async () => {
      await sandbox.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What the walls of tests need not look into: what is installed, repositories, and the editors of the tests. */
const UNLISTED = new Set(["node_modules", ".cache"]);

/** By their paths from the folder. A folder that another test takes away meanwhile is left out. */
export function filesBelow(folder: string): string[] {
  const files: string[] = [];
  const look = (relative: string): void => {
    for (const entry of entriesOf(join(folder, relative))) {
      if (UNLISTED.has(entry.name) || /(?:^|\/)\.git\/[^Hc]/.test(join(relative, entry.name))) continue;
      const path = join(relative, entry.name);
      if (entry.isDirectory()) look(path);
      else if (entry.isFile()) files.push(path);
    }
  };
  look("");
  return files;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Everything in a folder by its path: kind, mode, and what stands in it. No link is followed. */
export function treeOf(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const look = (relative: string): void => {
    for (const entry of readdirSync(join(folder, relative), { withFileTypes: true })) {
      const path = join(relative, entry.name);
      tree[path] = describeEntry(join(folder, path));
      if (entry.isDirectory()) look(path);
    }
  };
  look("");
  return tree;
}

function describeEntry(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "a name that is no UTF-8";
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  const mode = (stats.mode & 0o777).toString(8);
  if (stats.isFile()) return `file ${mode} ${readFileSync(path, "base64")}`;
  return stats.isDirectory() ? `folder ${mode}` : "no file";
}
