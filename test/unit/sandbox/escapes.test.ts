import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachWall } from "../../support/wall.ts";
import { readings, reachings, writings } from "./attempts.ts";
import { startEscapes, type EscapeStage } from "./escape-stage.ts";

describeEachWall("out of the wall", (only) => {
  let stage: EscapeStage;
  beforeAll(async () => {
    stage = await startEscapes(only);
  });
  afterAll(() => stage.dispose());

  /** What the script printed. */
  const attempt = (script: string): Promise<string> =>
    stage.attempt(script, async (whole) => {
      const { end, text } = await stage.t.sh(whole, AbortSignal.timeout(20_000));
      expect(end.kind).toBe("ended");
      return text;
    });

  it("a script that does what it may shows that the attempts run at all", async () => {
    expect(await attempt("cat src/a.ts; echo $OUTSIDER; node -p 1+1; echo CANARY | cat")).toBe(
      `export const a = 1;\n${stage.outsider}\n2\nCANARY\n`,
    );
  });

  it.each(Object.entries(readings))("%s is not read", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });

  it.each(Object.entries(reachings))("%s is not reached", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });

  it.each(Object.entries(writings))("%s is not written", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });
});
