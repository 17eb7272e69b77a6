/** The script `test` of `package.json`, for a runner that is not known here. */
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beginningAndEnd } from "../../../base/cut-text.ts";
import { manifestIn } from "../manifest.ts";
import type { PlanSetting, PreparedRun } from "./walled-plan.ts";

const SHOWN = { head: 1_000, tail: 2_900 };

export async function prepareScript({ plan, request, nodePath }: PlanSetting): Promise<PreparedRun | string> {
  if (request.name !== undefined) return "the script `test` runs as a whole: leave out `name`";
  const script = manifestIn(plan.root).scripts?.["test"] ?? "";
  const path = [join(plan.root, "node_modules/.bin"), dirname(nodePath), process.env["PATH"] ?? ""].join(":");
  return {
    version: `test: ${script}`,
    program: { command: ["sh", "-c", script], folder: plan.root, env: { PATH: path } },
    read: async ({ code, printed }) => ({
      outcomes: [],
      output: beginningAndEnd(stripVTControlCharacters(printed), SHOWN, (left) => `${left} characters left out`),
      ...(code === undefined ? {} : { exitCode: code }),
    }),
  };
}
