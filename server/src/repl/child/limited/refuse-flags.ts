/**
 * V8 takes flags while it runs, and some of them write: `--trace-turbo-cfg-file` appends to any file, past Node's
 * permissions, words that the program chooses. Others abort the process or take checks away.
 */
import v8 from "node:v8";
import { replaceFunction } from "../shared/replace-function.ts";
import { accessDenied } from "./refusal.ts";

export function refuseFlags(): void {
  replaceFunction(v8, "setFlagsFromString", () => () => {
    throw accessDenied("V8's flags");
  });
}
