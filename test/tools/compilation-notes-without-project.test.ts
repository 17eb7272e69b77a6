/** Forms of a real image in a workspace that has nothing to check them against. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Repl } from "../../server/src/repl/repl.ts";
import { createImage } from "../../server/src/repl/process/image-process.ts";
import { checkForm } from "../../server/src/typescript/check-form.ts";
import { replOn } from "../unit/repl/with-image.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

const signal = new AbortController().signal;
let project: TestProject;
let repl: Repl;

beforeAll(async () => {
  project = openProject({ "package.json": `{ "name": "shop", "type": "module" }` });
  await project.service.ready(signal);
  const bare = createImage({ projectRoot: project.root, onOutput: () => {}, onState: () => {}, log: () => {} });
  repl = replOn(bare, {
    checks: {
      projectRoot: project.root,
      check: (text, checkSignal) => checkForm(project.service, text, checkSignal),
      readModule: async () => undefined,
      onLateNotes: () => {},
      log: () => {},
    },
  });
});
afterAll(async () => {
  await repl.dispose();
  await project.dispose();
});

it("says once for each image, and to the agent alone, that forms are not checked", async () => {
  const notesOf = async (by: "agent" | "person"): Promise<string[]> => {
    const result = await repl.evaluate({ code: "const wrong: string = 1; wrong", by }, signal);
    return result.notes.map(({ message }) => message);
  };
  const sentence = "Forms are not type-checked here: the workspace has no TypeScript project.";
  expect(await notesOf("person")).toEqual([]);
  expect(await notesOf("agent")).toEqual([sentence]);
  expect(await notesOf("agent")).toEqual([]);
  await repl.restart();
  expect(await notesOf("agent")).toEqual([sentence]);
  const { evalId } = await repl.evaluate({ code: "wrong", by: "agent" }, signal);
  expect(await repl.compilationNotesOf(evalId, signal)).toMatchObject({
    state: "unchecked",
    reason: expect.stringMatching(/no TypeScript project/) as string,
  });
});
