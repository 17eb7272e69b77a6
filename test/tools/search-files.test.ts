import { afterEach, describe, expect, it } from "vitest";
import { openSearchWorkspace, type SearchWorkspace } from "./search-workspace.ts";

let opened: SearchWorkspace | undefined;

afterEach(() => opened?.dispose());

function open(...given: Parameters<typeof openSearchWorkspace>): SearchWorkspace {
  return (opened = openSearchWorkspace(...given));
}

const project = {
  ".gitignore": "dist/\n",
  ".github/ci.yml": "",
  ".env": "",
  "package.json": "",
  "dist/main.js": "",
  "node_modules/x/main.js": "",
  "src/main.ts": "",
  "src/tools/read-file.ts": "",
  "src/tools/write-file.ts": "",
  "src/file.ts": "",
  "test/read-file.test.ts": "",
};

describe("search_files", () => {
  it("lists what a glob matches, folder by folder", async () => {
    const { askFiles } = open(project);
    expect(await askFiles({ glob: "*.ts" })).toBe(
      "5 files\nsrc/: file.ts, main.ts\nsrc/tools/: read-file.ts, write-file.ts\ntest/read-file.test.ts",
    );
    expect(await askFiles({ glob: "src/**/*file.ts", path: "src/tools" })).toBe(
      "2 files\nsrc/tools/: read-file.ts, write-file.ts",
    );
    expect(await askFiles({ glob: "*.{yml,json}" })).toBe("2 files\n.github/ci.yml\npackage.json");
    expect(await askFiles({ glob: "**/main.*", ignored: true })).toBe(
      "3 files\ndist/main.js\nnode_modules/x/main.js\nsrc/main.ts",
    );
  });

  it("takes a word for a part of the name, and the nearest name first", async () => {
    const { askFiles } = open(project);
    expect(await askFiles({ glob: "FILE" })).toBe(
      "4 files\nsrc/file.ts\nsrc/tools/read-file.ts\nsrc/tools/write-file.ts\ntest/read-file.test.ts",
    );
    expect(await askFiles({ glob: "tools/r" })).toBe("1 file\nsrc/tools/read-file.ts");
  });

  it("takes the same letters for the same name, in whatever form of Unicode", async () => {
    const name = "plän.md".normalize("NFD");
    const { askFiles } = open({ [name]: "" });
    expect(await askFiles({ glob: "plän" })).toBe(`1 file\n${name}`);
    expect(await askFiles({ glob: "*ä?.md" })).toBe(`1 file\n${name}`);
  });

  it("lists new files of the editor", async () => {
    const { askFiles, type } = open(project);
    type("src/new.ts", "");
    type(".npmrc", "");
    type("src/main.ts", "changed\n");
    expect(await askFiles({ glob: "src/*.ts" })).toBe("3 files\nsrc/: file.ts, main.ts, new.ts (unsaved)");
    expect(await askFiles({ glob: "npmrc" })).toBe("No file.");
  });

  it("says what is near where there is no such file", async () => {
    const { askFiles } = open(project);
    expect(await askFiles({ glob: "raed-file.ts" })).toContain("No file. Near: src/tools/read-file.ts,");
    expect(await askFiles({ glob: "lib/**/main.ts" })).toBe("No file. Near: src/main.ts.");
    expect(await askFiles({ glob: "main.js" })).toBe(
      "No file. Ignored, and shown with ignored: true: dist/ 1, node_modules/ 1. Near: src/main.ts.",
    );
    expect(await askFiles({ glob: ".env*" })).toContain("1 file may hold secrets; tools neither read nor list them.");
    expect(await askFiles({ glob: "a{b" })).toContain("a { is not closed");
  });

  it("reads on after the last file that was shown", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`src/part${index % 9}/file-${index}.ts`, ""]),
    );
    const { call } = open(many);
    const seen = new Set<string>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const result = await call("search_files", { glob: "*.ts", ...(cursor === undefined ? {} : { cursor }) });
      expect(result.content).toMatch(/^900 files\n/);
      expect(result.content.length).toBeLessThan(9_000);
      for (const line of result.content.split("\n")) {
        const [folder = "", names = ""] = line.startsWith("src/part") ? line.split(": ") : [];
        for (const name of names.split(", ").filter((each) => each !== "")) seen.add(folder + name);
      }
      cursor = result.metadata.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect([...seen].toSorted()).toEqual(Object.keys(many).toSorted());
    expect(pages).toBeGreaterThan(1);
    expect((await call("search_files", { glob: "*.ts", cursor: "nope" })).error).toContain("Leave cursor out");
  });
});
