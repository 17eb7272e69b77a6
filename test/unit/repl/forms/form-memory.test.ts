/** What a form costs the image's heap when it is over and has let go of everything. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

const FORMS = 1500;
const WARM_UP = 300;

let t: TestImage;
beforeAll(async () => {
  t = startTestImage({ confinement: "open" });
  await t.value(
    "globalThis.collect = (require('node:v8').setFlagsFromString('--expose-gc'), require('node:vm').runInNewContext('gc')); 1",
  );
});
afterAll(() => t.dispose());

it("keeps nothing of forms that opened something which has ended", { timeout: 60_000 }, async () => {
  const run = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) await t.value("clearInterval(setInterval(() => {}, 1e6)); 1");
  };
  const heap = async (): Promise<number> =>
    Number(
      await t.value(
        "for (let i = 0; i < 5; i++) { collect(); await new Promise((r) => setTimeout(r, 20)) } process.memoryUsage().heapUsed",
      ),
    );
  await run(WARM_UP);
  const before = await heap();
  await run(FORMS);
  // In bytes; a script that V8 keeps is more than twice of this.
  expect(((await heap()) - before) / FORMS).toBeLessThan(250);
});
