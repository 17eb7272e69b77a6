/** `agentq detach`: a program of the person's is one no more, and goes on as it was before. */
import { parseArgs } from "node:util";
import type { AppConnection } from "../../repl/attached/app-connection.ts";
import { runtimeFolder } from "../../process/runtime-folder.ts";
import { EXIT } from "../exit-codes.ts";
import { UsageError, type Stage } from "../stage.ts";
import { programsIn, type Met } from "./met.ts";

const HELP = `usage: agentq detach NAME|PID

Takes agentq out of a program that agentq run has started or agentq attach has attached (docs/running-app.md): no form, look or
trace comes in any more, what was traced is as it was before, and modules are loaded without agentq. Functions that a form has
redefined stay as they are. The program goes on, and agentq attach brings agentq in again.

Exit codes: 0 it is detached, 1 it is not, 2 the command line makes no sense.
`;

export async function runDetach(args: readonly string[], stage: Stage): Promise<number> {
  const options = { help: { type: "boolean", short: "h", default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  const [word = "", ...more] = positionals;
  if (word === "" || more.length > 0) throw new UsageError("Name one program, or its process id.");
  const sockets = runtimeFolder(stage.host.env);
  const met = sockets === undefined ? { programs: [], silent: [] } : await programsIn(sockets);
  try {
    return await detach(met, word, stage);
  } finally {
    for (const connection of met.programs) connection.leave();
  }
}

async function detach({ programs: all, silent }: Met, word: string, { out, errors }: Stage): Promise<number> {
  const tell = (message: string): number => {
    errors.line(`agentq detach: ${message}`);
    return EXIT.failed;
  };
  const meant = all.filter(({ facts: { name, pid } }) => [name, String(pid), `${name}:${pid}`].includes(word));
  const [program] = meant;
  if (program === undefined) {
    const names = all.map(shown).join(", ");
    const [pid] = silent;
    const busy = pid === undefined ? "" : ` Process ${pid} does not answer: interrupt what it runs, and try again.`;
    return tell(`There is no program ${word}; ${names === "" ? "none runs" : `there is ${names}`}.${busy}`);
  }
  if (meant.length > 1) return tell(`There is ${meant.map(shown).join(", ")}: name the process.`);
  if (!(await program.detach())) return tell(`${shown(program)} is busy. Interrupt what it runs, and try again.`);
  out.line(`${shown(program)} is detached, and goes on.`);
  return EXIT.ok;
}

const shown = ({ facts: { name, pid } }: AppConnection): string => `${name} (process ${pid})`;
