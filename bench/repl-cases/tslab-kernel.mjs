// tslab's executor without Jupyter around it: a form is a line of JSON, and its end is marked as by a REPL's prompt.
// The executor is made and kept alive as in tslab's own `startKernel`.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [folder = "", language = ""] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const { createConverter } = require("./dist/converter.js");
const { createExecutor } = require("./dist/executor.js");

let node;
const converters = {
  get node() {
    return (node ??= createConverter({ isJS: language === "js", isBrowser: false }));
  },
  close() {
    node?.close();
  },
};
const executor = createExecutor(process.cwd(), converters, { log: console.log, error: console.error });
process.on("SIGINT", () => executor.interrupt());
process.on("uncaughtException", (error) => console.error("UncaughtException:", error));
process.on("unhandledRejection", (reason) => console.error("UnhandledPromiseRejection:", reason));

for await (const line of createInterface({ input: process.stdin })) {
  const form = JSON.parse(line);
  const marker = /^\["mar", "(ker:\d+:)"\]/.exec(form)?.[1];
  if (marker === undefined) {
    if (!(await executor.execute(form))) process.stdout.write("error: the cell failed\n");
  } else process.stdout.write(`mar${marker}\n`);
}
process.exit();
