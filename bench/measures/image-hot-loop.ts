/** The price of a scope that can be reached: hot loops in an instrumented module beside the same module in plain Node. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Image } from "../../server/src/repl/image.ts";
import { imageMaker, valueOf } from "../support/image-host.ts";
import { NodeRepl } from "../support/node-repl.ts";
import { ratioUpTo, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 9;
const GOAL_RATIO = 1.2;
const IMAGE = "the image";
const NODE = "plain node";

/** Each reads and calls what stands at the top level of its module, which is what instrumenting touches. */
const LOOPS = ["numbers", "objects", "strings"] as const;

const MODULE = `const STEP = 3;
const limits = { low: 10, high: 1000 };
let turns = 0;
class Point {
  #x: number;
  constructor(x: number) { this.#x = x; }
  moved(by: number): Point { return new Point((this.#x + by) % limits.high); }
  get x(): number { return this.#x; }
}
const mixed = (value: number, by: number): number => (value * STEP + by) % 65_537;
function clamp(value: number): number {
  turns += 1;
  return value < limits.low ? limits.low : value;
}
const loops = {
  numbers(): number {
    let value = 1;
    for (let n = 0; n < 6_000_000; n += 1) value = clamp(mixed(value, n));
    return value;
  },
  objects(): number {
    let point = new Point(1);
    for (let n = 0; n < 4_000_000; n += 1) point = point.moved(STEP);
    return point.x;
  },
  strings(): number {
    const counts = new Map<string, number>();
    for (let n = 0; n < 400_000; n += 1) {
      const key = \`k\${mixed(n, STEP) % 500}\`;
      counts.set(key, (counts.get(key) ?? 0) + STEP);
    }
    return counts.size + turns;
  },
};
/** Milliseconds of processor time: what else the machine does is not in it. */
export function run(name: keyof typeof loops): number {
  const before = process.threadCpuUsage();
  loops[name]();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
`;

export function measureImageHotLoop({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const file = path.join(folder, "loops.ts");
    writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    writeFileSync(file, MODULE);
    const image = (await imageMaker(program))(folder);
    const node = new NodeRepl(folder);
    try {
      await valueOf(image, `import { run } from "./loops.ts"; run("numbers")`);
      await node.ready();
      await node.evaluate(`const { run } = await import(${JSON.stringify(pathToFileURL(file).href)})`);
      const rows: MeasureReport["rows"][number][] = [];
      for (const name of LOOPS) {
        const samples = await inTurns(
          { [IMAGE]: () => inImage(image, name), [NODE]: () => inNode(node, name) },
          rounds(ROUNDS),
        );
        const measure = `hot loop over ${name}, processor time`;
        rows.push(...rowsOf({ measure, unit: "ms" }, samples, NODE, { [IMAGE]: ratioUpTo(GOAL_RATIO) }));
      }
      return { rows, notes: [] };
    } finally {
      await image.dispose();
      await node.close();
    }
  });
}

async function inImage(image: Image, name: string): Promise<number> {
  return milliseconds(await valueOf(image, `run("${name}")`));
}

async function inNode(node: NodeRepl, name: string): Promise<number> {
  return milliseconds((await node.evaluate(`run("${name}")`)).trim());
}

function milliseconds(printed: string): number {
  const taken = Number(printed);
  if (!(taken > 0)) throw new Error(`a loop was answered with ${printed}`);
  return taken;
}
