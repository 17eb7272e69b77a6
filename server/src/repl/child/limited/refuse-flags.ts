/**
 * V8 takes flags while it runs, and some flags write files: `--trace-turbo-cfg-file` makes V8 append text of the
 * program's choice to any file, past Node's permissions. Others abort the process or turn checks off.
 */
import v8 from "node:v8";
import { replaceFunction } from "../shared/replace-function.ts";
import { accessDenied } from "./refusal.ts";

export function refuseFlags(): void {
  replaceFunction(v8, "setFlagsFromString", () => () => {
    throw accessDenied("V8's flags");
  });
}
