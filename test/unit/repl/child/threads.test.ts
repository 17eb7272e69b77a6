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
      say(
        'import { Worker } from "node:worker_threads";\nnew Worker(new URL("./enum.ts", import.meta.url)).on("message", (m) => parentPort!.postMessage(`inner ${m}`));',
      ),
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

  it("loads the modules of forked processes in the same way, and of what these fork and start", async () => {
    const open = new Map<string, string>();
    const t = startOn(node, { confinement: "open", readSource: (path) => open.get(path) });
    t.write("tsconfig.json", '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }');
    t.write("package.json", '{ "type": "module" }');
    t.write("src/level.ts", "export enum Level { Low = 1, High }\n");
    t.write(
      "src/child.ts",
      'import { Level } from "@/level.js";\nprocess.send!(`${Level[2]} of ${Object.keys(process.env).filter((name) => name.includes("AGENTQ"))}`);\n',
    );
    t.write("src/open.ts", 'process.send!("disk");\n');
    t.write(
      "src/outer.ts",
      'import { fork } from "node:child_process";\nimport { Worker } from "node:worker_threads";\n' +
        'fork("src/child.ts", ["a"], { env: {} }).on("message", (inner) => {\n' +
        '  new Worker(new URL("./thread.ts", import.meta.url)).on("message", (m) => process.send!(`${inner} and ${m}`));\n});\n',
    );
    t.write(
      "src/thread.ts",
      'import { parentPort } from "node:worker_threads";\nenum A { B = 7 }\nparentPort!.postMessage(A.B);\n',
    );
    open.set(join(t.root, "src/open.ts"), "enum A { unsaved }\nprocess.send!(A[0]);\n");
    const said = (file: string): Promise<string> =>
      t.value(
        `const { fork } = require('node:child_process'); const { once } = require('node:events'); const child = fork('${file}');
         const [heard] = await once(child, 'message'); child.disconnect(); await once(child, 'exit'); heard`,
      );
    expect(await said("src/child.ts")).toBe('"High of "');
    expect(await said("src/open.ts")).toBe('"unsaved"');
    expect(await said("src/outer.ts")).toBe('"High of  and 7"');
    await t.dispose();
  });
});
