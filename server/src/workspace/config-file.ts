/** Reads tsconfig files as their authors write them: JSON with comments, trailing commas and a byte order mark. */
import JSON5 from "json5";
import { readRegularTextSync } from "./regular-file.ts";

/** Empty for a file that cannot be read or parsed: the compiler reports what is wrong with such a file. */
export function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON5.parse(readRegularTextSync(path, { lossy: true }));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
