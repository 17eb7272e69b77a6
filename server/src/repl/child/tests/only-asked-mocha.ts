/**
 * Loaded before mocha. The files that are asked for replace the files of mocha's configuration: otherwise mocha would
 * run those too, with their `only`, their hooks and their errors.
 */
import { createRequire } from "node:module";
import { ASKED_VARIABLE } from "./events-variable.ts";

interface MochaOptions {
  /** The function that loads the options of the command line and of every configuration, since mocha 8. */
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
