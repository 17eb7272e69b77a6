/** One image for the tests of a file that do not ask for a fresh one. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { ImageOptions } from "../../../server/src/repl/image.ts";
import { startTestImage, type TestImage } from "./with-image.ts";

/**
 * One image for all tests of a file; each has a copy of the project in a folder of its own, whose modules no other test has loaded.
 * In what goes in and comes out that folder is the project's own: `./src/app.ts` means the copy's.
 */
export function shareImage(options: Partial<ImageOptions> = {}, fixture = "repl-project"): () => TestImage {
  let shared: TestImage;
  let current: TestImage;
  let copies = 0;
  beforeAll(() => {
    shared = startTestImage(options, fixture);
  });
  beforeEach(() => {
    copies += 1;
    current = inCopy(shared, fixture, `copy${copies}`);
  });
  afterAll(() => shared.dispose());
  return () => current;
}

function inCopy(shared: TestImage, fixture: string, name: string): TestImage {
  const root = join(shared.root, name);
  cpSync(fileURLToPath(new URL(`../../fixtures/${fixture}/`, import.meta.url)), root, { recursive: true });
  const inside = (code: string): string => code.replaceAll(/(?<=["'])\.\/(?=src\/)/g, `./${name}/`);
  const outside = <Told>(told: Told): Told =>
    JSON.parse(JSON.stringify(told).replaceAll(`${name}/`, "").replaceAll(`"${name}"`, '"."')) as Told;
  return {
    ...shared,
    root,
    evaluate: async (code, more) => outside(await shared.evaluate(inside(code), more)),
    value: async (code, more) => outside(await shared.value(inside(code), more)),
    write: (path, text) => shared.write(join(name, path), text),
  };
}
