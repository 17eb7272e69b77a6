/** What the image's process holds: at rest, and after tens of thousands of evaluations whose values it need not keep. */
import type { Image } from "../../server/src/repl/image.ts";
import { imageMaker, valueOf } from "../support/image-host.ts";
import { canReadProcesses, processTree } from "../support/processes.ts";
import { rowsOf, type MeasureReport } from "../support/report.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const EVALUATIONS = 50_000;
const AT_ONCE = 500;
const MEASURE = "memory of the image (RSS)";
const COLLECT = `const { setFlagsFromString } = require("node:v8"); setFlagsFromString("--expose-gc"); require("node:vm").runInNewContext("gc")(); 1`;

export function measureImageMemory({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    if (!canReadProcesses) {
      return { rows: [{ measure: MEASURE, subject: "all", skipped: "this system has no /proc to read" }], notes: [] };
    }
    // The confined image may not set the flag that lets its garbage be collected on demand.
    const image = (await imageMaker(program))(folder, { confinement: "open" });
    try {
      await valueOf(image, "1+1");
      const atRest = rssOf(image);
      const count = rounds(EVALUATIONS);
      const hostBefore = process.memoryUsage().rss;
      for (let done = 0; done < count; done += AT_ONCE) {
        const numbers = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, index) => done + index);
        // Each leaves an object behind its handle, a new name every hundredth time, and a line of output.
        await Promise.all(numbers.map((number) => valueOf(image, formOf(number))));
      }
      const after = rssOf(image);
      await valueOf(image, COLLECT);
      const collected = rssOf(image);
      const hostGrownMb = (process.memoryUsage().rss - hostBefore) / 2 ** 20;
      const shown = count.toLocaleString("en");
      const samples = {
        "at rest, after one evaluation": [atRest],
        [`after ${shown} evaluations`]: [after],
        [`after ${shown} evaluations, garbage collected`]: [collected],
        [`its host, grown by`]: [hostGrownMb],
      };
      return { rows: rowsOf({ measure: MEASURE, unit: "MB" }, samples, "at rest, after one evaluation"), notes: [] };
    } finally {
      await image.dispose();
    }
  });
}

function formOf(number: number): string {
  if (number % 100 === 0)
    return `const made${number / 100} = { number: ${number} }; console.log(made${number / 100}.number)`;
  return `({ number: ${number}, list: [${number}, "text ${number}"] })`;
}

function rssOf(image: Image): number {
  return processTree(image.status().pid ?? -1).reduce((sum, { rssMb }) => sum + rssMb, 0);
}
