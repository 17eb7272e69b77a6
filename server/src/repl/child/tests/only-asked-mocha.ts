/**
 * Loaded before mocha: the files that are asked for take the place of those that its configuration names, which mocha would
 * run beside them, with their `only`, their hooks and their errors.
 */
import { createRequire } from "node:module";
import { ASKED_VARIABLE } from "./events-variable.ts";

interface MochaOptions {
  /** What loads the options from the command line and every configuration, since mocha 8. */
  loadOptions: (argv?: readonly string[]) => { _: readonly string[] };
}

const require = createRequire(process.argv[1] ?? "");
const options = (load("../lib/cli/options.cjs") ?? load("../lib/cli/options.js")) as MochaOptions | undefined;
if (options === undefined) throw new Error("This mocha cannot be asked for one file alone: leave out `path`.");
const { loadOptions } = options;
options.loadOptions = (argv) => ({
  ...loadOptions(argv),
  _: JSON.parse(process.env[ASKED_VARIABLE] ?? "[]") as string[],
});

function load(name: string): unknown {
  try {
    return require(name);
  } catch {
    return undefined;
  }
}
