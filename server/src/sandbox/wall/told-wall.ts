/** What holds whatever runs for the agent, told as one: evaluations, tests and commands. Pure. */
import { given } from "../../base/given.ts";
import type { ReplStatus } from "../../protocol/repl-shapes.ts";
import type { WallStatus } from "../../protocol/status.ts";
import { capitalized } from "../../base/capitalized.ts";

export interface Levels {
  readonly repl: Pick<ReplStatus, "level" | "missing">;
  /** Why no command is walled in, and what would help; undefined where commands are. */
  readonly whyNotCommands: string | undefined;
}

const EVALUATIONS: Readonly<Record<ReplStatus["level"], string>> = {
  walled: "Evaluations run behind the operating system's wall",
  limited: "Evaluations have Node's permissions alone, a seat belt",
  open: "Evaluations run with all of your rights",
};

/** The level is that of the weakest of them. */
export function toldWall({ repl, whyNotCommands }: Levels): WallStatus {
  const isWhole = repl.level === "walled" && whyNotCommands === undefined;
  return {
    level: isWhole ? "walled" : repl.level === "open" ? "open" : "limited",
    detail: isWhole
      ? "Evaluations, tests and commands run behind the operating system's wall."
      : `${EVALUATIONS[repl.level]}; ${commandWords(whyNotCommands)}.`,
    ...given({ missing: whyNotCommands ?? repl.missing }),
  };
}

/** The same for models, behind what the REPL says of itself. */
export function commandSentence(whyNotCommands: string | undefined): string {
  return `${capitalized(commandWords(whyNotCommands))}.${whyNotCommands === undefined ? "" : ` ${whyNotCommands}`}`;
}

function commandWords(whyNot: string | undefined): string {
  return whyNot === undefined
    ? "tests and commands run behind the operating system's wall"
    : "each run of tests and each command needs a yes and runs in the project itself, with all rights";
}
