/**
 * The golden transcripts: what a model is sent in short conversations, one file each to read, and whether a reader of the last
 * request alone knows what is true of the disk, the buffers, the image and the person's decisions.
 */
import { afterAll, describe, expect, it } from "vitest";
import { textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";
import type { Conversation } from "./conversation.ts";
import { conversations } from "./conversations/all.ts";
import type { Told } from "./reading.ts";
import { render } from "./render.ts";
import { closeStages, Scene, type Setting } from "./scene.ts";

const transcript = (name: string): string => `transcripts/${name}.txt`;

const ATTEMPTS = 3;

let system: string | undefined;

afterAll(closeStages);

describe("a reader of the last request alone", () => {
  it.each(conversations)("knows what is true: $name", async ({ name, questions, play, ...setting }) => {
    const scene = await played(setting, play);
    try {
      const told = scene.told();
      const wrong: object[] = [];
      for (const { ask, read, truth } of questions) {
        const [reads, is] = [read(told), await truth(scene)];
        if (reads !== is) wrong.push({ ask, reads, is });
      }
      expect.soft(wrong).toEqual([]);
      expect(scene.mismatches).toEqual([]);
      await expect(render(scene.last(), scene)).toMatchFileSnapshot(transcript(name));
      expectOneBeginning(scene);
    } finally {
      await scene.close();
    }
  });
});

/** Played again where the machine was too busy to describe the project in the time that a prompt waits for that. */
async function played(setting: Setting, play: Conversation["play"]): Promise<Scene> {
  for (let attempt = 1; ; attempt += 1) {
    const scene = await Scene.open(setting);
    try {
      await play(scene);
      // What happened since is told with the next words of the person.
      await scene.say("Where do we stand?");
    } catch (error) {
      await scene.close();
      throw error;
    }
    if (attempt === ATTEMPTS || !scene.told().some(isHurried)) return scene;
    await scene.close();
  }
}

/** `files: src/ 3+`: the files that were counted in time. */
function isHurried({ kind, text }: Told): boolean {
  return kind === "about" && /^ {2}(?:not known in time: |files: .*\/ \d+\+)/m.test(text);
}

/** Each request begins as the one before, but behind a summary, so that the last one holds them all, and a provider's cache as well. */
function expectOneBeginning({ requests }: Scene): void {
  let before: RequestBody | undefined;
  for (const request of requests) {
    // A request for a summary has no tools; what comes after begins with the summary.
    if (request.tools === undefined) {
      before = undefined;
      continue;
    }
    system ??= textOf(request.system);
    expect(textOf(request.system)).toBe(system);
    if (before !== undefined) {
      expect(JSON.stringify(request.tools)).toBe(JSON.stringify(before.tools));
      expect(withoutMarks(request.messages.slice(0, before.messages.length))).toEqual(withoutMarks(before.messages));
    }
    before = request;
  }
}

/** The mark of where a provider's cache ends moves on with each request. */
function withoutMarks(messages: RequestBody["messages"]): unknown {
  return JSON.parse(JSON.stringify(messages), (key, value: unknown) => (key === "cache_control" ? undefined : value));
}
