/**
 * The scripted model: a real server on the loopback address that answers Messages API requests from a script, so that
 * the demo and the tests run the whole road from the editor to the model with no key and no network.
 *
 * As a process of its own it prints its URL as the first line:
 *
 *     node examples/demo/scripted-model.ts --script fix-bug [--port 0] [--project folder] [--pace ms] [--with-stdin]
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from "./model/server.ts";
import { scripts } from "./scripts/all.ts";

export { startScriptedModel, type ScriptedModel, type ScriptedModelOptions };

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      script: { type: "string", default: "demo" },
      port: { type: "string", default: "0" },
      project: { type: "string" },
      pace: { type: "string", default: "0" },
      "with-stdin": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const script = scripts.find((candidate) => candidate.name === values.script);
  if (values.help || script === undefined) {
    const list = scripts.map((known) => `  ${known.name.padEnd(22)}${known.description}`).join("\n");
    const usage = `usage: scripted-model.ts --script <name> [--port n] [--project folder] [--pace ms] [--with-stdin]`;
    (values.help ? process.stdout : process.stderr).write(`${usage}\n\nScripts:\n${list}\n`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const model = await startScriptedModel(script, {
    port: Number(values.port),
    paceMs: Number(values.pace),
    ...(values.project === undefined ? {} : { project: values.project }),
  });
  process.stdout.write(`${model.url}\n`);
  const stop = (): void => void model.dispose().then(() => process.exit(0));
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  // With --with-stdin the process ends when its parent does, however that ends.
  if (values["with-stdin"]) process.stdin.once("close", stop).resume();
}
