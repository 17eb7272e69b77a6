import { expect, it } from "vitest";
import { OpenDocuments, secondChange } from "../../../../server/src/typescript/session/open-documents.ts";

const uri = "file:///project/a.ts";
const open = { uri, languageId: "typescript", version: 1, text: "1" };

function methods(documents: OpenDocuments): string[] {
  return documents.takeChanges().notifications.map(({ method }) => method);
}

it("tells each change once", () => {
  const documents = new OpenDocuments();
  documents.didOpen(open);
  expect(methods(documents)).toEqual(["textDocument/didOpen"]);
  expect(documents.hasChanges()).toBe(false);
  documents.didChange({ uri, version: 2, text: "2" });
  expect(methods(documents)).toEqual(["textDocument/didChange"]);
  documents.didClose({ uri });
  expect(methods(documents)).toEqual(["textDocument/didClose"]);
  expect(methods(documents)).toEqual([]);
});

it("gives the compiler rising versions although the editor counts from 1 again", () => {
  const documents = new OpenDocuments();
  const versions: number[] = [];
  for (const text of ["1", "2"]) {
    documents.didOpen({ ...open, text });
    for (const { params } of documents.takeChanges().notifications) {
      versions.push((params as { textDocument: { version: number } }).textDocument.version);
    }
    documents.didClose(open);
  }
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  expect(new Set(versions).size).toBe(2);
});

it("tells a new process everything that is open", () => {
  const documents = new OpenDocuments();
  documents.didOpen(open);
  documents.takeChanges();
  documents.forgetTold();
  expect(methods(documents)).toEqual(["textDocument/didOpen"]);
});

it.each(["untitled:Untitled-1", "file:///project/notes.md", "git:/project/a.ts?HEAD", "file:///bad%ZZ.ts"])(
  "leaves %s alone",
  (other) => {
    const documents = new OpenDocuments();
    documents.didOpen({ ...open, uri: other });
    expect(documents.hasChanges()).toBe(false);
  },
);

it("opens a document again with the text that was told last", () => {
  const documents = new OpenDocuments();
  documents.didOpen(open);
  documents.takeChanges();
  documents.didChange({ uri, version: 2, text: "not told yet" });
  expect(documents.openedAgain("/project/a.ts")).toMatchObject([
    { method: "textDocument/didClose", params: { textDocument: { uri } } },
    { method: "textDocument/didOpen", params: { textDocument: { uri, text: "1" } } },
  ]);
  expect(documents.openedAgain("/project/b.ts")).toEqual([]);
  expect(methods(documents)).toEqual(["textDocument/didChange"]);
});

it("adds a second change to a single one, and to no other number", () => {
  expect(secondChange(["/project/a.ts"])).toHaveLength(1);
  expect(secondChange([])).toEqual([]);
  expect(secondChange(["/project/a.ts", "/project/b.ts"])).toEqual([]);
});
