/** What is in the editor and not on the disk is searched as it is, and what it replaces is not. */
import { afterEach, describe, expect, it } from "vitest";
import { openSearchWorkspace, type SearchWorkspace } from "./search-workspace.ts";

let opened: SearchWorkspace | undefined;

afterEach(() => opened?.dispose());

function open(...given: Parameters<typeof openSearchWorkspace>): SearchWorkspace {
  return (opened = openSearchWorkspace(...given));
}

describe("search_text of unsaved texts", () => {
  it("finds what was typed, at the lines where it stands now, and not what the file says", async () => {
    const { ask, type } = open({ "a.ts": "needle one\nhay\n", "b.ts": "needle two\n", "c.ts": "hay\n" });
    type("a.ts", "// new first line\nneedle one\nhay\n");
    type("b.ts", "hay\n");
    type("c.ts", "a needle\nanother needle\n");
    expect(await ask({ pattern: "needle" })).toBe(
      [
        "3 lines in 2 files",
        "a.ts (unsaved):2: needle one",
        "c.ts (unsaved)",
        "  1: a needle",
        "  2: another needle",
      ].join("\n"),
    );
  });

  it("finds a new file that is not on the disk, also when it is asked about alone", async () => {
    const { ask, type } = open({ "a.ts": "hay\n" });
    type("src/new.ts", "needle");
    expect(await ask({ pattern: "needle" })).toBe("1 line in 1 file\nsrc/new.ts (unsaved):1: needle");
    expect(await ask({ pattern: "needle", path: "src/new.ts" })).toContain("src/new.ts (unsaved):1");
    expect(await ask({ pattern: "needle", path: "src" })).toContain("src/new.ts (unsaved):1");
    expect(await ask({ pattern: "needle", glob: "*.js" })).toContain("No match in 0 files");
  });

  it("takes an open buffer that says what the disk says for saved, whatever its line ends", async () => {
    const { ask, type } = open({ "a.ts": "needle\r\nhay\r\n" });
    type("a.ts", "needle\nhay\n");
    expect(await ask({ pattern: "needle" })).toBe("1 line in 1 file\na.ts:1: needle");
  });

  it("keeps to the path, to the glob and to .gitignore", async () => {
    const { ask, type } = open({ ".gitignore": "dist/\n", "dist/a.js": "hay\n", "src/a.ts": "hay\n" });
    type("dist/a.js", "needle\n");
    type("src/a.ts", "needle\n");
    expect(await ask({ pattern: "needle" })).toBe("1 line in 1 file\nsrc/a.ts (unsaved):1: needle");
    expect(await ask({ pattern: "needle", ignored: true })).toContain("2 lines in 2 files");
    expect(await ask({ pattern: "needle", path: "dist/a.js" })).toContain("1 line in 1 file");
    expect(await ask({ pattern: "needle", glob: "*.js" })).toContain("No match in 0 files");
  });

  it("never quotes a buffer whose name tells of secrets, or that lies outside", async () => {
    const { ask, type } = open({ "a.ts": "hay\n" });
    type(".env", "needle\n");
    type("../elsewhere.ts", "needle\n");
    expect(await ask({ pattern: "needle" })).toBe("No match in 1 file.");
  });

  it("gives a pattern the same meaning as on the disk", async () => {
    const text = "one\ntwo\n\n\tthree é\nfour;\nneedle\nNEEDLE\n";
    const patterns = [
      "^t",
      "e$",
      String.raw`^\s*$`,
      String.raw`e\ntwo`,
      "(?i)needle",
      "é",
      ";$",
      String.raw`\bfour\b`,
      "(?<=t)wo",
    ];
    const { ask, type } = open({ "disk.ts": text, "first.ts": "x\n", "second.ts": "x\n" });
    type("first.ts", "1\n2\n3");
    type("second.ts", text);
    for (const pattern of patterns) {
      for (const context of [0, 2]) {
        const onDisk = await ask({ pattern, path: "disk.ts", context });
        const inBuffer = await ask({ pattern, path: "second.ts", context });
        expect(inBuffer.replaceAll("second.ts (unsaved)", "disk.ts"), pattern).toBe(onDisk);
        const all = await ask({ pattern, context });
        expect(all, pattern).toContain(
          onDisk.split("\n").slice(1).join("\n").replaceAll("disk.ts", "second.ts (unsaved)"),
        );
      }
    }
  });

  it("finds a match over several lines in none but its own text", async () => {
    const { ask, type } = open({ "a.ts": "x\n", "b.ts": "x\n" });
    type("a.ts", "needle\n");
    type("b.ts", "thread\n");
    expect(await ask({ pattern: String.raw`needle\s*\n\s*thread` })).toContain("No match");
    expect(await ask({ pattern: String.raw`e\n` })).toContain("1 line in 1 file\na.ts (unsaved):1: needle");
  });

  it("searches a thousand changed buffers at once", async () => {
    const { ask, type } = open();
    for (let index = 0; index < 1_000; index += 1) type(`src/part${index}.ts`, `const part = ${index};\nneedle\n`);
    const started = performance.now();
    expect(await ask({ pattern: "needle", limit: 1 })).toContain("1000 lines in 1000 files");
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
