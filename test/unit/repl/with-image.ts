/** A real image on a private copy of the fixture project. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReplStatus } from "../../../server/src/protocol/repl-shapes.ts";
import {
  createImage,
  type Evaluated,
  type Image,
  type ImageOptions,
  type ImageOutput,
  type NumberedForm,
} from "../../../server/src/repl/process/image-process.ts";
import { childEnvironment } from "../../../server/src/process/child-environment.ts";
import { knownWall } from "../../support/known-wall.ts";
import { Sandbox, type SandboxOptions } from "../../../server/src/sandbox/sandbox.ts";
import { isSecretName } from "../../../server/src/workspace/secret-names.ts";
import { filesBelow, walledPath } from "../../support/wall.ts";
import { Repl, type ReplOptions } from "../../../server/src/repl/repl.ts";
import { SpareProcess, type SpareOptions } from "../../../server/src/repl/process/spare-process.ts";

const FIXTURES = new URL("../../fixtures/", import.meta.url);

export interface TestImage {
  readonly image: Image;
  /** Where the options say something of one. */
  readonly spare: SpareProcess | undefined;
  readonly root: string;
  readonly outputs: ImageOutput[];
  readonly states: ReplStatus[];
  readonly evaluate: (code: string, more?: Partial<NumberedForm>) => Promise<Evaluated>;
  /** The preview of a form that must have a value. */
  readonly value: (code: string, more?: Partial<NumberedForm>) => Promise<string>;
  readonly write: (path: string, text: string) => void;
  readonly dispose: () => Promise<void>;
}

type TestOptions = Partial<ImageOptions> & { readonly spare?: Partial<SpareOptions> };

export function startTestImage(
  { spare: ofSpare, ...options }: TestOptions = {},
  fixture = "repl-project",
  folder = "agentq-repl-test-",
): TestImage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), folder)));
  cpSync(fileURLToPath(new URL(`${fixture}/`, FIXTURES)), root, { recursive: true });
  const outputs: ImageOutput[] = [];
  const states: ReplStatus[] = [];
  const logged: string[] = [];
  const ground = { projectRoot: root, log: (line: string) => void logged.push(line), ...options };
  const spare = ofSpare && new SpareProcess({ ...ground, quietMs: 0, ...ofSpare });
  const image = createImage(
    {
      onOutput: (output) => outputs.push(output),
      onState: (status) => states.push(status),
      ...ground,
    },
    spare,
  );
  const evaluate: TestImage["evaluate"] = (code, more = {}) =>
    image.evaluate({ code, by: "agent", ...more }, new AbortController().signal);
  return {
    image,
    spare,
    root,
    outputs,
    states,
    evaluate,
    value: async (code, more) => {
      const result = await evaluate(code, more);
      if (result.outcome !== "value") {
        throw new Error([`${result.outcome}: ${JSON.stringify(result.error)}`, ...logged].join("\n"));
      }
      return result.preview ?? "";
    },
    write: (path, text) => {
      const file = join(root, path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, text);
    },
    dispose: async () => {
      await Promise.all([image.dispose(), spare?.dispose()]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The same behind the operating system's wall. */
export function startWalledImage(
  options: TestOptions = {},
  sandboxOptions: Partial<SandboxOptions> = {},
  fixture?: string,
): TestImage {
  const wall = knownWall({
    kind: "walled",
    raise: async (program, signal) => {
      sandbox ??= new Sandbox({
        folders: () => [t.root],
        env: { ...childEnvironment(), PATH: walledPath() },
        listFiles: async (folder) => ({ files: filesBelow(folder), unread: [] }),
        ...sandboxOptions,
      });
      return sandbox.live(program, signal);
    },
  });
  let sandbox: Sandbox | undefined;
  const t = startTestImage({ wall, isSecretName, ...options }, fixture);
  const dispose = async (): Promise<void> => {
    await t.dispose();
    await sandbox?.dispose();
  };
  return { ...t, dispose };
}

/** The whole REPL around an image; its stages do what a test names. */
export function replOn(image: Image, options: Partial<ReplOptions> = {}): Repl {
  return new Repl({
    createImage: () => image,
    readSource: () => undefined,
    consent: {
      wanted: "confined",
      wall: knownWall({ kind: "none", reason: "No wall is tried here." }),
      isGiven: true,
      ask: async () => ({ kind: "nobody", reason: "nobody is asked here" }),
    },
    restarts: { onStartupFailed: () => {} },
    memory: {},
    checks: {
      projectRoot: "/",
      check: async () => ({ kind: "checked", diagnostics: [] }),
      readModule: async () => undefined,
      onLateNotes: () => {},
      log: () => {},
    },
    changes: { folders: () => [], wasSaved: () => false, onChanges: () => {}, log: () => {} },
    onState: () => {},
    showLong: (_title, _token, work) => work,
    ...options,
  });
}

/** The same in one Node; 22 has the open mode only. */
export function startOn(
  node: { readonly major: number; readonly path: string },
  options: Partial<ImageOptions> = {},
  fixture?: string,
): TestImage {
  const open = node.major < 24 ? ({ confinement: "open" } as const) : {};
  return startTestImage({ nodePath: node.path, ...open, ...options }, fixture);
}

/** The end of a form that goes on until `hear` says that what it wrote has arrived. */
export const untilHeard: string =
  "while (!require('node:fs').existsSync('heard.txt')) await new Promise((r) => setTimeout(r, 5))";

/** Runs a form that ends with `untilHeard`, up to the moment when this text has come out of it. */
export async function hear(t: TestImage, code: string, wanted: string): Promise<Evaluated> {
  rmSync(join(t.root, "heard.txt"), { force: true });
  const before = t.outputs.length;
  const running = t.evaluate(code);
  await until(() => t.outputs.slice(before).some(({ text }) => text.includes(wanted)));
  t.write("heard.txt", "");
  return running;
}

/** Polls until the condition holds; a test that waits forever fails by its own deadline. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A process that has ended and that nobody has asked about yet does not count. */
export function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (existsSync("/proc/self/stat")) return existsSync(stat) && !/\) Z /.test(readFileSync(stat, "utf8"));
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
