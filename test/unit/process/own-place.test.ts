/** What outlives a process lies where no other user could have put anything, and where no other user can look. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runtimeFolder } from "../../../server/src/process/runtime-folder.ts";
import { AnswerDocuments } from "../../../server/src/handlers/plain/answer-documents.ts";
import { makeOwnFolder } from "../../../server/src/process/own-folder.ts";
import { isPrivateGroup, ownPlace } from "../../../server/src/process/own-place.ts";
import { createScratch } from "../../../server/src/repl/confinement/limited/scratch.ts";
import { Layer } from "../../../server/src/sandbox/layer/layer.ts";
import { openDatabase } from "../../../server/src/storage/open-database.ts";
import { workspaceMigrations } from "../../../server/src/storage/migrations.ts";

const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

let top: string;
let place: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-place-")));
  place = path.join(top, "above/agentq");
  mkdirSync(path.dirname(place));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function made(mode: number, at = place): void {
  mkdirSync(at, { recursive: true });
  chmodSync(at, mode);
}

/** Ways in which a place is another user's too, and the words that say so. */
const SHARED: Readonly<Record<string, readonly [RegExp, () => void]>> = {
  "all may write into": [/others have rights in .*: chmod go= /, () => made(0o777)],
  "all may write into and nobody deletes from": [/others have rights/, () => made(0o1777)],
  "others may write into without reading it": [/others have rights/, () => made(0o702)],
  "a group may write into": [/others have rights/, () => made(0o770)],
  "is a link to a safe one": [
    /is a link/,
    () => {
      made(0o700, path.join(top, "safe"));
      symlinkSync("../safe", place);
    },
  ],
  "is a link that leads nowhere": [/is a link/, () => symlinkSync("../later", place)],
  "is a file": [/is no folder/, () => writeFileSync(place, "")],
  "lies where all may rename it": [
    /others may write into .*above: chmod go-w /,
    () => chmodSync(path.dirname(place), 0o777),
  ],
  "lies where a group may rename it": [/others may write into/, () => chmodSync(path.dirname(place), 0o775)],
  "lies below a folder that all may rename": [/others may write into/, () => chmodSync(top, 0o777)],
  ...(IS_ROOT && {
    "is another user's": [
      /belongs to another user/,
      () => {
        made(0o700);
        chownSync(place, NOBODY, NOBODY);
      },
    ],
    "lies in another user's": [/above belongs to another user/, () => chownSync(path.dirname(place), NOBODY, NOBODY)],
    "lies in another user's, who lets nobody take anything away": [
      /above belongs to another user/,
      () => {
        chmodSync(path.dirname(place), 0o1777);
        chownSync(path.dirname(place), NOBODY, NOBODY);
      },
    ],
    "lies by way of a link in another user's": [
      /theirs belongs to another user/,
      () => {
        made(0o755, path.join(top, "theirs"));
        chownSync(path.join(top, "theirs"), NOBODY, NOBODY);
        rmSync(path.dirname(place), { recursive: true });
        symlinkSync("theirs", path.dirname(place));
      },
    ],
  }),
};

describe.skipIf(process.getuid === undefined)("a place of this user's", () => {
  it("is made for this user alone, at whatever depth, also below a folder with the sticky bit", () => {
    chmodSync(path.dirname(place), 0o1777);
    expect(ownPlace(path.join(place, "a/b"), 0o077)).toEqual({ folder: path.join(place, "a/b") });
    expect(ownPlace(place, 0o077)).toEqual({ folder: place });
  });

  it("may be read by others where that does no harm, and lie behind a link", () => {
    made(0o755);
    symlinkSync("above", path.join(top, "link"));
    expect(ownPlace(path.join(top, "link/agentq"))).toEqual({ folder: place });
    expect(ownPlace(place, 0o077)).toHaveProperty("problem");
  });

  it("is none with a path that begins at the current folder", () => {
    expect(ownPlace("agentq")).toEqual({ problem: "agentq is no absolute path" });
  });

  it.each(Object.entries(SHARED))("is none that %s", (_what, [words, prepare]) => {
    prepare();
    expect(ownPlace(place)).toEqual({ problem: expect.stringMatching(words) });
    expect(runtimeFolder({ XDG_RUNTIME_DIR: path.dirname(place) })).toBeUndefined();
    const opened = openDatabase(path.join(place, "kept.sqlite"), workspaceMigrations);
    expect(opened).toEqual({ problem: expect.stringMatching(words) });
  });
});

describe("a group of one", () => {
  const groups = "root:x:0:\nann:x:1000:\nteam:x:1001:ann\nbob:x:1002:ann\n";
  const users = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1002:1002::/home/bob:/bin/sh\n";
  it.each<
    [isPrivate: boolean, what: string, ids: [gid: number, own: number], files?: { groups?: string; users?: string }]
  >([
    [true, "the user's own", [1000, 1000]],
    [true, "the user's own, which names the user too", [1000, 1000], { groups: groups.replace("1000:", "1000:ann") }],
    [false, "root's", [0, 0]],
    [false, "another one of the user's", [1001, 1000]],
    [false, "one that somebody else was added to", [1002, 1002]],
    [false, "one that somebody else begins with", [1000, 1000], { users: users.replace("1002:1002", "1002:1000") }],
    [false, "one that has two names", [1000, 1000], { groups: `${groups}also:x:1000:bob\n` }],
    [false, "one that a directory knows", [1003, 1003]],
    [false, "the user's number where the file is no list", [1000, 1000], { groups: "+::::\n" }],
  ])("%s: %s", (isPrivate, _what, [gid, own], files = {}) => {
    expect(isPrivateGroup(gid, files.groups ?? groups, files.users ?? users, own)).toBe(isPrivate);
  });
});

describe.skipIf(process.getuid === undefined)("the temporary folder", () => {
  function inTemporary(folder: string): void {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder;
    onTestFinished(() => void (process.env["TMPDIR"] = before));
  }

  it.each<[string, () => void]>(
    [
      ["that all may rename things in", () => chmodSync(path.dirname(place), 0o777)],
      ["below one that all may rename things in", () => chmodSync(top, 0o777)],
    ].concat(
      IS_ROOT
        ? [
            [
              "of another user, who lets nobody take anything away",
              () => {
                chmodSync(path.dirname(place), 0o1777);
                chownSync(path.dirname(place), NOBODY, NOBODY);
              },
            ],
          ]
        : [],
    ) as [string, () => void][],
  )("%s is not used, and the message says what to do", (_what, prepare) => {
    prepare();
    inTemporary(path.dirname(place));
    expect(() => makeOwnFolder("agentq-x-")).toThrow(/not safe from other users, so set TMPDIR to one that is: /);
    expect(createScratch).toThrow("set TMPDIR");
  });

  it("is not the current folder, whatever TMPDIR says", () => {
    inTemporary("tmp");
    expect(() => makeOwnFolder("agentq-x-")).toThrow("no absolute path");
  });

  it.runIf(IS_ROOT)("holds nothing of the server's that another user can list, read or write", async () => {
    chmodSync(top, 0o755);
    chmodSync(path.dirname(place), 0o1777);
    inTemporary(path.dirname(place));
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const scratch = createScratch();
    const layer = new Layer([]);
    const wire = { showDocument: async () => true, say: () => undefined, progress: () => ({}) as never };
    await new AnswerDocuments(wire as never).show("answer", "md", "CANARY");
    const opened = openDatabase(path.join(place, "state/kept.sqlite"), workspaceMigrations);
    const runtime = runtimeFolder({ XDG_RUNTIME_DIR: place });
    expect(runtime).toBe(path.join(place, "agentq"));
    for (const folder of [scratch.path, scratch.aliases, layer.folder, place])
      writeFileSync(path.join(folder, "canary"), "CANARY");
    const look = `id -u; find ${path.dirname(place)} -mindepth 1 \\( -readable -o -writable -o -executable \\) 2>/dev/null`;
    const args = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "sh", "-c", look];
    expect(spawnSync("setpriv", args, { encoding: "utf8" }).stdout).toBe(`${NOBODY}\n`);
    if ("database" in opened) opened.database.close();
    scratch.dispose();
  });
});
