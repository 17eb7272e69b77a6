/** The chat of Neovim's client: what it takes to load, and a frame of a long transcript beside one of a short. */
import { figuresOf, newestNeovim } from "../support/nvim.ts";
import { p95Below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 5;
const FRAMES = 200;
const SHORT = "below 20 lines";
const LONG = "below 10,000 lines";
const START = "Neovim sources the plugin";

interface Sample {
  readonly startup: readonly number[];
  readonly short: readonly number[];
  readonly long: readonly number[];
}

export async function measureEditorChat({ rounds }: Setting): Promise<MeasureReport> {
  const editor = newestNeovim("chat");
  if ("rows" in editor) return editor;
  const sample = async (): Promise<Sample> =>
    inTemporaryFolder(async (folder) => figuresOf(editor, folder, "./nvim-chat.lua", { frames: FRAMES }) as Sample);
  const { samples } = await inTurns({ samples: sample }, rounds(ROUNDS));
  const all = (figure: keyof Sample): number[] => samples.flatMap((each) => [...each[figure]]);
  return {
    rows: [
      ...rowsOf({ measure: "start-up", unit: "ms" }, { [START]: all("startup") }, START, {
        [START]: p95Below(1, "ms"),
      }),
      ...rowsOf(
        { measure: "a frame of an answer", unit: "ms" },
        { [SHORT]: all("short"), [LONG]: all("long") },
        SHORT,
        {
          [LONG]: p95Below(2, "ms"),
        },
      ),
    ],
    notes: [`Neovim ${editor.version}, whose screen is drawn and shown nowhere; ${FRAMES} frames a round.`],
  };
}
