import { join } from "node:path";
import { expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn } from "../with-image.ts";

/** A form that answers what the thread of a file says first. */
const heard = (file: string): string =>
  `const { Worker } = require('node:worker_threads'); const { once } = require('node:events');
   const [said] = await once(new Worker(new URL(${JSON.stringify(file)}, 'file://' + process.cwd() + '/')), 'message'); said`;

describeEachNode([22, 24, 26], (node) => {
  it("loads the modules of threads as its own: enums, .js for .ts, paths, unsaved text, threads of threads", async () => {
    const open = new Map<string, string>();
    const t = startOn(node, { confinement: "open", readSource: (path) => open.get(path) });
    const say = (text: string): string => `import { parentPort } from "node:worker_threads";\n${text}\n`;
    t.write("tsconfig.json", '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }');
    t.write("package.json", '{ "type": "module" }');
    t.write("src/level.ts", "export enum Level { Low = 1, High }\n");
    t.write("src/enum.ts", say('import { Level } from "./level.js";\nparentPort!.postMessage(Level[2]);'));
    t.write("src/paths.ts", say('import { Level } from "@/level.ts";\nparentPort!.postMessage(Level.High);'));
    t.write("src/open.ts", say('parentPort!.postMessage("disk");'));
    t.write("src/plain.cts", 'require("node:worker_threads").parentPort.postMessage(require("./common.cts").one);\n');
    t.write("src/common.cts", "enum One { one = 1 }\nexport = { one: One.one };\n");
    t.write("src/throws.ts", "enum Level { Low }\ninterface Gone {}\n\nthrow new Error(`at ${Level.Low}`);\n");
    t.write(
      "src/outer.ts",
      say('import { Worker } from "node:worker_threads";\nnew Worker(new URL("./enum.ts", import.meta.url)).on("message", (m) => parentPort!.postMessage(`inner ${m}`));'),
    );
    open.set(join(t.root, "src/open.ts"), say('parentPort!.postMessage("unsaved");'));
    expect(await t.value(heard("src/enum.ts"))).toBe('"High"');
    expect(await t.value(heard("src/enum.js"))).toBe('"High"');
    expect(await t.value(heard("src/paths.ts"))).toBe("2");
    expect(await t.value(heard("src/open.ts"))).toBe('"unsaved"');
    expect(await t.value(heard("src/plain.cts"))).toBe("1");
    expect(await t.value(heard("src/outer.ts"))).toBe('"inner High"');
    const thrown = await t.evaluate(heard("src/throws.ts"));
    expect(thrown.error?.message).toBe("at 0");
    expect(JSON.stringify(thrown.error)).toContain("throws.ts");
    await t.dispose();
  });
});
