/** The attempts at the wall around commands, made by a form: behind each kind of wall, and where Node's permissions are all there is. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSecretName } from "../../../../server/src/workspace/secret-names.ts";
import { describeEachWall } from "../../../support/wall.ts";
import { readings, reachings, writings } from "../../sandbox/attempts.ts";
import { startEscapes, type EscapeStage } from "../../sandbox/escape-stage.ts";
import { createImage, type Image } from "../../../../server/src/repl/process/image-process.ts";
import { knownWall } from "../../../support/known-wall.ts";
import type { ImageWall } from "../../../../server/src/repl/confinement/image-wall.ts";

const signal = new AbortController().signal;

/** What a shell that a form starts prints. It prints to a file: a program that stays would hold a pipe open. */
const shell = (script: string): string => `
  const { openSync, readFileSync } = require("node:fs");
  const file = require("node:os").tmpdir() + "/printed";
  const printed = openSync(file, "w");
  const { error } = require("node:child_process").spawnSync("sh", ["-c", ${JSON.stringify(script)}], { stdio: ["ignore", printed, printed] });
  if (error) throw error;
  globalThis.told = readFileSync(file, "latin1"); told.includes("CANARY") ? told : told.slice(0, 2000)`;

function imageOn(root: string, wall?: ImageWall): Image {
  const own = { projectRoot: root, isSecretName, onOutput: () => {}, onState: () => {}, log: () => {} };
  return createImage(wall === undefined ? own : { ...own, wall: knownWall(wall) });
}

describeEachWall("out of the wall around the REPL", (only) => {
  let stage: EscapeStage;
  let image: Image;
  beforeAll(async () => {
    stage = await startEscapes(only);
    image = imageOn(stage.t.root, { kind: "walled", raise: (program, stop) => stage.t.sandbox.live(program, stop) });
  });
  afterAll(async () => {
    await image.dispose();
    await stage.dispose();
  });

  const attempt = (script: string): Promise<string> =>
    stage.attempt(script, async (whole) => {
      const { outcome, preview, error } = await image.evaluate(
        { code: shell(whole), by: "agent", timeoutMs: 50_000 },
        signal,
      );
      expect({ outcome, error }).toEqual({ outcome: "value" });
      return preview ?? "";
    });

  it("a script that does what it may shows that the attempts run at all", async () => {
    expect(await attempt("cat src/a.ts; echo $OUTSIDER; node -p 1+1; echo CANARY | cat")).toBe(
      JSON.stringify(`export const a = 1;\n${stage.outsider}\n2\nCANARY\n`),
    );
  });

  it.each(Object.entries(readings))("%s is not read", { timeout: 60_000 }, async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });

  it.each(Object.entries(reachings))("%s is not reached", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });

  it.each(Object.entries(writings))("%s is not written", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });

  it("another form's result is not forged by frames on the channel without the token", async () => {
    const frame = `const body = Buffer.from(JSON.stringify({ t: "result", id: 1, outcome: "value", value: { preview: "forged", type: "string" }, token: "0".repeat(32) }));
      const head = Buffer.alloc(4); head.writeUInt32BE(body.length); require("node:fs").writeSync(3, Buffer.concat([head, body])); "mine"`;
    expect((await image.evaluate({ code: frame, by: "agent" }, signal)).preview).toBe('"mine"');
  });
});

describe("where Node's permissions are all there is", () => {
  let stage: EscapeStage;
  let image: Image;
  beforeAll(async () => {
    stage = await startEscapes({});
    image = imageOn(stage.t.root);
  });
  afterAll(async () => {
    await image.dispose();
    await stage.dispose();
  });

  it.each(Object.entries({ ...readings, ...reachings, ...writings }))(
    "no program is started for: %s",
    async (_, script) => {
      const told = await stage.attempt(script, async (whole) => {
        const { outcome, error } = await image.evaluate({ code: shell(whole), by: "agent" }, signal);
        expect(outcome).toBe("error");
        return `${error?.name} ${error?.message}`;
      });
      expect(told).toContain("ERR_ACCESS_DENIED");
    },
  );
});
