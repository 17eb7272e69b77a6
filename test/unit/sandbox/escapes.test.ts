import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeEachWall } from "../../support/wall.ts";
import { readings, reachings, writings } from "./attempts.ts";
import { startEscapes, type EscapeStage } from "./escape-stage.ts";

const ALL_WITHIN_MS = 120_000;

describeEachWall("out of the wall", (only) => {
  let stage: EscapeStage;
  beforeAll(async () => {
    stage = await startEscapes(only);
  });
  afterAll(() => stage.dispose());

  /** What the script printed. */
  const attempt = (script: string, timeoutMs = 20_000): Promise<string> =>
    stage.attempt(script, async (whole) => {
      const { end, text } = await stage.t.sh(whole, AbortSignal.timeout(timeoutMs));
      expect(end.kind).toBe("ended");
      return text;
    });

  /** What each of the scripts printed, behind one wall: each in a shell of its own, one after the other. */
  const attemptAll = async (scripts: Readonly<Record<string, string>>): Promise<Map<string, string>> => {
    const shells = Object.entries(scripts).map(
      ([name, script]) => `sh -c '${script.replaceAll("'", "'\\''")}'; echo; echo "=== ${name}"`,
    );
    const told = new Map<string, string>();
    let printed = "";
    for (const line of (await attempt(shells.join("\n"), ALL_WITHIN_MS)).split("\n")) {
      if (line.startsWith("=== ")) {
        told.set(line.slice("=== ".length), printed);
        printed = "";
      } else printed += `${line}\n`;
    }
    return told;
  };

  it("a script that does what it may shows that the attempts run at all", async () => {
    const plain = "cat src/a.ts; echo $OUTSIDER; node -p 1+1; echo CANARY | cat";
    const printed = `export const a = 1;\n${stage.outsider}\n2\nCANARY\n`;
    expect(await attempt(plain)).toBe(printed);
    expect([...(await attemptAll({ first: plain, ends: "exit 3", last: plain }))]).toEqual([
      ["first", `${printed}\n`],
      ["ends", "\n"],
      ["last", `${printed}\n`],
    ]);
  });

  describe.each([
    ["read", readings],
    ["reached", reachings],
  ])("what is not %s:", (_, scripts) => {
    let told: Map<string, string>;
    beforeAll(async () => {
      told = await attemptAll(scripts);
    }, ALL_WITHIN_MS);

    it.each(Object.keys(scripts))("%s", (name) => {
      expect(told.get(name)).not.toContain("CANARY");
    });
  });

  it.each(Object.entries(writings))("%s is not written", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });
});
