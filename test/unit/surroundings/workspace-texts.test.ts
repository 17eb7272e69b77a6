/** What a conversation may be told of the workspace's documents: the editor's text before the disk's, and nothing closed. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unsavedTexts } from "../../../server/src/search/changed-documents.ts";
import { WorkspaceTexts } from "../../../server/src/surroundings/workspace-texts.ts";
import { Documents } from "../../../server/src/workspace/documents.ts";
import { WorkspacePaths } from "../../../server/src/workspace/workspace-paths.ts";

let folder: string;
let documents: Documents;
let paths: WorkspacePaths;
let texts: WorkspaceTexts;

const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;

function open(name: string, text: string): void {
  documents.open({ uri: uriOf(name), languageId: "typescript", version: 1, text });
}

async function at(name: string) {
  const resolution = paths.resolve(name);
  return resolution.ok ? texts.at(resolution.path) : resolution;
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "agentq-texts-")));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/a.ts"), "disk\n");
  documents = new Documents();
  paths = new WorkspacePaths([folder]);
  texts = new WorkspaceTexts(documents, paths);
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("the text of a document", () => {
  it("is the disk's, or the open buffer's, and says whether the buffer is saved", async () => {
    const document = { uri: uriOf("src/a.ts"), path: "src/a.ts" };
    expect(await at("src/a.ts")).toEqual({ ...document, text: "disk\n", isUnsaved: false });
    open("src/a.ts", "disk\n");
    expect(await at("src/a.ts")).toEqual({ ...document, text: "disk\n", isUnsaved: false });
    documents.change(uriOf("src/a.ts"), 2, [{ text: "typed\n" }]);
    expect(await at("src/a.ts")).toEqual({ ...document, text: "typed\n", isUnsaved: true });
    expect(await texts.open()).toEqual([{ path: "src/a.ts", isUnsaved: true }]);
    expect(await unsavedTexts(documents, paths)).toEqual(new Map([[join(folder, "src/a.ts"), "typed\n"]]));
  });

  it("is refused with a sentence where there is none", async () => {
    writeFileSync(join(folder, "bytes"), Buffer.from([0xff, 0xfe, 0x00, 0x80]));
    expect(await at("src/none.ts")).toEqual({ reason: "src/none.ts does not exist." });
    expect(await at("bytes")).toEqual({ reason: expect.stringContaining("bytes") as string });
  });

  it("is taken as it was just read, but for an open buffer, which knows better", async () => {
    expect(await texts.seen("src/a.ts", "read before")).toMatchObject({ text: "read before", isUnsaved: false });
    open("src/a.ts", "typed\n");
    expect(await texts.seen("src/a.ts", "read before")).toMatchObject({ text: "typed\n", isUnsaved: true });
    expect(await texts.seen("../outside.ts")).toBeUndefined();
    expect(await texts.seen("src/none.ts")).toBeUndefined();
  });
});

it("tells files and folders from what is not there, from what is only in the editor and from what is closed", async () => {
  open("src/new.ts", "");
  expect(await texts.placeAt("src")).toEqual({ kind: "folder", uri: uriOf("src"), path: "src" });
  expect(await texts.placeAt("src/a.ts")).toMatchObject({ kind: "file", path: "src/a.ts" });
  expect(await texts.placeAt("src/new.ts")).toMatchObject({ kind: "file", path: "src/new.ts" });
  expect(await texts.placeAt("src/none.ts")).toBeUndefined();
  expect(await texts.placeAt(".env")).toMatchObject({ reason: expect.stringContaining("secrets") as string });
});

it("tells of documents of the workspace that are open or opened later, and of no others", () => {
  const opened: string[] = [];
  open("src/a.ts", "typed\n");
  texts.onOpened(({ path }) => opened.push(path));
  documents.open({ uri: "file:///elsewhere/b.ts", languageId: "typescript", version: 1, text: "" });
  open("src/c.ts", "");
  expect(opened).toEqual(["src/a.ts", "src/c.ts"]);
});
