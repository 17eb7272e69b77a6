import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGetFileInfo } from "../../server/src/tools/files/get-file-info.ts";
import { createGetProjectRoot } from "../../server/src/tools/files/get-project-root.ts";
import { openEditFixture, type EditFixture } from "./edit-fixture.ts";

let fixture: EditFixture;

beforeEach(() => {
  fixture = openEditFixture("edits-project");
});
afterEach(() => fixture.dispose());

async function info(path: string): Promise<string> {
  const ports = { ...fixture.ports, openDocument: (uri: string) => fixture.documents.readOpen(uri) };
  const answer = await fixture.ask(createGetFileInfo(ports), { path });
  return answer.split("\n\n")[1] ?? "";
}

const git = (...args: readonly string[]): void =>
  void execFileSync("git", args, { cwd: fixture.root, stdio: "ignore" });

function write(path: string, text: string): void {
  fixture.write(path, text);
  utimesSync(join(fixture.root, path), 0, 1_770_000_000);
}

describe("get_file_info", () => {
  it("tells size, lines, time, git and the tsconfig of a file", async () => {
    git("init");
    git("add", "src/rates.ts");
    write("src/rates.ts", "export const rate = 1;\nexport const fee = 2;\n");
    write("src/new.ts", "export {};");
    write(".gitignore", "*.log\n");
    write("a.log", "");
    expect(await info("src/rates.ts")).toBe(
      "src/rates.ts: 2 lines, 45 bytes, changed 2026-02-02 02:40 UTC\ntracked by git; in tsconfig.json",
    );
    expect(await info("src/new.ts")).toContain("1 line, 10 bytes");
    expect(await info("src/new.ts")).toContain("\nnot tracked by git; in tsconfig.json");
    expect(await info("a.log")).toBe("a.log: 0 lines, 0 bytes, changed 2026-02-02 02:40 UTC\nignored by git");
  });

  it("tells what is out of the ordinary", async () => {
    write("src/dos.ts", "\uFEFFa\r\nb\r\n");
    write("src/mixed.ts", "a\r\nb\nc\n");
    write("run.sh", "#!/bin/sh\n");
    chmodSync(join(fixture.root, "run.sh"), 0o755);
    fixture.write("picture.png", "\0\u0080");
    symlinkSync("src/rates.ts", join(fixture.root, "rates"));
    expect(await info("src/dos.ts")).toContain("\na byte order mark, CRLF line ends\n");
    expect(await info("src/mixed.ts")).toContain("\nmixed line ends (1 CRLF, 2 LF)\n");
    expect(await info("run.sh")).toMatch(/ UTC\nexecutable$/);
    expect(await info("rates")).toMatch(/^rates is a link to src\/rates\.ts: /);
  });

  it("tells the state in the editor", async () => {
    write("src/rates.ts", "export const rate = 1;\n");
    const open = (path: string, text: string): void =>
      fixture.documents.open({ uri: fixture.uri(path), languageId: "typescript", version: 4, text });
    open("src/rates.ts", "export const rate = 1;\n");
    expect(await info("src/rates.ts")).toContain("\nopen in the editor: version 4, saved\n");
    fixture.documents.change(fixture.uri("src/rates.ts"), 5, [{ text: "a\nb\n" }]);
    expect(await info("src/rates.ts")).toContain("\nopen in the editor: version 5, unsaved changes, 2 lines\n");
    open("src/fresh.ts", "export {};\n");
    expect(await info("src/fresh.ts")).toMatch(
      /^src\/fresh\.ts: not on disk\nopen in the editor: version 4, never saved/,
    );
  });

  it("tells of folders, near misses and closed names", async () => {
    expect(await info("src")).toBe("src/: folder, 9 files");
    expect(await info("rates.js")).toContain("rates.js does not exist. Did you mean src/rates.ts");
    expect(await info(".env")).toContain(".env may hold secrets");
    expect(await info("/etc/passwd")).toContain("outside the workspace");
  });
});

describe("get_project_root", () => {
  it("names the workspace folder, the nearest package.json and the repository", async () => {
    const ask = (path?: string): Promise<string> =>
      fixture.ask(createGetProjectRoot(fixture.ports), path === undefined ? {} : { path });
    git("init");
    expect(await ask("src/rates.ts")).toContain(
      'Workspace folder: <root>\npackage.json: package.json ("edits-project")\nGit repository: <root>\n',
    );
    fixture.write("src/package.json", '{ "name": "inner" }');
    expect(await ask("src/rates.ts")).toContain('\npackage.json: src/package.json ("inner")\n');
    expect(await ask()).toContain("\npackage.json: package.json");
  });
});
