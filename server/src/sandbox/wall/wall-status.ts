/** What a wall tells of the program behind it: a JSON object a line, in a file. */
import { readRegularText } from "../../workspace/regular-file.ts";

export interface WallStatus {
  /** The first process of the program's own process namespace: when it goes, all others do. */
  readonly pid?: number;
  /** Missing as long as the program runs, and where it never ran. */
  readonly code?: number;
}

export async function readWallStatus(file: string): Promise<WallStatus> {
  const text = await readRegularText(file).catch(() => "");
  // The last line may still be on its way.
  const lines = text.split("\n").filter((line) => line.startsWith("{") && line.trimEnd().endsWith("}"));
  const all = Object.assign({}, ...lines.map((line) => JSON.parse(line) as object)) as Record<string, unknown>;
  const [pid, code] = [all["child-pid"], all["exit-code"]];
  const isCode = typeof code === "number" && all["begun"] !== false;
  return { ...(typeof pid === "number" ? { pid } : {}), ...(isCode ? { code } : {}) };
}
