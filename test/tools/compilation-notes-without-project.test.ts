/** Forms of a real image in a workspace that has nothing to check them against. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkEvaluations, type Checking } from "../../server/src/repl/stages/checking/checking-image.ts";
import { createImage, type Image } from "../../server/src/repl/process/image-process.ts";
import { checkForm } from "../../server/src/typescript/check-form.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

const signal = new AbortController().signal;
let project: TestProject;
let image: Checking<Image>;

beforeAll(async () => {
  project = openProject({ "package.json": `{ "name": "shop", "type": "module" }` });
  await project.service.ready(signal);
  const bare = createImage({ projectRoot: project.root, onOutput: () => {}, onState: () => {}, log: () => {} });
  image = checkEvaluations(bare, {
    projectRoot: project.root,
    check: (text, checkSignal) => checkForm(project.service, text, checkSignal),
    readModule: async () => undefined,
    onLateNotes: () => {},
    log: () => {},
  });
});
afterAll(async () => {
  await image.dispose();
  await project.dispose();
});

it("says once for each image, and to the agent alone, that forms are not checked", async () => {
  const notesOf = async (by: "agent" | "person"): Promise<string[]> => {
    const result = await image.evaluate({ code: "const wrong: string = 1; wrong", by }, signal);
    return result.notes.map(({ message }) => message);
  };
  const sentence = "Forms are not type-checked here: the workspace has no TypeScript project.";
  expect(await notesOf("person")).toEqual([]);
  expect(await notesOf("agent")).toEqual([sentence]);
  expect(await notesOf("agent")).toEqual([]);
  await image.restart();
  expect(await notesOf("agent")).toEqual([sentence]);
  expect(await image.compilationNotes(signal)).toContainEqual(
    expect.objectContaining({ state: "unchecked", reason: expect.stringMatching(/no TypeScript project/) as string }),
  );
});
