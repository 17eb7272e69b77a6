/** What a killed server left is removed by the next one, and nothing that others put there under such a name. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { AnswerDocuments } from "../../../server/src/handlers/plain/answer-documents.ts";
import { takeFolders } from "../../../server/src/process/own-folder.ts";
import { createScratch } from "../../../server/src/repl/confinement/limited/scratch.ts";
import { sweepLayers } from "../../../server/src/sandbox/layer/layer.ts";
import { removeStaged, STAGED, sweepStaged } from "../../../server/src/process/staged-names.ts";

const NOBODY = 65_534;
/** No process has that id. */
const DEAD = 999_999_999;
const IS_ROOT = process.getuid?.() === 0;

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-own-")));
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  onTestFinished(() => void (process.env["TMPDIR"] = before));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SWEEPERS: Readonly<Record<string, readonly [string, () => Promise<unknown>]>> = {
  layers: ["agentq-layer-", sweepLayers],
  "folders of the REPL": [
    "agentq-image-",
    async () => {
      const scratch = createScratch();
      scratch.sweep();
      scratch.dispose();
    },
  ],
  answers: [
    "agentq-answers-",
    async () => {
      const wire = { showDocument: async () => true, say: () => undefined, progress: () => ({}) as never };
      const documents = new AnswerDocuments(wire as never);
      await documents.show("answer", "md", "text");
      documents.dispose();
    },
  ],
  "what was on its way into a project": [STAGED, () => sweepStaged([folder])],
};

function plant(prefix: string, mode: number, name = "x"): string {
  const left = path.join(folder, `${prefix}${DEAD}-${name}`);
  mkdirSync(path.join(left, "below"), { recursive: true });
  writeFileSync(path.join(left, "below/file"), "text");
  chmodSync(left, mode);
  return left;
}

describe.skipIf(process.getuid === undefined).each(Object.entries(SWEEPERS))(
  "the sweep of %s",
  (_what, [prefix, sweep]) => {
    it("removes what is this user's alone", async () => {
      const left = plant(prefix, 0o700);
      await sweep();
      expect(existsSync(left)).toBe(false);
    });

    it.each(["777", "1777", "722", "702", "720"])(
      "leaves a folder of mode %s, into which others may write",
      async (mode) => {
        const left = plant(prefix, Number.parseInt(mode, 8));
        await sweep();
        expect(existsSync(path.join(left, "below/file"))).toBe(true);
        expect((statSync(left).mode & 0o1777).toString(8)).toBe(mode);
      },
    );

    it.each(["777", "775"])(
      "leaves what others can have given its name, as the folder above has mode %s",
      async (mode) => {
        const left = plant(prefix, 0o700);
        chmodSync(folder, Number.parseInt(mode, 8));
        // A REPL does not even start there.
        await sweep().catch(() => undefined);
        expect(existsSync(path.join(left, "below/file"))).toBe(true);
      },
    );

    it("removes its own where everybody writes and nobody takes away what is another's", async () => {
      const left = plant(prefix, 0o700);
      chmodSync(folder, 0o1777);
      await sweep();
      expect(existsSync(left)).toBe(false);
    });

    it.runIf(IS_ROOT)("leaves what another user made", async () => {
      const [own, file] = [plant(prefix, 0o700), path.join(folder, `${prefix}${DEAD}-file`)];
      writeFileSync(file, "");
      for (const each of [own, file]) chownSync(each, NOBODY, NOBODY);
      await sweep();
      expect([own, file].map(existsSync)).toEqual([true, true]);
    });
  },
);

describe.skipIf(process.getuid === undefined)("what is removed on its way into a project", () => {
  it("is closed to others first, also where it lets everybody in, or nobody", async () => {
    const [staged, away] = [path.join(folder, `${STAGED}1-x`), path.join(folder, "away")];
    mkdirSync(path.join(staged, "open/closed"), { recursive: true });
    mkdirSync(away);
    writeFileSync(path.join(away, "kept"), "");
    symlinkSync(away, path.join(staged, "open/link"));
    chmodSync(path.join(staged, "open"), 0o777);
    chmodSync(path.join(staged, "open/closed"), 0);
    await takeFolders(staged);
    for (const each of ["", "open", "open/closed"])
      expect(statSync(path.join(staged, each)).mode & 0o777, each).toBe(0o700);
    expect(statSync(away).mode & 0o777).toBe(0o755);
    await removeStaged(staged);
    await removeStaged(staged);
    expect(readdirSync(folder)).toEqual(["away"]);
    expect(readdirSync(away)).toEqual(["kept"]);
  });
});

describe("the folders of a REPL", () => {
  it("are closed to others from the beginning, and go with the REPL", () => {
    const { path: own, aliases, dispose } = createScratch();
    for (const each of [own, aliases]) expect(statSync(each).mode & 0o777).toBe(0o700);
    dispose();
    expect(readdirSync(folder)).toEqual([]);
  });
});
