/** The forms that Node's permissions refuse, behind each kind of wall: there they may run, and nothing comes of it outside. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachWall } from "../../../support/wall.ts";
import { startWalledImage, type TestImage } from "../with-image.ts";
import * as escapes from "./escapes.ts";
import { stageForms, type FormStage } from "./form-stage.ts";

const { copiedLinks, known, network, powers, reads, signals, sockets, v8Flags, withoutEffect, writes } = escapes;
const flags = v8Flags.map((flag) => {
  const written = "for (let i = 0; i < 1e5; i++) (function hot(n: number) { return n + i; })(i);";
  return { name: `the flag of V8 ${flag}`, code: `require('node:v8').setFlagsFromString('${flag}'); ${written} 'set'` };
});
/** The answer is no, and a link may lead to what is not there. */
const NO_ERROR = /^(existsSync|a new link to it)$/;

describeEachWall("a form behind the wall", (only) => {
  let t: TestImage;
  let stage: FormStage;
  beforeAll(async () => {
    t = startWalledImage({}, only);
    stage = await stageForms(t);
  });
  afterAll(() => stage.dispose());

  const attempt = ({ code }: escapes.Escape) => t.evaluate(stage.here(code), { timeoutMs: 5000 });

  it.for(reads)("reads nothing outside by $name", async (escape) => {
    const told = await attempt(escape);
    expect(JSON.stringify(told.preview ?? "")).not.toContain("CANARY");
    if (/OUT/.test(escape.code) && !NO_ERROR.test(escape.name)) expect(told.outcome).toBe("error");
  });

  it.for([...writes, ...copiedLinks])("writes nothing that is not its own by $name", async (escape) => {
    await attempt(escape);
    stage.expectUntouched();
  });

  it.for([...powers, ...signals, ...flags, ...withoutEffect, ...known])("has no effect by $name", async (escape) => {
    await attempt(escape);
    stage.expectUntouched();
  });

  it.for([...sockets, ...network])("reaches nobody by $name", async (escape) => {
    await attempt(escape);
    expect(stage.reached()).toBe(0);
  });
});
